/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - options of the C programs behind jobio(1)
 *
 * Terms   a command is called with argv[0] = its own name ("cores") and
 *           returns the exit status of jobio.
 * Errors  command_fail() prints "jobio: NAME: MESSAGE" on stderr and returns
 *           the status, so that commands may return command_fail(...).
 * Runs    any user, any host, one thread.
 */
#ifndef JOBIO_TOOLS_COMMAND_H
#define JOBIO_TOOLS_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum command_status {
	COMMAND_OK = 0,
	COMMAND_FAILED = 1,
	COMMAND_USAGE = 2,
	COMMAND_UNSOUND = 3, /* cores: Slurm will reserve something else */
};

int command_fail(const char *name, enum command_status status, const struct err *err);

/* A long option. Without 'set' it sets the bool or, if it takes a value, the text at 'at' of the
 * options. 'value' is not empty. */
struct command_option {
	const char *name;
	int argument; /* no_argument, required_argument */
	size_t at;
	int (*set)(void *options, const char *name, const char *value, struct err *err);
};

/* clang-format off */
#define COMMAND_FLAG(word, type, member) { .name = word, .at = offsetof(type, member) }
#define COMMAND_TEXT(word, type, member) \
	{ .name = word, .argument = required_argument, .at = offsetof(type, member) }
#define COMMAND_CALL(word, call) { .name = word, .argument = required_argument, .set = call }
/* clang-format on */

struct command_line {
	const char *name;
	const char *usage;		    /* what --help prints */
	const struct command_option *table; /* without --help; name NULL: the end */
	bool has_words;			    /* after the options: optind is the first */
	/* for options that exclude each other; NULL: none */
	int (*check)(void *options, struct err *err);
};

/* For COMMAND_CALL, in tests: call before anything of the machine is read. */
int command_set_sysfs(void *options, const char *name, const char *value, struct err *err);

/* Return -1 to continue; else the exit status, and all messages were printed. */
int command_parse(const struct command_line *line, void *options, int argc, char *argv[]);

#endif
