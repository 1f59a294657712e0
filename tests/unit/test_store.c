/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"

static struct record *at(const char *node, int64_t restart, double start, double end)
{
	struct record *r = made(node);

	r->restart = restart;
	r->start = start;
	r->end = end;
	return r;
}

START_TEST(a_run_is_due_at_once_when_all_nodes_have_reported)
{
	struct store *store = opened();
	struct store_run run;
	int64_t due;

	ck_assert_int_eq(put_at(store, made("n1"), NOW, &due), 1);
	ck_assert_int_eq(due, NOW + GRACE_S);
	ck_assert_int_eq(put_at(store, made("n2"), NOW + 5, &due), 1);
	ck_assert_int_eq(due, NOW + 5);
	run = newest(store);
	ck_assert_int_eq(run.nodes_seen, 2);
	ck_assert_int_eq(run.nodes_expected, 2);
	ck_assert_int_eq(run.dirty, 1);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(nodes_that_come_one_by_one_do_not_put_the_deadline_off)
{
	struct store *store = opened();
	struct record *r;
	struct store_run run;
	int64_t due;
	struct err err;
	char name[8];
	int i;

	for (i = 1; i <= 5; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		r = made(name);
		record_set(&r->nodelist, "n[1-9]");
		put_at(store, r, NOW + 60 * i, &due);
		ck_assert_int_eq(due, NOW + 60 + GRACE_S);
	}
	/* written; what comes late waits for others that come late */
	run = newest(store);
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_done(store, &run, "sum", NOW + 400, NOW + 500, &err), 0);
	ck_assert_int_eq(store_commit(store, &err), 0);
	store_run_free(&run);
	for (i = 6; i <= 8; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		r = made(name);
		record_set(&r->nodelist, "n[1-9]");
		put_at(store, r, NOW + 500 + i, &due);
		ck_assert_int_eq(due, NOW + 506 + GRACE_S);
	}
	r = made("n9");
	record_set(&r->nodelist, "n[1-9]");
	put_at(store, r, NOW + 600, &due);
	ck_assert_int_eq(due, NOW + 600);
	closed(store);
}
END_TEST

START_TEST(a_run_without_a_node_list_waits_for_the_grace_period)
{
	struct store *store = opened();
	struct record *r = made("n1");
	int64_t due;

	record_set(&r->nodelist, NULL);
	put_at(store, r, NOW, &due);
	ck_assert_int_eq(due, NOW + GRACE_S);
	closed(store);
}
END_TEST

START_TEST(the_same_record_twice_changes_nothing)
{
	struct store *store = opened();
	struct store_run run;

	ck_assert_int_eq(put(store, made("n1")), 1);
	ck_assert_int_eq(put(store, made("n1")), 0);
	run = newest(store);
	ck_assert_int_eq(run.version, 1);
	ck_assert_int_eq(run.nodes_seen, 1);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(a_better_record_of_the_same_node_takes_the_place_of_the_first)
{
	struct store *store = opened();
	struct record *rebooted = made("n1");
	struct store_run run;

	rebooted->flags = RECORD_FLAG(NODE_REBOOTED);
	rebooted->end = 3000;
	ck_assert_int_eq(put(store, rebooted), 1);
	ck_assert_int_eq(put(store, made("n1")), 1);
	rebooted = made("n1");
	rebooted->flags = RECORD_FLAG(NODE_REBOOTED);
	rebooted->end = 3000;
	ck_assert_int_eq(put(store, rebooted), 0);
	run = newest(store);
	ck_assert_int_eq(run.nodes_seen, 1);
	ck_assert_int_eq(run.version, 2);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(runs_of_a_requeued_job_are_kept_apart)
{
	struct store *store = opened();

	put(store, at("n1", 0, 1000, 2000));
	put(store, at("n1", 1, 2003, 2500));
	put(store, at("n2", 1, 2003, 2500));
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

START_TEST(requeued_runs_that_do_not_tell_their_number_are_kept_apart)
{
	struct store *store = opened();

	put(store, at("n1", RECORD_UNKNOWN, 1000, 2000));
	put(store, at("n1", RECORD_UNKNOWN, 2003, 2500)); /* same node */
	put(store, at("n2", RECORD_UNKNOWN, 2130, 2500));
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

START_TEST(a_run_that_begins_at_once_on_another_node_is_kept_apart)
{
	struct store *store = opened();
	struct record *first = made("n1"), *second = made("n2");

	/* its prolog failed on n1: no step told the restart */
	first->restart = RECORD_UNKNOWN;
	record_set(&first->nodelist, "n1");
	second->restart = 1;
	second->start = 2003;
	second->end = 2010;
	record_set(&second->nodelist, "n2");
	put(store, first);
	put(store, second);
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

START_TEST(runs_that_tell_the_same_wrong_number_are_kept_apart)
{
	struct store *store = opened();

	put(store, at("n1", 1, 1000, 2000));
	put(store, at("n1", 1, 2003, 2500));
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

START_TEST(nodes_that_know_and_nodes_that_do_not_know_the_restart_meet)
{
	struct store *store = opened();
	struct store_run run;

	put(store, at("n1", RECORD_UNKNOWN, 1000, 2000));
	put(store, at("n2", 3, 1001, 2001));
	ck_assert_int_eq(run_count(store), 1);
	run = newest(store);
	ck_assert_int_eq(run.restart, 3);
	store_run_free(&run);
	closed(store);
}
END_TEST

/* How many nodes the run of job 7 has that began at 1000, and the one that ended at
 * 3000: "2 1". */
static const char *nodes_of_two(struct store *store)
{
	static char text[64];
	struct store_run run = { 0 };
	struct err err = { "" };
	int64_t ids[8], early = -1, late = -1;
	int i, count;

	count = find_runs(store, STORE_JOB, 7, RECORD_UNKNOWN, ids, 8, &err);
	for (i = 0; i < count; i++) {
		ck_assert_int_eq(store_run_load(store, ids[i], &run, &err), 0);
		if (run.first == 1000)
			early = run.nodes_seen;
		if (run.last == 3000)
			late = run.nodes_seen;
		store_run_free(&run);
	}
	snprintf(text, sizeof(text), "%lld %lld of %d", (long long)early, (long long)late, count);
	return text;
}

/* Runs of n1 from 1000 to 2000 and from 2012 to 3000; which of them came first? */
static struct store *opened_with_two(int first)
{
	static const double starts[] = { 1000, 2012 }, ends[] = { 2000, 3000 };
	struct store *store = opened();
	int k;

	for (k = 0; k < 2; k++)
		put(store, at("n1", RECORD_UNKNOWN, starts[k ^ first], ends[k ^ first]));
	return store;
}

START_TEST(of_two_runs_nearby_the_nearest_without_this_node_takes_a_record)
{
	struct store *store;
	int i;

	for (i = 0; i < 2; i++) {
		store = opened_with_two(i);
		ck_assert_str_eq(nodes_of_two(store), "1 1 of 2");
		put(store, at("n2", RECORD_UNKNOWN, 2003, 2004));
		ck_assert_str_eq(nodes_of_two(store), "2 1 of 2");
		/* the nearest has said something of this node already */
		put(store, at("n2", RECORD_UNKNOWN, 2005, 2006));
		ck_assert_str_eq(nodes_of_two(store), "2 2 of 2");
		/* both have */
		put(store, at("n2", RECORD_UNKNOWN, 2004.5, 2004.6));
		ck_assert_str_eq(nodes_of_two(store), "2 2 of 3");
		closed(store);
		store = opened_with_two(i);
		put(store, at("n2", RECORD_UNKNOWN, 2008, 2009));
		ck_assert_str_eq(nodes_of_two(store), "1 2 of 2");
		closed(store);
	}
}
END_TEST

START_TEST(a_run_that_a_record_overlaps_takes_it_before_one_nearby)
{
	struct store *store;
	int i;

	for (i = 0; i < 2; i++) {
		store = opened_with_two(i);
		put(store, at("n2", RECORD_UNKNOWN, 1500, 2004));
		ck_assert_str_eq(nodes_of_two(store), "2 1 of 2");
		put(store, at("n2", RECORD_UNKNOWN, 2011, 2900));
		ck_assert_str_eq(nodes_of_two(store), "2 2 of 2");
		closed(store);
	}
}
END_TEST

START_TEST(clocks_that_differ_a_little_do_not_split_a_run)
{
	struct store *store = opened();

	put(store, at("n1", 0, 1000, 1000.5));
	put(store, at("n2", 0, 1004, 1004.5));
	ck_assert_int_eq(run_count(store), 1);
	closed(store);
}
END_TEST

/* Are these of one run? */
static bool is_one_run(struct record *first, struct record *second)
{
	struct store *store = opened();
	bool is_one;

	put(store, first);
	put(store, second);
	is_one = run_count(store) == 1;
	closed(store);
	return is_one;
}

START_TEST(a_short_run_of_nodes_whose_clocks_are_minutes_apart_is_one)
{
	const int64_t unknown = RECORD_UNKNOWN;
	struct record *elsewhere = at("n2", 0, 1040, 1060);

	ck_assert(is_one_run(at("n1", 0, 1000, 1020), at("n2", 0, 1040, 1060)));
	ck_assert(is_one_run(at("n2", 2, 1320, 1340), at("n1", 2, 1000, 1020)));
	/* MUNGE would have refused one of them */
	ck_assert(!is_one_run(at("n1", 0, 1000, 1020), at("n2", 0, 1321, 1340)));
	/* it may be another run */
	ck_assert(!is_one_run(at("n1", 0, 1000, 1020), at("n1", 0, 1040, 1060)));
	ck_assert(!is_one_run(at("n1", 0, 1000, 1020), at("n2", 1, 1040, 1060)));
	ck_assert(!is_one_run(at("n1", unknown, 1000, 1020), at("n2", unknown, 1040, 1060)));
	record_set(&elsewhere->nodelist, "n[2-3]");
	ck_assert(!is_one_run(at("n1", 0, 1000, 1020), elsewhere));
}
END_TEST

START_TEST(runs_of_nodes_whose_clocks_are_minutes_apart_are_kept_apart)
{
	struct store *store = opened();
	struct store_run run;

	/* n1 is 200 s ahead; the second run began 60 s after the first */
	put(store, at("n1", 0, 1200, 2200));
	put(store, at("n2", 0, 1000, 2000));
	put(store, at("n2", 1, 2060, 2500));
	put(store, at("n1", 1, 2260, 2700));
	ck_assert_int_eq(run_count(store), 2);
	run = newest(store);
	ck_assert_int_eq(run.restart, 1);
	ck_assert_int_eq(run.nodes_seen, 2);
	ck_assert(run.first == 2060 && run.last == 2700);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(a_job_id_used_again_is_another_run)
{
	struct store *store = opened();

	put(store, at("n1", 0, 1000, 2000));
	put(store, at("n2", 0, 5000000, 5000100));
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

START_TEST(the_order_of_arrival_does_not_change_the_runs)
{
	/* two runs of two nodes each, and a duplicate */
	static const int orders[][5] = { { 0, 1, 2, 3, 4 },
					 { 4, 3, 2, 1, 0 },
					 { 2, 0, 3, 1, 4 },
					 { 1, 3, 0, 2, 4 },
					 { 3, 4, 0, 1, 2 } };
	size_t o;
	int i;

	for (o = 0; o < sizeof(orders) / sizeof(*orders); o++) {
		struct store *store = opened();
		struct store_run run;

		for (i = 0; i < 5; i++) {
			int n = orders[o][i] % 4;

			put(store, at(n % 2 ? "n2" : "n1", n / 2, n / 2 ? 2100 : 1000,
				      n / 2 ? 2200 : 2000));
		}
		ck_assert_int_eq(run_count(store), 2);
		run = newest(store);
		ck_assert_int_eq(run.restart, 1);
		ck_assert_int_eq(run.nodes_seen, 2);
		store_run_free(&run);
		closed(store);
	}
}
END_TEST

START_TEST(jobs_of_two_clusters_with_the_same_id_are_kept_apart)
{
	struct store *store = opened();
	struct record *r = made("n1");

	strcpy(r->cluster, "d");
	put(store, made("n1"));
	put(store, r);
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

START_TEST(array_tasks_and_het_components_are_found_by_their_numbers)
{
	struct store *store = opened();
	struct record *r = made("n1");
	struct err err;
	int64_t id;

	r->array_job = 5;
	r->array_task = 3;
	put(store, r);
	r = made("n1");
	r->job = 8;
	r->het_job = 7;
	r->het_offset = 1;
	put(store, r);
	ck_assert_int_eq(find_runs(store, STORE_ARRAY_TASK, 5, 3, &id, 1, &err), 1);
	ck_assert_int_eq(find_runs(store, STORE_ARRAY_TASK, 5, 4, &id, 1, &err), 0);
	ck_assert_int_eq(find_runs(store, STORE_HET_COMPONENT, 7, 1, &id, 1, &err), 1);
	closed(store);
}
END_TEST

START_TEST(what_was_written_is_clean_and_a_late_record_makes_it_dirty)
{
	struct store *store = opened();
	struct store_run run;
	struct err err;
	int64_t ids[4], next;

	put(store, made("n1"));
	ck_assert_int_eq(store_due(store, NOW, ids, 4, &next, &err), 0);
	ck_assert_int_eq(next, NOW + GRACE_S);
	ck_assert_int_eq(store_due(store, NOW + GRACE_S, ids, 4, &next, &err), 1);
	run = newest(store);
	ck_assert_int_eq(store_done(store, &run, "sum", NOW + GRACE_S, 0, &err), 0);
	store_run_free(&run);
	run = newest(store);
	ck_assert_int_eq(run.dirty, 0);
	ck_assert_str_eq(run.summary, "sum");
	store_run_free(&run);
	ck_assert_int_eq(put_at(store, made("n2"), NOW + 999, &next), 1);
	ck_assert_int_eq(next, NOW + 999);
	closed(store);
}
END_TEST

static void expect_backlog(struct store *store, int64_t now_s, int64_t for_nodes,
			   int64_t for_writer, int64_t for_retry, double oldest)
{
	struct store_backlog backlog = { 9, 9, 9, 9 };
	struct err err = { "" };

	ck_assert_int_eq(store_backlog(store, now_s, &backlog, &err), 0);
	ck_assert_int_eq(backlog.for_nodes, for_nodes);
	ck_assert_int_eq(backlog.for_writer, for_writer);
	ck_assert_int_eq(backlog.for_retry, for_retry);
	ck_assert(backlog.oldest == oldest);
}

START_TEST(runs_are_counted_by_what_they_wait_for)
{
	struct store *store = opened();
	struct record *other = at("n1", 0, 5000, 6000);
	struct store_run run;
	struct err err = { "" };

	expect_backlog(store, NOW, 0, 0, 0, 0);
	put(store, made("n1"));
	expect_backlog(store, NOW, 1, 0, 0, 2000);
	expect_backlog(store, NOW + GRACE_S, 0, 1, 0, 2000);
	other->job = 8;
	put(store, other);
	expect_backlog(store, NOW, 2, 0, 0, 2000);
	put(store, made("n2"));
	expect_backlog(store, NOW, 1, 1, 0, 2000);
	run = newest(store);
	ck_assert_int_eq(store_later(store, run.id, "sum", NOW + 60, "no", &err), 0);
	store_run_free(&run);
	expect_backlog(store, NOW, 1, 0, 1, 2000);
	run = newest(store);
	ck_assert_int_eq(store_done(store, &run, "sum", NOW, 0, &err), 0);
	store_run_free(&run);
	expect_backlog(store, NOW, 1, 0, 0, 6000);
	closed(store);
}
END_TEST

START_TEST(a_record_that_came_while_the_summary_was_written_is_not_forgotten)
{
	struct store *store = opened();
	struct store_run run;
	struct err err;

	put(store, made("n1"));
	run = newest(store);
	put(store, made("n2"));
	ck_assert_int_eq(store_done(store, &run, "old", NOW, 0, &err), 0);
	store_run_free(&run);
	run = newest(store);
	ck_assert_int_eq(run.dirty, 1);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(what_was_not_committed_is_not_there)
{
	struct store *store = opened(), *other;
	struct record *r = made("n1");
	char *text = record_text(r, NULL);
	struct err err;
	int64_t due;

	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_put(store, r, text, strlen(text), NOW, 1, &due, &err), 1);
	other = opened_as(2);
	ck_assert_int_eq(run_count(other), 0);
	store_close(other);
	store_rollback(store);
	ck_assert_int_eq(run_count(store), 0);
	free(text);
	record_free(r);
	closed(store);
}
END_TEST

START_TEST(old_runs_are_purged_with_their_records)
{
	struct store *store = opened();
	struct err err;

	put(store, at("n1", 0, 1000, 2000));
	put(store, at("n1", 1, 900000, 900001));
	ck_assert_int_eq(store_purge(store, 5000, NOW, 100, &err), 1);
	expect_rows(1, 1);
	closed(store);
}
END_TEST

START_TEST(a_run_that_ends_in_the_far_future_is_purged_when_its_records_are_old)
{
	struct store *store = opened();
	struct err err;

	put_at(store, at("n1", 0, 9.1e10, 9.2e10), 1000, NULL);
	put_at(store, at("n1", 1, 8e10, 8.1e10), 5000, NULL);
	put_at(store, at("n2", 1, 8e10, 8.1e10), 6000, NULL);
	/* of a node whose clock is an hour ahead */
	put_at(store, at("n1", 2, 5500, 9600), 1000, NULL);
	ck_assert_int_eq(store_purge(store, 5500, 6000, 100, &err), 1);
	expect_rows(2, 3);
	ck_assert_int_eq(store_purge(store, 6001, 6001, 100, &err), 1);
	expect_rows(1, 1);
	closed(store);
}
END_TEST

START_TEST(a_record_of_impossible_times_does_not_swallow_other_runs)
{
	const double now = 1795224862;
	struct store *store = opened();
	struct store_run run;

#define put(store, record) put_at(store, record, 1795224862, NULL)
	put(store, at("n1", 0, 0, 9.9e10));
	put(store, at("n2", 0, now - 500 * 86400.0, now));
	put(store, at("n1", 0, now - 3600, now + 30 * 86400.0));
	ck_assert_int_eq(run_count(store), 3);
	put(store, at("n1", 0, now - 200, now - 100));
	put(store, at("n1", 1, now - 50, now));
	ck_assert_int_eq(run_count(store), 5);
	run = newest(store);
	ck_assert(run.first == now - 50 && run.last == now);
	store_run_free(&run);
	/* a long job is one, on a node whose clock is a little ahead */
	put(store, at("n2", 1, now - 50, now + 3600));
	ck_assert_int_eq(run_count(store), 5);
#undef put
	closed(store);
}
END_TEST

START_TEST(a_run_holds_records_of_one_user)
{
	struct store *store = opened();
	struct record *r = made("n1");

	r->uid = 1001; /* who could read the others' then */
	put(store, r);
	put(store, made("n2"));
	ck_assert_int_eq(run_count(store), 2);
	closed(store);
}
END_TEST

static void put_use(struct store *store, int64_t id, int64_t ended_s, const char *text)
{
	struct err err = { "" };

	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_msg(store_use_put(store, id, ended_s, text, &err) == 0, "%s", err.text);
	ck_assert_int_eq(store_commit(store, &err), 0);
}

START_TEST(uses_are_told_by_the_end_of_their_runs_from_a_place_on)
{
	struct store *store = opened();
	struct store_place place = { 2000, 0 };
	struct told told = { .text = "" };
	struct err err = { "" };

	put_use(store, 1, 2001, "a");
	put_use(store, 2, 2000, "b");
	put_use(store, 3, 1999, "c");
	put_use(store, 4, 2001, "d");
	put_use(store, 5, 3000, "e");
	put_use(store, 2, 2500, "f"); /* in the place of b */
	ck_assert_int_eq(store_uses(store, &place, 3000, 9, tell_use, &told, &err), 0);
	ck_assert_str_eq(told.text, "a;d;f;");
	ck_assert_int_eq(told.place.ended_s, 2500);
	ck_assert_int_eq(told.place.id, 2);
	place.ended_s = 2001;
	place.id = 1;
	*told.text = 0;
	ck_assert_int_eq(store_uses(store, &place, 3001, 9, tell_use, &told, &err), 0);
	ck_assert_str_eq(told.text, "d;f;e;");
	closed(store);
}
END_TEST

START_TEST(a_use_goes_with_its_run)
{
	struct store *store = opened();
	struct err err = { "" };

	put(store, made("n1"));
	put_use(store, 1, 2000, "a");
	ck_assert_int_eq(store_purge(store, 2001, NOW, 10, &err), 1);
	ck_assert_str_eq(told_uses(store).text, "");
	closed(store);
}
END_TEST

START_TEST(a_store_that_cannot_be_opened_names_its_path)
{
	struct config_ledger config = { .store = (char *)"/nonexistent/s" };
	struct err err;

	ck_assert_ptr_null(store_open(&config, &err));
	ck_assert_str_eq(err.text, "'/nonexistent/s': store: unable to open database file");
}
END_TEST

UNIT_MAIN("store", a_run_is_due_at_once_when_all_nodes_have_reported,
	  nodes_that_come_one_by_one_do_not_put_the_deadline_off,
	  a_run_without_a_node_list_waits_for_the_grace_period,
	  the_same_record_twice_changes_nothing,
	  a_better_record_of_the_same_node_takes_the_place_of_the_first,
	  runs_of_a_requeued_job_are_kept_apart,
	  requeued_runs_that_do_not_tell_their_number_are_kept_apart,
	  a_run_that_begins_at_once_on_another_node_is_kept_apart,
	  runs_that_tell_the_same_wrong_number_are_kept_apart,
	  nodes_that_know_and_nodes_that_do_not_know_the_restart_meet,
	  of_two_runs_nearby_the_nearest_without_this_node_takes_a_record,
	  a_run_that_a_record_overlaps_takes_it_before_one_nearby,
	  clocks_that_differ_a_little_do_not_split_a_run,
	  a_short_run_of_nodes_whose_clocks_are_minutes_apart_is_one,
	  runs_of_nodes_whose_clocks_are_minutes_apart_are_kept_apart,
	  a_job_id_used_again_is_another_run, the_order_of_arrival_does_not_change_the_runs,
	  jobs_of_two_clusters_with_the_same_id_are_kept_apart,
	  array_tasks_and_het_components_are_found_by_their_numbers,
	  what_was_written_is_clean_and_a_late_record_makes_it_dirty,
	  runs_are_counted_by_what_they_wait_for,
	  a_record_that_came_while_the_summary_was_written_is_not_forgotten,
	  what_was_not_committed_is_not_there, old_runs_are_purged_with_their_records,
	  a_run_that_ends_in_the_far_future_is_purged_when_its_records_are_old,
	  a_record_of_impossible_times_does_not_swallow_other_runs, a_run_holds_records_of_one_user,
	  uses_are_told_by_the_end_of_their_runs_from_a_place_on, a_use_goes_with_its_run,
	  a_store_that_cannot_be_opened_names_its_path)
