/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_helper.h - start, read and stop the kernel's counters with jobio-count
 *
 * Errors  -1, with a line for the administrator in *err; never a reason to fail.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_COUNT_HELPER_H
#define JOBIO_NODE_COUNT_HELPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "record/record.h"

/* Load the programs before slurmd starts. */
#define JOB_COUNT_LOAD_MS 120000U
int job_count_load(const struct config *config, struct err *err);
/* Start the counters of the job on the client's filesystems and on mounts= of [count]. Wait at most
 * [wait_ms] for programs that are being loaded; if that takes longer, it continues, and this job is
 * not counted: finding W62. A kernel that does not permit it is not an error: the counters of the
 * steps are used. */
#define JOB_COUNT_START_MS 2000U /* in addition to wait_ms */
int job_count_start(const struct config *config, const struct record *state, unsigned int wait_ms,
		    struct err *err);
/* Return true if the job is counted. Call it before job_finish(), which removes the mark. */
bool job_is_counted(uint32_t job_id);
/* Add the counters to the state. Call it before job_add_steps(): the best source is first. */
int job_count_read(struct record *state, struct err *err);
int job_count_stop(uint32_t job_id, struct err *err);
/* Call [fn] for every job that is counted, possibly several times for one job. */
int job_count_each(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg,
		   struct err *err);

#endif
