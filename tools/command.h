/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - options of the C programs behind jobio(1)
 *
 * Terms   a command is called with argv[0] = its own name ("cores") and
 *           returns the exit status of jobio.
 * Errors  command_fail() prints "jobio: NAME: SENTENCE" on stderr and returns
 *           the status, so that commands may return command_fail(...).
 * Runs    any user, any host, one thread.
 */
#ifndef JOBIO_TOOLS_COMMAND_H
#define JOBIO_TOOLS_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

enum command_status {
	COMMAND_OK = 0,
	COMMAND_FAILED = 1, /* check: warnings */
	COMMAND_USAGE = 2,
	COMMAND_UNSOUND = 3, /* cores: Slurm will reserve something else; check:
			      * errors */
};

int command_fail(const char *name, enum command_status status, const struct err *err);

/* A long option. Without 'set' it is a bool, a text or an unsigned long of the options, at 'at': a
 * bool becomes true or, where it takes a value, says whether that is 'yes' and not
 * 'no'. 'value' is NULL when none was given, and is never empty. */
struct command_option {
	const char *name;
	int argument; /* no_argument, required_argument, optional_argument */
	size_t at;
	const char *yes, *no;
	unsigned long least, most; /* of a number; 0: it is none */
	int (*set)(void *options, const char *name, const char *value, struct err *err);
};

/* clang-format off */
#define COMMAND_FLAG(name, type, member) \
	{ name, no_argument, offsetof(type, member), NULL, NULL, 0, 0, NULL }
#define COMMAND_TEXT(name, type, member) \
	{ name, required_argument, offsetof(type, member), NULL, NULL, \
	  0, 0, NULL }
#define COMMAND_CHOICE(name, type, member, yes, no) \
	{ name, required_argument, offsetof(type, member), yes, no, \
	  0, 0, NULL }
#define COMMAND_NUMBER(name, type, member, least, most) \
	{ name, required_argument, offsetof(type, member), NULL, NULL, \
	  least, most, NULL }
#define COMMAND_CALL(name, set) \
	{ name, required_argument, 0, NULL, NULL, 0, 0, set }
/* clang-format on */

struct command_line {
	const char *name;
	const char *usage[3];		    /* what --help prints, one after the other */
	const struct command_option *table; /* --help apart; name NULL: the end */
	/* of options that exclude each other; NULL: none */
	int (*check)(void *options, struct err *err);
};

/* -1: go on; else the exit status, and all has been said. */
int command_parse(const struct command_line *line, void *options, int argc, char *argv[]);

/* 'value' is one of two words: 1 the first, 0 the second, -1 neither. */
int command_choose(const char *option, const char *value, const char *yes, const char *no,
		   struct err *err);

#endif
