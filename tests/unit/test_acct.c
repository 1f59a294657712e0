/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A batch of summaries against a slurmdbd of our own: its functions of libslurm
 * are here, with one row a job of each cluster and transactions as MariaDB has them. */
#include <errno.h>
#include <pthread.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/runner.h"
#include "ledger/acct.h"
#include "lib/js1.h"

#define JOBS 256
#define OTHERS 128 /* rows of the cluster "other" */
#define CONNECTIONS 16

typedef __typeof__(slurm_list_create(NULL)) list_of_slurm;

static struct row {
	char text[64], pending[64], admin[700], pending_admin[700];
	int connection; /* that wrote what is pending */
	int changes, error, copies;
	bool is_missing;
	char *foreign; /* in place of the text */
	uint32_t array_job, array_task, het_job, het_offset;
} rows[JOBS];
static char opened[CONNECTIONS];
static int closings, looks, connections, breaks_after,
	changes_here[CONNECTIONS];
static uint32_t refused; /* once: the job at which a connection ends */
static int threads, refused_thread; /* so many were asked for; that one fails */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#undef pthread_create
int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *arg), void *arg);
int fake_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			void *(*run)(void *arg), void *arg);

int fake_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			void *(*run)(void *arg), void *arg)
{
	return ++threads == refused_thread
		       ? EAGAIN
		       : pthread_create(thread, attr, run, arg);
}

/* ---- slurmdbd ------------------------------------------------------------ */

void slurm_init(const char *conf)
{
	(void)conf;
}

void *slurmdb_connection_get(uint16_t *flags)
{
	(void)flags;
	ck_assert_int_lt(connections, CONNECTIONS);
	return &opened[connections++];
}

static void end_transaction(int connection, bool is_kept)
{
	int i;

	for (i = 0; i < JOBS; i++) {
		if (rows[i].connection != connection)
			continue;
		if (is_kept && *rows[i].pending)
			strcpy(rows[i].text, rows[i].pending);
		if (is_kept && *rows[i].pending_admin)
			strcpy(rows[i].admin, rows[i].pending_admin);
		*rows[i].pending = *rows[i].pending_admin = 0;
	}
}

int slurmdb_connection_close(void **connection)
{
	pthread_mutex_lock(&lock);
	end_transaction((int)((char *)*connection - opened), false);
	pthread_mutex_unlock(&lock);
	*connection = NULL;
	closings++;
	return 0;
}

int slurmdb_connection_commit(void *connection, bool commit)
{
	pthread_mutex_lock(&lock);
	end_transaction((int)((char *)connection - opened), commit);
	pthread_mutex_unlock(&lock);
	return 0;
}

static uint32_t job_of(list_of_slurm steps, int at)
{
	__auto_type it = slurm_list_iterator_create(steps);
	slurm_selected_step_t *step = NULL;

	while (at-- >= 0)
		step = slurm_list_next(it);
	slurm_list_iterator_destroy(it);
	return step->step_id.job_id;
}

/* The row of a job of the cluster that is asked about. */
static struct row *row_of(const slurmdb_job_cond_t *cond, int at)
{
	__auto_type it = slurm_list_iterator_create(cond->cluster_list);
	const char *cluster = slurm_list_next(it);

	ck_assert_ptr_nonnull(cluster);
	ck_assert_ptr_null(slurm_list_next(it));
	slurm_list_iterator_destroy(it);
	return &rows[job_of(cond->step_list, at) +
		     (strcmp(cluster, "other") ? 0 : OTHERS)];
}

list_of_slurm slurmdb_jobs_get(void *connection, slurmdb_job_cond_t *cond)
{
	list_of_slurm list = slurm_list_create(free);
	int i;

	(void)connection;
	pthread_mutex_lock(&lock);
	looks++;
	pthread_mutex_unlock(&lock);
	for (i = 0; i < slurm_list_count(cond->step_list); i++) {
		struct row *row = row_of(cond, i);
		slurmdb_job_rec_t *rec;

		if (row->is_missing)
			continue;
		rec = calloc(1, sizeof(*rec));
		rec->jobid = job_of(cond->step_list, i);
		rec->submit = 900;
		rec->start = 1000;
		rec->end = 2000;
		rec->state = JOB_COMPLETE;
		rec->array_job_id = row->array_job;
		rec->array_task_id = row->array_task;
		rec->het_job_id = row->het_job;
		rec->het_job_offset = row->het_offset;
		rec->system_comment = row->foreign ? row->foreign : row->text;
		rec->admin_comment = row->admin;
		slurm_list_append(list, rec);
	}
	return list;
}

list_of_slurm slurmdb_job_modify(void *connection, slurmdb_job_cond_t *cond,
				 slurmdb_job_rec_t *job)
{
	int at = (int)((char *)connection - opened);
	list_of_slurm list = slurm_list_create(NULL);
	struct row *row = row_of(cond, 0);
	int i;

	if (refused && row == &rows[refused]) {
		refused = 0;
		slurm_list_destroy(list);
		errno = ECONNRESET;
		return NULL;
	}
	if (row->error) {
		errno = row->error;
		slurm_list_destroy(list);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	if (job->system_comment)
		strcpy(row->pending, job->system_comment);
	if (job->admin_comment)
		strcpy(row->pending_admin, job->admin_comment);
	row->connection = at;
	row->changes++;
	for (i = 0; i <= row->copies; i++)
		slurm_list_append(list, row);
	/* and libslurm makes a new one, without a word */
	if (++changes_here[at] == breaks_after)
		end_transaction(at, false);
	pthread_mutex_unlock(&lock);
	return list;
}

/* ---- batches ------------------------------------------------------------- */

static struct acct_job jobs[JOBS];
static char texts[JOBS][64];

static enum ledger_field field = LEDGER_FIELD_SYSTEM;

static int write_jobs(int count)
{
	struct err err = { "" };
	struct acct *acct = acct_new(field, &err);
	int i, rc;

	for (i = 0; i < count; i++) {
		snprintf(texts[i], sizeof(texts[i]), "jobio/1 job=%d", i);
		jobs[i] = (struct acct_job){ .cluster = "c",
					     .job = (uint32_t)i,
					     .start = 1000,
					     .end = 2000,
					     .text = texts[i] };
	}
	rc = acct_write(acct, jobs, (size_t)count, &err);
	acct_free(acct);
	return rc;
}

START_TEST(
	a_large_batch_goes_over_several_connections_and_each_row_is_changed_once)
{
	int i;

	ck_assert_int_eq(write_jobs(JOBS), 0);
	ck_assert_int_eq(connections, ACCT_LANES);
	ck_assert_int_eq(closings, ACCT_LANES);
	for (i = 0; i < JOBS; i++) {
		ck_assert_int_eq(jobs[i].result, ACCT_WRITTEN);
		ck_assert_str_eq(rows[i].text, texts[i]);
		ck_assert_int_eq(rows[i].changes, 1);
	}
}
END_TEST

START_TEST(jobs_of_two_clusters_with_the_same_number_get_each_its_own_summary)
{
	struct acct_job two[2] = {
		{ .cluster = "c", .text = "jobio/1 of=c" },
		{ .cluster = "other", .text = "jobio/1 of=other" },
	};
	struct err err = { "" };
	struct acct *acct = acct_new(field, &err);
	int i;

	for (i = 0; i < 2; i++) {
		two[i].job = 7;
		two[i].start = 1000;
		two[i].end = 2000;
	}
	ck_assert_int_eq(acct_write(acct, two, 2, &err), 0);
	acct_free(acct);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(two[i].result, ACCT_WRITTEN);
		ck_assert_str_eq(rows[7 + i * OTHERS].text, two[i].text);
		ck_assert_int_eq(rows[7 + i * OTHERS].changes, 1);
	}
}
END_TEST

START_TEST(each_cluster_is_asked_about_once_and_then_whether_all_is_there)
{
	struct acct_job three[3];
	struct err err = { "" };
	struct acct *acct = acct_new(field, &err);
	uint32_t i;

	for (i = 0; i < 3; i++)
		three[i] = (struct acct_job){ .cluster = i ? "other" : "c",
					      .job = 7 + i,
					      .start = 1000,
					      .end = 2000,
					      .text = "jobio/1 a=1" };
	ck_assert_int_eq(acct_write(acct, three, 3, &err), 0);
	acct_free(acct);
	ck_assert_int_eq(looks, 4);
	ck_assert_str_eq(rows[9 + OTHERS].text, "jobio/1 a=1");
}
END_TEST

START_TEST(a_few_jobs_take_one_connection)
{
	ck_assert_int_eq(write_jobs(ACCT_LANE_JOBS - 1), 0);
	ck_assert_int_eq(connections, 1);
}
END_TEST

START_TEST(what_stands_there_already_is_not_changed)
{
	ck_assert_int_eq(write_jobs(3), 0);
	ck_assert_int_eq(write_jobs(3), 0);
	ck_assert_int_eq(jobs[2].result, ACCT_WRITTEN);
	ck_assert_int_eq(rows[2].changes, 1);
}
END_TEST

START_TEST(a_change_that_was_rolled_back_unnoticed_is_not_taken_for_written)
{
	breaks_after = 2;
	ck_assert_int_eq(write_jobs(3), 0);
	ck_assert_int_eq(jobs[0].result, ACCT_FAILED);
	ck_assert_int_eq(jobs[1].result, ACCT_FAILED);
	ck_assert_str_eq(jobs[1].why.text,
			 "slurmdbd: the change was lost: a connection broke "
			 "before the commit");
	ck_assert_int_eq(jobs[2].result, ACCT_WRITTEN);
	ck_assert_str_eq(rows[2].text, texts[2]);
}
END_TEST

START_TEST(what_stands_there_already_does_not_hide_a_change_that_was_lost)
{
	strcpy(rows[0].text, "jobio/1 job=0");
	strcpy(rows[2].text, "jobio/1 job=2");
	breaks_after = 1;
	ck_assert_int_eq(write_jobs(3), 0);
	ck_assert_int_eq(jobs[0].result, ACCT_WRITTEN);
	ck_assert_int_eq(jobs[1].result, ACCT_FAILED);
	ck_assert_str_eq(rows[1].text, "");
	ck_assert_int_eq(jobs[2].result, ACCT_WRITTEN);
}
END_TEST

START_TEST(connections_that_get_no_thread_are_used_one_after_the_other)
{
	int i;

	refused_thread = 2;
	ck_assert_int_eq(write_jobs(JOBS), 0);
	ck_assert_int_eq(connections, ACCT_LANES);
	ck_assert_int_eq(threads, 2); /* and no more is tried */
	for (i = 0; i < JOBS; i++) {
		ck_assert_int_eq(jobs[i].result, ACCT_WRITTEN);
		ck_assert_str_eq(rows[i].text, texts[i]);
		ck_assert_int_eq(rows[i].changes, 1);
	}
}
END_TEST

START_TEST(when_one_connection_ends_all_jobs_are_written_in_the_next_call)
{
	int i;

	refused = 130;
	ck_assert_int_eq(write_jobs(JOBS), -1);
	ck_assert_str_eq(rows[130].text, "");
	ck_assert_str_eq(rows[129].text, texts[129]); /* another lane's */
	ck_assert_int_eq(write_jobs(JOBS), 0);
	for (i = 0; i < JOBS; i++) {
		ck_assert_int_eq(jobs[i].result, ACCT_WRITTEN);
		ck_assert_str_eq(rows[i].text, texts[i]);
	}
	ck_assert_int_eq(rows[129].changes, 1);
}
END_TEST

START_TEST(a_job_that_has_no_row_yet_waits_for_it)
{
	rows[1].is_missing = true;
	rows[2].error = SLURM_NO_CHANGE_IN_DATA;
	ck_assert_int_eq(write_jobs(4), 0);
	ck_assert_int_eq(jobs[0].result, ACCT_WRITTEN);
	ck_assert_int_eq(jobs[1].result, ACCT_NO_ROW);
	ck_assert_int_eq(jobs[2].result, ACCT_NO_ROW);
	ck_assert_int_eq(jobs[3].result, ACCT_WRITTEN);
}
END_TEST

START_TEST(who_may_not_write_is_told_who_may)
{
	rows[1].error = ESLURM_ACCESS_DENIED;
	ck_assert_int_eq(write_jobs(3), 0);
	ck_assert_int_eq(jobs[1].result, ACCT_FAILED);
	ck_assert_ptr_nonnull(strstr(jobs[1].why.text,
				     ": the ledger must run as SlurmUser or "
				     "an operator"));
	ck_assert_int_eq(jobs[2].result, ACCT_WRITTEN);
	ck_assert_str_eq(jobs[2].why.text, "");
}
END_TEST

START_TEST(a_comment_without_room_for_ours_stays_as_it_is)
{
	static char full[65536];

	memset(full, 'x', sizeof(full) - 1);
	rows[1].foreign = full;
	ck_assert_int_eq(write_jobs(3), 0);
	ck_assert_int_eq(jobs[1].result, ACCT_FAILED);
	ck_assert_str_ne(jobs[1].why.text, "");
	ck_assert_int_eq(rows[1].changes, 0);
	ck_assert_int_eq(jobs[2].result, ACCT_WRITTEN);
}
END_TEST

START_TEST(more_rows_than_one_are_told)
{
	rows[1].copies = 1;
	ck_assert_int_eq(write_jobs(2), 0);
	ck_assert_int_eq(jobs[0].result, ACCT_WRITTEN);
	ck_assert_str_eq(jobs[0].why.text, "");
	ck_assert_int_eq(jobs[1].result, ACCT_WRITTEN);
	ck_assert_str_eq(jobs[1].why.text, "2 rows were changed");
}
END_TEST

START_TEST(the_row_tells_the_array_and_the_component)
{
	int i;

	for (i = 0; i < 4; i++)
		rows[i].array_task = rows[i].het_offset = NO_VAL;
	rows[1].array_job = 5;
	rows[1].array_task = 3;
	rows[2].het_job = 6;
	rows[2].het_offset = 1;
	rows[3].array_job = rows[3].het_job = 9; /* without a number */
	ck_assert_int_eq(write_jobs(4), 0);
	ck_assert_int_eq(jobs[0].array_job, -1);
	ck_assert_int_eq(jobs[0].array_task, -1);
	ck_assert_int_eq(jobs[0].het_job, -1);
	ck_assert_int_eq(jobs[0].het_offset, -1);
	ck_assert_int_eq(jobs[1].array_job, 5);
	ck_assert_int_eq(jobs[1].array_task, 3);
	ck_assert_int_eq(jobs[1].het_job, -1);
	ck_assert_int_eq(jobs[2].het_job, 6);
	ck_assert_int_eq(jobs[2].het_offset, 1);
	ck_assert_int_eq(jobs[2].array_job, -1);
	ck_assert_int_eq(jobs[3].array_job, -1);
	ck_assert_int_eq(jobs[3].het_job, -1);
}
END_TEST

/* ---- AdminComment, where the site asked for it ------------------------------ */

static const char js1[] =
	"JS1:H4sIAAAAAAACA6tWystPSS1Wsqqu1VEqyS9JzIkvycxNVbIyM9RRSi8oBc"
	"oY1AIAVjpCiyUAAAA=";

START_TEST(with_field_admin_the_summary_goes_into_jobstats_own)
{
	char summary[64] = "";

	if (!acct_knows_admin())
		return;
	field = LEDGER_FIELD_ADMIN;
	strcpy(rows[1].admin, js1);
	strcpy(rows[2].admin, "somebody's words");
	strcpy(rows[3].admin, js1);
	strcpy(rows[3].text, "jobio/1 job=old");
	ck_assert_int_eq(write_jobs(4), 0);
	ck_assert(jobs[1].in_admin && jobs[3].in_admin);
	ck_assert(!jobs[0].in_admin && !jobs[2].in_admin);
	ck_assert_int_eq(js1_find(rows[1].admin, summary, sizeof(summary)), 1);
	ck_assert_str_eq(summary, texts[1]);
	ck_assert_str_eq(rows[1].text, "");
	ck_assert_str_eq(rows[2].admin, "somebody's words");
	ck_assert_str_eq(rows[2].text, texts[2]);
	ck_assert_str_eq(rows[0].text, texts[0]);
	/* an older one of ours is brought up to date */
	ck_assert_str_eq(rows[3].text, texts[3]);
	ck_assert_int_eq(write_jobs(4), 0);
	ck_assert_int_eq(rows[1].changes, 1);
	ck_assert_int_eq(rows[3].changes, 1);
	ck_assert_int_eq(jobs[1].result, ACCT_WRITTEN);
}
END_TEST

START_TEST(a_change_of_admin_comment_that_was_lost_is_not_taken_for_written)
{
	if (!acct_knows_admin())
		return;
	field = LEDGER_FIELD_ADMIN;
	strcpy(rows[0].admin, js1);
	strcpy(rows[1].admin, js1);
	breaks_after = 1;
	ck_assert_int_eq(write_jobs(2), 0);
	ck_assert_int_eq(jobs[0].result, ACCT_FAILED);
	ck_assert_str_eq(rows[0].admin, js1);
	ck_assert_int_eq(jobs[1].result, ACCT_WRITTEN);
}
END_TEST

START_TEST(with_field_system_admin_comment_is_left_alone)
{
	strcpy(rows[0].admin, js1);
	ck_assert_int_eq(write_jobs(1), 0);
	ck_assert(!jobs[0].in_admin);
	ck_assert_str_eq(rows[0].admin, js1);
	ck_assert_str_eq(rows[0].text, texts[0]);
}
END_TEST

UNIT_MAIN(
	"acct",
	a_large_batch_goes_over_several_connections_and_each_row_is_changed_once,
	jobs_of_two_clusters_with_the_same_number_get_each_its_own_summary,
	each_cluster_is_asked_about_once_and_then_whether_all_is_there,
	a_few_jobs_take_one_connection,
	what_stands_there_already_is_not_changed,
	a_change_that_was_rolled_back_unnoticed_is_not_taken_for_written,
	what_stands_there_already_does_not_hide_a_change_that_was_lost,
	connections_that_get_no_thread_are_used_one_after_the_other,
	when_one_connection_ends_all_jobs_are_written_in_the_next_call,
	a_job_that_has_no_row_yet_waits_for_it,
	who_may_not_write_is_told_who_may,
	a_comment_without_room_for_ours_stays_as_it_is,
	more_rows_than_one_are_told, the_row_tells_the_array_and_the_component,
	with_field_admin_the_summary_goes_into_jobstats_own,
	a_change_of_admin_comment_that_was_lost_is_not_taken_for_written,
	with_field_system_admin_comment_is_left_alone)
