/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result.h - add a line to the table that tests/bench/all makes of all benches */
#ifndef JOBIO_TESTS_BENCH_RESULT_H
#define JOBIO_TESTS_BENCH_RESULT_H

#include <stdio.h>
#include <stdlib.h>

/* 'allowed' and 'beside' may be "". Does nothing without JOBIO_BENCH_RESULTS. */
static void result(const char *what, const char *measured, const char *allowed, const char *beside)
{
	const char *path = getenv("JOBIO_BENCH_RESULTS");
	FILE *to = path ? fopen(path, "a") : NULL;

	if (!to)
		return;
	fprintf(to, "%s\t%s\t%s\t%s\n", what, measured, allowed, beside);
	fclose(to);
}

#endif
