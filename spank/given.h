/* SPDX-License-Identifier: GPL-2.0-or-later */
/* given.h - the variables of a job's profile, in the environment of its tasks
 *
 * A variable that the user has set stays, whatever the profile says. One that an
 * outer job's profile gave (a job that submits a job hands its environment on) is
 * not the user's: it goes.
 *
 * Terms   JOBIO_ENVIRONMENT has the list that was given last, as in variables.h;
 *           what still has that value is what was given.
 * Owner   nothing.
 * Errors  none: a task without hints runs all the same.
 * Runs    a task of slurmstepd, as the user, before the program: the environment
 *           is his, and its words are parsed as strictly as the site's.
 */
#ifndef JOBIO_SPANK_GIVEN_H
#define JOBIO_SPANK_GIVEN_H

#include <slurm/spank.h>

/* 'list': [profile NAME] environment; "": none. */
void given_set(spank_t sp, const char *list);

#endif
