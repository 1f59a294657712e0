/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job, from the ledger or from sacct. */
#include "report/job_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "report/job_answer.h"
#include "report/job_row.h"
#include "report/job_source.h"

#define RECORDS_MAX 2048 /* of one job: more are left out */

static struct job_report *read_answer(const char *id, const char *text, struct err *err)
{
	struct json *answer = json_parse(text);
	struct job_report *r = NULL;

	if (!json_is_true(answer, "ok")) {
		job_answer_refused(answer, err);
		goto out;
	}
	r = job_report_new(id, "ledger");
	if (job_answer_head(r, answer, err) < 0) {
		job_report_free(r);
		r = NULL;
		goto out;
	}
	job_answer_records(r, answer, text);
	r->json = xstrdup(text);
out:
	json_free(answer);
	return r;
}

static struct json *request_of(const char *op, const char *id, const char *cluster)
{
	struct json *top = json_new_object();

	json_add_text(top, "op", op);
	json_add_text(top, "job", id);
	if (cluster)
		json_add_text(top, "cluster", cluster);
	return top;
}

/* "{"op":"get","job":"7","cluster":"c","restart":0,"after":"n7"}"; malloc'ed */
static char *get_request(const char *id, const char *cluster, int64_t restart, const char *after)
{
	struct json *top = request_of("get", id, cluster);

	if (restart >= 0)
		json_add_number(top, "restart", restart);
	if (after)
		json_add_text(top, "after", after);
	return json_line_free(top);
}

/* The records of the nodes behind the last one; their number, or -1. */
static int take_page_of(struct job_source *source, struct job_report *r)
{
	const char *last = r->records[r->record_count - 1]->node;
	char *request = get_request(r->id, r->cluster, r->restart, last);
	size_t before = r->record_count;
	struct err err;
	char *text = job_source_call(source, request, &err);
	struct json *answer = text ? json_parse(text) : NULL;
	int count = -1;

	if (json_is_true(answer, "ok")) {
		job_answer_records(r, answer, text);
		count = (int)(r->record_count - before);
	}
	json_free(answer);
	free(text);
	free(request);
	return count;
}

/* A ledger that does not know "after" sends the same again. */
static void take_rest(struct job_source *source, struct job_report *r)
{
	size_t before;
	int count;

	while (r->left_out > 0 && r->record_count && r->record_count < RECORDS_MAX) {
		before = r->record_count;
		count = take_page_of(source, r);
		if (count <= 0)
			return;
		if (!strcmp(r->records[before]->node, r->records[0]->node)) {
			while (r->record_count > before)
				record_free(r->records[--r->record_count]);
			return;
		}
		r->left_out -= r->left_out > count ? count : r->left_out;
	}
}

static struct job_report *ask_ledger(struct job_source *source, const char *id, int64_t restart,
				     struct err *err)
{
	char *request = get_request(id, job_source_cluster(source), restart, NULL);
	char *answer = job_source_call(source, request, err);
	struct job_report *r = answer ? read_answer(id, answer, err) : NULL;

	if (r)
		take_rest(source, r);
	free(answer);
	free(request);
	return r;
}

/* "{"op":"family","job":"5","cluster":"c"}". A ledger that does not know the question says so: then there is no family. */
static size_t family_of_ledger(struct job_source *source, const char *id, char (*ids)[JOB_ID_SIZE],
			       size_t max)
{
	char *request = json_line_free(request_of("family", id, job_source_cluster(source)));
	const struct json *one;
	struct json *top;
	struct err err;
	char *answer = job_source_call(source, request, &err);
	const char *text;
	size_t count = 0;

	top = answer ? json_parse(answer) : NULL;
	for (one = json_first(json_list(top, "family")); one && count < max; one = one->next) {
		text = json_value_text(one);
		if (text && job_report_is_id(text))
			snprintf(ids[count++], JOB_ID_SIZE, "%s", text);
	}
	json_free(top);
	free(answer);
	free(request);
	return count;
}

size_t job_report_family(struct job_source *source, enum job_asked asked, const char *id,
			 char (*ids)[JOB_ID_SIZE], size_t max)
{
	return asked == JOB_ASKED_LEDGER ? family_of_ledger(source, id, ids, max)
					 : job_row_family(source->slurm, id, ids, max);
}

struct job_report *job_report_get(struct job_source *source, const char *id, int64_t restart,
				  struct err *err)
{
	struct err first = { "" }, second = { "" };
	struct job_report *r = ask_ledger(source, id, restart, &first);
	bool is_early = false;

	if (!r && restart < 0) {
		r = job_row_find(source, id, &is_early, &second);
		if (r)
			snprintf(r->why_not_ledger, sizeof(r->why_not_ledger), "%s", first.text);
	}
	if (r)
		r->slurm = sacct_find(source->slurm, id);
	else
		err_set(err, "job: '%s': %s%s%s", id, is_early ? "" : first.text,
			*second.text && !is_early ? "; " : "", second.text);
	return r;
}
