/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the writer says and counts, when it comes back, and what it leaves behind
 * when the store fails. What it writes: test_writer.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"
#include "ledger/writer.h"

/* A slurmdbd and a slurmctld of our own: what they answer, what they were asked. */
static struct fake {
	bool is_down;
	bool begins; /* a transaction of its own, which it leaves open */
	enum acct_result result;
	const char *why;
	int64_t het_job, het_offset;
	int calls, operators; /* how many there are; -1: it fails */
	int asked;
} fake;

static struct store *store;
static struct writer writer;
static struct metrics metrics;
static int64_t next;
static FILE *log_file;
static int second_at = -1; /* the fd to wake with when job 8 comes, at a write */
static int ends_at = -1;   /* the fd to close at the second write: the server's end */

static struct record *alone(uint32_t job)
{
	struct record *r = made("n1");

	r->job = job;
	record_set(&r->nodelist, "n1");
	return r;
}

static int fake_write(void *acct, struct acct_job *jobs, size_t count, struct err *err)
{
	size_t i;

	(void)acct;
	fake.calls++;
	if (fake.is_down)
		return err_set(err, "slurmdbd: cannot connect");
	for (i = 0; i < count; i++) {
		jobs[i].result = fake.result;
		jobs[i].array_job = jobs[i].array_task = -1;
		jobs[i].het_job = fake.het_job;
		jobs[i].het_offset = fake.het_offset;
		strcpy(jobs[i].account, "lab");
		err_set(&jobs[i].why, "%s", fake.why);
	}
	if (fake.begins)
		ck_assert_int_eq(store_begin(store, err), 0);
	if (fake.calls == 2 && ends_at >= 0)
		close(ends_at);
	if (second_at >= 0) {
		put(store, alone(8));
		ck_assert_int_eq((int)write(second_at, "x", 1), 1);
		close(second_at);
		second_at = -1;
	}
	return 0;
}

static int fake_operators(void *acct, uid_t *uids, size_t max, struct err *err)
{
	int i;

	(void)acct;
	fake.asked++;
	if (fake.operators < 0)
		return err_set(err, "slurmdbd: nobody knows");
	for (i = 0; i < fake.operators && (size_t)i < max; i++)
		uids[i] = (uid_t)(100 + i);
	return i;
}

static void start(void)
{
	static const struct config_ledger config = { .grace_s = GRACE_S, .retention_days = 30000 };
	static struct config_advice advice;

	config_advice_init(&advice);
	store = opened();
	fake = (struct fake){ .het_job = -1, .het_offset = -1, .why = "" };
	writer = (struct writer){ .store = store,
				  .config = &config,
				  .advice = &advice,
				  .metrics = &metrics,
				  .acct = { .write = fake_write } };
	log_file = tmpfile();
	ck_assert_int_ge(dup2(fileno(log_file), STDERR_FILENO), 0);
}

static int round_at(int64_t now_s)
{
	struct err err = { "" };
	int rc = writer_round(&writer, now_s, &next, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

/* All that was said since the last time is this. */
static void expect_said(const char *wanted)
{
	static off_t told;
	char text[1000];
	ssize_t size = pread(fileno(log_file), text, sizeof(text) - 1, told);

	ck_assert_int_ge(size, 0);
	text[size] = '\0';
	told += size;
	ck_assert_str_eq(text, wanted);
}

/* Of a round in each second those that ask slurmdbd come so long after 'from'. */
static void expect_asked(int64_t from, int64_t seconds, const char *wanted)
{
	char when[200] = "";
	size_t used = 0;
	int64_t now;
	int calls;

	for (now = from; now <= from + seconds; now++) {
		calls = fake.calls;
		round_at(now);
		if (fake.calls > calls)
			used += (size_t)snprintf(when + used, sizeof(when) - used, "%lld ",
						 (long long)(now - from));
	}
	ck_assert_str_eq(when, wanted);
}

/* ---- slurmdbd ------------------------------------------------------------ */

START_TEST(that_slurmdbd_is_away_is_said_once_and_that_it_is_back_once)
{
	start();
	fake.is_down = true;
	put(store, alone(7));
	round_at(NOW);
	expect_said("jobio: ledger: slurmdbd: cannot connect: trying again until it works\n");
	expect_asked(NOW + 1, 100, "3 7 15 31 63 ");
	expect_said("");
	fake.is_down = false;
	expect_asked(NOW + 102, 100, "22 ");
	expect_said("jobio: ledger: slurmdbd: works again\n");
	put(store, alone(8));
	round_at(NOW + 300);
	expect_said("");
	fake.is_down = true;
	put(store, alone(9));
	round_at(NOW + 301);
	expect_said("jobio: ledger: slurmdbd: cannot connect: trying again until it works\n");
	closed(store);
}
END_TEST

START_TEST(a_slurmdbd_that_is_away_is_asked_at_ever_longer_times_at_last_each_minute)
{
	start();
	fake.is_down = true;
	put(store, alone(7));
	expect_asked(NOW, 250, "0 4 8 16 32 64 124 184 244 ");
	ck_assert_uint_eq(metrics.slurmdbd_failures, 9);
	ck_assert_uint_eq(metrics.slurmdbd_failing, 9);
	ck_assert_uint_eq(metrics.refused_by_slurmdbd, 0);
	closed(store);
}
END_TEST

START_TEST(while_slurmdbd_is_away_the_writer_comes_back_when_it_may_ask_again)
{
	start();
	fake.is_down = true;
	put(store, alone(7));
	ck_assert_int_eq(round_at(NOW), 1);
	ck_assert_int_eq(next, NOW);
	ck_assert_int_eq(round_at(NOW), 0);
	ck_assert_int_eq(next, NOW + 2);
	ck_assert_int_eq(round_at(NOW + 2), 0);
	ck_assert_int_eq(next, NOW + 4);
	closed(store);
}
END_TEST

START_TEST(a_run_without_a_row_is_asked_for_at_ever_longer_times)
{
	struct store_run run;

	start();
	fake.result = ACCT_NO_ROW;
	put(store, alone(7));
	expect_asked(NOW, 600, "0 2 6 14 30 62 126 254 510 ");
	ck_assert_uint_eq(metrics.no_row, 9);
	run = newest(store);
	ck_assert_int_eq(run.tries, 9);
	ck_assert_str_eq(run.error, "slurmdbd has no such job yet");
	store_run_free(&run);
	expect_said("");
	closed(store);
}
END_TEST

START_TEST(a_run_that_was_asked_for_very_often_is_asked_for_each_hour)
{
	static const int64_t tries[] = { 10, 11, 20, 21, 62, 63, 64, 1000 };
	struct store_run run;
	char sql[80];
	size_t i;

	start();
	fake.result = ACCT_NO_ROW;
	put(store, alone(7));
	for (i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		snprintf(sql, sizeof(sql), "UPDATE runs SET tries=%d,next_try=1", (int)tries[i]);
		in_store(sql);
		ck_assert_int_eq(round_at(NOW), 1);
		run = newest(store);
		ck_assert_int_eq(run.next_try, NOW + (tries[i] == 10 ? 2048 : 3600));
		store_run_free(&run);
	}
	closed(store);
}
END_TEST

START_TEST(why_a_job_cannot_be_changed_is_said_the_first_time)
{
	start();
	fake.result = ACCT_FAILED;
	fake.why = "no permission";
	put(store, alone(7));
	expect_asked(NOW, 20, "0 2 6 14 ");
	expect_said("jobio: ledger: job: '7': no permission\n");
	ck_assert_uint_eq(metrics.refused_by_slurmdbd, 4);
	ck_assert_uint_eq(metrics.written, 0);
	ck_assert_int_eq(metrics.written_s, 0);
	closed(store);
}
END_TEST

START_TEST(what_the_row_knows_of_het_jobs_is_learnt_and_what_a_node_said_stays)
{
	struct record *task = alone(7);
	struct store_run run;

	start();
	fake.het_job = 6;
	fake.het_offset = 0;
	task->array_job = 4;
	task->array_task = 2;
	put(store, task);
	round_at(NOW);
	run = newest(store);
	ck_assert_int_eq(run.het_job, 6);
	ck_assert_int_eq(run.het_offset, 0);
	ck_assert_int_eq(run.array_job, 4);
	ck_assert_int_eq(run.array_task, 2);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(a_het_job_that_a_node_knows_is_not_unlearnt_from_the_row)
{
	struct record *part = alone(7);
	struct store_run run;

	start();
	part->het_job = 6;
	part->het_offset = 1;
	put(store, part);
	round_at(NOW);
	run = newest(store);
	ck_assert_int_eq(run.het_job, 6);
	ck_assert_int_eq(run.het_offset, 1);
	store_run_free(&run);
	closed(store);
}
END_TEST

/* ---- operators ----------------------------------------------------------- */

START_TEST(operators_are_not_asked_for_while_slurmdbd_is_away)
{
	start();
	writer.acct.operators = fake_operators;
	fake.operators = 2;
	fake.is_down = true;
	put(store, alone(7));
	round_at(NOW);
	ck_assert_int_eq(fake.asked, 0);
	fake.is_down = false;
	round_at(NOW + 4);
	ck_assert_int_eq(fake.asked, 1);
	ck_assert_uint_eq(metrics.operator_count, 2);
	ck_assert_uint_eq(metrics.operators[0], 100);
	ck_assert_uint_eq(metrics.operators[1], 101);
	closed(store);
}
END_TEST

START_TEST(why_operators_are_not_known_is_said_and_a_site_may_have_none)
{
	start();
	writer.acct.operators = fake_operators;
	fake.operators = -1;
	metrics.operator_count = 1;
	metrics.operators[0] = 55;
	round_at(NOW);
	expect_said("jobio: ledger: slurmdbd: nobody knows\n");
	ck_assert_uint_eq(metrics.operator_count, 1);
	ck_assert_uint_eq(metrics.operators[0], 55);
	fake.operators = 0;
	round_at(NOW + WRITER_OPERATORS_S);
	expect_said("");
	ck_assert_int_eq(fake.asked, 2);
	ck_assert_uint_eq(metrics.operator_count, 0);
	closed(store);
}
END_TEST

/* ---- what is old --------------------------------------------------------- */

/* Does job 7 have a run after a round at this time? */
static bool stays_at(int64_t now_s)
{
	put_at(store, ended_at(now_s), now_s, NULL);
	round_at(now_s);
	return run_count(store) > 0;
}

START_TEST(a_run_is_kept_until_it_is_older_than_the_site_wants)
{
	static const struct config_ledger two_days = { .retention_days = 2 };

	start();
	writer.config = &two_days;
	put_at(store, alone(7), 2001, NULL); /* ended at 2000 */
	ck_assert(stays_at(2 * 86400 + 2000));
	writer.purged = 0;
	ck_assert(!stays_at(2 * 86400 + 2001));
	closed(store);
}
END_TEST

START_TEST(old_runs_are_looked_for_each_hour)
{
	static const struct config_ledger one_day = { .retention_days = 1 };

	start();
	writer.config = &one_day;
	round_at(NOW);
	put(store, alone(7));
	ck_assert(stays_at(NOW + 3599));
	ck_assert(!stays_at(NOW + 3600));
	closed(store);
}
END_TEST

/* ---- a store that fails -------------------------------------------------- */

/* Job 8 cannot be noted, job 7 before it can. */
static void break_notes(void)
{
	in_store(
		"CREATE TRIGGER t BEFORE UPDATE ON runs WHEN OLD.job=8 BEGIN SELECT RAISE(ABORT,'not this one'); END");
}

static void expect_failure(int64_t now_s, const char *wanted)
{
	struct err err = { "" };

	ck_assert_int_eq(writer_round(&writer, now_s, &next, &err), -1);
	ck_assert_str_eq(err.text, wanted);
}

START_TEST(of_a_batch_that_cannot_be_noted_nothing_is_noted)
{
	enum acct_result results[] = { ACCT_WRITTEN, ACCT_NO_ROW, ACCT_FAILED };
	struct store_run run;
	size_t i;

	start();
	put(store, alone(7));
	put(store, alone(8));
	break_notes();
	for (i = 0; i < 3; i++) {
		fake.result = results[i];
		expect_failure(NOW, "store: not this one");
		run = newest(store);
		ck_assert_int_eq(run.dirty, STORE_DIRTY);
		ck_assert_int_eq(run.tries, 0);
		ck_assert_ptr_null(run.summary);
		store_run_free(&run);
		ck_assert_str_eq(told_uses(store).text, "");
	}
	in_store("DROP TRIGGER t");
	fake.result = ACCT_WRITTEN;
	ck_assert_int_eq(round_at(NOW), 2);
	ck_assert_int_eq(round_at(NOW), 0);
	closed(store);
}
END_TEST

START_TEST(a_batch_that_cannot_be_begun_is_a_store_that_fails)
{
	struct store_run run;

	start();
	put(store, alone(7));
	fake.begins = true;
	expect_failure(NOW, "store: cannot start a transaction within a transaction");
	store_rollback(store);
	run = newest(store);
	ck_assert_int_eq(run.dirty, STORE_DIRTY);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(a_use_that_cannot_be_kept_is_a_store_that_fails)
{
	start();
	put(store, alone(7));
	writer.purged = NOW; /* which looks at uses, too */
	in_store("DROP TABLE uses");
	expect_failure(NOW, "store: no such table: uses");
	closed(store);
}
END_TEST

START_TEST(a_writer_says_so_when_the_store_cannot_tell_what_is_due)
{
	start();
	put(store, alone(7));
	in_store("DROP TABLE records");
	expect_failure(NOW + 3600, "store: no such table: records");
	writer.purged = NOW + 3600;
	in_store("UPDATE runs SET dirty=1,next_try=1");
	expect_failure(NOW + 3600, "store: no such table: records");
	in_store("DROP TABLE runs");
	expect_failure(NOW + 3600, "store: no such table: runs");
	closed(store);
}
END_TEST

/* ---- until the server ends ----------------------------------------------- */

START_TEST(the_writer_ends_when_the_server_does_after_what_is_due)
{
	struct err err = { "" };
	int fds[2];

	start();
	put(store, alone(7));
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[1]);
	ck_assert_int_eq(writer_run(&writer, fds[0], &err), 0);
	ck_assert_int_eq(fake.calls, 1);
	closed(store);
}
END_TEST

START_TEST(a_writer_that_is_woken_makes_another_round)
{
	struct err err = { "" };
	int fds[2];

	start();
	put(store, alone(7));
	ck_assert_int_eq(pipe(fds), 0);
	second_at = fds[1];
	ck_assert_int_eq(writer_run(&writer, fds[0], &err), 0);
	ck_assert_int_eq(fake.calls, 2);
	closed(store);
}
END_TEST

START_TEST(a_writer_that_cannot_hear_the_server_ends)
{
	struct err err = { "" };
	int fd = open("/", O_RDONLY | O_DIRECTORY), fds[2];

	start();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(writer_run(&writer, fd, &err), 0);
	close(fd);
	/* whatever an older error was */
	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	ck_assert_int_eq(read(fds[0], &fd, 1), -1);
	ck_assert_int_eq(errno, EAGAIN);
	close(fds[1]);
	errno = EAGAIN;
	ck_assert_int_eq(writer_run(&writer, fds[0], &err), 0);
	close(fds[0]);
	closed(store);
}
END_TEST

START_TEST(what_is_more_than_a_batch_follows_at_once_unasked)
{
	struct err err = { "" };
	int fds[2];
	time_t began;
	uint32_t i;

	start();
	for (i = 0; i <= WRITER_BATCH; i++)
		put(store, alone(7 + i));
	ck_assert_int_eq(pipe(fds), 0);
	ends_at = fds[1];
	began = time(NULL);
	ck_assert_int_eq(writer_run(&writer, fds[0], &err), 0);
	ck_assert_int_eq(fake.calls, 2);
	ck_assert_int_lt(time(NULL) - began, 25); /* or it would nap */
	closed(store);
}
END_TEST

START_TEST(a_writer_whose_store_fails_ends)
{
	struct err err = { "" };
	int fds[2];

	start();
	ck_assert_int_eq(pipe(fds), 0);
	in_store("DROP TABLE runs");
	ck_assert_int_eq(writer_run(&writer, fds[0], &err), -1);
	ck_assert_str_eq(err.text, "store: no such table: runs");
	closed(store);
}
END_TEST

UNIT_MAIN("writer_says", that_slurmdbd_is_away_is_said_once_and_that_it_is_back_once,
	  a_slurmdbd_that_is_away_is_asked_at_ever_longer_times_at_last_each_minute,
	  while_slurmdbd_is_away_the_writer_comes_back_when_it_may_ask_again,
	  a_run_without_a_row_is_asked_for_at_ever_longer_times,
	  a_run_that_was_asked_for_very_often_is_asked_for_each_hour,
	  why_a_job_cannot_be_changed_is_said_the_first_time,
	  what_the_row_knows_of_het_jobs_is_learnt_and_what_a_node_said_stays,
	  a_het_job_that_a_node_knows_is_not_unlearnt_from_the_row,
	  operators_are_not_asked_for_while_slurmdbd_is_away,
	  why_operators_are_not_known_is_said_and_a_site_may_have_none,
	  a_run_is_kept_until_it_is_older_than_the_site_wants, old_runs_are_looked_for_each_hour,
	  of_a_batch_that_cannot_be_noted_nothing_is_noted,
	  a_batch_that_cannot_be_begun_is_a_store_that_fails,
	  a_use_that_cannot_be_kept_is_a_store_that_fails,
	  a_writer_says_so_when_the_store_cannot_tell_what_is_due,
	  the_writer_ends_when_the_server_does_after_what_is_due,
	  a_writer_that_is_woken_makes_another_round, a_writer_that_cannot_hear_the_server_ends,
	  what_is_more_than_a_batch_follows_at_once_unasked, a_writer_whose_store_fails_ends)
