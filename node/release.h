/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release.h - end of a job on this node: by its epilog, the next prolog or --recover
 *
 * Errors  0, -1, or 1 with *err if a setting is still to be restored: the record is in the
 *           spool, once, and the folder stays.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_RELEASE_H
#define JOBIO_NODE_RELEASE_H

#include <stdbool.h>

#include "base/config.h"
#include "record/record.h"

/* Do an epilog's work, also for a job that had none: read the counters, restore settings (their
 * number is added to *restored), finish. If [locked] is false, the lock was not available: nothing
 * is restored. [start]: of struct job_run. */
int job_release(const struct config *config, struct record *state, bool locked, int64_t start,
		int *restored, struct err *err);

#endif
