/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/timeline.h"
#include "tests/unit/runner.h"

#define MIB INT64_C(1048576)

static uint64_t seed;

static int64_t some(int64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (int64_t)(seed >> 33) % below;
}

static void put(struct timeline *line, int64_t start, int64_t width, int64_t read, int64_t written)
{
	const int64_t amounts[TIMELINE_LANES] = { read, written, read || written };

	ck_assert(timeline_is_row(start, width));
	timeline_put(line, start, width, amounts);
}

/* "1000+2: 1 0 4": start, width, bytes read */
static void expect_read(const struct timeline *line, const char *wanted)
{
	char text[2000];
	size_t i;
	int n = snprintf(text, sizeof(text), "%lld+%lld:", (long long)line->start,
			 (long long)line->width);

	for (i = 0; i < line->count; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %lld",
			      (long long)line->rows[TIMELINE_READ][i]);
	ck_assert_str_eq(text, wanted);
}

START_TEST(rows_lie_on_a_grid_of_powers_of_two)
{
	ck_assert(timeline_is_row(0, 1));
	ck_assert(timeline_is_row(1795224862, 1));
	ck_assert(timeline_is_row(1795224862, 2));
	ck_assert(!timeline_is_row(1795224862, 4));
	ck_assert(!timeline_is_row(6, 3));
	ck_assert(!timeline_is_row(0, 0));
	ck_assert(!timeline_is_row(0, -1));
	ck_assert(!timeline_is_row(-1, 1));
	ck_assert(timeline_is_row(0, TIMELINE_WIDTH_MAX));
	ck_assert(!timeline_is_row(0, 2 * TIMELINE_WIDTH_MAX));
	ck_assert(!timeline_is_row(0, INT64_MIN));
	ck_assert(timeline_is_row(TIMELINE_TIME_MAX - 1, 1));
	ck_assert(!timeline_is_row(TIMELINE_TIME_MAX, 1));
}
END_TEST

START_TEST(one_row_after_the_other_and_before)
{
	struct timeline line = { .count = 0 };

	put(&line, 1002, 1, 3, 0);
	expect_read(&line, "1002+1: 3");
	put(&line, 1004, 1, 5, 0);
	expect_read(&line, "1002+1: 3 0 5");
	put(&line, 1000, 1, 7, 0);
	expect_read(&line, "1000+1: 7 0 3 0 5");
	put(&line, 1002, 1, 1, 0);
	expect_read(&line, "1000+1: 7 0 4 0 5");
	put(&line, 1020, 1, 0, 0); /* nothing */
	expect_read(&line, "1000+1: 7 0 4 0 5");
}
END_TEST

START_TEST(a_wider_row_folds_those_that_are_there_and_a_finer_one_is_folded)
{
	struct timeline line = { .count = 0 };

	put(&line, 1003, 1, 1, 0);
	put(&line, 1004, 1, 2, 0);
	put(&line, 1000, 4, 10, 0);
	expect_read(&line, "1000+4: 11 2");
	put(&line, 1007, 1, 5, 0);
	expect_read(&line, "1000+4: 11 7");
	put(&line, 999, 1, 1, 0);
	expect_read(&line, "996+4: 1 11 7");
}
END_TEST

START_TEST(more_than_64_rows_become_fewer_and_wider_ones)
{
	struct timeline line = { .count = 0 };
	int i;

	for (i = 0; i < 64; i++)
		put(&line, 1001 + i, 1, 1, 0);
	ck_assert_uint_eq(line.count, 64);
	ck_assert_int_eq(line.width, 1);
	put(&line, 1065, 1, 1, 0);
	ck_assert_uint_eq(line.count, 33);
	ck_assert_int_eq(line.width, 2);
	ck_assert_int_eq(line.start, 1000);
	ck_assert_int_eq(line.rows[TIMELINE_READ][0], 1);
	ck_assert_int_eq(line.rows[TIMELINE_READ][1], 2);
	ck_assert_int_eq(timeline_sum(&line, TIMELINE_READ), 65);
}
END_TEST

START_TEST(all_times_fit_into_one_line)
{
	struct timeline line = { .count = 0 };

	put(&line, TIMELINE_TIME_MAX - 1, 1, 1, 0);
	put(&line, 0, 1, 1, 0);
	ck_assert_int_eq(line.width, TIMELINE_WIDTH_MAX);
	put(&line, 0, TIMELINE_WIDTH_MAX, 1, 0);
	ck_assert_uint_eq(line.count, 47);
	ck_assert_int_eq(timeline_sum(&line, TIMELINE_READ), 3);
}
END_TEST

START_TEST(a_sum_ends_at_the_largest_number)
{
	struct timeline line = { .count = 0 };

	put(&line, 10, 1, INT64_MAX, 1);
	put(&line, 10, 1, 7, INT64_MAX);
	put(&line, 11, 1, 7, 1);
	ck_assert(line.rows[TIMELINE_READ][0] == INT64_MAX);
	ck_assert(line.rows[TIMELINE_WRITE][0] == INT64_MAX);
	ck_assert(timeline_sum(&line, TIMELINE_READ) == INT64_MAX);
	ck_assert(timeline_moved(&line, 0) == INT64_MAX);
}
END_TEST

START_TEST(where_a_part_is_missing_there_is_no_picture)
{
	struct timeline line = { .count = 0 }, other = { .count = 0 };

	put(&other, 10, 1, 5, 0);
	timeline_spoil(&line);
	timeline_add(&line, &other);
	ck_assert(line.is_partial && !line.count);
	timeline_add(&other, &line);
	ck_assert(other.is_partial && !other.count && !other.width);
	put(&other, 10, 1, 5, 0);
	ck_assert_uint_eq(other.count, 0);
}
END_TEST

/* One of a node: some seconds long, some hours. */
static void random_line(struct timeline *line)
{
	static const int64_t lengths[] = { 1, 10, 64, 300, 90000, 10000000 };
	int64_t start = 1795224862 + some(lengths[some(6)]), i;
	int64_t width = INT64_C(1) << some(some(2) ? 1 : 12), at;

	memset(line, 0, sizeof(*line));
	for (i = some(100); i; i--) {
		at = (start + some(lengths[some(6)])) / width * width;
		put(line, at, width, some(1 << 20), some(1 << 20));
	}
}

#define NODES 7

/* Add them one after the other in some order, or sums of some to sums of
 * others. */
static void add_all(struct timeline *sum, struct timeline *lines, int64_t count)
{
	struct timeline parts[NODES], swap;
	int64_t a, b;

	memcpy(parts, lines, sizeof(parts));
	while (count > 1) {
		a = some(count);
		swap = parts[a];
		parts[a] = parts[--count];
		b = some(count);
		if (some(2)) {
			timeline_add(&parts[b], &swap);
		} else {
			timeline_add(&swap, &parts[b]);
			parts[b] = swap;
		}
	}
	*sum = parts[0];
}

START_TEST(any_order_of_adding_and_any_sums_of_sums_are_the_same)
{
	struct timeline lines[NODES], first, again;
	int64_t moved[TIMELINE_LANES];
	int i, k, lane;

	for (i = 0; i < rounds(5000); i++) {
		seed = (uint64_t)i;
		memset(moved, 0, sizeof(moved));
		for (k = 0; k < NODES; k++) {
			random_line(&lines[k]);
			for (lane = 0; lane < TIMELINE_LANES; lane++)
				moved[lane] += timeline_sum(&lines[k], (enum timeline_lane)lane);
		}
		add_all(&first, lines, NODES);
		for (k = 0; k < 4; k++) {
			add_all(&again, lines, NODES);
			ck_assert(!memcmp(&first, &again, sizeof(first)));
		}
		for (lane = 0; lane < TIMELINE_LANES; lane++)
			ck_assert_int_eq(timeline_sum(&first, (enum timeline_lane)lane),
					 moved[lane]);
		ck_assert_uint_le(first.count, TIMELINE_ROWS);
	}
}
END_TEST

START_TEST(to_add_a_line_is_to_put_its_rows_one_by_one)
{
	int64_t amounts[TIMELINE_LANES];
	struct timeline one, other, line;
	int round, k, lane;
	size_t i;

	seed = 5;
	for (round = 0; round < rounds(300); round++) {
		memset(&one, 0, sizeof(one));
		memset(&line, 0, sizeof(line));
		for (k = 0; k < 12; k++) {
			int64_t width = INT64_C(1) << some(6);

			put(k % 2 ? &one : &line, some(5000) / width * width, width, some(9),
			    some(9));
		}
		if (line.count > 2) /* empty rows at both ends, too */
			for (lane = 0; lane < TIMELINE_LANES; lane++)
				line.rows[lane][0] = line.rows[lane][line.count - 1] = 0;
		other = one;
		timeline_add(&one, &line);
		for (i = 0; i < line.count; i++) {
			for (lane = 0; lane < TIMELINE_LANES; lane++)
				amounts[lane] = line.rows[lane][i];
			timeline_put(&other, line.start + (int64_t)i * line.width, line.width,
				     amounts);
		}
		ck_assert(!memcmp(&one, &other, sizeof(one)));
	}
}
END_TEST

START_TEST(nodes_with_clocks_that_are_apart_are_added_by_their_clocks)
{
	struct timeline sum = { .count = 0 }, other = { .count = 0 };

	put(&sum, 1000, 1, 10, 0);
	put(&sum, 1001, 1, 10, 0);
	put(&other, 1090, 2, 20, 0); /* 90 s ahead, and wider */
	timeline_add(&sum, &other);
	expect_read(
		&sum,
		"1000+2: 20 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20");
}
END_TEST

START_TEST(a_run_is_covered_from_its_first_second_to_its_last)
{
	struct timeline line = { .count = 0 }, run;

	timeline_cover(&line, 100, 200, &run);
	ck_assert_uint_eq(run.count, 0);
	put(&line, 110, 1, 5, 0);
	timeline_cover(&line, 108, 112, &run);
	expect_read(&run, "108+1: 0 0 5 0 0");
	timeline_cover(&line, 100, 163, &run);
	ck_assert_uint_eq(run.count, 64);
	ck_assert_int_eq(run.width, 1);
	timeline_cover(&line, 100, 164, &run);
	ck_assert_uint_eq(run.count, 33);
	ck_assert_int_eq(run.width, 2);
	/* outside of what the clock says that the run was */
	timeline_cover(&line, 112, 113, &run);
	expect_read(&run, "110+1: 5 0 0 0");
	timeline_cover(&line, 109, 50, &run);
	expect_read(&run, "109+1: 0 5");
}
END_TEST

START_TEST(the_last_second_of_a_run_is_one_that_it_was_in)
{
	ck_assert_int_eq(timeline_last(10.5, 12.1), 12);
	ck_assert_int_eq(timeline_last(10.5, 12.0), 11);
	ck_assert_int_eq(timeline_last(10.0, 10.0), 10);
	ck_assert_int_eq(timeline_last(10.2, 10.4), 10);
	ck_assert_int_eq(timeline_last(10.5, -1), 10);
}
END_TEST

/* A picture of MiB: '0' to '9', a second each, from 1000 on. */
static void draw(struct timeline *line, const char *picture)
{
	size_t i;

	memset(line, 0, sizeof(*line));
	for (i = 0; picture[i]; i++)
		put(line, 1000 + (int64_t)i, 1, (picture[i] - '0') * MIB / 2,
		    (picture[i] - '0') * MIB / 2);
}

static void expect_shape(const char *picture, enum timeline_shape wanted, int64_t wanted_bursts)
{
	struct timeline line;
	int64_t bursts = -1;

	draw(&line, picture);
	ck_assert_msg(timeline_shape(&line, 1000, 999 + (int64_t)strlen(picture), &bursts) ==
			      wanted,
		      "%s", picture);
	if (wanted == TIMELINE_BURSTS)
		ck_assert_msg(bursts == wanted_bursts, "%s: %lld", picture, (long long)bursts);
}

START_TEST(a_shape_is_told_by_its_thresholds)
{
	expect_shape("5555555555", TIMELINE_STEADY, 0);
	expect_shape("5454652545", TIMELINE_STEADY, 0);
	expect_shape("5550555005", TIMELINE_BURSTS, 3); /* 7 of 10 rows */
	expect_shape("55505550", TIMELINE_STEADY, 0);	/* 6 of 8 */
	expect_shape("0000000099", TIMELINE_TAIL, 0);
	expect_shape("00000099", TIMELINE_TAIL, 0);
	expect_shape("20000033", TIMELINE_TAIL, 0); /* 6 of 8 MiB */
	expect_shape("30000033", TIMELINE_BURSTS, 2);
	/* a quarter of 9 rows are 3, of 8 they are 2 */
	expect_shape("200000222", TIMELINE_TAIL, 0);
	expect_shape("200003003", TIMELINE_BURSTS, 3);
	expect_shape("20000303", TIMELINE_BURSTS, 3);
	expect_shape("222000002", TIMELINE_HEAD, 0);
	expect_shape("300300002", TIMELINE_BURSTS, 3);
	expect_shape("9900000000", TIMELINE_HEAD, 0);
	expect_shape("33000020", TIMELINE_HEAD, 0);
	expect_shape("33000030", TIMELINE_BURSTS, 2);
	expect_shape("9000090000900009", TIMELINE_BURSTS, 4);
	expect_shape("0000099000000000", TIMELINE_BURSTS, 1);
	expect_shape("9000000000000009", TIMELINE_BURSTS, 2);
	expect_shape("1111911119111191", TIMELINE_BURSTS, 3);
}
END_TEST

START_TEST(too_little_has_no_shape)
{
	struct timeline line = { .count = 0 };
	int64_t bursts;

	ck_assert_int_eq(timeline_shape(&line, 1000, 2000, &bursts), TIMELINE_SHAPE_NONE);
	expect_shape("9999999", TIMELINE_SHAPE_NONE, 0); /* 7 rows */
	expect_shape("99999999", TIMELINE_STEADY, 0);
	put(&line, 1000, 1, MIB - 1, 0);
	ck_assert_int_eq(timeline_shape(&line, 1000, 2000, &bursts), TIMELINE_SHAPE_NONE);
	put(&line, 1000, 1, 0, 1);
	ck_assert_int_eq(timeline_shape(&line, 1000, 2000, &bursts), TIMELINE_HEAD);
	timeline_spoil(&line);
	ck_assert_int_eq(timeline_shape(&line, 1000, 2000, &bursts), TIMELINE_SHAPE_NONE);
}
END_TEST

START_TEST(a_shape_is_that_of_the_run_not_of_the_rows)
{
	struct timeline line;
	int64_t bursts = 0;

	draw(&line, "5555555555"); /* ten seconds of ten hours */
	ck_assert_int_eq(timeline_shape(&line, 1000, 37000, &bursts), TIMELINE_HEAD);
	ck_assert_int_eq(timeline_shape(&line, 0, 1009, &bursts), TIMELINE_TAIL);
	ck_assert_int_eq(timeline_shape(&line, 0, 2000, &bursts), TIMELINE_BURSTS);
	ck_assert_int_eq(bursts, 1);
}
END_TEST

UNIT_MAIN("timeline", rows_lie_on_a_grid_of_powers_of_two, one_row_after_the_other_and_before,
	  a_wider_row_folds_those_that_are_there_and_a_finer_one_is_folded,
	  more_than_64_rows_become_fewer_and_wider_ones, all_times_fit_into_one_line,
	  a_sum_ends_at_the_largest_number, where_a_part_is_missing_there_is_no_picture,
	  any_order_of_adding_and_any_sums_of_sums_are_the_same,
	  to_add_a_line_is_to_put_its_rows_one_by_one,
	  nodes_with_clocks_that_are_apart_are_added_by_their_clocks,
	  a_run_is_covered_from_its_first_second_to_its_last,
	  the_last_second_of_a_run_is_one_that_it_was_in, a_shape_is_told_by_its_thresholds,
	  too_little_has_no_shape, a_shape_is_that_of_the_run_not_of_the_rows)
