/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_environment.h - set the variables of a job's profile in the environment of its tasks
 *
 * A variable that the user has set is not changed. One that was set by an outer
 * job's profile (a job that submits a job passes its environment on) is removed.
 *
 * Terms   JOBIO_ENVIRONMENT has the list that was set last, as in variables.h; a
 *           variable that still has that value was set by jobio.
 * Owner   nothing.
 * Errors  none: a task without hints runs anyway.
 * Runs    a task of slurmstepd, as the user, before the program: the environment
 *           is the user's, and parsed as strictly as the site's.
 */
#ifndef JOBIO_SPANK_JOB_ENVIRONMENT_H
#define JOBIO_SPANK_JOB_ENVIRONMENT_H

#include <slurm/spank.h>

/* 'list': [profile NAME] environment; "": none. */
void job_environment_set(spank_t sp, const char *list);

#endif
