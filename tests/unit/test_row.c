/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which run a record belongs to, and what it makes of that run. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/merge.h"
#include "ledger/row.h"
#include "ledger/store_ops.h"
#include "tests/unit/runner.h"

#define NOW INT64_C(1000000)
#define DAY 86400

static struct record *from_to(double start, double end)
{
	struct record *r = record_new();

	ck_assert_ptr_nonnull(r);
	r->start = start;
	r->end = end;
	return r;
}

/* ---- time ------------------------------------------------------------------------- */

static double end_of(double start, double end)
{
	struct record *r = from_to(start, end);
	double found = row_end(r, NOW);

	record_free(r);
	return found;
}

START_TEST(a_run_takes_up_time_until_its_end)
{
	ck_assert(end_of(1000, 2000) == 2000);
	ck_assert(end_of(1000, 1000) == 1000);
	ck_assert(end_of(NOW - 10, NOW + DAY) == NOW + DAY);
	ck_assert(end_of(1000, 1000 + 366.0 * DAY) == 1000); /* to come */
}
END_TEST

START_TEST(what_no_clock_can_have_said_takes_up_a_moment)
{
	ck_assert(end_of(1000, -1) == 1000);
	ck_assert(end_of(2000, 1000) == 2000);
	/* it began before now and ends in days to come */
	ck_assert(end_of(NOW - 10, NOW + DAY + 1) == NOW - 10);
	ck_assert(end_of(NOW + DAY, NOW + DAY + 1) == NOW + DAY);
	/* a node whose clock is wrong by years has runs like any other */
	ck_assert(end_of(NOW + 2 * DAY, NOW + 3 * DAY) == NOW + 3 * DAY);
	/* a year is the longest */
	ck_assert(end_of(NOW + 2 * DAY, NOW + 2 * DAY + 366.0 * DAY) ==
		  NOW + 2 * DAY + 366.0 * DAY);
	ck_assert(end_of(NOW + 2 * DAY, NOW + 2 * DAY + 366.0 * DAY + 1) == NOW + 2 * DAY);
}
END_TEST

/* From a record of 1000 to 2000 to a run of these times. */
static double distance(int64_t restart, const char *nodelist, double first, double last)
{
	struct record *r = from_to(1000, 2000);
	double found;

	r->restart = 1;
	record_set(&r->nodelist, "n[1-2]");
	found = row_distance(r, 2000, restart, nodelist, first, last);
	record_free(r);
	return found;
}

START_TEST(runs_that_overlap_are_one_whatever_their_nodes)
{
	ck_assert(distance(1, "n[1-2]", 1500, 1600) == 0);
	ck_assert(distance(1, "n[1-3]", 1500, 3000) == 0);
	ck_assert(distance(1, "n[1-3]", 2000, 3000) == 0);
	ck_assert(distance(1, "n[1-3]", 500, 1000) == 0);
	ck_assert(distance(RECORD_UNKNOWN, NULL, 0, 5000) == 0);
}
END_TEST

START_TEST(runs_that_slurm_does_not_number_may_be_ten_seconds_apart)
{
	ck_assert(distance(RECORD_UNKNOWN, "n[1-2]", 2000 + STORE_SLOP_S, 3000) == STORE_SLOP_S);
	ck_assert(distance(RECORD_UNKNOWN, "n[1-2]", 2001 + STORE_SLOP_S, 3000) == -1);
	ck_assert(distance(RECORD_UNKNOWN, "n[1-2]", 500, 1000 - STORE_SLOP_S) == STORE_SLOP_S);
	ck_assert(distance(RECORD_UNKNOWN, "n[1-2]", 500, 999 - STORE_SLOP_S) == -1);
	ck_assert(distance(RECORD_UNKNOWN, NULL, 2003, 3000) == 3);
	ck_assert(distance(RECORD_UNKNOWN, "n[1-3]", 2003, 3000) == -1);
	ck_assert(distance(RECORD_UNKNOWN, "n[1-3]", 500, 997) == -1);
}
END_TEST

START_TEST(runs_that_slurm_numbers_differently_are_two)
{
	ck_assert(distance(0, "n[1-2]", 1000, 2000) == -1);
	ck_assert(distance(2, "n[1-2]", 1000, 2000) == -1);
	ck_assert(distance(RECORD_UNKNOWN, "n[1-2]", 1000, 2000) == 0);
}
END_TEST

/* From a record of the run of this number. */
static double distance_of(int64_t its, int64_t restart, const char *nodelist, double first)
{
	struct record *r = from_to(1000, 2000);
	double found;

	r->restart = its;
	record_set(&r->nodelist, "n[1-2]");
	found = row_distance(r, 2000, restart, nodelist, first, first + 100);
	record_free(r);
	return found;
}

START_TEST(runs_of_one_number_on_the_same_nodes_may_be_minutes_apart)
{
	const double far = 2000 + STORE_SKEW_S;
	int64_t i;

	for (i = 0; i < 2; i++) {
		ck_assert(distance_of(i, i, "n[1-2]", far) == STORE_SKEW_S);
		ck_assert(distance_of(i, i, "n[1-2]", far + 1) == -1);
		ck_assert(distance_of(i, 1 - i, "n[1-2]", 1500) == -1);
		ck_assert(distance_of(i, RECORD_UNKNOWN, "n[1-2]", far) == -1);
		ck_assert(distance_of(RECORD_UNKNOWN, i, "n[1-2]", far) == -1);
		ck_assert(distance_of(i, i, NULL, far) == -1);
	}
	ck_assert(distance_of(RECORD_UNKNOWN, RECORD_UNKNOWN, "n[1-2]", far) == -1);
}
END_TEST

START_TEST(a_node_that_names_no_nodes_is_of_any_run_nearby)
{
	struct record *r = from_to(1000, 2000);

	ck_assert(row_distance(r, 2000, RECORD_UNKNOWN, "n1", 2005, 3000) == 5);
	ck_assert(row_distance(r, 2000, 0, "n1", 2005, 3000) == 5);
	record_free(r);
}
END_TEST

/* ---- what is kept of a run ----------------------------------------------------------- */

static struct row empty_row(void)
{
	return (struct row){ .restart = RECORD_UNKNOWN,
			     .expected = RECORD_UNKNOWN,
			     .array_job = RECORD_UNKNOWN,
			     .array_task = RECORD_UNKNOWN,
			     .het_job = RECORD_UNKNOWN,
			     .het_offset = RECORD_UNKNOWN,
			     .next_try = RECORD_UNKNOWN,
			     .first = 1500,
			     .last = 1600 };
}

START_TEST(a_run_lasts_from_its_first_start_to_its_last_end)
{
	struct row row = empty_row();
	struct record *r = from_to(1000, 2000);

	row_widen(&row, r, NOW);
	ck_assert(row.first == 1000 && row.last == 2000);
	r->start = 1200;
	r->end = 1900;
	row_widen(&row, r, NOW);
	ck_assert(row.first == 1000 && row.last == 2000);
	record_free(r);
}
END_TEST

START_TEST(a_run_knows_what_any_of_its_records_knows)
{
	struct row row = empty_row();
	struct record *r = from_to(1000, 2000);

	row_widen(&row, r, NOW);
	ck_assert_int_eq(row.restart, RECORD_UNKNOWN);
	ck_assert_int_eq(row.array_job, RECORD_UNKNOWN);
	ck_assert_int_eq(row.het_job, RECORD_UNKNOWN);
	r->restart = 0;
	r->array_job = 0;
	r->array_task = 5;
	r->het_job = 0;
	r->het_offset = 6;
	row_widen(&row, r, NOW);
	ck_assert_int_eq(row.restart, 0);
	ck_assert_int_eq(row.array_job, 0);
	ck_assert_int_eq(row.array_task, 5);
	ck_assert_int_eq(row.het_job, 0);
	ck_assert_int_eq(row.het_offset, 6);
	r->restart = 3; /* the first word counts */
	r->array_job = r->array_task = RECORD_UNKNOWN;
	r->het_job = r->het_offset = RECORD_UNKNOWN;
	row_widen(&row, r, NOW);
	ck_assert_int_eq(row.restart, 0);
	ck_assert_int_eq(row.array_task, 5);
	ck_assert_int_eq(row.het_offset, 6);
	record_free(r);
}
END_TEST

static void name_nodes(struct row *row, const char *list)
{
	struct record *r = from_to(1000, 2000);

	record_set(&r->nodelist, list);
	row_widen(row, r, NOW);
	record_free(r);
}

START_TEST(the_longest_list_of_nodes_says_how_many_there_are)
{
	struct row row = empty_row();

	name_nodes(&row, NULL);
	ck_assert_ptr_null(row.nodelist);
	ck_assert_int_eq(row.expected, RECORD_UNKNOWN);
	name_nodes(&row, "n[1-2]");
	ck_assert_str_eq(row.nodelist, "n[1-2]");
	ck_assert_int_eq(row.expected, 2);
	name_nodes(&row, "n9");
	ck_assert_str_eq(row.nodelist, "n[1-2]");
	name_nodes(&row, NULL);
	ck_assert_str_eq(row.nodelist, "n[1-2]");
	name_nodes(&row, "n[1-30]");
	ck_assert_int_eq(row.expected, 30);
	/* of two of one length the later one in the alphabet, in any order */
	name_nodes(&row, "n[1-10]");
	ck_assert_str_eq(row.nodelist, "n[1-30]");
	name_nodes(&row, "n[1-40]");
	ck_assert_str_eq(row.nodelist, "n[1-40]");
	ck_assert_int_eq(row.expected, 40);
	name_nodes(&row, "n[1-99999999]");
	ck_assert_int_eq(row.expected, RECORD_UNKNOWN);
	free(row.nodelist);
}
END_TEST

static int64_t due(int64_t seen, int64_t expected, int64_t next_try)
{
	struct row row = empty_row();

	row.seen = seen;
	row.expected = expected;
	row.next_try = next_try;
	return row_due(&row, NOW, 300);
}

START_TEST(a_run_is_due_when_all_nodes_are_there_or_grace_is_over)
{
	ck_assert_int_eq(due(2, 2, RECORD_UNKNOWN), NOW);
	ck_assert_int_eq(due(3, 2, NOW + 100), NOW);
	ck_assert_int_eq(due(1, 2, RECORD_UNKNOWN), NOW + 300);
	ck_assert_int_eq(due(0, 0, RECORD_UNKNOWN), NOW);
	/* nobody knows how many */
	ck_assert_int_eq(due(1, RECORD_UNKNOWN, RECORD_UNKNOWN), NOW + 300);
	/* the first that waited began the time */
	ck_assert_int_eq(due(1, 2, NOW + 299), NOW + 299);
	ck_assert_int_eq(due(1, 2, NOW - 5), NOW - 5);
	ck_assert_int_eq(due(1, 2, 0), 0);
	ck_assert_int_eq(due(1, 2, NOW + 301), NOW + 300);
}
END_TEST

START_TEST(a_record_is_news_when_it_is_better_than_the_one_before)
{
	struct record *r = from_to(1000, 2000), *later = from_to(1000, 2001);
	struct err err = { "" };
	char *text, *better;

	strcpy(r->cluster, "c");
	strcpy(r->node, "n1");
	strcpy(later->cluster, "c");
	strcpy(later->node, "n1");
	r->job = later->job = 7;
	text = record_text(r, &err);
	better = record_text(later, &err);
	ck_assert(text && better);
	ck_assert(row_is_news(later, better, strlen(better), text, strlen(text)));
	ck_assert(!row_is_news(r, text, strlen(text), better, strlen(better)));
	ck_assert(!row_is_news(r, text, strlen(text), text, strlen(text)));
	/* what was kept cannot be read any more */
	ck_assert(row_is_news(r, text, strlen(text), "{", 1));
	free(text);
	free(better);
	record_free(r);
	record_free(later);
}
END_TEST

UNIT_MAIN("row", a_run_takes_up_time_until_its_end, what_no_clock_can_have_said_takes_up_a_moment,
	  runs_that_overlap_are_one_whatever_their_nodes,
	  runs_that_slurm_does_not_number_may_be_ten_seconds_apart,
	  runs_that_slurm_numbers_differently_are_two,
	  runs_of_one_number_on_the_same_nodes_may_be_minutes_apart,
	  a_node_that_names_no_nodes_is_of_any_run_nearby,
	  a_run_lasts_from_its_first_start_to_its_last_end,
	  a_run_knows_what_any_of_its_records_knows,
	  the_longest_list_of_nodes_says_how_many_there_are,
	  a_run_is_due_when_all_nodes_are_there_or_grace_is_over,
	  a_record_is_news_when_it_is_better_than_the_one_before)
