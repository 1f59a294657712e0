/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurmdbd is asked, how a row is named to it, and what becomes of its
 * errors: against functions of libslurm that are here and look at the question. What
 * is written: test_acct.c; into which row: test_acct_rows.c. */
#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/runner.h"
#include "ledger/acct.h"

typedef __typeof__(slurm_list_create(NULL)) list_of_slurm;

/* What slurmdbd has, and what it will do. */
static slurmdb_job_rec_t its[4];
static int its_count, changed_row;
static int count_after = -1; /* a change: rows, -1: as before */
static int connect_error, commit_error, change_error, users_error;
static int look_up_error, looks_to_fail; /* at this look */
static bool changes_nothing;

/* What it was asked. */
static struct asked {
	int connections, closed, looks, changes, commits, users;
	uint32_t flags, db_flags; /* of the last condition */
	time_t from, to;
	char state[16]; /* "-": none */
	slurm_selected_step_t step;
	int steps;
	slurmdb_job_rec_t change;
} asked;

static char connection_of_ours, comment[100];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* large batches */

void slurm_init(const char *conf)
{
	(void)conf;
}

void *slurmdb_connection_get(uint16_t *flags)
{
	(void)flags;
	asked.connections++;
	errno = connect_error;
	return connect_error ? NULL : &connection_of_ours;
}

int slurmdb_connection_close(void **connection)
{
	ck_assert_ptr_eq(*connection, &connection_of_ours);
	asked.closed++;
	return 0;
}

int slurmdb_connection_commit(void *connection, bool commit)
{
	ck_assert_ptr_eq(connection, &connection_of_ours);
	ck_assert(commit);
	pthread_mutex_lock(&lock);
	asked.commits++;
	pthread_mutex_unlock(&lock);
	errno = commit_error;
	return commit_error ? SLURM_ERROR : SLURM_SUCCESS;
}

static void note_condition(const slurmdb_job_cond_t *cond)
{
	__auto_type it = slurm_list_iterator_create(cond->step_list);
	const char *state = "-";

	asked.step = *(slurm_selected_step_t *)slurm_list_next(it);
	slurm_list_iterator_destroy(it);
	asked.steps = slurm_list_count(cond->step_list);
	if (cond->state_list) {
		ck_assert_int_eq(slurm_list_count(cond->state_list), 1);
		it = slurm_list_iterator_create(cond->state_list);
		state = slurm_list_next(it);
	}
	snprintf(asked.state, sizeof(asked.state), "%s", state);
	if (cond->state_list)
		slurm_list_iterator_destroy(it);
	asked.flags = cond->flags;
	asked.db_flags = cond->db_flags;
	asked.from = cond->usage_start;
	asked.to = cond->usage_end;
}

list_of_slurm slurmdb_jobs_get(void *connection, slurmdb_job_cond_t *cond)
{
	list_of_slurm list = slurm_list_create(free);
	bool fails;
	int i;

	ck_assert_ptr_eq(connection, &connection_of_ours);
	pthread_mutex_lock(&lock);
	if (!asked.changes)
		note_condition(cond);
	fails = ++asked.looks == looks_to_fail;
	pthread_mutex_unlock(&lock);
	if (fails) {
		slurm_list_destroy(list);
		errno = look_up_error;
		return NULL;
	}
	for (i = 0; i < its_count; i++) {
		slurmdb_job_rec_t *rec = malloc(sizeof(*rec));

		*rec = its[i];
		slurm_list_append(list, rec);
	}
	return list;
}

list_of_slurm slurmdb_job_modify(void *connection, slurmdb_job_cond_t *cond, slurmdb_job_rec_t *job)
{
	list_of_slurm list = slurm_list_create(NULL);

	ck_assert_ptr_eq(connection, &connection_of_ours);
	asked.changes++;
	note_condition(cond);
	asked.change = *job;
	if (change_error >= 0) {
		slurm_list_destroy(list);
		errno = change_error;
		return NULL;
	}
	if (changes_nothing)
		return list;
	if (count_after >= 0)
		its_count = count_after;
	snprintf(comment, sizeof(comment), "%s", job->system_comment);
	its[changed_row].system_comment = comment;
	slurm_list_append(list, comment);
	return list;
}

/* Two users of this host are operators, one is an administrator. */
list_of_slurm slurmdb_users_get(void *connection, slurmdb_user_cond_t *cond)
{
	static slurmdb_user_rec_t users[2][3];
	bool is_super = cond->admin_level == SLURMDB_ADMIN_SUPER_USER;
	list_of_slurm list = slurm_list_create(NULL);
	int i;

	ck_assert_ptr_eq(connection, &connection_of_ours);
	ck_assert(is_super || cond->admin_level == SLURMDB_ADMIN_OPERATOR);
	if (++asked.users == users_error) {
		slurm_list_destroy(list);
		errno = ECONNRESET;
		return NULL;
	}
	users[is_super][0].name = (char *)(is_super ? "u22" : "u11");
	users[is_super][1].name = (char *)"gone"; /* not of this host */
	for (i = 0; i < 3; i++)
		slurm_list_append(list, &users[is_super][i]);
	if (!is_super)
		users[0][2].name = (char *)"u12";
	return list;
}

struct passwd *getpwnam(const char *name)
{
	static struct passwd pw;

	pw.pw_uid = *name == 'u' ? (uid_t)atoi(name + 1) : 0;
	return *name == 'u' ? &pw : NULL;
}

/* ---- job 7 --------------------------------------------------------------- */

#define QUESTION                                                                                   \
	(JOBCOND_FLAG_DUP | JOBCOND_FLAG_NO_STEP | JOBCOND_FLAG_NO_TRUNC |                         \
	 JOBCOND_FLAG_NO_WHOLE_HETJOB | JOBCOND_FLAG_NO_DEFAULT_USAGE)
#define SUMMARY "jobio/1 rd=1"

static struct acct *writer;
static struct acct_job ours;
static struct err err;

/* slurmdbd has one row of job 7, that has ended. */
static void start(void)
{
	its_count = 1;
	change_error = -1;
	its[0] = (slurmdb_job_rec_t){ .jobid = 7,
				      .submit = 900,
				      .start = 1000,
				      .end = 2000,
				      .state = JOB_COMPLETE,
				      .array_task_id = NO_VAL,
				      .het_job_offset = NO_VAL };
	writer = acct_new();
	ck_assert_ptr_nonnull(writer);
}

static int write_job(void)
{
	int rc;

	ours = (struct acct_job){ .cluster = "c",
				  .job = 7,
				  .start = 1000,
				  .end = 2000,
				  .result = ACCT_FAILED,
				  .account = "stale",
				  .array_job = 9,
				  .text = SUMMARY };
	err_set(&ours.why, "stale");
	err.text[0] = '\0';
	rc = acct_write(writer, &ours, 1, &err);
	return rc;
}

static void expect_written(void)
{
	ck_assert_msg(write_job() == 0, "%s", err.text);
	ck_assert_int_eq(ours.result, ACCT_WRITTEN);
	ck_assert_str_eq(ours.why.text, "");
}

/* slurmdbd could not be asked, because .. */
static void expect_failure(const char *what)
{
	ck_assert_int_eq(write_job(), -1);
	ck_assert_msg(strncmp(err.text, what, strlen(what)) == 0, "%s", err.text);
}

START_TEST(rows_of_any_age_of_this_id_alone_are_asked_for)
{
	start();
	its_count = 0;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_NO_ROW);
	ck_assert_str_eq(ours.why.text, "");
	ck_assert_str_eq(ours.account, "");
	ck_assert_int_eq(ours.array_job, -1);
	ck_assert_uint_eq(asked.flags, QUESTION);
	ck_assert_uint_eq(asked.db_flags, SLURMDB_JOB_FLAG_NOTSET);
	ck_assert_int_eq(asked.from, 0);
	ck_assert_int_eq(asked.to, 0);
	ck_assert_str_eq(asked.state, "-");
	ck_assert_int_eq(asked.steps, 1);
	ck_assert_uint_eq(asked.step.step_id.job_id, 7);
	ck_assert_uint_eq(asked.step.step_id.step_id, NO_VAL);
	ck_assert_uint_eq(asked.step.step_id.step_het_comp, NO_VAL);
	ck_assert_uint_eq(asked.step.array_task_id, NO_VAL);
	ck_assert_uint_eq(asked.step.het_job_offset, NO_VAL);
	/* the transaction ends, or MariaDB tells the same for ever */
	ck_assert_int_eq(asked.looks, 1);
	ck_assert_int_eq(asked.commits, 1);
	acct_free(writer);
}
END_TEST

START_TEST(a_row_that_has_ended_is_named_by_its_state_and_its_end)
{
	start();
	expect_written();
	ck_assert_str_eq(asked.state, "3");
	ck_assert_int_eq(asked.from, 2000);
	ck_assert_int_eq(asked.to, 2000);
	ck_assert_uint_eq(asked.flags, QUESTION);
	ck_assert_uint_eq(asked.step.step_id.job_id, 7);
	ck_assert_uint_eq(asked.step.array_task_id, NO_VAL);
	ck_assert_uint_eq(asked.step.het_job_offset, NO_VAL);
	acct_free(writer);
}
END_TEST

START_TEST(a_row_that_has_not_ended_is_the_newest_of_its_id)
{
	start();
	its[0].end = 0;
	its[0].state = JOB_RUNNING;
	expect_written();
	ck_assert_str_eq(asked.state, "-");
	ck_assert_int_eq(asked.from, 0);
	ck_assert_int_eq(asked.to, 0);
	ck_assert_uint_eq(asked.flags, QUESTION & ~JOBCOND_FLAG_DUP);
	acct_free(writer);
}
END_TEST

START_TEST(the_row_of_an_arrays_leader_that_runs_is_nobodys)
{
	start();
	its[0].end = 0;
	its[0].state = JOB_RUNNING;
	its[0].array_job_id = 7;
	its[0].array_task_id = 0;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_NO_ROW);
	ck_assert_int_eq(asked.changes, 0);
	its[0].array_job_id = 5; /* another one leads */
	expect_written();
	acct_free(writer);
}
END_TEST

/* The id, the task and the component that a row is named by. */
static void expect_named(uint32_t id, uint32_t task, uint32_t offset)
{
	its[0].system_comment = NULL;
	expect_written();
	ck_assert_uint_eq(asked.step.step_id.job_id, id);
	ck_assert_uint_eq(asked.step.array_task_id, task);
	ck_assert_uint_eq(asked.step.het_job_offset, offset);
}

START_TEST(tasks_and_components_are_named_by_both_of_their_numbers)
{
	start();
	its[0].array_job_id = 5;
	expect_named(7, NO_VAL, NO_VAL);
	its[0].array_task_id = 0;
	expect_named(5, 0, NO_VAL);
	its[0].het_job_id = 6;
	its[0].het_job_offset = 1; /* no job is both */
	expect_named(5, 0, NO_VAL);
	its[0].array_job_id = 0;
	expect_named(6, NO_VAL, 1);
	its[0].het_job_offset = NO_VAL;
	expect_named(7, NO_VAL, NO_VAL);
	its[0].het_job_id = 0;
	its[0].het_job_offset = 1;
	expect_named(7, NO_VAL, NO_VAL);
	acct_free(writer);
}
END_TEST

START_TEST(nothing_but_the_comment_is_changed)
{
	start();
	expect_written();
	ck_assert_str_eq(comment, SUMMARY);
	ck_assert_ptr_null(asked.change.admin_comment);
	ck_assert_uint_eq(asked.change.derived_ec, NO_VAL);
	ck_assert_uint_eq(asked.change.array_task_id, NO_VAL);
	ck_assert_uint_eq(asked.change.het_job_offset, NO_VAL);
	acct_free(writer);
}
END_TEST

START_TEST(a_change_is_looked_for_after_the_commit_and_what_stays_is_not)
{
	start();
	expect_written();
	ck_assert_int_eq(asked.looks, 2);
	ck_assert_int_eq(asked.changes, 1);
	ck_assert_int_eq(asked.commits, 2);
	expect_written();
	ck_assert_int_eq(asked.looks, 3);
	ck_assert_int_eq(asked.changes, 1);
	ck_assert_int_eq(asked.commits, 3);
	ck_assert_int_eq(asked.connections, 1);
	ck_assert_int_eq(asked.closed, 0);
	acct_free(writer);
	ck_assert_int_eq(asked.closed, 1);
}
END_TEST

START_TEST(a_change_of_another_run_of_the_job_is_not_taken_for_ours)
{
	start();
	its_count = 2;
	its[1] = its[0];
	its[0].submit = 100; /* a run before */
	its[0].start = 200;
	its[0].end = 300;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_FAILED);
	ck_assert_str_eq(ours.why.text,
			 "slurmdbd: the change was lost: a connection broke before the commit");
	changed_row = 1;
	its[0].system_comment = (char *)"another's";
	expect_written();
	acct_free(writer);
}
END_TEST

START_TEST(a_change_of_a_job_of_the_same_second_is_not_taken_for_ours)
{
	start();
	its_count = 2;
	its[1] = its[0];
	its[0].jobid = 8;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_FAILED);
	acct_free(writer);
}
END_TEST

START_TEST(a_row_that_is_gone_after_the_commit_was_not_changed)
{
	start();
	count_after = 0;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_FAILED);
	acct_free(writer);
}
END_TEST

START_TEST(the_account_is_that_of_the_row)
{
	start();
	its[0].account = (char *)"lab";
	expect_written();
	ck_assert_str_eq(ours.account, "lab");
	its[0].account = NULL;
	expect_written();
	ck_assert_str_eq(ours.account, "");
	acct_free(writer);
}
END_TEST

/* ---- errors -------------------------------------------------------------- */

START_TEST(a_slurmdbd_that_cannot_be_reached_is_asked_nothing)
{
	start();
	connect_error = ECONNREFUSED;
	expect_failure("slurmdbd: cannot connect: ");
	ck_assert_uint_gt(strlen(err.text), 26);
	ck_assert_int_eq(asked.looks, 0);
	ck_assert_int_eq(asked.commits, 0);
	connect_error = 0;
	expect_written();
	ck_assert_int_eq(asked.connections, 2);
	acct_free(writer);
}
END_TEST

START_TEST(after_an_error_a_new_connection_is_made)
{
	start();
	looks_to_fail = 1;
	look_up_error = ECONNRESET;
	expect_failure("slurmdbd: cannot look up jobs: ");
	ck_assert_int_eq(asked.closed, 1);
	ck_assert_int_eq(asked.changes, 0);
	commit_error = ECONNRESET;
	expect_failure("slurmdbd: cannot commit: ");
	ck_assert_int_eq(asked.connections, 2);
	ck_assert_int_eq(asked.closed, 2);
	ck_assert_int_eq(asked.looks, 2); /* it is not looked for */
	commit_error = 0;
	its[0].system_comment = NULL;
	expect_written();
	ck_assert_int_eq(asked.connections, 3);
	acct_free(writer);
}
END_TEST

START_TEST(a_change_that_cannot_be_looked_for_is_made_again)
{
	start();
	looks_to_fail = 2;
	look_up_error = ECONNRESET;
	expect_failure("slurmdbd: cannot look up jobs: ");
	expect_written();
	ck_assert_int_eq(asked.changes, 1); /* it stood there */
	acct_free(writer);
}
END_TEST

START_TEST(a_row_that_changes_meanwhile_is_asked_for_again)
{
	start();
	change_error = 0;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_NO_ROW);
	change_error = SLURM_NO_CHANGE_IN_DATA;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_NO_ROW);
	change_error = -1;
	changes_nothing = true;
	errno = 0;
	ck_assert_int_eq(write_job(), 0);
	ck_assert_int_eq(ours.result, ACCT_NO_ROW);
	acct_free(writer);
}
END_TEST

START_TEST(a_change_that_fails_otherwise_ends_the_connection)
{
	start();
	change_error = ECONNRESET;
	expect_failure("slurmdbd: cannot change a job: ");
	ck_assert_int_eq(asked.closed, 1);
	ck_assert_int_eq(asked.commits, 0);
	acct_free(writer);
	ck_assert_int_eq(asked.closed, 1);
	acct_free(NULL);
}
END_TEST

START_TEST(without_jobs_slurmdbd_is_asked_whether_it_is_there)
{
	start();
	ck_assert_int_eq(acct_write(writer, NULL, 0, &err), 0);
	ck_assert_int_eq(asked.commits, 1);
	ck_assert_int_eq(asked.looks, 0);
	commit_error = ECONNRESET;
	ck_assert_int_eq(acct_write(writer, NULL, 0, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "slurmdbd: cannot commit: ", 25), 0);
	acct_free(writer);
}
END_TEST

START_TEST(each_sixteen_jobs_more_take_one_connection_more_up_to_four)
{
	static struct acct_job many[200];
	static const size_t counts[] = { 15, 16, 31, 32, 47, 48, 63, 64, 200 };
	static const int wanted[] = { 1, 2, 2, 3, 3, 4, 4, 4, 4 };
	size_t i, k;

	for (k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		start();
		its_count = 0;
		asked.connections = 0;
		for (i = 0; i < counts[k]; i++)
			many[i] = (struct acct_job){ .cluster = "c",
						     .job = (uint32_t)i,
						     .text = SUMMARY };
		ck_assert_int_eq(acct_write(writer, many, counts[k], &err), 0);
		ck_assert_int_eq(asked.connections, wanted[k]);
		acct_free(writer);
	}
}
END_TEST

/* ---- operators ----------------------------------------------------------- */

START_TEST(operators_and_administrators_that_this_host_knows_are_told)
{
	uid_t uids[5] = { 0 };

	start();
	ck_assert_int_eq(acct_operators(writer, uids, 5, &err), 3);
	ck_assert_uint_eq(uids[0], 11);
	ck_assert_uint_eq(uids[1], 12);
	ck_assert_uint_eq(uids[2], 22);
	ck_assert_uint_eq(uids[3], 0);
	ck_assert_int_eq(asked.users, 2);
	ck_assert_int_eq(asked.connections, 1);
	acct_free(writer);
}
END_TEST

START_TEST(no_more_operators_are_told_than_there_is_room_for)
{
	uid_t uids[4] = { 0 };

	start();
	ck_assert_int_eq(acct_operators(writer, uids, 1, &err), 1);
	ck_assert_uint_eq(uids[0], 11);
	ck_assert_uint_eq(uids[1], 0);
	ck_assert_int_eq(acct_operators(writer, uids, 2, &err), 2);
	ck_assert_uint_eq(uids[1], 12);
	ck_assert_uint_eq(uids[2], 0);
	acct_free(writer);
}
END_TEST

START_TEST(operators_of_half_a_question_are_not_told)
{
	uid_t uids[4];

	start();
	users_error = 2;
	ck_assert_int_eq(acct_operators(writer, uids, 4, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "slurmdbd: cannot look up operators: ", 36), 0);
	ck_assert_int_eq(asked.closed, 1);
	asked.users = 0;
	users_error = 1;
	ck_assert_int_eq(acct_operators(writer, uids, 4, &err), -1);
	connect_error = ECONNREFUSED;
	ck_assert_int_eq(acct_operators(writer, uids, 4, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "slurmdbd: cannot connect: ", 26), 0);
	acct_free(writer);
}
END_TEST

UNIT_MAIN("acct_asks", rows_of_any_age_of_this_id_alone_are_asked_for,
	  a_row_that_has_ended_is_named_by_its_state_and_its_end,
	  a_row_that_has_not_ended_is_the_newest_of_its_id,
	  the_row_of_an_arrays_leader_that_runs_is_nobodys,
	  tasks_and_components_are_named_by_both_of_their_numbers,
	  nothing_but_the_comment_is_changed,
	  a_change_is_looked_for_after_the_commit_and_what_stays_is_not,
	  a_change_of_another_run_of_the_job_is_not_taken_for_ours,
	  a_change_of_a_job_of_the_same_second_is_not_taken_for_ours,
	  a_row_that_is_gone_after_the_commit_was_not_changed, the_account_is_that_of_the_row,
	  a_slurmdbd_that_cannot_be_reached_is_asked_nothing,
	  after_an_error_a_new_connection_is_made, a_change_that_cannot_be_looked_for_is_made_again,
	  a_row_that_changes_meanwhile_is_asked_for_again,
	  a_change_that_fails_otherwise_ends_the_connection,
	  without_jobs_slurmdbd_is_asked_whether_it_is_there,
	  each_sixteen_jobs_more_take_one_connection_more_up_to_four,
	  operators_and_administrators_that_this_host_knows_are_told,
	  no_more_operators_are_told_than_there_is_room_for,
	  operators_of_half_a_question_are_not_told)
