/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/acct.h"

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

#include "base/utf8.h"
#include "ledger/comment.h"
#include "ledger/store_ops.h"
#include "record/alloc.h"

/* Largest difference between the clocks of nodes and of slurmctld; STORE_SKEW_S if the row is
 * certain otherwise. */
#define SKEW_S 5.0

/* List up to 22.05, list_t * from 23.02 on: __typeof__ names both. */
typedef __typeof__(slurm_list_create(NULL)) acct_list;

/* A connection to slurmdbd, and its work in one call of acct_write(). */
struct lane {
	void *connection;
	struct acct_job *jobs; /* of all lanes */
	size_t count;
	unsigned int number, lanes;
	int rc;
	struct err err;
	pthread_t thread;
};

struct acct {
	struct lane lanes[ACCT_LANES];
};

/* ---- choice of the row ---------------------------------------------------- */

/* Members of a row that the choice needs. */
struct acct_row {
	uint32_t job;
	int64_t start, end;	    /* 0: not yet */
	bool is_pending, is_leader; /* leader: of an array */
	bool has_summary;	    /* another one; not set if restart is known */
};

static bool matches_time(const struct acct_row *row, const struct acct_job *job, double skew_s)
{
	double end = job->end < job->start ? job->start : job->end;

	if (row->job != job->job || row->start <= 0 || row->is_pending ||
	    (row->is_leader && row->end <= 0))
		return false;
	return end + skew_s >= (double)row->start &&
	       (row->end <= 0 || job->start - skew_s <= (double)row->end);
}

static double distance(const struct acct_row *row, const struct acct_job *job)
{
	double d = job->start - (double)row->start;

	return d < 0 ? -d : d;
}

/* Return the number of this job's rows that started before [row]. */
static int64_t rows_before(const struct acct_row *rows, size_t count, const struct acct_row *row)
{
	int64_t before = 0;
	size_t i;

	for (i = 0; i < count; i++)
		before +=
			rows[i].job == row->job && rows[i].start > 0 && rows[i].start < row->start;
	return before;
}

/* Return true if no later row can fit better. Rows have whole seconds. A prolog that starts after
 * its job was cancelled has no time before the row's end, but it has a restart count. */
static bool is_certain(const struct acct_row *rows, size_t count, const struct acct_row *row,
		       const struct acct_job *job)
{
	int64_t before = rows_before(rows, count, row);

	return row->end > 0 && before >= job->restart &&
	       (job->start < (double)row->end + 1.0 ||
		(before == job->restart && matches_time(row, job, SKEW_S)));
}

/* Return true if [row] has ended and is the one at the run's restart count; for a wrong clock that
 * puts the run outside the times of all rows. */
static bool is_numbered(const struct acct_row *rows, size_t count, const struct acct_row *row,
			const struct acct_job *job)
{
	return row->end > 0 && job->restart >= 0 && matches_time(row, job, STORE_SKEW_S) &&
	       rows_before(rows, count, row) == job->restart;
}

/* Return true if the run may have been cancelled before its prolog: only the time of its epilog is
 * known, which runs when slurmd can (slurmd/req.c:_rpc_terminate_job, 22.05). A row with another
 * node's summary is left alone. */
static bool ended_before(const struct acct_row *row, const struct acct_job *job)
{
	return job->restart < 0 && !row->has_summary && row->end > 0 &&
	       (double)row->end <= job->start && matches_time(row, job, STORE_SKEW_S);
}

static const struct acct_row *last_before(const struct acct_row *rows, size_t count,
					  const struct acct_job *job)
{
	const struct acct_row *last = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		if (ended_before(&rows[i], job) && (!last || rows[i].start > last->start))
			last = &rows[i];
	return last;
}

/* Return the index of the row, or -1. */
static int choose_row(const struct acct_row *rows, size_t count, const struct acct_job *job,
		      int64_t now_s)
{
	const struct acct_row *best = NULL;
	size_t i;

	for (i = 0; i < count; i++)
		if (matches_time(&rows[i], job, SKEW_S) &&
		    (!best || distance(&rows[i], job) < distance(best, job)))
			best = &rows[i];
	for (i = 0; !best && i < count; i++)
		if (is_numbered(rows, count, &rows[i], job))
			best = &rows[i];
	if (!best)
		best = last_before(rows, count, job);
	if (!best ||
	    (!is_certain(rows, count, best, job) && job->end + ACCT_WAIT_S > (double)now_s))
		return -1;
	return (int)(best - rows);
}

/* ---- libslurm ------------------------------------------------------------ */

struct acct *acct_new(void)
{
	struct acct *acct = xcalloc(1, sizeof(*acct));
	unsigned int i;

	for (i = 0; i < ACCT_LANES; i++)
		acct->lanes[i].number = i;
	slurm_init(NULL);
	return acct;
}

static void disconnect(struct lane *lane)
{
	if (lane->connection)
		slurmdb_connection_close(&lane->connection);
	lane->connection = NULL;
}

void acct_free(struct acct *acct)
{
	unsigned int i;

	for (i = 0; acct && i < ACCT_LANES; i++)
		disconnect(&acct->lanes[i]);
	free(acct);
}

static int fail(struct lane *lane, const char *what)
{
	int error = errno;

	disconnect(lane);
	return err_set(&lane->err, "slurmdbd: %s: %s", what, slurm_strerror(error));
}

static int connect_lane(struct lane *lane)
{
	uint16_t flags = 0;

	if (lane->connection)
		return 0;
	errno = 0;
	lane->connection = slurmdb_connection_get(&flags);
	return lane->connection ? 0 : fail(lane, "cannot connect");
}

/* Conditions of one query. The entries of its lists are borrowed. */
struct query {
	slurmdb_job_cond_t cond;
	acct_list clusters, steps, states;
};

static void query_free(struct query *q)
{
	slurm_list_destroy(q->clusters);
	slurm_list_destroy(q->steps);
	if (q->states)
		slurm_list_destroy(q->states);
}

/* NO_DEFAULT_USAGE: rows of any age. NO_WHOLE_HETJOB: an ID selects this row, not
 * every component (as_mysql_jobacct_process.c:_setup_job_cond_selected_steps,
 * the same in 22.05 .. 26.05). DUP: earlier runs of requeued jobs too. */
static void query_init(struct query *q, const char *cluster)
{
	memset(q, 0, sizeof(*q));
	q->clusters = slurm_list_create(NULL);
	q->steps = slurm_list_create(NULL);
	slurm_list_append(q->clusters, (char *)cluster);
	q->cond.cluster_list = q->clusters;
	q->cond.step_list = q->steps;
	q->cond.db_flags = SLURMDB_JOB_FLAG_NOTSET;
	q->cond.flags = JOBCOND_FLAG_DUP | JOBCOND_FLAG_NO_STEP | JOBCOND_FLAG_NO_TRUNC |
			JOBCOND_FLAG_NO_WHOLE_HETJOB | JOBCOND_FLAG_NO_DEFAULT_USAGE;
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

/* Set the condition to match exactly this row. slurmdbd changes every row that
 * matches (as_mysql_job.c:as_mysql_modify_job), so it contains
 *  - both numbers of an array task or het component, and
 *  - for a row that has ended its state and end time (_state_time_string), which
 *    separate the runs of a requeued job; one that has not ended is the newest,
 *    which is the result without DUP. */
static void set_condition(struct query *q, slurm_selected_step_t *step, char *state, size_t room,
			  const slurmdb_job_rec_t *row)
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

static void copy_ids(struct acct_job *job, const slurmdb_job_rec_t *row)
{
	if (row->array_job_id && row->array_task_id != NO_VAL) {
		job->array_job = row->array_job_id;
		job->array_task = row->array_task_id;
	}
	if (row->het_job_id && row->het_job_offset != NO_VAL) {
		job->het_job = row->het_job_id;
		job->het_offset = row->het_job_offset;
	}
	utf8_clean(job->account, sizeof(job->account), row->account ? row->account : "",
		   row->account ? strlen(row->account) : 0);
}

/* What to write to which row. slurmdbd identifies a row by its ID and the second of its submission,
 * which differs for each requeue (as_mysql_archive.c, table definition). */
struct text {
	char *comment; /* SystemComment, malloc'ed; NULL: unchanged */
	time_t submit;
};

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Return -1 if there is no room. */
static int make_text(struct acct_job *job, const slurmdb_job_rec_t *row, struct text *text)
{
	text->submit = row->submit;
	text->comment = comment_with(row->system_comment, job->text, &job->why);
	if (!text->comment)
		return -1;
	if (is_same(row->system_comment, text->comment)) {
		free(text->comment);
		text->comment = NULL;
	}
	return 0;
}

/* Return 0, also if only this job failed; -1 if the connection failed. */
static int change(struct lane *lane, struct acct_job *job, const slurmdb_job_rec_t *row,
		  struct text *text)
{
	slurm_selected_step_t step;
	slurmdb_job_rec_t new;
	struct query q;
	char state[16];
	acct_list changed;
	int count, error;

	copy_ids(job, row);
	if (make_text(job, row, text) < 0) {
		job->result = ACCT_FAILED;
		return 0;
	}
	if (!text->comment) {
		job->result = ACCT_WRITTEN;
		return 0;
	}
	query_init(&q, job->cluster);
	set_condition(&q, &step, state, sizeof(state), row);
	memset(&new, 0, sizeof(new));
	new.derived_ec = NO_VAL;
	new.array_task_id = new.het_job_offset = NO_VAL;
	new.system_comment = text->comment;
	errno = 0;
	changed = slurmdb_job_modify(lane->connection, &q.cond, &new);
	error = errno;
	count = changed ? slurm_list_count(changed) : 0;
	if (changed)
		slurm_list_destroy(changed);
	query_free(&q);
	if (count >= 1) {
		job->result = ACCT_WRITTEN;
		if (count > 1)
			err_set(&job->why, "%d rows were changed", count);
		return 0;
	}
	errno = error;
	if (!error || error == SLURM_NO_CHANGE_IN_DATA) {
		job->result = ACCT_NO_ROW; /* it changed meanwhile: try again */
		return 0;
	}
	if (error == ESLURM_ACCESS_DENIED) {
		job->result = ACCT_FAILED;
		err_set(&job->why, "slurmdbd: %s: the ledger must run as SlurmUser or an operator",
			slurm_strerror(error));
		return 0;
	}
	return fail(lane, "cannot change a job");
}

/* ---- jobs of one cluster in one lane --------------------------------------- */

struct rows {
	acct_list list;
	slurmdb_job_rec_t **recs;
	struct acct_row *rows;
	size_t count;
};

static void rows_free(struct rows *rows)
{
	free(rows->recs);
	free(rows->rows);
	if (rows->list)
		slurm_list_destroy(rows->list);
	memset(rows, 0, sizeof(*rows));
}

static void rows_fill(struct rows *rows)
{
	__auto_type it = slurm_list_iterator_create(rows->list);
	size_t room = (size_t)slurm_list_count(rows->list) + 1;
	slurmdb_job_rec_t *rec;

	rows->recs = xcalloc(room, sizeof(*rows->recs));
	rows->rows = xcalloc(room, sizeof(*rows->rows));
	while (rows->count < room && (rec = slurm_list_next(it))) {
		rows->recs[rows->count] = rec;
		rows->rows[rows->count].job = rec->jobid;
		rows->rows[rows->count].start = rec->start;
		rows->rows[rows->count].end = rec->end;
		rows->rows[rows->count].is_pending = rec->state == JOB_PENDING;
		rows->rows[rows->count].is_leader =
			rec->array_job_id && rec->array_job_id == rec->jobid;
		rows->count++;
	}
	slurm_list_iterator_destroy(it);
}

/* Commit, after queries too: MariaDB keeps replying from the snapshot of a transaction's first
 * query. */
static int commit(struct lane *lane)
{
	errno = 0;
	if (slurmdb_connection_commit(lane->connection, true) != SLURM_SUCCESS)
		return fail(lane, "cannot commit");
	return 0;
}

static int look_up(struct lane *lane, struct query *q, struct rows *rows)
{
	errno = 0;
	rows->list = slurmdb_jobs_get(lane->connection, &q->cond);
	if (!rows->list)
		return fail(lane, "cannot look up jobs");
	rows_fill(rows);
	return 0;
}

/* Runs of a job share a lane, because two of them may match the same row. */
static bool is_in_lane(const struct lane *lane, const struct acct_job *job, const char *cluster)
{
	return job->job % lane->lanes == lane->number && !strcmp(job->cluster, cluster);
}

static bool has_text(const struct rows *rows, const struct acct_job *job, const struct text *text)
{
	const slurmdb_job_rec_t *rec;
	size_t i;

	for (i = 0; i < rows->count; i++) {
		rec = rows->recs[i];
		if (rec->jobid == job->job && rec->submit == text->submit)
			return is_same(rec->system_comment, text->comment);
	}
	return false;
}

/* Verify the changes after the commit. If a connection breaks between two changes, libslurm (or
 * slurmdbd, to MariaDB) reconnects and does not report that the changes before were rolled back
 * (slurm_persist_conn.c:slurm_persist_send_msg). */
static int verify_changes(struct lane *lane, const char *cluster, struct query *q,
			  const struct text *texts)
{
	struct rows rows = { 0 };
	size_t i;
	int rc = look_up(lane, q, &rows);

	for (i = 0; rc == 0 && i < lane->count; i++) {
		struct acct_job *job = &lane->jobs[i];

		if (!is_in_lane(lane, job, cluster) || job->result != ACCT_WRITTEN ||
		    !texts[i].comment || has_text(&rows, job, &texts[i]))
			continue;
		job->result = ACCT_FAILED;
		err_set(&job->why,
			"slurmdbd: the change was lost: a connection broke before the commit");
	}
	rows_free(&rows);
	return rc == 0 ? commit(lane) : rc;
}

/* Return true if the row has a summary other than [text]. */
static bool has_other_summary(const slurmdb_job_rec_t *rec, const char *text)
{
	size_t size;
	const char *at = comment_find(rec->system_comment, &size);

	return at && (size != strlen(text) || memcmp(at, text, size) != 0);
}

/* Return the index of the job's row; -1: not there (yet). Summaries in rows are read only if
 * choose_row() needs them. */
static int choose(struct rows *rows, const struct acct_job *job)
{
	size_t i;

	for (i = 0; job->restart < 0 && i < rows->count; i++)
		rows->rows[i].has_summary = rows->rows[i].job == job->job &&
					    has_other_summary(rows->recs[i], job->text);
	return choose_row(rows->rows, rows->count, job, time(NULL));
}

static int change_all(struct lane *lane, const char *cluster, struct query *q, struct text *texts)
{
	struct rows rows = { 0 };
	int at, changed = 0, rc = look_up(lane, q, &rows);
	size_t i;

	for (i = 0; rc == 0 && i < lane->count; i++) {
		struct acct_job *job = &lane->jobs[i];

		if (!is_in_lane(lane, job, cluster))
			continue;
		at = choose(&rows, job);
		if (at < 0)
			continue;
		rc = change(lane, job, rows.recs[at], &texts[i]);
		changed |= texts[i].comment != NULL;
	}
	rows_free(&rows);
	return rc < 0 ? -1 : changed;
}

/* One query for all jobs of a cluster, one change for each, one commit, and one query to verify the
 * changes. */
static int write_cluster(struct lane *lane, const char *cluster)
{
	slurm_selected_step_t *steps = xcalloc(lane->count, sizeof(*steps));
	struct text *texts = xcalloc(lane->count, sizeof(*texts));
	struct query q;
	size_t i;
	int changed, rc = 0;

	query_init(&q, cluster);
	for (i = 0; i < lane->count; i++) {
		if (!is_in_lane(lane, &lane->jobs[i], cluster))
			continue;
		selected_init(&steps[i], lane->jobs[i].job);
		slurm_list_append(q.steps, &steps[i]);
	}
	changed = change_all(lane, cluster, &q, texts);
	if (changed < 0 || commit(lane) < 0 ||
	    (changed && verify_changes(lane, cluster, &q, texts) < 0))
		rc = -1;
	for (i = 0; i < lane->count; i++)
		free(texts[i].comment);
	query_free(&q);
	free(texts);
	free(steps);
	return rc;
}

/* ---- a batch, over the lanes --------------------------------------------- */

/* Return true if this job is the first of its cluster in this lane. */
static bool is_first(const struct lane *lane, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (is_in_lane(lane, &lane->jobs[i], lane->jobs[at].cluster))
			return false;
	return is_in_lane(lane, &lane->jobs[at], lane->jobs[at].cluster);
}

static void *lane_run(void *arg)
{
	struct lane *lane = arg;
	size_t i;

	if (!lane->count) /* test the connection only */
		lane->rc = commit(lane);
	for (i = 0; lane->rc == 0 && i < lane->count; i++)
		if (is_first(lane, i))
			lane->rc = write_cluster(lane, lane->jobs[i].cluster);
	return NULL;
}

int acct_write(void *data, struct acct_job *jobs, size_t count, struct err *err)
{
	struct acct *acct = data;
	unsigned int lanes = 1 + (unsigned int)(count / ACCT_LANE_JOBS), i;
	unsigned int running;
	int rc = 0;

	for (size_t k = 0; k < count; k++) {
		jobs[k].result = ACCT_NO_ROW;
		*jobs[k].account = 0;
		jobs[k].array_job = jobs[k].array_task = -1;
		jobs[k].het_job = jobs[k].het_offset = -1;
		*jobs[k].why.text = 0;
	}
	if (lanes > ACCT_LANES)
		lanes = ACCT_LANES;
	for (i = 0; i < lanes; i++) {
		struct lane *lane = &acct->lanes[i];

		lane->jobs = jobs;
		lane->count = count;
		lane->lanes = lanes;
		lane->rc = connect_lane(lane);
		if (lane->rc < 0) {
			*err = lane->err;
			return -1;
		}
	}
	for (running = 1; running < lanes; running++)
		if (pthread_create(&acct->lanes[running].thread, NULL, lane_run,
				   &acct->lanes[running]))
			break;
	lane_run(&acct->lanes[0]);
	for (i = 1; i < lanes; i++)
		if (i < running)
			pthread_join(acct->lanes[i].thread, NULL);
		else
			lane_run(&acct->lanes[i]); /* no thread: run it here */
	for (i = 0; i < lanes; i++) {
		if (acct->lanes[i].rc == 0 || rc < 0)
			continue;
		*err = acct->lanes[i].err;
		rc = -1;
	}
	return rc;
}

/* ---- operators ------------------------------------------------------------- */

/* Convert the user names of slurmdbd to UIDs of this host. */
static size_t find_uids(acct_list users, uid_t *uids, size_t max)
{
	__auto_type it = slurm_list_iterator_create(users);
	slurmdb_user_rec_t *user;
	struct passwd *pw;
	size_t count = 0;

	while (count < max && (user = slurm_list_next(it))) {
		pw = user->name ? getpwnam(user->name) : NULL;
		if (pw)
			uids[count++] = pw->pw_uid;
	}
	slurm_list_iterator_destroy(it);
	return count;
}

int acct_operators(void *data, uid_t *uids, size_t max, struct err *err)
{
	static const uint16_t levels[] = { SLURMDB_ADMIN_OPERATOR, SLURMDB_ADMIN_SUPER_USER };
	struct lane *lane = &((struct acct *)data)->lanes[0];
	slurmdb_user_cond_t cond;
	size_t i, count = 0;
	acct_list users;

	for (i = 0; i < 2; i++) {
		if (connect_lane(lane) < 0)
			break;
		memset(&cond, 0, sizeof(cond));
		cond.admin_level = levels[i];
		errno = 0;
		users = slurmdb_users_get(lane->connection, &cond);
		if (!users) {
			fail(lane, "cannot look up operators");
			break;
		}
		count += find_uids(users, uids + count, max - count);
		slurm_list_destroy(users);
	}
	if (i == 2)
		return (int)count;
	*err = lane->err;
	return -1;
}
