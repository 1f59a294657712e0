/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run on several nodes: counters added up, and the time that it took. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/run.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"

/* Some numbers are unknown, some are the largest. */
static void random_io(struct record_io *io)
{
	static const int64_t values[] = { RECORD_UNKNOWN, 0, 1, 1000, INT64_MAX };

	record_io_init(io);
	for (int i = 0; i < RECORD_NUMBER_COUNT; i++)
		io->numbers[i] = values[random() % 5];
	for (int i = 0; i < RECORD_HIST_COUNT; i++) {
		io->has_hist[i] = random() % 2;
		io->hist[i][random() % RECORD_BINS] = random() % 3 ? 5 : INT64_MAX;
	}
	io->has_meta = random() % 2;
	io->meta[RECORD_META_OPEN] = values[1 + random() % 4];
	io->peak[RECORD_PEAK_READ] = values[random() % 4];
}

/* Adds as a man would: unknown adds nothing, and a sum ends at the largest number. */
static int64_t plus(int64_t a, int64_t b)
{
	if (a == RECORD_UNKNOWN || b == RECORD_UNKNOWN)
		return a == RECORD_UNKNOWN ? b : a;
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

START_TEST(counters_of_nodes_are_added_in_any_order_and_what_is_unknown_adds_nothing)
{
	struct record_io io[2], sum, other;

	srandom(20261126);
	for (int round = 0; round < 500; round++) {
		random_io(&io[0]);
		random_io(&io[1]);
		record_io_init(&sum);
		record_io_init(&other);
		for (int i = 0; i < 2; i++) {
			run_add_io(&sum, &io[i]);
			run_add_io(&other, &io[1 - i]);
		}
		for (int i = 0; i < RECORD_NUMBER_COUNT; i++) {
			ck_assert(sum.numbers[i] == plus(io[0].numbers[i], io[1].numbers[i]));
			ck_assert(sum.numbers[i] == other.numbers[i]);
		}
		for (int i = 0; i < RECORD_HIST_COUNT; i++)
			for (int k = 0; k < RECORD_BINS; k++)
				ck_assert(sum.hist[i][k] ==
					  plus(io[0].has_hist[i] ? io[0].hist[i][k] : 0,
					       io[1].has_hist[i] ? io[1].hist[i][k] : 0));
		ck_assert(sum.has_meta == (io[0].has_meta || io[1].has_meta));
		ck_assert(sum.meta[RECORD_META_OPEN] ==
			  plus(io[0].has_meta ? io[0].meta[RECORD_META_OPEN] : RECORD_UNKNOWN,
			       io[1].has_meta ? io[1].meta[RECORD_META_OPEN] : RECORD_UNKNOWN));
		/* a peak is the most, not a sum */
		ck_assert(sum.peak[RECORD_PEAK_READ] ==
			  (io[0].peak[0] > io[1].peak[0] ? io[0].peak[0] : io[1].peak[0]));
	}
}
END_TEST

START_TEST(lines_of_one_source_and_file_system_are_one_line_of_the_run)
{
	struct record *nodes[2] = { record_new(), record_new() };
	struct run_lines *lines;
	struct record_io io;

	for (int i = 0; i < 2; i++) {
		snprintf(nodes[i]->node, sizeof(nodes[i]->node), "c%d", i);
		for (int line = i * 10; line < RUN_LINES_MAX + i; line++) {
			char fs[20];

			record_io_init(&io);
			strcpy(io.source, "bpf");
			snprintf(fs, sizeof(fs), "/mnt/%d", line);
			io.fs = fs;
			io.numbers[RECORD_READ_BYTES] = 1 + i;
			record_add_app(nodes[i], &io);
		}
	}
	lines = run_lines_new(nodes, 2);
	ck_assert_uint_eq(lines->count, RUN_LINES_MAX);
	ck_assert_uint_eq(lines->left_out, 1);
	for (size_t i = 0; i < lines->count; i++) {
		size_t both = i >= 10;

		ck_assert_uint_eq(lines->line[i].nodes, 1 + both);
		ck_assert_int_eq(lines->line[i].sum.numbers[RECORD_READ_BYTES], both ? 3 : 1);
	}
	run_lines_free(lines);
	record_free(nodes[0]);
	record_free(nodes[1]);
}
END_TEST

/* A node from 1000 to 1100 and another one: how far their clocks are apart, and how long the
 * run took. */
START_TEST(a_node_that_began_and_ended_later_by_the_same_time_has_another_clock)
{
	static const struct {
		double start, end, apart, seconds;
	} rows[] = {
		{ 1000, 1100, 0, 100 },	    { 1040, 1140, 40, 100 },  { 960, 1060, 40, 100 },
		{ 1010, 1110, 10, 100 },    { 1009.9, 1110, 0, 110 }, { 1040, 1145, 40, 105 },
		{ 1040, 1145.1, 0, 145.1 }, { 1045, 1140, 40, 100 },  { 1040, 1100, 0, 100 },
		{ 1000, 1140, 0, 140 },	    { 1040, -1, 0, 100 },
	};

	for (size_t i = 0; i < 2 * ROWS(rows); i++) {
		struct record a = { .start = 1000, .end = 1100 };
		struct record b = { .start = rows[i / 2].start, .end = rows[i / 2].end };
		struct record *in_turn[] = { i % 2 ? &b : &a, i % 2 ? &a : &b };
		struct run_time time = run_time_of(in_turn, 2);

		ck_assert_msg(time.apart == rows[i / 2].apart &&
				      run_time_seconds(&time) - rows[i / 2].seconds < 0.01 &&
				      rows[i / 2].seconds - run_time_seconds(&time) < 0.01,
			      "%zu: %f apart, %f s", i / 2, time.apart, run_time_seconds(&time));
	}
}
END_TEST

UNIT_MAIN("run", counters_of_nodes_are_added_in_any_order_and_what_is_unknown_adds_nothing,
	  lines_of_one_source_and_file_system_are_one_line_of_the_run,
	  a_node_that_began_and_ended_later_by_the_same_time_has_another_clock)
