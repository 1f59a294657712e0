/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmdb.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "js1.h"

/* Clocks of nodes and of slurmctld may differ by this much. */
#define SKEW_S 5.0

/* List up to 22.05, list_t * from 23.02 on: __typeof__ names both. */
typedef __typeof__(slurm_list_create(NULL)) acct_list;

struct acct {
	void *connection;
	int is_admin;
};

/* ---- which row ----------------------------------------------------------- */

static bool fits(const struct acct_row *row, const struct acct_job *job)
{
	double end = job->end < job->start ? job->start : job->end;

	if (row->job != job->job || row->start <= 0 || row->waits ||
	    (row->leader && row->end <= 0))
		return false;
	return end + SKEW_S >= (double)row->start &&
	       (row->end <= 0 || job->start - SKEW_S <= (double)row->end);
}

static double distance(const struct acct_row *row, const struct acct_job *job)
{
	double d = job->start - (double)row->start;

	return d < 0 ? -d : d;
}

/* Rows know whole seconds. */
static bool is_sure(const struct acct_row *rows, size_t count,
		    const struct acct_row *row, const struct acct_job *job)
{
	int64_t before = 0;
	size_t i;

	for (i = 0; i < count; i++)
		before += rows[i].job == job->job && rows[i].start > 0 &&
			  rows[i].start < row->start;
	return row->end > 0 && job->start < (double)row->end + 1.0 &&
	       before >= job->restart;
}

int acct_choose(const struct acct_row *rows, size_t count,
		const struct acct_job *job, int64_t now_s)
{
	const struct acct_row *best = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		if (fits(&rows[i], job) &&
		    (!best || distance(&rows[i], job) < distance(best, job)))
			best = &rows[i];
	if (!best || (!is_sure(rows, count, best, job) &&
		      job->end + ACCT_PATIENCE_S > (double)now_s))
		return -1;
	return (int)(best - rows);
}

/* ---- libslurm ------------------------------------------------------------ */

/* as_mysql_job.c:as_mysql_modify_job() of 20.11 takes no admin_comment. */
int acct_knows_admin(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 5, 0);
}

struct acct *acct_new(enum ledger_field field, struct err *err)
{
	struct acct *acct = calloc(1, sizeof(*acct));

	if (!acct) {
		err_set(err, "slurmdbd: out of memory");
		return NULL;
	}
	acct->is_admin = field == LEDGER_FIELD_ADMIN && acct_knows_admin();
	slurm_init(NULL);
	return acct;
}

void acct_free(struct acct *acct)
{
	if (!acct)
		return;
	if (acct->connection)
		slurmdb_connection_close(&acct->connection);
	free(acct);
}

static int fail(struct acct *acct, const char *what, struct err *err)
{
	int error = errno;

	if (acct->connection)
		slurmdb_connection_close(&acct->connection);
	acct->connection = NULL;
	return err_set(err, "slurmdbd: %s: %s", what, slurm_strerror(error));
}

static int connect_acct(struct acct *acct, struct err *err)
{
	uint16_t flags = 0;

	if (acct->connection)
		return 0;
	errno = 0;
	acct->connection = slurmdb_connection_get(&flags);
	if (!acct->connection)
		return fail(acct, "cannot connect", err);
	return 0;
}

/* The conditions of one question. Everything in it is borrowed. */
struct question {
	slurmdb_job_cond_t cond;
	acct_list clusters, steps, states;
};

static void question_free(struct question *q)
{
	if (q->clusters)
		slurm_list_destroy(q->clusters);
	if (q->steps)
		slurm_list_destroy(q->steps);
	if (q->states)
		slurm_list_destroy(q->states);
	memset(q, 0, sizeof(*q));
}

/* NO_DEFAULT_USAGE: rows of any age. NO_WHOLE_HETJOB: an id means this row, not
 * every component (as_mysql_jobacct_process.c:_setup_job_cond_selected_steps,
 * the same in 20.11 .. 26.05). DUP: earlier runs of requeued jobs too. */
static void question_init(struct question *q, const char *cluster)
{
	memset(q, 0, sizeof(*q));
	q->clusters = slurm_list_create(NULL);
	q->steps = slurm_list_create(NULL);
	slurm_list_append(q->clusters, (char *)cluster);
	q->cond.cluster_list = q->clusters;
	q->cond.step_list = q->steps;
	q->cond.db_flags = SLURMDB_JOB_FLAG_NOTSET;
	q->cond.flags = JOBCOND_FLAG_DUP | JOBCOND_FLAG_NO_STEP |
			JOBCOND_FLAG_NO_TRUNC | JOBCOND_FLAG_NO_WHOLE_HETJOB |
			JOBCOND_FLAG_NO_DEFAULT_USAGE;
}

static void selected_init(slurm_selected_step_t *step, uint32_t job)
{
	memset(step, 0, sizeof(*step));
	step->array_task_id = NO_VAL;
	step->het_job_offset = NO_VAL;
	step->step_id.job_id = job;
	step->step_id.step_het_comp = NO_VAL;
	step->step_id.step_id = NO_VAL;
}

/* ---- change one row ------------------------------------------------------ */

/* Point the condition at exactly this row. slurmdbd changes every row that the
 * condition finds (as_mysql_job.c:as_mysql_modify_job), so it names
 *  - array task or het component by both of its numbers, and
 *  - for a row that has ended its state and the second of its end
 *    (_state_time_string), which tells a requeued run from the others; one
 *    that has not ended is the newest, which is what we get without DUP. */
static void aim(struct question *q, slurm_selected_step_t *step, char *state,
		size_t room, const slurmdb_job_rec_t *row)
{
	selected_init(step, row->jobid);
	if (row->array_job_id && row->array_task_id != NO_VAL) {
		step->step_id.job_id = row->array_job_id;
		step->array_task_id = row->array_task_id;
	} else if (row->het_job_id && row->het_job_offset != NO_VAL) {
		step->step_id.job_id = row->het_job_id;
		step->het_job_offset = row->het_job_offset;
	}
	slurm_list_append(q->steps, step);
	if (!row->end) {
		q->cond.flags &= ~(uint32_t)JOBCOND_FLAG_DUP;
		return;
	}
	snprintf(state, room, "%u", row->state);
	q->states = slurm_list_create(NULL);
	slurm_list_append(q->states, state);
	q->cond.state_list = q->states;
	q->cond.usage_start = q->cond.usage_end = row->end;
}

static int64_t or_none(uint32_t number)
{
	return number == NO_VAL ? -1 : (int64_t)number;
}

static void tell(struct acct_job *job, const slurmdb_job_rec_t *row)
{
	job->array_job = job->array_task = -1;
	job->het_job = job->het_offset = -1;
	if (row->array_job_id && row->array_task_id != NO_VAL) {
		job->array_job = row->array_job_id;
		job->array_task = or_none(row->array_task_id);
	}
	if (row->het_job_id && row->het_job_offset != NO_VAL) {
		job->het_job = row->het_job_id;
		job->het_offset = or_none(row->het_job_offset);
	}
}

/* What is to be written into which field: NULL stays as it is. */
struct texts {
	char *merged; /* AdminComment, malloc'ed */
	char *system; /* SystemComment, borrowed */
};

static int is_summary(const char *text)
{
	return text && !strncmp(text, "jobio/1 ", 8);
}

/* An older summary of ours in SystemComment, written before there was a JS1,
 * is kept up to date; other text is left there then. */
static void choose_texts(const struct acct *acct, struct acct_job *job,
			 const slurmdb_job_rec_t *row, struct texts *texts)
{
	struct err why;

	memset(texts, 0, sizeof(*texts));
	job->in_admin =
		acct->is_admin && js1_merge(row->admin_comment, job->text,
					    &texts->merged, &why) >= 0;
	if ((!job->in_admin || is_summary(row->system_comment)) &&
	    (!row->system_comment || strcmp(row->system_comment, job->text)))
		texts->system = (char *)job->text;
}

/* 0, also when only this job failed; -1: the connection is no good. */
static int change(struct acct *acct, struct acct_job *job,
		  const slurmdb_job_rec_t *row, struct err *err)
{
	slurm_selected_step_t step;
	slurmdb_job_rec_t new;
	struct question q;
	char state[16];
	acct_list changed;
	struct texts texts;
	int count, error;

	tell(job, row);
	choose_texts(acct, job, row, &texts);
	if (!texts.merged && !texts.system) {
		job->result = ACCT_WRITTEN;
		return 0;
	}
	question_init(&q, job->cluster);
	aim(&q, &step, state, sizeof(state), row);
	memset(&new, 0, sizeof(new));
	new.derived_ec = NO_VAL;
	new.array_task_id = new.het_job_offset = NO_VAL;
	new.system_comment = texts.system;
	new.admin_comment = texts.merged;
	errno = 0;
	changed = slurmdb_job_modify(acct->connection, &q.cond, &new);
	error = errno;
	count = changed ? slurm_list_count(changed) : 0;
	if (changed)
		slurm_list_destroy(changed);
	question_free(&q);
	free(texts.merged);
	if (count >= 1) {
		job->result = ACCT_WRITTEN;
		if (count > 1)
			err_set(&job->why, "%d rows were changed", count);
		return 0;
	}
	errno = error;
	if (!error || error == SLURM_NO_CHANGE_IN_DATA) {
		job->result = ACCT_NO_ROW; /* it changed under us: ask again */
		return 0;
	}
	if (error == ESLURM_ACCESS_DENIED) {
		job->result = ACCT_FAILED;
		err_set(&job->why,
			"slurmdbd: %s: the ledger must run as "
			"SlurmUser or an operator",
			slurm_strerror(error));
		return 0;
	}
	return fail(acct, "cannot change a job", err);
}

/* ---- a batch ------------------------------------------------------------- */

struct rows {
	slurmdb_job_rec_t **recs;
	struct acct_row *rows;
	size_t count;
};

static int rows_fill(struct rows *rows, acct_list list)
{
	__auto_type it = slurm_list_iterator_create(list);
	size_t room = (size_t)slurm_list_count(list) + 1;
	slurmdb_job_rec_t *rec;

	rows->count = 0;
	rows->recs = calloc(room, sizeof(*rows->recs));
	rows->rows = calloc(room, sizeof(*rows->rows));
	while (rows->recs && rows->rows && rows->count < room &&
	       (rec = slurm_list_next(it))) {
		rows->recs[rows->count] = rec;
		rows->rows[rows->count].job = rec->jobid;
		rows->rows[rows->count].start = rec->start;
		rows->rows[rows->count].end = rec->end;
		rows->rows[rows->count].waits = rec->state == JOB_PENDING;
		rows->rows[rows->count].leader =
			rec->array_job_id && rec->array_job_id == rec->jobid;
		rows->count++;
	}
	slurm_list_iterator_destroy(it);
	return rows->recs && rows->rows ? 0 : -1;
}

/* One question for all jobs of the same cluster, then a change each. */
static int write_cluster(struct acct *acct, struct acct_job *jobs, size_t count,
			 const char *cluster, struct err *err)
{
	slurm_selected_step_t *steps = calloc(count, sizeof(*steps));
	struct rows rows = { 0 };
	struct question q;
	acct_list found = NULL;
	size_t i;
	int at, rc = -1;

	question_init(&q, cluster);
	if (!steps) {
		err_set(err, "slurmdbd: out of memory");
		goto out;
	}
	for (i = 0; i < count; i++) {
		if (strcmp(jobs[i].cluster, cluster))
			continue;
		selected_init(&steps[i], jobs[i].job);
		slurm_list_append(q.steps, &steps[i]);
	}
	errno = 0;
	found = slurmdb_jobs_get(acct->connection, &q.cond);
	if (!found) {
		fail(acct, "cannot look up jobs", err);
		goto out;
	}
	if (rows_fill(&rows, found) < 0) {
		err_set(err, "slurmdbd: out of memory");
		goto out;
	}
	for (i = 0; i < count; i++) {
		if (strcmp(jobs[i].cluster, cluster))
			continue;
		at = acct_choose(rows.rows, rows.count, &jobs[i], time(NULL));
		if (at >= 0 && change(acct, &jobs[i], rows.recs[at], err) < 0)
			goto out;
	}
	rc = 0;
out:
	free(rows.recs);
	free(rows.rows);
	if (found)
		slurm_list_destroy(found);
	question_free(&q);
	free(steps);
	return rc;
}

static int is_first_of_cluster(const struct acct_job *jobs, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (!strcmp(jobs[i].cluster, jobs[at].cluster))
			return 0;
	return 1;
}

int acct_write(void *data, struct acct_job *jobs, size_t count, struct err *err)
{
	struct acct *acct = data;
	size_t i;

	for (i = 0; i < count; i++) {
		jobs[i].result = ACCT_NO_ROW;
		jobs[i].in_admin = 0;
		jobs[i].array_job = jobs[i].array_task = -1;
		jobs[i].het_job = jobs[i].het_offset = -1;
		*jobs[i].why.text = 0;
	}
	if (connect_acct(acct, err) < 0)
		return -1;
	for (i = 0; i < count; i++)
		if (is_first_of_cluster(jobs, i) &&
		    write_cluster(acct, jobs, count, jobs[i].cluster, err) < 0)
			return -1;
	errno = 0;
	if (slurmdb_connection_commit(acct->connection, true) != SLURM_SUCCESS)
		return fail(acct, "cannot commit", err);
	return 0;
}
