/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.h - when in a job its I/O was
 *
 * Terms   as view.h.
 * Owner   -
 * Errors  none. A job without a timeline has no course.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_COURSE_H
#define JOBIO_ADVICE_COURSE_H

#include "advice/view.h"

/* How much of all that was moved was written in the last quarter of the run: 0 to 1, 0 too
 * where there are too few rows to tell, or clocks that differ. */
double course_late(const struct view *v);
/* How much of its time in I/O was in the last quarter; < 0: unknown. */
double course_late_waits(const struct view *v);
/* In how many bursts it waited, by time in I/O or by bytes where that is unknown: groups of
 * rows above the mean; 0: it is not known, or all the time. */
double course_bursts(const struct view *v);

#endif
