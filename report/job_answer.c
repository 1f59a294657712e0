/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_answer.h"

#include <stdlib.h>

#include "lib/alloc.h"
#include "lib/json.h"

void job_answer_records(struct job_report *r, const struct json *answer, const char *text)
{
	const struct json *list = json_list(answer, "records"), *one;
	struct record *record;

	if (json_first(list))
		r->records = xrealloc(r->records, r->record_count + list->list.count,
				      sizeof(struct record *));
	for (one = json_first(list); one; one = one->next) {
		record = record_read(one, text, NULL);
		if (record)
			r->records[r->record_count++] = record;
		else
			r->left_out++; /* of a later version */
	}
}

int job_answer_refused(const struct json *answer, struct err *err)
{
	const char *why = json_text(answer, "error");

	return err_set(err, "ledger: %s", why ? why : "the answer has no meaning");
}

/* Exact numbers where the summary has three digits. */
static void take_totals(struct job_report *r, const struct json *top)
{
	const struct json *totals = json_map(top, "totals");

	if (!totals)
		return;
	r->summary.rd_bytes = json_number(totals, "read_bytes");
	r->summary.rd_calls = json_number(totals, "read_calls");
	r->summary.wr_bytes = json_number(totals, "write_bytes");
	r->summary.wr_calls = json_number(totals, "write_calls");
}

int job_answer_head(struct job_report *r, const struct json *answer, struct err *err)
{
	const struct json *runs = json_list(answer, "runs");
	int64_t left = json_number(answer, "records_left_out");

	r->job = (uint32_t)json_number(answer, "job");
	r->restart = json_number(answer, "restart");
	r->left_out = left > 0 ? left : 0;
	r->array_job = json_number(answer, "array_job");
	r->array_task = json_number(answer, "array_task");
	r->het_job = json_number(answer, "het_job");
	r->het_offset = json_number(answer, "het_offset");
	if (runs)
		r->runs = (int64_t)runs->list.count;
	if (r->runs > 0)
		r->newest = json_number(json_first(runs), "restart");
	job_report_text(&r->cluster, json_text(answer, "cluster"));
	job_report_text(&r->state, json_text(answer, "state"));
	job_report_text(&r->error, json_text(answer, "error"));
	job_report_text(&r->summary_text, json_text(answer, "summary"));
	if (!r->summary_text)
		return err_set(err, "ledger: it has no summary");
	if (summary_parse(r->summary_text, &r->summary, err) < 0)
		return -1;
	take_totals(r, answer);
	return 0;
}
