/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed.h - advice about the calls that a job waited for
 *
 * Terms   a class of calls is explained once: the first cause that matches takes the times
 *           of its classes. Causes below timed_threshold() are not reported, whatever the
 *           counts; failed calls always are.
 * Owner   everything belongs to the caller.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_TIMED_H
#define JOBIO_ADVICE_TIMED_H

#include <stddef.h>

#include "advice/types.h"
#include "advice/view.h"

#define TIMED_MAX 12 /* per filesystem */

/* Add one advice for each errno of calls that failed (no space, quota, server), with or without
 * times. Return their number. */
size_t timed_errors(const struct view *v, struct advice list[TIMED_MAX]);

/* Return the least share worth a change; it is larger for estimates. */
double timed_threshold(const struct view_times *times);

/* Return the number of advice. *cached: share served by the page cache, which gets no advice. */
size_t timed_judge(const struct view *v, struct advice list[TIMED_MAX], double *cached);

#endif
