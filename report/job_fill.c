/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many jobs, page by page, from the ledger. */
#include "report/job_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/run.h"
#include "report/job_answer.h"
#include "report/job_row.h"
#include "report/job_source.h"
#include "report/job_view.h"

/* Bytes of a question that are not job ids: its words, a cluster's name, and the id
 * that is one too many. */
#define ASK_BESIDE_IDS 512

/* To the last digit, where the summary has three: what the ledger would add. */
static void take_sums(struct job_report *r)
{
	struct summary *s = &r->summary;
	struct io sum, best;
	size_t i;

	if (!r->record_count || r->left_out || s->scope != SUMMARY_SCOPE_JOB)
		return;
	io_init(&sum);
	for (i = 0; i < r->record_count; i++) {
		run_best(r->records[i], IO_SCOPE_JOB, &best);
		io_add(&sum, &best);
	}
	s->rd_bytes = sum.numbers[IO_READ_BYTES];
	s->rd_calls = sum.numbers[IO_READ_CALLS];
	s->wr_bytes = sum.numbers[IO_WRITE_BYTES];
	s->wr_calls = sum.numbers[IO_WRITE_CALLS];
}

/* In the place of what sacct had, which is more than numbers of an older run. */
static void put_run(struct job_report **place, struct job_report *run)
{
	struct job_report *old = *place;

	run->slurm = old->slurm;
	if (job_is_before_slurm(run))
		old = run;
	else
		*place = run;
	job_report_free(old);
}

/* A run, which the report shows as the ledger told it if nothing was left out. */
static struct job_report *take_run(const char *id, const struct json *run, const char *answer,
				   bool is_brief, struct err *err)
{
	struct job_report *r = job_report_new(id, "ledger");

	if (job_answer_head(r, run, err) < 0) {
		job_report_free(r);
		return NULL;
	}
	job_answer_records(r, run, answer);
	if (!is_brief)
		r->json = xneed(strndup(answer + run->list.at, run->list.size));
	take_sums(r);
	return r;
}

/* The run of one of the reports. */
static int fill_one(struct job_report **reports, size_t count, size_t *next, const struct json *run,
		    const char *answer, bool is_brief, struct err *err)
{
	struct job_report *new;
	char job[24];

	snprintf(job, sizeof(job), "%lld", (long long)json_number(run, "job"));
	while (*next < count && strcmp(reports[*next]->slurm->raw_id, job) != 0)
		++*next;
	if (*next == count)
		return err_set(err, "ledger: it speaks of job %s", job);
	new = take_run(reports[*next]->id, run, answer, is_brief, err);
	if (!new)
		return -1;
	put_run(&reports[(*next)++], new);
	return 0;
}

/* The runs are those of some of the jobs, in their order. How many jobs it
 * speaks of; -1: it does not. */
static int take_page(const char *answer, struct job_report **reports, size_t count, bool is_brief,
		     struct err *err)
{
	struct json *top = json_parse(answer);
	const struct json *run = json_first(json_list(top, "runs"));
	int64_t done = json_number(top, "done");
	size_t next = 0;
	int rc = 0;

	if (!json_is_true(top, "ok"))
		rc = job_answer_refused(top, err);
	else if (done < 1 || done > (int64_t)count)
		rc = err_set(err, "ledger: the answer has no meaning");
	for (; rc == 0 && run; run = run->next)
		rc = fill_one(reports, count, &next, run, answer, is_brief, err);
	json_free(top);
	return rc < 0 ? -1 : (int)done;
}

/* "{"op":"list","cluster":"c","jobs":[7,8],"brief":true}" */
static char *ask_for(const char *cluster, struct job_report *const *reports, size_t count,
		     bool is_brief)
{
	struct json *top = json_new_object();
	struct json *jobs;
	unsigned long job;
	size_t i;

	json_add_text(top, "op", "list");
	if (cluster)
		json_add_text(top, "cluster", cluster);
	jobs = json_add_list(top, "jobs");
	for (i = 0; i < count; i++) {
		if (number_parse(reports[i]->slurm->raw_id, 1, UINT32_MAX, &job, NULL) < 0)
			job = 0;
		json_append_number(jobs, (int64_t)job);
	}
	if (is_brief)
		json_add_bool(top, "brief", true);
	return json_line_free(top);
}

/* How many of them it has answered for; -1: none. */
static int fill_page(struct job_source *source, struct job_report **reports, size_t count,
		     bool is_brief, struct err *err)
{
	char *request = ask_for(job_source_cluster(source), reports, count, is_brief);
	char *answer = job_source_call(source, request, err);
	int done = answer ? take_page(answer, reports, count, is_brief, err) : -1;

	free(answer);
	free(request);
	return done;
}

/* How many of them one question may be about: any user may ask that much. */
static size_t page_of(struct job_report *const *reports, size_t count)
{
	size_t size = ASK_BESIDE_IDS, page = 0;

	while (page < count && page < JOB_FAMILY_MAX && size < LEDGER_ASK_MAX)
		size += strlen(reports[page++]->slurm->raw_id) + 1;
	return page;
}

int job_report_fill(struct job_source *source, struct job_report **reports, size_t count,
		    bool is_brief, struct err *err)
{
	size_t at = 0, page;
	int done;

	while (at < count) {
		page = page_of(reports + at, count - at);
		done = fill_page(source, reports + at, page, is_brief, err);
		if (done < 0)
			return -1;
		at += (size_t)done;
	}
	return 0;
}

/* Reports of those that sacct knows, one behind the other; 'at': their places. */
static size_t list_known(const struct sacct_rows *rows, char (*ids)[JOB_ID_SIZE], size_t count,
			 struct job_report **known, size_t *at)
{
	const struct sacct_row *row;
	size_t i, n = 0;

	for (i = 0; i < count; i++) {
		row = sacct_find(rows, ids[i]);
		if (row) {
			known[n] = job_row_listed(row);
			at[n++] = i;
		}
	}
	return n;
}

/* What the ledger shows when it is asked about one job alone, too. */
static bool is_all_of_it(const struct job_report *r)
{
	return !strcmp(r->source, "ledger") && !r->left_out;
}

void job_report_many(struct job_source *source, char (*ids)[JOB_ID_SIZE], size_t count,
		     bool is_brief, struct job_report **reports)
{
	struct job_report **known = xcalloc(count, sizeof(struct job_report *));
	size_t *at = xcalloc(count, sizeof(*at)), i, n;
	struct err err;

	memset(reports, 0, count * sizeof(struct job_report *));
	n = list_known(source->slurm, ids, count, known, at);
	if (n)
		job_report_fill(source, known, n, is_brief, &err);
	for (i = 0; i < n; i++) {
		if (is_all_of_it(known[i]))
			reports[at[i]] = known[i];
		else
			job_report_free(known[i]);
	}
	free(known);
	free(at);
}
