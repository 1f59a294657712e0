/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No byte is lost when the timeline is folded: counts are added at random times, with gaps
 * from seconds to months. The kernel's counters cannot be used to test this. */
#include <stdint.h>
#include <string.h>

#include "count/line.h"
#include "tests/unit/runner.h"

#define TOLD_MAX 400

static struct count_line line;
static __u64 window[TOLD_MAX], seed; /* window of each addition, in the order of time */
static struct count_row row[TOLD_MAX], sum;
static size_t told;

static __u64 some(__u64 below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % below;
}

/* Add a random number of bytes and calls to the current window. */
static void tell(void)
{
	struct count_row more = { { some(1 << 30), some(1 << 30) }, some(100), some(1 << 30) };

	window[told] = line.window;
	row[told++] = more;
	sum.bytes[COUNT_READ] += more.bytes[COUNT_READ];
	sum.bytes[COUNT_WRITE] += more.bytes[COUNT_WRITE];
	sum.calls += more.calls;
	sum.ns += more.ns;
	line_tell(&line, &sum);
}

/* Each row has the sum of its windows. */
static void expect_rows(void)
{
	struct count_row rows[COUNT_ROWS] = { 0 };
	size_t i, at;

	for (i = 0; i < told; i++) {
		at = (window[i] >> line.shift) - line.base;
		ck_assert_uint_lt(at, COUNT_ROWS);
		rows[at].bytes[COUNT_READ] += row[i].bytes[COUNT_READ];
		rows[at].bytes[COUNT_WRITE] += row[i].bytes[COUNT_WRITE];
		rows[at].calls += row[i].calls;
		rows[at].ns += row[i].ns;
	}
	ck_assert(!memcmp(rows, line.rows, sizeof(rows)));
}

/* The rows are as wide as needed, no wider. */
static void expect_least_width(void)
{
	__u64 first = window[0], last = window[told - 1];

	ck_assert_uint_lt((last >> line.shift) - (first >> line.shift), COUNT_ROWS);
	if (line.shift)
		ck_assert_uint_ge((last >> (line.shift - 1)) - (first >> (line.shift - 1)),
				  COUNT_ROWS);
}

START_TEST(no_byte_is_lost_or_in_another_row_for_any_gaps)
{
	static const __u64 gaps[] = { 2, 3, 70, 5000, 10000000 };
	size_t i, calls;

	for (i = 0; i < (size_t)rounds(3000); i++) {
		seed = i;
		told = 0;
		memset(&line, 0, sizeof(line));
		memset(&sum, 0, sizeof(sum));
		line.window = line.base = some(i % 2 ? 300 : 2000000000);
		for (calls = 1 + some(TOLD_MAX); calls; calls--) {
			tell();
			line.window += some(gaps[some(5)]);
		}
		expect_rows();
		expect_least_width();
	}
}
END_TEST

/* A call from 100.25 s to 'end', the first to end; then a call in the last second. */
START_TEST(a_long_call_is_in_each_row_of_its_time)
{
	static const __u64 ends[] = { 100500000000, 103500000000, 163000000000, 301000000000 };
	static const __u64 begin = 100250000000;
	__u64 all, first;
	size_t i, j;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		memset(&line, 0, sizeof(line));
		memset(&sum, 0, sizeof(sum));
		line.window = line.base = ends[i] / LINE_WINDOW_NS;
		sum.ns = ends[i] - begin;
		line_spread(&line, begin, ends[i]);
		sum.ns += 5;
		line_tell(&line, &sum);
		for (j = all = 0; j < COUNT_ROWS; j++)
			all += line.rows[j].ns;
		ck_assert_uint_eq(all, sum.ns);
		ck_assert_uint_eq(line.base, 100 >> line.shift);
		first = ((line.base + 1) << line.shift) * LINE_WINDOW_NS;
		ck_assert_uint_eq(line.rows[0].ns, (first < ends[i] ? first : ends[i] + 5) - begin);
		ck_assert_uint_eq(line.shift, i < 3 ? 0 : 2);
	}
}
END_TEST

UNIT_MAIN("line", no_byte_is_lost_or_in_another_row_for_any_gaps,
	  a_long_call_is_in_each_row_of_its_time)
