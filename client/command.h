/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - run a command that changes the client, and no other beside it
 *
 * Terms   marker: RUN/command, which names the process of a running command,
 *           or "0 0". A helper that is killed leaves the command running and
 *           named; the next one ends it before it looks at anything: otherwise
 *           a late remount would come after the decision that nothing is to be
 *           put back. Until it is named it ends with the helper. The file keeps
 *           its size and is written in place, which needs no room when /run is full.
 * Owner   as in child.h.
 * Errors  as child_run(). Where no marker can be written the command is run all
 *           the same, and ends with the helper: putting back matters more.
 * Runs    prolog and epilog as root, under the node's lock.
 */
#ifndef JOBIO_CLIENT_COMMAND_H
#define JOBIO_CLIENT_COMMAND_H

#include "base/child.h"
#include "base/err.h"

int command_run(const char *run_dir, char *const argv[], char *const env[], unsigned int timeout_ms,
		struct child_result *result, struct err *err);

/* The same for a command whose answer is nothing: -1 also when it fails, with
 * its exit status and the first line that it said; 'name' is what it is called
 * in the error. */
int command_do(const char *run_dir, char *const argv[], const char *name, unsigned int timeout_ms,
	       struct err *err);

/* End a command that a killed helper left behind. 1: there was one, 0: none,
 * -1: it does not end, or the marker cannot be read. */
int command_end_leftover(const char *run_dir, struct err *err);

#endif
