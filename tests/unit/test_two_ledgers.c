/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two ledgers on one MariaDB; run by tests/scripts/mariadb.bats. */
#include <stdio.h>
#include <sys/wait.h>

#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"

#define RECORDS 200

static struct record *of_job(uint32_t job, const char *node)
{
	struct record *r = made(node);

	r->job = job;
	return r;
}

/* The ids that are due; their number. */
static int due_for(struct store *store, int64_t now_s, int64_t *ids, int max)
{
	struct err err = { "" };
	int64_t next;
	int count = store_due(store, now_s, ids, max, &next, &err);

	ck_assert_msg(count >= 0, "%s", err.text);
	return count;
}

static int64_t next_for(struct store *store, int64_t now_s)
{
	int64_t ids[1], next;
	struct err err = { "" };

	ck_assert_int_eq(store_due(store, now_s, ids, 1, &next, &err), 0);
	return next;
}

static void put_jobs(struct store *store, int jobs)
{
	int i;

	for (i = 1; i <= jobs; i++) {
		put(store, of_job((uint32_t)i, "n1"));
		put(store, of_job((uint32_t)i, "n2"));
	}
}

START_TEST(what_one_ledger_put_the_other_has)
{
	struct store *first = opened(), *second = opened_as(2);
	struct store_run run;
	int64_t due;

	put(first, made("n1"));
	ck_assert_int_eq(put_at(second, made("n2"), NOW + 9, &due), 1);
	ck_assert_int_eq(due, NOW + 9); /* both nodes have reported */
	ck_assert_int_eq(put(first, made("n2")), 0);
	run = newest(first);
	ck_assert_int_eq(run.nodes_seen, 2);
	store_run_free(&run);
	store_close(second);
	closed(first);
}
END_TEST

START_TEST(a_run_is_given_to_one_of_two_ledgers)
{
	struct store *first = opened(), *second = opened_as(2);
	struct store *third = opened_as(3);
	int64_t ids[10];

	put_jobs(first, 5);
	ck_assert_int_eq(due_for(first, NOW, ids, 3), 3);
	ck_assert_int_eq(due_for(second, NOW, ids, 10), 2);
	ck_assert_int_eq(due_for(second, NOW, ids + 2, 8), 2); /* its own */
	/* when the other could have died */
	ck_assert_int_eq(next_for(third, NOW), NOW + STORE_CLAIM_S);
	store_close(third);
	store_close(second);
	closed(first);
}
END_TEST

START_TEST(what_a_dead_ledger_had_taken_the_other_takes_over)
{
	struct store *first = opened(), *second = opened_as(2);
	int64_t ids[10], late = NOW + STORE_CLAIM_S;

	put_jobs(first, 3);
	ck_assert_int_eq(due_for(first, NOW, ids, 10), 3);
	store_close(first);
	ck_assert_int_eq(due_for(second, late - 1, ids, 10), 0);
	ck_assert_int_eq(due_for(second, late, ids, 10), 3);
	/* the same ledger, started again, has not to wait */
	first = opened_as(2);
	ck_assert_int_eq(due_for(first, late, ids, 10), 3);
	store_close(second);
	closed(first);
}
END_TEST

START_TEST(what_is_done_or_put_off_is_free_again)
{
	struct store *first = opened(), *second = opened_as(2);
	struct err err = { "" };
	struct store_run run;
	int64_t ids[10];

	put_jobs(first, 2);
	ck_assert_int_eq(due_for(first, NOW, ids, 10), 2);
	ck_assert_int_eq(store_run_load(first, ids[0], &run, &err), 0);
	ck_assert_int_eq(store_begin(first, &err), 0);
	ck_assert_int_eq(store_done(first, &run, "sum", NOW, 0, &err), 0);
	ck_assert_int_eq(store_later(first, ids[1], "sum", NOW + 2, "no row", &err), 0);
	ck_assert_int_ge(store_commit(first, &err), 0);
	ck_assert_int_eq(next_for(second, NOW), NOW + 2);
	ck_assert_int_eq(due_for(second, NOW + 2, ids, 10), 1);
	store_run_free(&run);
	store_close(second);
	closed(first);
}
END_TEST

START_TEST(a_record_that_comes_to_the_other_ledger_meanwhile_is_not_forgotten)
{
	struct store *first = opened(), *second = opened_as(2);
	struct err err = { "" };
	struct store_run run;
	int64_t ids[2];

	put_jobs(first, 1);
	ck_assert_int_eq(due_for(first, NOW, ids, 2), 1);
	ck_assert_int_eq(store_run_load(first, ids[0], &run, &err), 0);
	put(second, of_job(1, "n3"));
	ck_assert_int_eq(store_begin(first, &err), 0);
	ck_assert_int_eq(store_done(first, &run, "sum", NOW, 0, &err), 0);
	ck_assert_int_ge(store_commit(first, &err), 0);
	ck_assert_int_eq(due_for(second, NOW, ids, 2), 1);
	store_run_free(&run);
	store_close(second);
	closed(first);
}
END_TEST

static int put_one(struct store *store, uint32_t job, const char *node, struct err *err)
{
	struct record *r = of_job(job, node);
	char *text = record_text(r, NULL);
	int64_t due;
	int rc = store_put(store, r, text, strlen(text), NOW, GRACE_S, &due, err);

	free(text);
	record_free(r);
	return rc;
}

/* One record for each of two jobs, in an order of the ledger's own, so that two
 * at it stand in each other's way: what store_commit() says, or -1. */
static int put_two(struct store *store, unsigned int ledger, const char *node, struct err *err)
{
	uint32_t first = 1 + (ledger & 1);
	int rc = store_begin(store, err);

	if (rc == 0 &&
	    (put_one(store, first, node, err) < 0 || put_one(store, 3 - first, node, err) < 0))
		rc = -1;
	if (rc == 0)
		rc = store_commit(store, err);
	if (rc < 0)
		store_rollback(store);
	return rc;
}

/* RECORDS times two; what is refused for now comes again, as from a node. How
 * often it was made again, at most 100. */
static int put_many(unsigned int ledger)
{
	struct store *store = opened_as(ledger);
	struct err err = { "" };
	int i, rc, refused = 0, again = 0;
	char node[16];

	for (i = 0; i < RECORDS; i++) {
		snprintf(node, sizeof(node), "n%u-%d", ledger, i);
		while ((rc = put_two(store, ledger, node, &err)) < 0) {
			ck_assert_msg(strstr(err.text, "try again later") && ++refused < 10, "%s",
				      err.text);
		}
		again += rc;
	}
	store_close(store);
	return again > 100 ? 100 : again;
}

START_TEST(two_ledgers_in_each_others_way_lose_no_record)
{
	struct store *store;
	struct store_run run;
	struct err err = { "" };
	int64_t id;
	int status, again;
	pid_t pid;

	store = opened();
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(put_many(2));
	again = put_many(1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) <= 100);
	again += WEXITSTATUS(status);
	ck_assert_msg(again > 0, "they never met");
	expect_rows(2, 4 * RECORDS);
	ck_assert_int_eq(find_runs(store, STORE_JOB, 1, RECORD_UNKNOWN, &id, 1, &err), 1);
	ck_assert_int_eq(store_run_load(store, id, &run, &err), 0);
	ck_assert_int_eq(run.nodes_seen, 2 * RECORDS);
	ck_assert_int_eq(run.version, 2 * RECORDS);
	store_run_free(&run);
	closed(store);
}
END_TEST

UNIT_MAIN("two ledgers", what_one_ledger_put_the_other_has, a_run_is_given_to_one_of_two_ledgers,
	  what_a_dead_ledger_had_taken_the_other_takes_over, what_is_done_or_put_off_is_free_again,
	  a_record_that_comes_to_the_other_ledger_meanwhile_is_not_forgotten,
	  two_ledgers_in_each_others_way_lose_no_record)
