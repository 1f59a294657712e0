/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/run.h"
#include "tests/unit/runner.h"

static struct record *node(const char *name)
{
	struct record *r = record_new();

	ck_assert_ptr_nonnull(r);
	strcpy(r->node, name);
	return r;
}

static struct record_io counters(const char *source, const char *fs, int64_t bytes)
{
	struct record_io io;

	record_io_init(&io);
	strcpy(io.source, source);
	io.fs = (char *)fs;
	io.numbers[RECORD_READ_BYTES] = bytes;
	return io;
}

static void app(struct record *r, const char *source, const char *fs, int64_t bytes)
{
	struct record_io io = counters(source, fs, bytes);

	record_add_app(r, &io);
}

START_TEST(what_is_unknown_adds_nothing_and_a_sum_ends_at_the_largest_number)
{
	int64_t sum = RECORD_UNKNOWN;

	run_add(&sum, RECORD_UNKNOWN);
	ck_assert_int_eq(sum, RECORD_UNKNOWN);
	run_add(&sum, 0);
	ck_assert_int_eq(sum, 0);
	run_add(&sum, INT64_MAX - 1);
	ck_assert(sum == INT64_MAX - 1);
	run_add(&sum, INT64_MAX);
	ck_assert(sum == INT64_MAX);
	run_add(&sum, RECORD_UNKNOWN);
	ck_assert(sum == INT64_MAX);
}
END_TEST

START_TEST(histograms_and_metadata_end_at_the_largest_number_too)
{
	struct record_io sum, io = counters("bpf", NULL, 1);

	record_io_init(&sum);
	io.has_hist[RECORD_READ_NS] = io.has_meta = true;
	io.hist[RECORD_READ_NS][63] = INT64_MAX;
	io.hist[RECORD_READ_NS][0] = 2;
	io.meta[RECORD_META_OPEN] = INT64_MAX;
	run_add_io(&sum, &io);
	run_add_io(&sum, &io);
	ck_assert(sum.hist[RECORD_READ_NS][63] == INT64_MAX);
	ck_assert_int_eq(sum.hist[RECORD_READ_NS][0], 4);
	ck_assert(sum.meta[RECORD_META_OPEN] == INT64_MAX);
	ck_assert_int_eq(sum.meta[RECORD_META_STAT], RECORD_UNKNOWN);
	ck_assert(sum.has_hist[RECORD_READ_NS] && sum.has_meta);
	ck_assert(!sum.has_hist[RECORD_WRITE_NS]);
}
END_TEST

static void moved_at(struct record_io *io, int64_t when, int64_t bytes)
{
	const int64_t row[TIMELINE_LANES] = { bytes, 0, 1 };

	timeline_put(&io->timeline, when, 1, row);
}

START_TEST(a_timeline_is_there_where_each_that_moved_something_has_one)
{
	struct record_io sum, io = counters("bpf", NULL, 7);
	struct record_io idle = counters("bpf", NULL, 0);
	struct record_io unknown = counters("bpf", NULL, RECORD_UNKNOWN);

	idle.numbers[RECORD_WRITE_BYTES] = 0;
	idle.numbers[RECORD_READ_CALLS] = idle.numbers[RECORD_WRITE_CALLS] = 0;
	record_io_init(&sum);
	moved_at(&io, 1000, 7);
	run_add_io(&sum, &idle);
	run_add_io(&sum, &io);
	run_add_io(&sum, &unknown);
	run_add_io(&sum, &io);
	ck_assert_uint_eq(sum.timeline.count, 1);
	ck_assert_int_eq(timeline_sum(&sum.timeline, TIMELINE_READ), 14);
	memset(&io.timeline, 0, sizeof(io.timeline));
	run_add_io(&sum, &io);
	ck_assert_uint_eq(sum.timeline.count, 0);
	moved_at(&io, 1000, 7);
	run_add_io(&sum, &io);
	ck_assert_uint_eq(sum.timeline.count, 0);
	ck_assert(sum.timeline.is_partial);
}
END_TEST

START_TEST(calls_that_moved_nothing_are_missed_too)
{
	static const enum record_number numbers[] = { RECORD_READ_BYTES, RECORD_READ_CALLS,
						      RECORD_WRITE_CALLS, RECORD_WRITE_BYTES };
	struct record_io sum, io;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		record_io_init(&sum);
		io = counters("bpf", NULL, 0);
		io.numbers[numbers[i]] = 1;
		run_add_io(&sum, &io);
		ck_assert(sum.timeline.is_partial);
	}
}
END_TEST

START_TEST(a_peak_is_the_most_and_not_a_sum)
{
	struct record_io sum, io = counters("bpf", NULL, 1);

	record_io_init(&sum);
	io.peak[RECORD_PEAK_READ] = 7;
	io.peak_window_s = 1;
	run_add_io(&sum, &io);
	io.peak[RECORD_PEAK_READ] = 5;
	run_add_io(&sum, &io);
	ck_assert_int_eq(sum.peak[RECORD_PEAK_READ], 7);
	ck_assert_int_eq(sum.peak[RECORD_PEAK_WRITE], RECORD_UNKNOWN);
	/* each has its own */
	ck_assert_int_eq(sum.peak_window_s, RECORD_UNKNOWN);
}
END_TEST

START_TEST(the_best_lines_of_a_node_are_those_of_one_source)
{
	struct record *r = node("c1");
	struct record_io best;

	record_add_mount(r, "/mnt/a", "wekafs", "default");
	record_add_mount(r, "/mnt/b", "wekafs", "scratch");
	app(r, "bpf", "/mnt/a", 1);
	app(r, "bpf", "/mnt/b", 2);
	app(r, "bpf", "/home", 4);
	app(r, "stepd", NULL, 8);
	run_best(r, RECORD_SCOPE_JOB, &best);
	ck_assert_int_eq(best.numbers[RECORD_READ_BYTES], 3);
	ck_assert_int_eq(best.numbers[RECORD_WRITE_BYTES], RECORD_UNKNOWN);
	ck_assert_str_eq(best.source, "bpf");
	run_best(r, RECORD_SCOPE_NODE, &best);
	ck_assert_int_eq(best.numbers[RECORD_READ_BYTES], RECORD_UNKNOWN);
	ck_assert_str_eq(best.source, "");
	record_free(r);
}
END_TEST

static void expect_line(const struct run_lines *lines, size_t at, enum run_kind kind,
			const char *source, const char *fs, size_t nodes, int64_t bytes)
{
	const struct run_line *line = &lines->line[at];

	ck_assert_uint_lt(at, lines->count);
	ck_assert_int_eq(line->kind, kind);
	ck_assert_str_eq(line->first->source, source);
	ck_assert_str_eq(line->first->fs ? line->first->fs : "", fs);
	ck_assert_uint_eq(line->nodes, nodes);
	ck_assert_int_eq(line->sum.numbers[RECORD_READ_BYTES], bytes);
}

START_TEST(lines_of_the_same_name_are_added_over_the_nodes)
{
	struct record *nodes[2] = { node("c1"), node("c2") };
	struct record_io wire = counters("weka", NULL, 100);
	struct run_lines *lines;

	record_add_mount(nodes[0], "/mnt/a", "wekafs", "default");
	record_add_mount(nodes[1], "/mnt/a", "wekafs", "default");
	app(nodes[0], "bpf", "/mnt/a", 1);
	app(nodes[0], "bpf", "/home", 4);
	app(nodes[0], "stepd", NULL, 8);
	app(nodes[1], "bpf", "/mnt/a", 2);
	wire.scope = RECORD_SCOPE_NODE;
	record_add_wire(nodes[0], &wire);
	record_add_wire(nodes[1], &wire);
	lines = run_lines_new(nodes, 2);
	ck_assert_uint_eq(lines->count, 4);
	expect_line(lines, 0, RUN_APP, "bpf", "/mnt/a", 2, 3);
	expect_line(lines, 1, RUN_APP, "bpf", "/home", 1, 4);
	expect_line(lines, 2, RUN_OTHER, "stepd", "", 1, 8);
	expect_line(lines, 3, RUN_WIRE, "weka", "", 2, 200);
	run_lines_free(lines);
	record_free(nodes[0]);
	record_free(nodes[1]);
}
END_TEST

START_TEST(lines_beyond_the_last_are_left_out_and_counted)
{
	struct record *nodes[2] = { node("c1"), node("c2") };
	struct run_lines *lines;
	char fs[16];
	int i;

	for (i = 0; i < RUN_LINES_MAX; i++) {
		snprintf(fs, sizeof(fs), "/mnt/%d", i);
		app(nodes[0], "bpf", fs, 1);
	}
	app(nodes[1], "bpf", "/one/more", 1);
	app(nodes[1], "bpf", "/mnt/63", 1);
	lines = run_lines_new(nodes, 2);
	ck_assert_uint_eq(lines->count, RUN_LINES_MAX);
	ck_assert_uint_eq(lines->left_out, 1);
	expect_line(lines, 63, RUN_APP, "bpf", "/mnt/63", 2, 2);
	run_lines_free(lines);
	record_free(nodes[0]);
	record_free(nodes[1]);
}
END_TEST

START_TEST(metadata_of_one_node_is_not_lost_by_another_without)
{
	struct record_io sum, with = counters("bpf", NULL, 1);
	struct record_io without = counters("bpf", NULL, 1);

	record_io_init(&sum);
	with.has_meta = with.has_hist[RECORD_READ_SIZES] = true;
	with.meta[RECORD_META_STATFS] = 5;
	with.hist[RECORD_READ_SIZES][1] = 2;
	without.meta[RECORD_META_STATFS] = 7; /* not counted there */
	without.hist[RECORD_READ_SIZES][1] = 3;
	run_add_io(&sum, &with);
	run_add_io(&sum, &without);
	ck_assert(sum.has_meta);
	ck_assert_int_eq(sum.meta[RECORD_META_STATFS], 5);
	ck_assert(sum.has_hist[RECORD_READ_SIZES]);
	ck_assert_int_eq(sum.hist[RECORD_READ_SIZES][1], 2);
}
END_TEST

START_TEST(lines_are_kept_apart_by_all_that_they_say)
{
	struct record *r = node("c1");
	struct record_io io = counters("bpf", "/a", 1);
	struct run_lines *lines;

	record_add_app(r, &io);
	record_add_app(r, &io);
	io.scope = RECORD_SCOPE_NODE;
	record_add_app(r, &io);
	strcpy(io.client, "w");
	record_add_app(r, &io);
	io.fs = NULL;
	record_add_app(r, &io);
	strcpy(io.source, "exit");
	record_add_app(r, &io);
	record_add_wire(r, &io);
	lines = run_lines_new(&r, 1);
	ck_assert_uint_eq(lines->count, 6);
	ck_assert_uint_eq(lines->line[0].nodes, 2);
	ck_assert_int_eq(lines->line[0].sum.numbers[RECORD_READ_BYTES], 2);
	ck_assert_int_eq(lines->line[1].kind, RUN_APP);
	ck_assert_int_eq(lines->line[4].kind, RUN_OTHER);
	ck_assert_int_eq(lines->line[5].kind, RUN_WIRE);
	ck_assert_uint_eq(lines->left_out, 0);
	run_lines_free(lines);
	run_lines_free(NULL);
	record_free(r);
}
END_TEST

START_TEST(wires_of_a_node_are_lines_each)
{
	struct record *r = node("c1");
	struct record_io wire = counters("weka", "a", 1);
	struct run_lines *lines;

	record_add_wire(r, &wire);
	wire.fs = (char *)"b";
	record_add_wire(r, &wire);
	lines = run_lines_new(&r, 1);
	ck_assert_uint_eq(lines->count, 2);
	expect_line(lines, 0, RUN_WIRE, "weka", "a", 1, 1);
	expect_line(lines, 1, RUN_WIRE, "weka", "b", 1, 1);
	run_lines_free(lines);
	record_free(r);
}
END_TEST

START_TEST(bins_of_one_histogram_are_none_of_the_next)
{
	struct record_io sum, io = counters("bpf", NULL, 1);
	int i;

	record_io_init(&sum);
	for (i = 0; i < RECORD_HIST_COUNT; i++) {
		io.has_hist[i] = true;
		io.hist[i][0] = io.hist[i][RECORD_BINS - 1] = 5 + i;
	}
	run_add_io(&sum, &io);
	run_add_io(&sum, &io);
	for (i = 0; i < RECORD_HIST_COUNT; i++) {
		ck_assert_int_eq(sum.hist[i][0], 2 * (5 + i));
		ck_assert_int_eq(sum.hist[i][1], 0);
		ck_assert_int_eq(sum.hist[i][RECORD_BINS - 1], 2 * (5 + i));
	}
}
END_TEST

/* ---- time ------------------------------------------------------------------ */

struct times {
	double start, end;
};

static struct run_time time_of(const struct times *times, size_t count)
{
	struct run_time time = RUN_TIME_NONE;
	size_t i;

	for (i = 0; i < count; i++)
		run_time_add(&time, times[i].start, times[i].end);
	for (i = 0; i < count; i++)
		run_time_compare(&time, times[i].start, times[i].end);
	return time;
}

static double apart(double start, double end)
{
	const struct times two[] = { { 1000, 1100 }, { start, end } };
	const struct times swapped[] = { two[1], two[0] };
	double seconds = time_of(two, 2).apart;

	ck_assert(time_of(swapped, 2).apart == seconds);
	return seconds;
}

START_TEST(a_node_that_began_and_ended_later_by_the_same_time_has_another_clock)
{
	ck_assert(apart(1040, 1140) == 40);
	ck_assert(apart(960, 1060) == 40);
	ck_assert(apart(1010, 1110) == 10);
	ck_assert(apart(1009.9, 1110) == 0);
	ck_assert(apart(1040, 1145) == 40);
	ck_assert(apart(1040, 1145.1) == 0);
	ck_assert(apart(1045, 1140) == 40);
	ck_assert(apart(1000, 1100) == 0);
}
END_TEST

START_TEST(a_node_that_was_late_once_has_no_other_clock)
{
	const struct times three[] = { { 1000, 1100 }, { 1040, 1100 }, { 1000, 1140 } };

	ck_assert(apart(1040, 1100) == 0);
	ck_assert(apart(1000, 1140) == 0);
	ck_assert(apart(1040, -1) == 0); /* nobody knows */
	ck_assert(time_of(three, 3).apart == 0);
}
END_TEST

START_TEST(zero_is_a_time)
{
	const struct times none[] = { { 0, 0 } };
	const struct times two[] = { { 0, 0 }, { 5, 20 } };
	struct run_time time = time_of(none, 1);

	ck_assert(time.first == 0 && time.last == 0 && time.first_end == 0);
	time = time_of(two, 2);
	ck_assert(time.first == 0 && time.last == 20 && time.first_end == 0);
	ck_assert(run_time_seconds(&time) == 20);
}
END_TEST

START_TEST(a_run_took_as_long_as_on_one_node_where_clocks_are_apart)
{
	const struct times apart[] = { { 1040, 1141 }, { 1000, 1100 } };
	const struct times late[] = { { 1000, 1100 }, { 1040, 1120 } };
	const struct times unknown[] = { { 1000, -1 } };
	struct run_time time = time_of(apart, 2);

	ck_assert(time.first == 1000 && time.last == 1141);
	ck_assert(run_time_seconds(&time) == 101);
	time = time_of(late, 2);
	ck_assert(run_time_seconds(&time) == 120);
	time = time_of(unknown, 1);
	ck_assert(time.first == 1000 && time.last < 0);
	ck_assert(run_time_seconds(&time) == 0);
	time = time_of(NULL, 0);
	ck_assert(time.first < 0 && run_time_seconds(&time) == 0);
}
END_TEST

START_TEST(the_time_of_records_is_from_the_first_start_to_the_last_end)
{
	struct record *nodes[3] = { node("c1"), node("c2"), node("c3") };
	struct run_time time;
	size_t i;

	for (i = 0; i < 3; i++) {
		nodes[i]->start = 1080 - 40 * (double)i;
		nodes[i]->end = 1180 - 40 * (double)i;
	}
	time = run_time_of(nodes, 3);
	ck_assert(time.first == 1000 && time.last == 1180);
	ck_assert(time.apart == 80 && time.longest == 100);
	ck_assert(run_time_seconds(&time) == 100);
	for (i = 0; i < 3; i++)
		record_free(nodes[i]);
}
END_TEST

UNIT_MAIN("run", bins_of_one_histogram_are_none_of_the_next, zero_is_a_time,
	  wires_of_a_node_are_lines_each,
	  the_time_of_records_is_from_the_first_start_to_the_last_end,
	  what_is_unknown_adds_nothing_and_a_sum_ends_at_the_largest_number,
	  histograms_and_metadata_end_at_the_largest_number_too,
	  a_timeline_is_there_where_each_that_moved_something_has_one,
	  calls_that_moved_nothing_are_missed_too, a_peak_is_the_most_and_not_a_sum,
	  the_best_lines_of_a_node_are_those_of_one_source,
	  lines_of_the_same_name_are_added_over_the_nodes,
	  lines_beyond_the_last_are_left_out_and_counted,
	  metadata_of_one_node_is_not_lost_by_another_without,
	  lines_are_kept_apart_by_all_that_they_say,
	  a_node_that_began_and_ended_later_by_the_same_time_has_another_clock,
	  a_node_that_was_late_once_has_no_other_clock,
	  a_run_took_as_long_as_on_one_node_where_clocks_are_apart)
