/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed.h - what to change about the calls that a job waited for
 *
 * Terms   a class of calls is explained once: the first cause that fits takes the times of
 *           the classes that it explains. What took less than timed_worth() is not told,
 *           whatever the counts; failed calls always are.
 * Owner   everything is the caller's.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_TIMED_H
#define JOBIO_ADVICE_TIMED_H

#include <stddef.h>

#include "advice/terms.h"
#include "advice/view.h"

#define TIMED_MAX 12 /* of one filesystem */

/* Calls that failed for want of space, a quota, a server: one advice for each errno, with
 * or without times. Their number. */
size_t timed_errors(const struct view *v, struct advice list[TIMED_MAX]);

/* The least share that is worth a change: more of it where it is an estimate. */
double timed_worth(const struct view_times *times);

/* *cached: the share of what the page cache served, of which nothing is told. */
size_t timed_judge(const struct view *v, struct advice list[TIMED_MAX], double *cached);

#endif
