/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_answer.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"

/* What follows a comma and a quote is a key, and no part of a string. */
int job_answer_open(struct job_answer *a, const char *text, size_t size)
{
	static const char key[] = ",\"records\":[";
	const char *at = memmem(text, size, key, sizeof(key) - 1);
	const char *rest = text + size;
	char *copy;

	a->records = a->end = NULL;
	if (at) {
		a->records = at + sizeof(key) - 2;
		a->end = json_end(a->records);
		if (!a->end || a->end > rest)
			return -1;
		rest = a->end;
	} else {
		at = rest;
	}
	copy = xasprintf("%.*s%.*s", (int)(at - text), text, (int)(text + size - rest), rest);
	a->head = json_parse(copy);
	free(copy);
	return 0;
}

void job_answer_records(struct job_report *r, const struct job_answer *a)
{
	const char *at = a->records ? a->records + 1 : NULL, *last;
	size_t room = r->record_count;
	struct record *record;

	for (; at && at < a->end && *at == '{'; at = last + (*last == ',')) {
		last = json_end(at);
		if (!last)
			break;
		if (r->record_count == room) {
			room = room ? room * 2 : 4;
			r->records = xrealloc(r->records, room, sizeof(struct record *));
		}
		record = record_parse(at, (size_t)(last - at), NULL);
		if (record)
			r->records[r->record_count++] = record;
		else
			r->left_out++; /* of a later version */
	}
}

void job_answer_close(struct job_answer *a)
{
	json_object_put(a->head);
	a->head = NULL;
}

int job_answer_refused(struct json_object *top, struct err *err)
{
	const char *why = json_text(top, "error");

	return err_set(err, "ledger: %s", why ? why : "the answer has no meaning");
}

/* Exact numbers where the summary has three digits. */
static void take_totals(struct job_report *r, struct json_object *top)
{
	struct json_object *totals = json_map(top, "totals");

	if (!totals)
		return;
	r->summary.rd_bytes = json_number(totals, "read_bytes");
	r->summary.rd_calls = json_number(totals, "read_calls");
	r->summary.wr_bytes = json_number(totals, "write_bytes");
	r->summary.wr_calls = json_number(totals, "write_calls");
}

int job_answer_head(struct job_report *r, struct json_object *top, struct err *err)
{
	struct json_object *runs = json_list(top, "runs");
	int64_t left = json_number(top, "records_left_out");

	r->job = (uint32_t)json_number(top, "job");
	r->restart = json_number(top, "restart");
	r->left_out = left > 0 ? left : 0;
	r->array_job = json_number(top, "array_job");
	r->array_task = json_number(top, "array_task");
	r->het_job = json_number(top, "het_job");
	r->het_offset = json_number(top, "het_offset");
	if (runs)
		r->runs = (int64_t)json_object_array_length(runs);
	if (r->runs > 0)
		r->newest = json_number(json_object_array_get_idx(runs, 0), "restart");
	job_report_text(&r->cluster, json_text(top, "cluster"));
	job_report_text(&r->state, json_text(top, "state"));
	job_report_text(&r->error, json_text(top, "error"));
	job_report_text(&r->summary_text, json_text(top, "summary"));
	if (!r->summary_text)
		return err_set(err, "ledger: it has no summary");
	if (summary_parse(r->summary_text, &r->summary, err) < 0)
		return -1;
	take_totals(r, top);
	return 0;
}
