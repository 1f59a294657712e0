/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - numbers that were measured several times, and whether two differ
 *
 * Terms   sample: one job's number, or one node's.
 *         spread: the standard deviation; of one sample there is none.
 *         differ: by Welch's t-test, which does not take the spreads for equal:
 *           two means differ where chance alone would part them so far in less
 *           than 5 of 100 cases.
 * Owner   plain values; all zero is empty.
 * Errors  none.
 * Runs    jobio compare.
 */
#ifndef JOBIO_REPORT_SAMPLES_H
#define JOBIO_REPORT_SAMPLES_H

#include <stddef.h>

struct samples {
	size_t count;
	double mean, squares; /* of the distances from the mean, added up */
};

void samples_add(struct samples *samples, double value);

/* < 0: there is none */
double samples_spread(const struct samples *samples);

/* 1: they differ, 0: they may be the same, -1: too few to tell. */
int samples_differ(const struct samples *one, const struct samples *other);

#endif
