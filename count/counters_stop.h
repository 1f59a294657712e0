/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_stop.h - list counted jobs, and stop counting for one
 *
 * Terms   as in counters.h.
 * Owner   the caller.
 * Errors  -1, the reason in *err.
 * Runs    jobio-count, as root.
 */
#ifndef JOBIO_COUNT_COUNTERS_STOP_H
#define JOBIO_COUNT_COUNTERS_STOP_H

#include "count/counters.h"

/* Call each(job, mount, arg) for each entry; mount "": all files, or not readable. */
int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg), void *arg,
		    struct counters_state *state, struct err *err);

/* Remove the counters of a job; one that is not counted is no error. Programs of another version
 * are unloaded with their last job. */
int counters_stop(const struct counters_options *options, uint32_t job, struct err *err);

#endif
