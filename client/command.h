/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - run a command that changes the client, one at a time
 *
 * Terms   marker: RUN/command, with the process of a running command, or "0 0". If a
 *           helper is killed, the command keeps running and is in the marker; the next
 *           helper ends it before it reads anything: otherwise a late remount could follow
 *           the decision that nothing is to be restored. Until it is in the marker it ends
 *           with the helper. The file keeps its size and is written in place, so it can be
 *           updated when /run is full.
 * Owner   as in child.h.
 * Errors  as child_run(). If the marker cannot be written the command runs nevertheless,
 *           and ends with the helper: restoring is more important.
 * Runs    prolog and epilog as root, under the node's lock.
 */
#ifndef JOBIO_CLIENT_COMMAND_H
#define JOBIO_CLIENT_COMMAND_H

#include "base/child.h"
#include "base/err.h"

int command_run(const char *run_dir, char *const argv[], char *const env[], unsigned int timeout_ms,
		struct child_result *result, struct err *err);

/* The same for a command without output: return -1 also if it fails, with its exit status and its
 * first line of errors; 'name' is for the error. */
int command_do(const char *run_dir, char *const argv[], const char *name, unsigned int timeout_ms,
	       struct err *err);

/* End a command of a killed helper. Return 1 if there was one, 0 if not, -1 if it does not end, or
 * the marker cannot be read. */
int command_end_running(const char *run_dir, struct err *err);

#endif
