/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_least.h - minimum cost of a call, for count_cost and count_paths
 *
 * Nanoseconds of the clock; if the clock advances by one with each instruction (QEMU's
 * -icount shift=0), instructions. The minimum of eight rounds is used, to exclude
 * interrupts. */
#ifndef JOBIO_TESTS_BENCH_COUNT_LEAST_H
#define JOBIO_TESTS_BENCH_COUNT_LEAST_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 8

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* 'calls' calls in each round. */
static long least(void (*call)(int fd), int fd, int calls)
{
	long best = -1, start, each;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		for (i = 0; i < calls; i++)
			call(fd);
		each = (now_ns() - start) / calls;
		if (best < 0 || each < best)
			best = each;
	}
	return best;
}

#endif
