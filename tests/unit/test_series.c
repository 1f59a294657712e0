/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No byte is lost when the timeline is folded: counts are added at random times, with gaps
 * from seconds to months. The kernel's counters cannot be used to test this. */
#include <stdint.h>
#include <string.h>

#include "count/series.h"
#include "tests/unit/runner.h"

#define ADDED_MAX 400

static struct count_series series;
static __u64 window[ADDED_MAX], seed; /* window of each addition, in the order of time */
static struct count_row row[ADDED_MAX], sum;
static size_t added;

static __u64 some(__u64 below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % below;
}

/* Add a random number of bytes and calls to the current window. */
static void add_calls(void)
{
	struct count_row more = { { some(1 << 30), some(1 << 30) }, some(100), some(1 << 30) };

	window[added] = series.window;
	row[added++] = more;
	sum.bytes[COUNT_READ] += more.bytes[COUNT_READ];
	sum.bytes[COUNT_WRITE] += more.bytes[COUNT_WRITE];
	sum.calls += more.calls;
	sum.ns += more.ns;
	series_update(&series, &sum);
}

/* Each row has the sum of its windows. */
static void expect_rows(void)
{
	struct count_row rows[COUNT_ROWS] = { 0 };
	size_t i, at;

	for (i = 0; i < added; i++) {
		at = (window[i] >> series.shift) - series.base;
		ck_assert_uint_lt(at, COUNT_ROWS);
		rows[at].bytes[COUNT_READ] += row[i].bytes[COUNT_READ];
		rows[at].bytes[COUNT_WRITE] += row[i].bytes[COUNT_WRITE];
		rows[at].calls += row[i].calls;
		rows[at].ns += row[i].ns;
	}
	ck_assert(!memcmp(rows, series.rows, sizeof(rows)));
}

/* The rows are as wide as needed, no wider. */
static void expect_least_width(void)
{
	__u64 first = window[0], last = window[added - 1];

	ck_assert_uint_lt((last >> series.shift) - (first >> series.shift), COUNT_ROWS);
	if (series.shift)
		ck_assert_uint_ge((last >> (series.shift - 1)) - (first >> (series.shift - 1)),
				  COUNT_ROWS);
}

START_TEST(no_byte_is_lost_or_in_another_row_for_any_gaps)
{
	static const __u64 gaps[] = { 2, 3, 70, 5000, 10000000 };
	size_t i, calls;

	for (i = 0; i < (size_t)rounds(3000); i++) {
		seed = i;
		added = 0;
		memset(&series, 0, sizeof(series));
		memset(&sum, 0, sizeof(sum));
		series.window = series.base = some(i % 2 ? 300 : 2000000000);
		for (calls = 1 + some(ADDED_MAX); calls; calls--) {
			add_calls();
			series.window += some(gaps[some(5)]);
		}
		expect_rows();
		expect_least_width();
	}
}
END_TEST

/* As spread() of jobio.bpf.c. */
static void spread(__u64 begin_ns, __u64 end_ns)
{
	__u32 i;

	series_add_call(&series, begin_ns, end_ns);
	series_make_room(&series);
	for (i = 0; i < COUNT_ROWS; i += SERIES_PIECE)
		series_spread_piece(&series, i, begin_ns, end_ns);
}

/* A call from 100.25 s to 'end', the first to end; then a call in the last second. */
START_TEST(a_long_call_is_in_each_row_of_its_time)
{
	static const __u64 ends[] = { 100500000000, 103500000000, 163000000000, 301000000000 };
	static const __u64 begin = 100250000000;
	__u64 all, first;
	size_t i, j;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		memset(&series, 0, sizeof(series));
		memset(&sum, 0, sizeof(sum));
		series.window = series.base = ends[i] / SERIES_WINDOW_NS;
		sum.ns = ends[i] - begin;
		spread(begin, ends[i]);
		sum.ns += 5;
		series_update(&series, &sum);
		for (j = all = 0; j < COUNT_ROWS; j++)
			all += series.rows[j].ns;
		ck_assert_uint_eq(all, sum.ns);
		ck_assert_uint_eq(series.base, 100 >> series.shift);
		first = ((series.base + 1) << series.shift) * SERIES_WINDOW_NS;
		ck_assert_uint_eq(series.rows[0].ns,
				  (first < ends[i] ? first : ends[i] + 5) - begin);
		ck_assert_uint_eq(series.shift, i < 3 ? 0 : 2);
	}
}
END_TEST

UNIT_MAIN("series", no_byte_is_lost_or_in_another_row_for_any_gaps,
	  a_long_call_is_in_each_row_of_its_time)
