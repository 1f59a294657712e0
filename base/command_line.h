/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_line.h - parse the options of a program by a table
 *
 * Terms   program: "jobio-prepare", or "jobio cores" for a program behind jobio(1). Its
 *           messages are "jobio: prepare: MESSAGE", on stderr.
 *         words: arguments after the options.
 * Owner   texts are parts of argv.
 * Errors  command_fail() prints the message and returns the status, so that programs may
 *           return command_fail(...).
 * Runs    main() of a program, one thread.
 */
#ifndef JOBIO_BASE_COMMAND_LINE_H
#define JOBIO_BASE_COMMAND_LINE_H

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum command_status {
	COMMAND_OK = 0,
	COMMAND_FAILED = 1,
	COMMAND_USAGE = 2,
	COMMAND_UNSOUND = 3, /* cores: Slurm will reserve something else */
};

int command_fail(const char *program, int status, const struct err *err);

/* A long option. Without 'set' it sets at 'at' of the options a bool, a text or, with 'most', an
 * unsigned long. 'value' is not empty. */
struct command_option {
	const char *name;
	int argument; /* no_argument, required_argument */
	size_t at;
	unsigned long least, most;
	int (*set)(void *options, const char *name, const char *value, struct err *err);
};

/* clang-format off */
#define COMMAND_FLAG(word, type, member) { .name = word, .at = offsetof(type, member) }
#define COMMAND_TEXT(word, type, member) \
	{ .name = word, .argument = required_argument, .at = offsetof(type, member) }
#define COMMAND_NUMBER(word, type, member, min, max) \
	{ .name = word, .argument = required_argument, .at = offsetof(type, member), \
	  .least = min, .most = max }
#define COMMAND_CALL(word, call) { .name = word, .argument = required_argument, .set = call }
/* for tests: before anything of the machine is read */
#define COMMAND_SYSFS COMMAND_CALL("sysfs", command_set_sysfs)
/* clang-format on */

#define COMMAND_ANY_WORDS INT_MAX

struct command_line {
	const char *program;
	const char *usage;		    /* what --help prints */
	const struct command_option *table; /* without --help; name NULL: the end */
	int words_least, words_most;
	int usage_status; /* if the command line is wrong */
	/* for options that exclude each other; NULL: none */
	int (*check)(void *options, struct err *err);
};

int command_set_sysfs(void *options, const char *name, const char *value, struct err *err);

/* Return -1 to continue, optind is the first word; else the exit status, and all messages were
 * printed. */
int command_parse(const struct command_line *line, void *options, int argc, char *argv[]);

#endif
