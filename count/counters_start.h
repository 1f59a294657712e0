/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_start.h - start counting for a job
 *
 * Terms   sluid: Slurm's identifier of one run of a job, "sEKNKTV3WPV500", the name of its
 *           cgroup since 26.05 (SLURM_JOB_SLUID of the prolog).
 * Owner   the caller.
 * Errors  -1, the reason in *err: a wrong SLUID, a lock that could not be taken. A path that
 *           is no mount point is not counted: the reason is in the state.
 * Runs    jobio-count, as root, for the prolog.
 */
#ifndef JOBIO_COUNT_COUNTERS_START_H
#define JOBIO_COUNT_COUNTERS_START_H

#include <stddef.h>

#include "count/counters.h"

/* Count a job from zero on the filesystems of these mount points. Load the programs first if
 * necessary: if this takes longer than options->wait_ms, it goes on, and the job is not counted.
 * sluid may be NULL. */
int counters_start(const struct counters_options *options, uint32_t job, const char *sluid,
		   char *const mounts[], size_t mount_count, struct counters_state *state,
		   struct err *err);

#endif
