/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - what every subcommand of jobio(1) keeps to
 *
 * Terms   a command is called with argv[0] = its own name ("cores") and
 *           returns the exit status of jobio.
 * Errors  command_fail() prints "jobio: NAME: SENTENCE" on stderr and returns
 *           the status, so that commands may return command_fail(...).
 * Runs    any user, any host, one thread.
 */
#ifndef JOBIO_REPORT_COMMAND_H
#define JOBIO_REPORT_COMMAND_H

#include <getopt.h>

#include "lib/err.h"

enum command_status {
	COMMAND_OK = 0,
	COMMAND_FAILED = 1, /* check: warnings */
	COMMAND_USAGE = 2,
	COMMAND_UNSOUND = 3, /* cores: Slurm will reserve something else; check:
			      * errors */
};

int command_fail(const char *name, enum command_status status,
		 const struct err *err);

/* The sentence for an option that getopt_long() did not take. Returns -1. */
int command_bad_option(const char *name, const char *word, struct err *err);

/* The sentence for an empty value of a long option. Returns -1 or 0; 'value'
 * is NULL when the option takes none. */
int command_empty_value(const char *option, const char *value, struct err *err);

/* Call 'set' for each option of the command line, with its value in 'table';
 * only that of 'may_be_empty' (0: none) may be empty. 'v' in the table is -v, too.
 * No other words. */
int command_options(const char *name, const struct option *table,
		    int may_be_empty, int argc, char *argv[],
		    int (*set)(void *options, int option, const char *value,
			       struct err *err),
		    void *options, struct err *err);

#endif
