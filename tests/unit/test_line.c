/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <string.h>

#include "count/line.h"
#include "tests/unit/runner.h"

#define TOLD_MAX 400

/* What was told, in the order of its windows. */
struct truth {
	__u64 window[TOLD_MAX];
	struct count_row row[TOLD_MAX];
	size_t count;
	struct count_row sum;
};

static __u64 seed;

static __u64 some(__u64 below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % below;
}

static void begin(struct count_line *line, struct truth *truth, __u64 window)
{
	memset(line, 0, sizeof(*line));
	memset(truth, 0, sizeof(*truth));
	line->window = line->base = window;
}

/* So much more was counted until the line's window ended. */
static void tell(struct count_line *line, struct truth *truth, __u64 read, __u64 written,
		 __u64 calls)
{
	truth->window[truth->count] = line->window;
	truth->row[truth->count].bytes[COUNT_READ] = read;
	truth->row[truth->count].bytes[COUNT_WRITE] = written;
	truth->row[truth->count++].calls = calls;
	truth->sum.bytes[COUNT_READ] += read;
	truth->sum.bytes[COUNT_WRITE] += written;
	truth->sum.calls += calls;
	line_tell(line, &truth->sum);
}

/* Each row has what its windows had. */
static void expect_rows(const struct count_line *line, const struct truth *truth)
{
	struct count_row rows[COUNT_ROWS];
	size_t i, at;

	memset(rows, 0, sizeof(rows));
	for (i = 0; i < truth->count; i++) {
		at = (truth->window[i] >> line->shift) - line->base;
		ck_assert_uint_lt(at, COUNT_ROWS);
		rows[at].bytes[0] += truth->row[i].bytes[0];
		rows[at].bytes[1] += truth->row[i].bytes[1];
		rows[at].calls += truth->row[i].calls;
	}
	ck_assert(!memcmp(rows, line->rows, sizeof(rows)));
	ck_assert(!memcmp(&line->told, &truth->sum, sizeof(truth->sum)));
}

START_TEST(the_first_minute_is_told_by_the_second)
{
	struct count_line line;
	struct truth truth;

	begin(&line, &truth, 1795224862);
	for (; line.window < 1795224862 + COUNT_ROWS; line.window++)
		tell(&line, &truth, line.window & 7, 1, 2);
	ck_assert_uint_eq(line.shift, 0);
	ck_assert_uint_eq(line.base, 1795224862);
	ck_assert_uint_eq(line.rows[63].bytes[COUNT_READ], (1795224862 + 63) & 7);
	expect_rows(&line, &truth);
}
END_TEST

START_TEST(the_65th_second_makes_neighbours_one_row)
{
	struct count_line line;
	struct truth truth;

	begin(&line, &truth, 101); /* 101 alone, 102 and 103, .. */
	for (; line.window < 101 + COUNT_ROWS + 1; line.window++)
		tell(&line, &truth, 1, 10, 3);
	ck_assert_uint_eq(line.shift, 1);
	ck_assert_uint_eq(line.base, 50);
	ck_assert_uint_eq(line.rows[0].bytes[COUNT_READ], 1);
	ck_assert_uint_eq(line.rows[1].bytes[COUNT_READ], 2);
	ck_assert_uint_eq(line.rows[1].bytes[COUNT_WRITE], 20);
	ck_assert_uint_eq(line.rows[1].calls, 6);
	expect_rows(&line, &truth);
}
END_TEST

START_TEST(after_days_without_a_call_all_is_folded_at_once)
{
	struct count_line line;
	struct truth truth;

	begin(&line, &truth, 1795224862);
	for (; line.window < 1795224862 + 10; line.window++)
		tell(&line, &truth, 1, 1, 1);
	line.window += 1000000;
	tell(&line, &truth, 5, 6, 7);
	ck_assert_uint_eq(line.shift, 14); /* 16384 s; 62 of them */
	expect_rows(&line, &truth);
}
END_TEST

/* As wide as it takes, no wider. */
static void expect_least_width(const struct count_line *line, const struct truth *truth)
{
	__u64 first = truth->window[0], last = truth->window[truth->count - 1];

	ck_assert_uint_lt((last >> line->shift) - (first >> line->shift), COUNT_ROWS);
	if (line->shift)
		ck_assert_uint_ge((last >> (line->shift - 1)) - (first >> (line->shift - 1)),
				  COUNT_ROWS);
}

START_TEST(no_byte_gets_lost_or_into_another_row_whatever_the_gaps_are)
{
	static const __u64 gaps[] = { 2, 3, 70, 5000, 10000000 };
	struct count_line line;
	struct truth truth;
	size_t i, calls;

	for (i = 0; i < (size_t)rounds(3000); i++) {
		seed = i;
		begin(&line, &truth, some(i % 2 ? 300 : 2000000000));
		for (calls = 1 + some(TOLD_MAX); calls; calls--) {
			tell(&line, &truth, some(1 << 30), some(1 << 30), some(100));
			line.window += some(gaps[some(5)]);
		}
		expect_rows(&line, &truth);
		expect_least_width(&line, &truth);
	}
}
END_TEST

START_TEST(a_window_told_twice_adds_to_its_row)
{
	struct count_line line;
	struct truth truth;

	begin(&line, &truth, 7);
	tell(&line, &truth, 1, 0, 1);
	tell(&line, &truth, 0, 4, 1);
	ck_assert_uint_eq(line.rows[0].bytes[COUNT_READ], 1);
	ck_assert_uint_eq(line.rows[0].bytes[COUNT_WRITE], 4);
	ck_assert_uint_eq(line.rows[0].calls, 2);
}
END_TEST

UNIT_MAIN("line", the_first_minute_is_told_by_the_second, the_65th_second_makes_neighbours_one_row,
	  after_days_without_a_call_all_is_folded_at_once,
	  no_byte_gets_lost_or_into_another_row_whatever_the_gaps_are,
	  a_window_told_twice_adds_to_its_row)
