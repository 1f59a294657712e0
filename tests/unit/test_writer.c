/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"
#include "ledger/writer.h"

/* A slurmdbd of our own: what it answers, and what it was told. */
static struct fake {
	int is_down;
	enum acct_result result;
	int calls;
	size_t jobs;
	char text[2000];
	const char *remark; /* of what was written */
	const char *account;
	int asked; /* who the operators are */
	int64_t array_job, array_task;
} fake;

static int fake_write(void *acct, struct acct_job *jobs, size_t count, struct err *err)
{
	size_t i;

	(void)acct;
	fake.calls++;
	if (fake.is_down)
		return err_set(err, "slurmdbd: cannot connect: refused");
	for (i = 0; i < count; i++) {
		jobs[i].result = fake.result;
		jobs[i].array_job = fake.array_job;
		jobs[i].array_task = fake.array_task;
		jobs[i].het_job = jobs[i].het_offset = -1;
		snprintf(jobs[i].account, sizeof(jobs[i].account), "%s", fake.account);
		err_set(&jobs[i].why, "%s",
			fake.result == ACCT_WRITTEN ? fake.remark : "no permission");
		snprintf(fake.text, sizeof(fake.text), "%s", jobs[i].text);
	}
	fake.jobs += count;
	return 0;
}

static const struct config_ledger config = { .grace_s = GRACE_S, .retention_days = 30000 };

/* A ledger with an empty store. */
static struct store *store;
static struct writer writer;
static int64_t next; /* when the last round wants to come back */

static void start(void)
{
	static struct config_advice advice;
	static struct metrics metrics;

	memset(&metrics, 0, sizeof(metrics));
	config_advice_init(&advice);
	store = opened();
	fake = (struct fake){ .account = "root", .array_job = -1, .array_task = -1, .remark = "" };
	writer = (struct writer){ .store = store,
				  .config = &config,
				  .advice = &advice,
				  .metrics = &metrics,
				  .acct = { .write = fake_write } };
}

static int round_at(int64_t now_s)
{
	struct err err = { "" };
	int rc = writer_round(&writer, now_s, &next, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

/* Both nodes of job 7, which ended at 2000. */
static void put_both_at(int64_t now_s)
{
	put_at(store, made("n1"), now_s, NULL);
	put_at(store, made("n2"), now_s, NULL);
}

/* The record of a job that has n1 alone. */
static struct record *alone(uint32_t job)
{
	struct record *r = made("n1");

	r->job = job;
	record_set(&r->nodelist, "n1");
	return r;
}

/* A round; the time of the next one: a second later, after ten minutes also more. */
static int64_t round_then(int64_t now)
{
	round_at(now);
	return now + (now < NOW + 600 ? 1 : rounds_share());
}

START_TEST(a_complete_run_is_written_once)
{
	struct store_run run;

	start();
	put_both_at(NOW);
	ck_assert_int_eq(round_at(NOW), 1);
	ck_assert_str_eq(
		fake.text,
		"jobio/1 rd=2KiB/- wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=- scope=job src=stepd q=- imb=1.00@n1");
	ck_assert_int_eq(round_at(NOW + 1), 0);
	ck_assert_int_eq(fake.calls, 1);
	run = newest(store);
	ck_assert_str_eq(run.summary, fake.text);
	ck_assert_int_eq(run.written, NOW);
	store_run_free(&run);
	ck_assert_uint_eq(writer.metrics->written, 1);
	ck_assert_int_eq(writer.metrics->written_s, NOW);
	closed(store);
}
END_TEST

/* A node's record of 2 GiB, and of a task that the gate warned of. */
static struct record *busy(const char *node)
{
	struct record *r = made(node);
	struct record_io io = r->app[0];

	r->has_request = true;
	strcpy(r->request.profile, "stream");
	r->has_gate = true;
	r->gate_warned = 1;
	record_add_client(r, "weka", "weka", NULL, NULL);
	record_add_mount(r, "/mnt/weka", "wekafs", "d");
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = 0;
	io.numbers[RECORD_WRITE_BYTES] = INT64_C(2) << 30;
	io.numbers[RECORD_WRITE_CALLS] = 2000000;
	io.peak[RECORD_PEAK_WRITE] = 77;
	io.peak_window_s = 1;
	io.has_meta = true;
	io.meta[RECORD_META_OPEN] = 3;
	io.fs = (char *)"/mnt/weka";
	/* the best source first */
	r->app[0].scope = RECORD_SCOPE_NODE;
	record_add_app(r, &io);
	return r;
}

START_TEST(the_use_of_a_run_is_kept_beside_its_summary_with_its_account)
{
	struct told told;

	start();
	fake.account = "lab";
	put(store, busy("n1"));
	ck_assert_int_eq(round_at(NOW + GRACE_S), 1);
	ck_assert_int_eq(told_uses(store).place.id, 1);
	put(store, busy("n2"));
	ck_assert_int_eq(round_at(NOW + GRACE_S), 1);
	told = told_uses(store);
	ck_assert_msg(strstr(told.text,
			     "1\tc\talice\tlab\tstream\t7\t1000\t2000\t2\t2000\t2\t2\t0\tA02") ==
			      told.text,
		      "%s", told.text);
	ck_assert_msg(strstr(told.text, "\n/mnt/weka\twekafs\t0\t4294967296\t6\t77\t;"), "%s",
		      told.text);
	closed(store);
}
END_TEST

START_TEST(a_use_is_kept_when_slurmdbd_does_not_know_the_job_yet)
{
	start();
	fake.account = "";
	fake.result = ACCT_NO_ROW;
	put_both_at(NOW);
	ck_assert_int_eq(round_at(NOW), 1);
	ck_assert_str_eq(
		told_uses(store).text,
		"1\tc\talice\t\t\t7\t1000\t2000\t2\t2000\t0\t0\t0\t\t\n(all files)\t\t2048\t\t\t\t;");
	fake.is_down = 1;
	put(store, made("n3"));
	ck_assert_int_eq(round_at(NOW + 9000), 1);
	ck_assert_ptr_nonnull(strstr(told_uses(store).text, "\n(all files)\t\t3072\t"));
	closed(store);
}
END_TEST

/* MariaDB takes 65,535 bytes: one record more must not hold up all runs. */
START_TEST(filesystems_of_endless_names_are_told_as_others)
{
	struct record *r = alone(7);
	char name[RECORD_STRING_MAX + 1];
	struct record_io io;
	int i;

	start();
	record_add_client(r, "home", "nfs", NULL, NULL);
	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = 3;
	io.fs = name;
	memset(name, 'x', sizeof(name));
	name[RECORD_STRING_MAX] = 0;
	r->app_count = 0;
	for (i = 0; i < 20; i++) {
		snprintf(name, 5, "/%02d_", i);
		name[4] = 'x';
		record_add_app(r, &io);
	}
	record_add_mount(r, "/short", name, "d");
	io.fs = (char *)"/short";
	record_add_app(r, &io);
	put(store, r);
	ck_assert_int_eq(round_at(NOW), 1);
	ck_assert_str_eq(
		told_uses(store).text,
		"1\tc\talice\troot\t\t7\t1000\t2000\t1\t1000\t0\t0\t0\t\t\n(others)\t\t60\t\t\t\t\n/short\t\t3\t\t\t\t;");
	closed(store);
}
END_TEST

START_TEST(numbers_of_whole_nodes_are_no_use_of_a_job)
{
	struct record *r = alone(7);

	start();
	fake.account = "";
	r->app[0].scope = RECORD_SCOPE_NODE;
	put(store, r);
	ck_assert_int_eq(round_at(NOW), 1);
	ck_assert_str_eq(told_uses(store).text,
			 "1\tc\talice\t\t\t7\t1000\t2000\t1\t1000\t1\t0\t0\t\t;");
	closed(store);
}
END_TEST

static int fake_operators(void *acct, uid_t *uids, size_t max, struct err *err)
{
	(void)acct;
	(void)max;
	if (fake.asked++ == 1)
		return err_set(err, "slurmdbd: cannot look up operators");
	uids[0] = 77;
	return 1;
}

START_TEST(operators_are_asked_for_now_and_then_and_stay_while_nobody_answers)
{
	start();
	writer.acct.operators = fake_operators;
	round_at(NOW);
	ck_assert_uint_eq(writer.metrics->operator_count, 1);
	ck_assert_uint_eq(writer.metrics->operators[0], 77);
	round_at(NOW + WRITER_OPERATORS_S - 1);
	ck_assert_int_eq(fake.asked, 1);
	round_at(NOW + WRITER_OPERATORS_S);
	ck_assert_int_eq(fake.asked, 2);
	ck_assert_uint_eq(writer.metrics->operator_count, 1);
	closed(store);
}
END_TEST

START_TEST(a_run_with_a_missing_node_waits_for_the_grace_period)
{
	start();
	put(store, made("n1"));
	ck_assert_int_eq(round_at(NOW), 0);
	ck_assert_int_eq(next, NOW + GRACE_S);
	ck_assert_int_eq(round_at(NOW + GRACE_S), 1);
	ck_assert_ptr_nonnull(strstr(fake.text, " nodes=1/2 "));
	ck_assert_ptr_nonnull(strstr(fake.text, " miss=n2"));
	/* the node comes late */
	put_at(store, made("n2"), NOW + 9000, NULL);
	ck_assert_int_eq(round_at(NOW + 9000), 1);
	ck_assert_ptr_nonnull(strstr(fake.text, " nodes=2/2 "));
	closed(store);
}
END_TEST

START_TEST(while_slurmdbd_is_down_everything_waits_and_nothing_is_lost)
{
	struct store_run run;
	int64_t now = NOW;
	int i;

	start();
	fake.is_down = 1;
	put_both_at(NOW);
	for (i = 0; i < 2000; i++)
		round_at(now++);
	ck_assert_int_ge(fake.calls, 20);
	ck_assert_int_le(fake.calls, 45); /* 2, 4, .. 60 s apart */
	run = newest(store);
	ck_assert_int_eq(run.dirty, 1);
	ck_assert_ptr_nonnull(run.summary); /* to be read meanwhile */
	ck_assert_str_eq(run.error, "slurmdbd: cannot connect: refused");
	store_run_free(&run);
	ck_assert_uint_eq(writer.metrics->slurmdbd_failures, (uint64_t)fake.calls);
	ck_assert_uint_eq(writer.metrics->slurmdbd_failing, (uint64_t)fake.calls);
	ck_assert_uint_eq(writer.metrics->refused_by_slurmdbd, 0);
	fake.is_down = 0;
	for (i = 0; i < 61 && !fake.jobs; i++)
		round_at(now++);
	ck_assert_uint_eq(fake.jobs, 1);
	ck_assert_uint_eq(writer.metrics->slurmdbd_failing, 0);
	run = newest(store);
	ck_assert_int_eq(run.dirty, 0);
	ck_assert_ptr_null(run.error);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(a_job_without_a_row_is_tried_again_ever_more_rarely)
{
	int64_t now = NOW;

	start();
	fake.result = ACCT_NO_ROW;
	put_both_at(NOW);
	while (now < NOW + 86400)
		now = round_then(now);
	ck_assert_int_ge(fake.calls, 30);
	ck_assert_int_le(fake.calls, 40);
	fake.result = ACCT_WRITTEN;
	now += 3600;
	ck_assert_int_eq(round_at(now), 1);
	ck_assert_int_eq(round_at(now + 1), 0);
	closed(store);
}
END_TEST

START_TEST(a_job_that_cannot_be_changed_keeps_the_reason)
{
	struct store_run run;

	start();
	fake.result = ACCT_FAILED;
	put_both_at(NOW);
	round_at(NOW);
	run = newest(store);
	ck_assert_str_eq(run.error, "no permission");
	ck_assert_int_eq(run.dirty, 1);
	ck_assert_int_eq(run.tries, 1);
	ck_assert_uint_eq(writer.metrics->refused_by_slurmdbd, 1);
	store_run_free(&run);
	closed(store);
}
END_TEST

START_TEST(a_remark_about_what_was_written_goes_to_the_log)
{
	char line[200] = "";
	FILE *log = tmpfile();

	start();
	fake.remark = "2 rows were changed";
	put_both_at(NOW);
	ck_assert_int_ge(dup2(fileno(log), STDERR_FILENO), 0);
	round_at(NOW);
	rewind(log);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), log));
	ck_assert_str_eq(line, "jobio: ledger: job: '7': 2 rows were changed\n");
	fclose(log);
	closed(store);
}
END_TEST

START_TEST(what_the_row_knows_of_arrays_is_learnt)
{
	struct err err;
	int64_t id;

	start();
	fake.array_job = 5;
	fake.array_task = 2;
	put_both_at(NOW);
	round_at(NOW);
	ck_assert_int_eq(find_runs(store, STORE_ARRAY_TASK, 5, 2, &id, 1, &err), 1);
	closed(store);
}
END_TEST

/* Of a round in each second those that write are these. */
static void expect_writes(int64_t from, int64_t to, const char *wanted)
{
	char when[100] = "";
	int64_t now;
	size_t used = 0;
	int calls;

	for (now = from; now <= to; now++) {
		calls = fake.calls;
		round_at(now);
		if (fake.calls > calls)
			used += (size_t)snprintf(when + used, sizeof(when) - used, "%lld ",
						 (long long)now);
	}
	ck_assert_str_eq(when, wanted);
}

START_TEST(a_row_that_is_not_sure_is_asked_for_as_soon_as_it_will_do)
{
	start();
	fake.result = ACCT_NO_ROW;
	put_both_at(2001);
	expect_writes(2001, 3000, "2001 2003 2007 2015 2031 2063 2121 2249 2505 ");
	closed(store);
}
END_TEST

START_TEST(a_row_without_account_is_looked_at_again_for_some_seconds)
{
	struct told told;

	start();
	fake.account = "";
	put_both_at(2001);
	expect_writes(2001, 2005, "2001 ");
	fake.account = "lab";
	expect_writes(2006, 12000, "2006 ");
	told = told_uses(store);
	ck_assert_msg(strstr(told.text, "\talice\tlab\t"), "%s", told.text);
	closed(store);
}
END_TEST

START_TEST(rows_of_a_site_without_accounts_are_not_looked_at_for_ever)
{
	start();
	fake.account = "";
	put_both_at(2001);
	expect_writes(2001, 12000, "2001 2006 2011 ");
	closed(store);
}
END_TEST

START_TEST(many_runs_are_written_in_batches)
{
	uint32_t i;

	start();
	for (i = 1; i <= 2 * WRITER_BATCH + 8; i++)
		put(store, alone(i));
	while (round_at(NOW) > 0)
		;
	ck_assert_uint_eq(fake.jobs, 2 * WRITER_BATCH + 8);
	ck_assert_int_eq(fake.calls, 3);
	closed(store);
}
END_TEST

START_TEST(runs_that_are_too_old_are_forgotten)
{
	static const struct config_ledger short_config = { .retention_days = 1 };

	start();
	writer.config = &short_config;
	put(store, made("n1")); /* ended at 2000 */
	round_at(NOW);
	/* now may be wrong: it is more than a quarter of retention_days after that */
	ck_assert_int_eq(run_count(store), 1);
	put(store, ended_at(NOW));
	round_at(NOW + 3600);
	ck_assert_int_eq(run_count(store), 0);
	closed(store);
}
END_TEST

START_TEST(however_many_are_too_old_they_are_forgotten_within_the_hour)
{
	static const struct config_ledger short_config = { .retention_days = 1 };
	struct err err;
	int64_t due;
	int rounds;
	uint32_t i;

	start();
	writer.config = &short_config;
	ck_assert_int_eq(store_begin(store, &err), 0);
	/* and if nothing else is to be done: each waits for its other node */
	for (i = 1; i <= 2500; i++) {
		struct record *r = made("n1");
		char *text;

		r->job = i;
		text = record_text(r, NULL);
		ck_assert_int_eq(store_put(store, r, text, strlen(text), NOW, GRACE_S, &due, &err),
				 1);
		free(text);
		record_free(r);
	}
	ck_assert_int_eq(store_commit(store, &err), 0);
	put(store, ended_at(NOW));
	next = NOW;
	for (rounds = 0; next <= NOW && rounds < 100; rounds++)
		round_at(NOW);
	expect_rows(1, 1);
	closed(store);
}
END_TEST

START_TEST(a_record_that_cannot_be_read_holds_up_no_other)
{
	struct record *bad = made("n2");
	struct err err;
	int64_t due;

	start();
	put(store, made("n1"));
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_put(store, bad, "{}", 2, NOW, GRACE_S, &due, &err), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	record_free(bad);
	put(store, alone(8));
	round_at(NOW);
	ck_assert_uint_eq(fake.jobs, 2);
	ck_assert_uint_eq(writer.metrics->written, 2);
	closed(store);
}
END_TEST

UNIT_MAIN("writer", a_complete_run_is_written_once,
	  the_use_of_a_run_is_kept_beside_its_summary_with_its_account,
	  a_use_is_kept_when_slurmdbd_does_not_know_the_job_yet,
	  filesystems_of_endless_names_are_told_as_others,
	  numbers_of_whole_nodes_are_no_use_of_a_job,
	  operators_are_asked_for_now_and_then_and_stay_while_nobody_answers,
	  a_run_with_a_missing_node_waits_for_the_grace_period,
	  while_slurmdbd_is_down_everything_waits_and_nothing_is_lost,
	  a_job_without_a_row_is_tried_again_ever_more_rarely,
	  a_row_that_is_not_sure_is_asked_for_as_soon_as_it_will_do,
	  a_job_that_cannot_be_changed_keeps_the_reason,
	  a_remark_about_what_was_written_goes_to_the_log, what_the_row_knows_of_arrays_is_learnt,
	  a_row_without_account_is_looked_at_again_for_some_seconds,
	  rows_of_a_site_without_accounts_are_not_looked_at_for_ever,
	  many_runs_are_written_in_batches,
	  however_many_are_too_old_they_are_forgotten_within_the_hour,
	  a_record_that_cannot_be_read_holds_up_no_other, runs_that_are_too_old_are_forgotten)
