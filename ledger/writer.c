/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ledger/merge.h"
#include "ledger/store_site.h"
#include "record/alloc.h"

/* Of one batch: SIGALRM ends a libslurm that hangs, long before STORE_CLAIM_S. */
#define ACCT_LIMIT_S 120
#define RUN_RETRY_MAX_S 3600
#define ACCT_RETRY_MAX_S 60
#define WAIT_MAX_S 30
#define PURGE_EVERY_S 3600
#define PURGE_MAX 1000
#define ROLL_UP_DAYS 31		     /* in one round */
#define PURGE_GAP_S INT64_C(2592000) /* 30 days */
#define ACCOUNT_LATE_S 10	     /* after a run's end; up to 2 s with Slurm 22.05 */
#define ACCOUNT_AGAIN_S 5

struct job {
	struct store_row row;
	struct site_run *site;
};

static void log_line(const char *text)
{
	fprintf(stderr, "jobio: ledger: %s\n", text);
}

static void log_job(const struct job *job, const char *what)
{
	char text[ERR_MAX + 164];

	snprintf(text, sizeof(text), "job: '%u': %s", job->row.run.key.job, what);
	log_line(text);
}

/* ---- summaries ---------------------------------------------------------------------- */

static int summarize(struct writer *writer, struct job *job, struct err *err)
{
	struct err why;
	struct run *run = merge_load(writer->store, job->row.id, &why, err);
	char line[ERR_MAX + 100];

	if (!run)
		return -1;
	if (run->left_out) {
		snprintf(line, sizeof(line),
			 "store: %" PRId64 " of %" PRId64 " records cannot be read: %s",
			 run->left_out, run->left_out + run->nodes_seen, why.text);
		log_job(job, line);
	}
	merge_describe(run, writer->advice, &job->row, &job->site);
	run_free(run);
	return 0;
}

/* ---- results --------------------------------------------------------------- */

static int64_t retry_at(int64_t now_s, int64_t tries, int64_t max_s)
{
	int64_t wait_s = tries > 20 ? max_s : INT64_C(2) << tries;

	return now_s + (wait_s < max_s ? wait_s : max_s);
}

/* After ACCT_WAIT_S an uncertain row is accepted. */
static int64_t row_at(const struct store_row *row, int64_t now_s)
{
	int64_t wait_end = (int64_t)row->run.last + ACCT_WAIT_S + 1,
		at = retry_at(now_s, row->tries, RUN_RETRY_MAX_S);

	return now_s < wait_end && wait_end < at ? wait_end : at;
}

/* Return when to look at the row again; 0: never. */
static int64_t again_at(const struct store_row *row, const char *account, int64_t now_s)
{
	if (!*account && now_s < (int64_t)row->run.last + ACCOUNT_LATE_S)
		return now_s + ACCOUNT_AGAIN_S;
	return 0;
}

static int note_one(struct writer *writer, struct job *job, const struct acct_job *acct,
		    int64_t now_s, struct err *err)
{
	struct run_key *key = &job->row.run.key;

	if (store_site_put(writer->store, &job->row, job->site, acct->account, err) < 0)
		return -1;
	switch (acct->result) {
	case ACCT_WRITTEN:
		if (*acct->why.text)
			log_job(job, acct->why.text);
		if (acct->array_job >= 0) {
			key->array_job = acct->array_job;
			key->array_task = acct->array_task;
		}
		if (acct->het_job >= 0) {
			key->het_job = acct->het_job;
			key->het_offset = acct->het_offset;
		}
		if (job->row.dirty == STORE_DIRTY) /* else the row is only read again */
			metrics_count(&writer->metrics->written);
		writer->metrics->written_s = now_s;
		return store_done(writer->store, &job->row, now_s,
				  again_at(&job->row, acct->account, now_s), err);
	case ACCT_NO_ROW:
		metrics_count(&writer->metrics->no_row);
		return store_later(writer->store, &job->row, row_at(&job->row, now_s),
				   "slurmdbd has no such job yet", err);
	case ACCT_FAILED:
		break;
	}
	if (!writer->failures)
		metrics_count(&writer->metrics->refused_by_slurmdbd);
	if (!job->row.tries)
		log_job(job, acct->why.text);
	return store_later(writer->store, &job->row,
			   retry_at(now_s, job->row.tries, RUN_RETRY_MAX_S), acct->why.text, err);
}

/* Store the results in one transaction, all or none. */
static int note_all(struct writer *writer, struct job *jobs, const struct acct_job *accts,
		    int count, int64_t now_s, struct err *err)
{
	int i;

	if (store_begin(writer->store, err) < 0)
		return -1;
	for (i = 0; i < count; i++)
		if (note_one(writer, &jobs[i], &accts[i], now_s, err) < 0)
			goto fail;
	if (store_commit(writer->store, err) >= 0)
		return 0;
fail:
	store_rollback(writer->store);
	return -1;
}

/* Nothing was written. The summaries are stored: jobio report shows them. */
static int note_down(struct writer *writer, struct job *jobs, struct acct_job *accts, int count,
		     int64_t now_s, const char *why, struct err *err)
{
	char text[ERR_MAX + 64];
	int i;

	if (writer->failures == 0) {
		snprintf(text, sizeof(text), "%s: trying again until it works", why);
		log_line(text);
	}
	writer->retry_s = retry_at(now_s, writer->failures, ACCT_RETRY_MAX_S);
	writer->failures++;
	metrics_count(&writer->metrics->slurmdbd_failures);
	metrics_set(&writer->metrics->slurmdbd_failing, writer->failures);
	for (i = 0; i < count; i++) {
		accts[i].result = ACCT_FAILED;
		snprintf(accts[i].why.text, ERR_MAX, "%s", why);
		jobs[i].row.tries = 1; /* logged already, retry soon */
	}
	return note_all(writer, jobs, accts, count, now_s, err);
}

/* ---- rounds -------------------------------------------------------------- */

/* Load and merge the runs that are due. Return their number or -1. */
static int prepare(struct writer *writer, const int64_t *ids, int count, struct job *jobs,
		   struct acct_job *accts, struct err *err)
{
	int i;

	for (i = 0; i < count; i++) {
		const struct run *run = &jobs[i].row.run;

		if (store_load(writer->store, ids[i], &jobs[i].row, err) < 0 ||
		    summarize(writer, &jobs[i], err) < 0)
			return -1;
		accts[i] = (struct acct_job){ .cluster = run->key.cluster,
					      .job = run->key.job,
					      .restart = run->key.restart,
					      .start = run->first,
					      .end = run->last,
					      .text = jobs[i].row.summary };
	}
	return count;
}

static int write_batch(struct writer *writer, struct job *jobs, struct acct_job *accts, int count,
		       int64_t now_s, struct err *err)
{
	struct err why = { "" };
	int rc;

	alarm(ACCT_LIMIT_S);
	rc = writer->acct.write(writer->acct.acct, accts, (size_t)count, &why);
	alarm(0);
	if (rc < 0)
		return note_down(writer, jobs, accts, count, now_s, why.text, err);
	if (writer->failures)
		log_line("slurmdbd: works again");
	writer->failures = 0;
	metrics_set(&writer->metrics->slurmdbd_failing, 0);
	return note_all(writer, jobs, accts, count, now_s, err);
}

/* Return 1 if now is so far beyond the end of the newest record, by a node's clock, that the
 * ledger's clock may have jumped; 0, or -1. */
static int is_clock_ahead(struct writer *writer, int64_t now_s, struct err *err)
{
	int64_t gap_s = (int64_t)writer->config->retention_days * 86400 / 4;
	int64_t newest_s = store_newest(writer->store, now_s, err);
	char text[120];
	bool is_ahead;

	if (newest_s < 0)
		return -1;
	if (gap_s > PURGE_GAP_S)
		gap_s = PURGE_GAP_S;
	is_ahead = newest_s && now_s - newest_s > gap_s;
	if (is_ahead && !writer->is_clock_ahead) {
		snprintf(text, sizeof(text),
			 "store: nothing is purged: the newest record ended %" PRId64
			 " h ago: check the clock",
			 (now_s - newest_s) / 3600);
		log_line(text);
	}
	writer->is_clock_ahead = is_ahead;
	return is_ahead;
}

/* Purge old runs, and add up the runs of past days. Return 1 if there is more to do in the next
 * round. */
static int keep_house(struct writer *writer, int64_t now_s, struct err *err)
{
	int64_t before_s = now_s - (int64_t)writer->config->retention_days * 86400;
	int is_ahead, purged = 0, days;

	if (now_s - writer->purged < PURGE_EVERY_S)
		return 0;
	is_ahead = is_clock_ahead(writer, now_s, err);
	if (is_ahead < 0)
		return -1;
	if (!is_ahead)
		purged = store_purge(writer->store, before_s, now_s, PURGE_MAX, err);
	if (purged < 0)
		return -1;
	days = store_site_roll_up(writer->store, now_s, ROLL_UP_DAYS, err);
	if (days < 0)
		return -1;
	if (purged == PURGE_MAX || days == ROLL_UP_DAYS)
		return 1;
	writer->purged = now_s;
	return 0;
}

static int write_summaries(struct writer *writer, int64_t now_s, int64_t *next_s, struct err *err)
{
	struct acct_job accts[WRITER_BATCH];
	struct job *jobs = NULL;
	int64_t ids[WRITER_BATCH];
	int i, count, more, rc = -1;

	*next_s = now_s + WAIT_MAX_S;
	if (now_s < writer->retry_s) {
		*next_s = writer->retry_s;
		return 0;
	}
	more = keep_house(writer, now_s, err);
	if (more < 0)
		return -1;
	count = store_due(writer->store, now_s, ids, WRITER_BATCH, next_s, err);
	if (count == 0 && more)
		*next_s = now_s;
	if (count <= 0)
		return count;
	jobs = xcalloc((size_t)count, sizeof(*jobs));
	if (prepare(writer, ids, count, jobs, accts, err) < 0 ||
	    write_batch(writer, jobs, accts, count, now_s, err) < 0)
		goto out;
	*next_s = now_s;
	rc = count;
out:
	for (i = 0; i < count; i++) {
		store_row_clear(&jobs[i].row);
		site_run_free(jobs[i].site);
	}
	free(jobs);
	return rc;
}

/* ---- operators of Slurm -------------------------------------------------------- */

/* Read the operators from slurmdbd, rarely. While it is down the last ones stay. */
static void read_operators(struct writer *writer, int64_t now_s)
{
	uid_t uids[METRICS_OPERATORS_MAX];
	struct err why;
	int count;

	if (!writer->acct.operators || writer->failures ||
	    (writer->operators_s && now_s - writer->operators_s < WRITER_OPERATORS_S))
		return;
	writer->operators_s = now_s;
	alarm(ACCT_LIMIT_S);
	count = writer->acct.operators(writer->acct.acct, uids, METRICS_OPERATORS_MAX, &why);
	alarm(0);
	if (count < 0) {
		log_line(why.text);
		return;
	}
	metrics_set(&writer->metrics->operator_count, 0);
	memcpy(writer->metrics->operators, uids, (size_t)count * sizeof(*uids));
	metrics_set(&writer->metrics->operator_count, (uint64_t)count);
}

int writer_round(struct writer *writer, int64_t now_s, int64_t *next_s, struct err *err)
{
	int count = write_summaries(writer, now_s, next_s, err);

	if (count < 0)
		return -1;
	read_operators(writer, now_s);
	return count;
}

/* Wait for a byte or until next_s: 1, or 0 if the server has ended. */
static int wait_for(int wake_fd, int64_t next_s)
{
	struct pollfd p = { .fd = wake_fd, .events = POLLIN };
	int64_t wait_s = next_s - time(NULL);
	char bytes[64];
	ssize_t n;

	if (wait_s > WAIT_MAX_S)
		wait_s = WAIT_MAX_S;
	if (poll(&p, 1, wait_s > 0 ? (int)wait_s * 1000 : 0) <= 0)
		return 1;
	n = read(wake_fd, bytes, sizeof(bytes));
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

int writer_run(struct writer *writer, int wake_fd, struct err *err)
{
	int64_t next_s;

	do {
		if (writer_round(writer, time(NULL), &next_s, err) < 0)
			return -1;
		if (next_s < 0)
			next_s = time(NULL) + WAIT_MAX_S;
	} while (wait_for(wake_fd, next_s));
	return 0;
}
