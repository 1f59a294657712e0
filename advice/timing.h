/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timing.h - when in a job its I/O took place
 *
 * Terms   as view.h.
 * Owner   -
 * Errors  none. Without a timeline the results are those for "unknown".
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_TIMING_H
#define JOBIO_ADVICE_TIMING_H

#include "advice/view.h"

/* Return the bytes written in the last quarter of the run as a part of all bytes moved, 0 to 1; 0
 * also if there are too few rows or clocks differ. */
double timing_tail(const struct view *v);
/* Return the part of I/O time in the last quarter; < 0: unknown. */
double timing_tail_time(const struct view *v);
/* Return the number of bursts: groups of rows above the mean I/O time (bytes, if times are
 * unknown). 0: unknown, or more than half of the rows are above. */
double timing_bursts(const struct view *v);

#endif
