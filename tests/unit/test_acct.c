/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A batch of summaries against a slurmdbd of our own: its functions of libslurm
 * are here, with one row a job and transactions as MariaDB has them. */
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

#define JOBS 256
#define CONNECTIONS 16

typedef __typeof__(slurm_list_create(NULL)) list_of_slurm;

static struct row {
	char text[64], pending[64];
	int connection; /* that wrote the pending text */
	int changes;
} rows[JOBS];
static char opened[CONNECTIONS];
static int connections, breaks_after, changes_here[CONNECTIONS];
static uint32_t refused; /* once: the job at which a connection ends */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
		if (!*rows[i].pending || rows[i].connection != connection)
			continue;
		if (is_kept)
			strcpy(rows[i].text, rows[i].pending);
		*rows[i].pending = 0;
	}
}

int slurmdb_connection_close(void **connection)
{
	pthread_mutex_lock(&lock);
	end_transaction((int)((char *)*connection - opened), false);
	pthread_mutex_unlock(&lock);
	*connection = NULL;
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

list_of_slurm slurmdb_jobs_get(void *connection, slurmdb_job_cond_t *cond)
{
	list_of_slurm list = slurm_list_create(free);
	int i;

	(void)connection;
	for (i = 0; i < slurm_list_count(cond->step_list); i++) {
		slurmdb_job_rec_t *rec = calloc(1, sizeof(*rec));

		rec->jobid = job_of(cond->step_list, i);
		rec->submit = 900;
		rec->start = 1000;
		rec->end = 2000;
		rec->state = JOB_COMPLETE;
		rec->array_task_id = rec->het_job_offset = NO_VAL;
		rec->system_comment = rows[rec->jobid].text;
		slurm_list_append(list, rec);
	}
	return list;
}

list_of_slurm slurmdb_job_modify(void *connection, slurmdb_job_cond_t *cond,
				 slurmdb_job_rec_t *job)
{
	int at = (int)((char *)connection - opened);
	list_of_slurm list = slurm_list_create(NULL);
	uint32_t number = job_of(cond->step_list, 0);

	if (refused && number == refused) {
		refused = 0;
		slurm_list_destroy(list);
		errno = ECONNRESET;
		return NULL;
	}
	pthread_mutex_lock(&lock);
	snprintf(rows[number].pending, sizeof(rows[number].pending), "%s",
		 job->system_comment);
	rows[number].connection = at;
	rows[number].changes++;
	slurm_list_append(list, &rows[number]);
	/* and libslurm makes a new one, without a word */
	if (++changes_here[at] == breaks_after)
		end_transaction(at, false);
	pthread_mutex_unlock(&lock);
	return list;
}

/* ---- batches ------------------------------------------------------------- */

static struct acct_job jobs[JOBS];
static char texts[JOBS][64];

static int write_jobs(int count)
{
	struct err err = { "" };
	struct acct *acct = acct_new(LEDGER_FIELD_SYSTEM, &err);
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
	for (i = 0; i < JOBS; i++) {
		ck_assert_int_eq(jobs[i].result, ACCT_WRITTEN);
		ck_assert_str_eq(rows[i].text, texts[i]);
		ck_assert_int_eq(rows[i].changes, 1);
	}
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

UNIT_MAIN(
	"acct",
	a_large_batch_goes_over_several_connections_and_each_row_is_changed_once,
	a_few_jobs_take_one_connection,
	what_stands_there_already_is_not_changed,
	a_change_that_was_rolled_back_unnoticed_is_not_taken_for_written,
	when_one_connection_ends_all_jobs_are_written_in_the_next_call)
