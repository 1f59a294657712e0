/* SPDX-License-Identifier: GPL-2.0-or-later */
/* told.h - what the steps of one job on one node have in common: what was said
 *
 * Terms   RUN/JOB/told is one page that every slurmstepd of the job maps: a word
 *           that stands in it was said in the job's output, and is not said
 *           again by another task, or step.
 * Owner   told_open()'s page is slurmstepd's until it ends; its tasks inherit it
 *           through fork and may write to it, though they are the user's by
 *           then: nothing in it is trusted.
 * Errors  NULL: there is no folder for the job, or no memory; then each step
 *           speaks for itself.
 * Runs    told_open in slurmstepd, root, before the tasks are; told_claim in a
 *         task, as the user.
 */
#ifndef JOBIO_SPANK_TOLD_H
#define JOBIO_SPANK_TOLD_H

#include <stdbool.h>
#include <stdint.h>

struct told;

struct told *told_open(const char *run_dir, uint32_t job_id);

/* May the caller say it? True for the first one, and where nobody can tell. */
bool told_claim(struct told *told);

#endif
