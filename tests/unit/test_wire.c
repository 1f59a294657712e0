/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two readings of a client's counters. What each type reads
 * is in tests of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/wire.h"
#include "tests/unit/runner.h"

#define WRAP (INT64_C(1) << 32)
#define A_SECOND 2000000 /* calls that fit into one */

static struct wire *before, *after;
static int64_t moved[WIRE_KINDS];
static struct err err;

static struct wire *new_wire(int64_t at_s)
{
	struct wire *wire = wire_new();

	ck_assert_msg(wire != NULL, "%s", err.text);
	wire->at_s = at_s;
	return wire;
}

static struct wire_row *row(struct wire *wire, const char *id, const char *fs, int64_t read_bytes)
{
	struct wire_row *made = wire_row(wire, id);

	ck_assert_ptr_nonnull(made);
	strcpy(made->fs, fs);
	made->count[WIRE_READ_BYTES] = read_bytes;
	return made;
}

static void begin(void)
{
	before = new_wire(1000);
	after = new_wire(1100);
}

static void end(void)
{
	wire_free(before);
	wire_free(after);
}

/* Of filesystem "/a"; what is not said is unknown, or was never counted. */
static void expect(int rc, enum wire_kind kind, int64_t count)
{
	ck_assert_int_eq(wire_since(before, after, "/a", moved), rc);
	if (rc)
		ck_assert_int_eq(moved[kind], count);
}

START_TEST(rows_of_one_filesystem_are_added_up)
{
	begin();
	row(before, "x", "/a", 10);
	row(before, "y", "/a", 20);
	row(before, "z", "/b", 1);
	row(after, "y", "/a", 25);
	row(after, "x", "/a", 100);
	row(after, "z", "/b", 1000);
	expect(1, WIRE_READ_BYTES, 95);
	end();
}
END_TEST

START_TEST(a_counter_below_its_old_value_has_restarted)
{
	begin();
	row(before, "x", "/a", 10);
	row(after, "x", "/a", 10);
	expect(1, WIRE_READ_BYTES, 0);
	after->row[0].count[WIRE_READ_BYTES] = 9;
	expect(0, WIRE_READ_BYTES, 0);
	end();
	begin();
	row(before, "x", "/a", 10);
	row(after, "y", "/a", 10); /* x is gone */
	expect(0, WIRE_READ_BYTES, 0);
	end();
}
END_TEST

START_TEST(rows_that_are_cleared_together_have_restarted_together)
{
	struct client_wire told = { .line_count = 0 };

	begin();
	row(before, "x", "/a", 10);
	row(before, "y", "/b", 0);
	row(after, "x", "/a", 3);
	row(after, "y", "/b", 5); /* of more, who knows */
	wire_lines(before, after, &told);
	ck_assert(told.line[0].has_restarted && !told.line[1].has_restarted);
	after->clears_all = true;
	wire_lines(before, after, &told);
	ck_assert_uint_eq(told.line_count, 2);
	ck_assert(told.line[0].has_restarted && told.line[1].has_restarted);
	/* whichever of them shows it */
	before->row[0].count[WIRE_READ_BYTES] = 1;
	before->row[1].count[WIRE_READ_BYTES] = 6;
	wire_lines(before, after, &told);
	ck_assert(told.line[0].has_restarted && told.line[1].has_restarted);
	before->row[0].count[WIRE_READ_BYTES] = 10;
	before->row[1].count[WIRE_READ_BYTES] = 0;
	/* one that is gone has cleared no other */
	strcpy(after->row[0].id, "z");
	wire_lines(before, after, &told);
	ck_assert(told.line[0].has_restarted && !told.line[1].has_restarted);
	end();
}
END_TEST

START_TEST(rows_that_get_their_names_meanwhile_are_told_by_them_alone)
{
	struct client_wire told = { .line_count = 0 };

	begin();
	row(before, "x", "", 10);
	row(before, "y", "", 20);
	row(after, "x", "/a", 11);
	row(after, "y", "/b", 22);
	wire_lines(before, after, &told);
	ck_assert_uint_eq(told.line_count, 2);
	ck_assert_int_eq(told.line[0].count[WIRE_READ_BYTES], 1);
	ck_assert_int_eq(told.line[1].count[WIRE_READ_BYTES], 2);
	/* one is gone, and nobody knows what it was */
	after->count = 1;
	wire_lines(before, after, &told);
	ck_assert_uint_eq(told.line_count, 2);
	ck_assert_str_eq(told.line[1].fs, "");
	ck_assert(told.line[1].has_restarted);
	strcpy(after->row[0].id, "y"); /* and now the other one is */
	wire_lines(before, after, &told);
	ck_assert_uint_eq(told.line_count, 2);
	ck_assert_str_eq(told.line[1].fs, "");
	end();
}
END_TEST

START_TEST(a_row_that_was_born_later_has_restarted)
{
	begin();
	row(before, "x", "/a", 10)->born_s = 500;
	row(after, "x", "/a", 20)->born_s = 502;
	expect(1, WIRE_READ_BYTES, 10);
	after->row[0].born_s = 503;
	expect(0, WIRE_READ_BYTES, 0);
	before->row[0].born_s = WIRE_UNKNOWN;
	expect(1, WIRE_READ_BYTES, 10);
	/* the same epoch, told by a clock that was set since */
	before->row[0].born_s = 500;
	strcpy(before->row[0].id, "x@5.5");
	strcpy(after->row[0].id, "x@5.5");
	expect(1, WIRE_READ_BYTES, 10);
	end();
}
END_TEST

START_TEST(a_new_row_counts_unless_it_is_older)
{
	begin();
	row(before, "x", "/a", 10);
	row(after, "x", "/a", 10);
	row(after, "new", "/a", 7)->born_s = WIRE_UNKNOWN;
	expect(1, WIRE_READ_BYTES, 7);
	after->row[1].born_s = 998;
	expect(1, WIRE_READ_BYTES, 7);
	after->row[1].born_s = 997;
	expect(0, WIRE_READ_BYTES, 0);
	/* one that there was no time for then, or now */
	row(before, "new@", "/a", 0);
	strcpy(after->row[1].id, "new@5.5");
	expect(1, WIRE_READ_BYTES, 0);
	end();
}
END_TEST

START_TEST(a_number_that_another_filesystem_has_got_counts_from_its_birth)
{
	begin();
	row(before, "0:60", "/old", 10)->born_s = 500;
	row(after, "0:60", "/a", 17)->born_s = 1050;
	expect(1, WIRE_READ_BYTES, 17);
	after->row[0].count[WIRE_READ_BYTES] = 7;
	expect(1, WIRE_READ_BYTES, 7);
	ck_assert_int_eq(wire_since(before, after, "/old", moved), 0);
	/* the same one, seen at another place */
	after->row[0].count[WIRE_READ_BYTES] = 17;
	after->row[0].born_s = 501;
	expect(1, WIRE_READ_BYTES, 7);
	end();
}
END_TEST

START_TEST(a_backlog_is_of_connections_that_may_be_older_or_end_before)
{
	begin();
	row(before, "x", "/a", 10)->count[WIRE_BACKLOG] = 30;
	row(after, "x", "/a", 15)->count[WIRE_BACKLOG] = 35;
	expect(1, WIRE_BACKLOG, 5);
	after->row[0].count[WIRE_BACKLOG] = 29;
	expect(1, WIRE_BACKLOG, WIRE_UNKNOWN);
	expect(1, WIRE_READ_BYTES, 5);
	row(after, "new", "/b", 7)->count[WIRE_BACKLOG] = 8;
	ck_assert_int_eq(wire_since(before, after, "/b", moved), 1);
	ck_assert_int_eq(moved[WIRE_READ_BYTES], 7);
	ck_assert_int_eq(moved[WIRE_BACKLOG], WIRE_UNKNOWN);
	end();
}
END_TEST

static void expect_row(const char *text, int64_t queue_us, int64_t backlog, int64_t copies,
		       int64_t names)
{
	struct wire *wire = wire_parse(text, &err);

	ck_assert_msg(wire != NULL, "%s", err.text);
	ck_assert_int_eq(wire->row[0].count[WIRE_QUEUE_US], queue_us);
	ck_assert_int_eq(wire->row[0].count[WIRE_BACKLOG], backlog);
	ck_assert_int_eq(wire->row[0].count[WIRE_COPIES], copies);
	ck_assert_int_eq(wire->row[0].count[WIRE_NAMES], names);
	wire_free(wire);
}

START_TEST(what_is_unknown_on_either_side_is_unknown)
{
	begin();
	row(before, "x", "/a", WIRE_UNKNOWN);
	row(after, "x", "/a", 20);
	expect(1, WIRE_READ_BYTES, WIRE_UNKNOWN);
	before->row[0].count[WIRE_READ_BYTES] = 10;
	after->row[0].count[WIRE_READ_BYTES] = WIRE_UNKNOWN;
	expect(1, WIRE_READ_BYTES, WIRE_UNKNOWN);
	end();
	begin();
	row(before, "x", "/a", 0);
	row(after, "x", "/a", INT64_MAX);
	row(after, "y", "/a", 0);
	expect(1, WIRE_READ_BYTES, INT64_MAX);
	after->row[1].count[WIRE_READ_BYTES] = 1;
	expect(1, WIRE_READ_BYTES, WIRE_UNKNOWN);
	end();
}
END_TEST

static void reads(int64_t was, int64_t is, int64_t seconds)
{
	before = new_wire(1000);
	after = new_wire(1000 + seconds);
	after->calls_wrap = before->calls_wrap = WRAP;
	row(before, "x", "/a", 0)->count[WIRE_READS] = was;
	row(after, "x", "/a", 5000)->count[WIRE_READS] = is;
}

START_TEST(a_counter_of_calls_that_wrapped_is_counted_on_where_it_can_be)
{
	/* in nine seconds ten seconds' worth of calls, and no more */
	reads(WRAP - 10, 10 * A_SECOND - 10, 9);
	expect(1, WIRE_READS, 10 * A_SECOND);
	end();
	reads(WRAP - 10, 10 * A_SECOND - 9, 9);
	expect(0, WIRE_READS, 0);
	end();
	/* within one second, and since the boot */
	reads(WRAP - 10, A_SECOND - 10, 0);
	expect(1, WIRE_READS, A_SECOND);
	end();
	reads(WRAP - 10, 10 * A_SECOND - 10, 9);
	before->at_s = 0;
	after->at_s = 9;
	expect(1, WIRE_READS, 10 * A_SECOND);
	end();
	/* in a long time: when it was far on its way; how often, who knows */
	reads(WRAP / 2 + 1, 5, 100000);
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	ck_assert_int_eq(moved[WIRE_READ_BYTES], 5000);
	end();
	reads(WRAP / 2, 5, 100000);
	expect(0, WIRE_READS, 0);
	end();
	/* a value that no such counter can have */
	reads(WRAP, 5, 9);
	expect(0, WIRE_READS, 0);
	end();
	/* a clock that went back: nobody knows how long it was */
	reads(WRAP / 2 + 1, 5, -1);
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	before->at_s = -1;
	after->at_s = 9;
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	end();
	/* as many as fit in are as many as there are until it begins again */
	reads(A_SECOND, 5, 1);
	after->calls_wrap = 2 * A_SECOND;
	expect(0, WIRE_READS, 0);
	before->row[0].count[WIRE_READS]++;
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	end();
	reads(WRAP - 10, 5, 9);
	before->calls_wrap = after->calls_wrap = 0;
	expect(0, WIRE_READS, 0);
	end();
}
END_TEST

START_TEST(reads_and_writes_wrap_and_nothing_else_does)
{
	int kind;

	for (kind = 0; kind < WIRE_KINDS; kind++) {
		reads(0, 0, 9);
		before->row[0].count[kind] = WRAP - 10;
		after->row[0].count[kind] = 10;
		if (kind == WIRE_READS || kind == WIRE_WRITES)
			expect(1, (enum wire_kind)kind, 20);
		else if (wire_since(before, after, "/a", moved))
			ck_assert_int_eq(moved[kind], WIRE_UNKNOWN);
		end();
	}
}
END_TEST

START_TEST(calls_of_a_long_time_are_known_where_few_bytes_were_moved)
{
	reads(5, 5, 100000);
	expect(1, WIRE_READS, 0);
	after->row[0].count[WIRE_READS] = 6;
	after->row[0].count[WIRE_READ_BYTES] = WRAP - 1;
	expect(1, WIRE_READS, 1);
	after->row[0].count[WIRE_READ_BYTES] = WRAP;
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	/* a number that no such counter has, and so few that none fits in */
	after->row[0].count[WIRE_READS] = WRAP;
	expect(1, WIRE_READS, WRAP - 5);
	after->row[0].count[WIRE_READS] = 6;
	after->at_s = before->at_s + WRAP / A_SECOND;
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	after->at_s--;
	expect(1, WIRE_READS, 1);
	after->calls_wrap = 2 * A_SECOND; /* just as many fit in */
	after->at_s = before->at_s + 1;
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	end();
	reads(5, WIRE_UNKNOWN, 100000);
	after->row[0].count[WIRE_READ_BYTES] = WIRE_UNKNOWN;
	expect(1, WIRE_READS, WIRE_UNKNOWN);
	end();
}
END_TEST

START_TEST(a_wire_travels_as_text)
{
	struct wire *again;
	char *text, *cut;

	begin();
	row(before, "x@", "/a", 10)->born_s = 500;
	row(before, "y", "", WIRE_UNKNOWN);
	strcpy(before->event.code, "W30");
	strcpy(before->event.text, "restarted");
	before->event.at_s = 77;
	*err.text = '\0';
	text = wire_text(before);
	ck_assert_msg(text && !*err.text, "%s", err.text);
	again = wire_parse(text, &err);
	ck_assert_msg(again != NULL, "%s", err.text);
	ck_assert_int_eq(again->at_s, 1000);
	ck_assert_uint_eq(again->count, 2);
	ck_assert_str_eq(again->row[0].id, "x@");
	ck_assert_str_eq(again->row[0].fs, "/a");
	ck_assert_int_eq(again->row[0].born_s, 500);
	ck_assert_int_eq(again->row[0].count[WIRE_READ_BYTES], 10);
	ck_assert_int_eq(again->row[1].count[WIRE_READ_BYTES], WIRE_UNKNOWN);
	wire_free(again);
	cut = strdup(text);
	cut[strlen(cut) - 1] = '\0';
	ck_assert_ptr_null(wire_parse(cut, &err));
	ck_assert_ptr_null(wire_parse("[]", &err));
	ck_assert_ptr_null(wire_parse("", &err));
	free(cut);
	free(text);
	end();
}
END_TEST

START_TEST(a_new_row_knows_nothing_and_what_is_added_is_all)
{
	struct wire_row *one;
	int kind;

	begin();
	one = wire_row(before, "x");
	ck_assert_str_eq(one->id, "x");
	ck_assert_str_eq(one->fs, "");
	ck_assert_int_eq(one->born_s, WIRE_UNKNOWN);
	for (kind = 0; kind < WIRE_KINDS; kind++)
		ck_assert_int_eq(one->count[kind], WIRE_UNKNOWN);
	ck_assert_int_eq(wire_row_add(one, WIRE_READ_BYTES, 5), 0);
	ck_assert_int_eq(one->count[WIRE_READ_BYTES], 5);
	ck_assert_int_eq(wire_row_add(one, WIRE_READS, 0), 0);
	ck_assert_int_eq(one->count[WIRE_READS], 0);
	end();
}
END_TEST

/* So many filesystems, each of which has moved a byte. */
static void many(int count)
{
	char id[16], fs[16];
	int i;

	begin();
	for (i = 0; i < count; i++) {
		snprintf(id, sizeof(id), "i%d", i);
		snprintf(fs, sizeof(fs), "/%d", i);
		row(before, id, fs, 10);
		row(after, id, fs, 11);
	}
}

static struct client_wire told;

static const struct client_wire_line *last_line(void)
{
	wire_lines(before, after, &told);
	ck_assert_uint_eq(told.line_count, CLIENT_WIRE_LINES_MAX);
	return &told.line[CLIENT_WIRE_LINES_MAX - 1];
}

START_TEST(filesystems_beyond_the_last_line_are_told_together)
{
	many(CLIENT_WIRE_LINES_MAX);
	ck_assert_str_eq(last_line()->fs, "/31");
	ck_assert_int_eq(last_line()->count[WIRE_READ_BYTES], 1);
	end();
	many(CLIENT_WIRE_LINES_MAX + 2);
	ck_assert_str_eq(last_line()->fs, "");
	ck_assert_int_eq(last_line()->count[WIRE_READ_BYTES], 3);
	ck_assert_int_eq(last_line()->count[WIRE_WRITE_BYTES], WIRE_UNKNOWN);
	ck_assert(!last_line()->has_restarted && !last_line()->is_gone);
	ck_assert(!last_line()->is_partial);
	ck_assert_str_eq(told.line[30].fs, "/30");
	/* one of them has begun anew, and the one behind it has not */
	after->row[32].count[WIRE_READ_BYTES] = 9;
	ck_assert(last_line()->has_restarted);
	after->row[32].count[WIRE_READ_BYTES] = 11;
	ck_assert(!last_line()->has_restarted);
	row(after, "i40@", "/32", WIRE_UNKNOWN);
	ck_assert(last_line()->is_partial);
	after->row[33].count[WIRE_READ_BYTES] = WIRE_UNKNOWN;
	ck_assert_int_eq(last_line()->count[WIRE_READ_BYTES], WIRE_UNKNOWN);
	end();
	many(CLIENT_WIRE_LINES_MAX + 2);
	after->count -= 2;
	ck_assert(last_line()->is_gone);
	ck_assert(last_line()->has_restarted);
	end();
	many(CLIENT_WIRE_LINES_MAX + 1);
	before->row[31].count[WIRE_READ_BYTES] = 0;
	before->row[32].count[WIRE_READ_BYTES] = 0;
	after->row[31].count[WIRE_READ_BYTES] = INT64_MAX;
	after->row[32].count[WIRE_READ_BYTES] = 0;
	ck_assert_int_eq(last_line()->count[WIRE_READ_BYTES], INT64_MAX);
	after->row[32].count[WIRE_READ_BYTES] = 1;
	ck_assert_int_eq(last_line()->count[WIRE_READ_BYTES], WIRE_UNKNOWN);
	end();
}
END_TEST

START_TEST(what_was_not_read_is_no_restart_and_leaves_a_lower_bound)
{
	begin();
	row(before, "x@1", "/a", 10);
	row(before, "y@1", "/a", 10);
	row(after, "x@", "/a", WIRE_UNKNOWN); /* not read this time */
	row(after, "y@1", "/a", 15);
	expect(1, WIRE_READ_BYTES, 5);
	ck_assert_uint_eq(after->unread, 1);
	told.line_count = 0;
	wire_lines(before, after, &told);
	ck_assert(told.line[0].is_partial && !told.line[0].has_restarted);
	end();
	begin();
	row(before, "x@", "/a", WIRE_UNKNOWN); /* nor at the start */
	row(before, "y@1", "/a", 10);
	row(after, "x@1", "/a", 1000);
	row(after, "y@1", "/a", 15);
	expect(1, WIRE_READ_BYTES, 5);
	wire_lines(before, after, &told);
	ck_assert(told.line[0].is_partial);
	end();
}
END_TEST

START_TEST(a_restart_behind_what_was_not_read_is_one)
{
	begin();
	row(before, "x@1", "/a", 10);
	row(before, "y@1", "/a", 10);
	row(after, "x@", "/a", WIRE_UNKNOWN);
	row(after, "y@1", "/a", 5);
	expect(0, WIRE_READ_BYTES, 0);
	end();
}
END_TEST

START_TEST(the_first_filesystem_may_be_the_one_that_is_gone)
{
	begin();
	row(before, "x", "/gone", 1);
	row(before, "y", "/b", 1);
	row(after, "y", "/b", 1);
	wire_lines(before, after, &told);
	ck_assert_uint_eq(told.line_count, 2);
	ck_assert_str_eq(told.line[1].fs, "/gone");
	ck_assert(told.line[1].is_gone);
	end();
}
END_TEST

START_TEST(what_happened_to_the_client_is_told_with_its_lines)
{
	begin();
	row(before, "x", "/a", 1);
	row(before, "z", "/gone", 1);
	row(after, "x", "/a", 1);
	row(after, "y", "/b", 1);
	strcpy(after->event.code, "W30");
	after->event.at_s = 77;
	wire_lines(before, after, &told);
	ck_assert_str_eq(told.event.code, "W30");
	ck_assert_int_eq(told.event.at_s, 77);
	ck_assert_uint_eq(told.line_count, 3);
	ck_assert_str_eq(told.line[0].fs, "/a");
	ck_assert_str_eq(told.line[1].fs, "/b");
	ck_assert_str_eq(told.line[2].fs, "/gone");
	ck_assert(told.line[2].is_gone && !told.line[1].is_gone);
	end();
}
END_TEST

#define COUNTS ",1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}"

/* With a name of so many characters between the two. */
static bool is_taken_with(const char *before, int length, const char *after)
{
	char name[WIRE_ID_MAX + WIRE_FS_MAX], text[sizeof(name) + 200];
	struct err err = { "" };
	struct wire *wire;
	bool is_taken;

	memset(name, 'x', sizeof(name));
	snprintf(text, sizeof(text), "%s%.*s%s", before, length, name, after);
	wire = wire_parse(text, &err);
	is_taken = wire != NULL;
	wire_free(wire);
	return is_taken;
}

START_TEST(damaged_rows_are_refused_by_their_names)
{
	static const char *const bad[] = {
		"{\"x\":7}",
		"{\"x\":[1]}",
		"{\"x\":[3,7,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}",
		"{\"x\":[\"3\",\"/a\",1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}",
		"{\"x\":[-2,\"/a\",1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}",
		"{\"x\":[3,\"/a\",1,2,3,4,5,6,7,8,9,10,11,12,13,14,-2]}",
		"{\"x\":[3,\"/a\",\"1\",2,3,4,5,6,7,8,9,10,11,12,13,14,15]}",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(!wire_parse(bad[i], &err), "%s", bad[i]);
		ck_assert_str_eq(err.text, "counters of the client: 'x' is damaged");
	}
	ck_assert_ptr_null(wire_parse("{\"at\":\"9\"}", &err));
	ck_assert_str_eq(err.text, "counters of the client: 'at' is damaged");
	expect_row("{\"x\":[-1,\"\",-1,2,3,4,5,6,7,8,9,10,11,0,13,14,-1]}", 0, 13, 14,
		   WIRE_UNKNOWN);
	ck_assert(is_taken_with("{\"", WIRE_ID_MAX - 1, "\":[3,\"\"" COUNTS));
	ck_assert(!is_taken_with("{\"", WIRE_ID_MAX, "\":[3,\"\"" COUNTS));
	ck_assert(is_taken_with("{\"x\":[3,\"", WIRE_FS_MAX - 1, "\"" COUNTS));
	ck_assert(!is_taken_with("{\"x\":[3,\"", WIRE_FS_MAX, "\"" COUNTS));
}
END_TEST

UNIT_MAIN("wire", rows_of_one_filesystem_are_added_up, a_counter_below_its_old_value_has_restarted,
	  rows_that_are_cleared_together_have_restarted_together,
	  rows_that_get_their_names_meanwhile_are_told_by_them_alone,
	  a_row_that_was_born_later_has_restarted, a_new_row_counts_unless_it_is_older,
	  a_number_that_another_filesystem_has_got_counts_from_its_birth,
	  a_backlog_is_of_connections_that_may_be_older_or_end_before,
	  what_is_unknown_on_either_side_is_unknown,
	  a_counter_of_calls_that_wrapped_is_counted_on_where_it_can_be,
	  reads_and_writes_wrap_and_nothing_else_does,
	  calls_of_a_long_time_are_known_where_few_bytes_were_moved, a_wire_travels_as_text,
	  a_new_row_knows_nothing_and_what_is_added_is_all,
	  filesystems_beyond_the_last_line_are_told_together,
	  what_was_not_read_is_no_restart_and_leaves_a_lower_bound,
	  a_restart_behind_what_was_not_read_is_one,
	  the_first_filesystem_may_be_the_one_that_is_gone,
	  what_happened_to_the_client_is_told_with_its_lines,
	  damaged_rows_are_refused_by_their_names)
