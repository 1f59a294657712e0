/* SPDX-License-Identifier: GPL-2.0-or-later */
/* times.h - time of the clock, and the median of several times */
#ifndef JOBIO_TESTS_BENCH_TIMES_H
#define JOBIO_TESTS_BENCH_TIMES_H

#include <stdlib.h>
#include <time.h>

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int times_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts 'times'. */
static double median(double *times, int count)
{
	qsort(times, (size_t)count, sizeof(*times), times_compare);
	return times[count / 2];
}

#endif
