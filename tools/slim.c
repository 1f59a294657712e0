/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/slim.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "lib/alloc.h"
#include "lib/run.h"
#include "lib/summary.h"

void slim_job_clear(struct slim_job *job)
{
	while (job->count)
		record_free(job->records[--job->count]);
	free(job->records);
	*job = (struct slim_job){ 0 };
}

/* 'left_out': those of the whole job that are not in this answer, as it says. */
static void add_records(struct slim_job *job, const struct json *run, const char *text)
{
	const struct json *list = json_list(run, "records"), *one;
	struct record *record;

	for (one = json_first(list); one; one = one->next) {
		record = record_read(one, text, NULL);
		if (!record) {
			job->left_out++;
			continue;
		}
		if (job->count == job->room) {
			job->room = job->room ? 2 * job->room : 16;
			job->records = xrealloc(job->records, job->room, sizeof(struct record *));
		}
		job->records[job->count++] = record;
	}
}

static void take_head(struct slim_job *job, const struct json *run)
{
	int64_t left = json_number(run, "records_left_out");
	const char *text = json_text(run, "summary");
	struct summary s;
	struct err err;

	job->left_out = left > 0 ? left : 0;
	job->is_all_nodes = text && summary_parse(text, &s, &err) == 0 && s.nodes_expected >= 0 &&
			    s.nodes_seen >= s.nodes_expected;
}

static void add_advice(struct json *top, const struct slim_job *job,
		       const struct config_advice *limits)
{
	bool is_whole = job->is_all_nodes && !job->left_out;
	struct advice_list *list = xneed(advice_new(job->records, job->count, is_whole, limits));
	struct json *array = list->is_judged ? json_add_list(top, "advice") : NULL, *one;
	size_t i;

	if (!array)
		json_add_null(top, "advice");
	for (i = 0; array && i < list->count; i++) {
		const struct advice *a = &list->list[i];

		one = json_append_object(array);
		json_add_text(one, "code", a->code);
		json_add_text(one, "fs", *a->fs ? a->fs : NULL);
		json_add_text(one, "what", a->what);
		json_add_text(one, "why", a->why);
		json_add_text(one, "do", a->cure);
		json_add_text(one, "confidence", advice_trust_name(a->trust));
		json_add_text(one, "source", a->source);
		json_add_number(one, "value", (int)a->value);
	}
	advice_free(list);
}

void slim_advice(const struct slim_job *job, const struct config_advice *limits, FILE *out)
{
	struct json *top = json_new_object();

	json_add_bool(top, "ok", true);
	add_advice(top, job, limits);
	fprintf(out, "%s\n", json_line(top));
	json_free(top);
}

/* An object as it came, with its advice as the last member. */
static void put_with_advice(const struct json *run, const char *text, const struct slim_job *job,
			    const struct slim_want *want, FILE *out)
{
	struct json *top = json_new_object();
	const char *line;

	fwrite(text + run->list.at, run->list.size - 1, 1, out);
	if (job->count && want->is_advice && !json_member(run, "advice")) {
		add_advice(top, job, want->limits);
		line = json_line(top);
		fprintf(out, ",%.*s", (int)strlen(line) - 2, line + 1);
	}
	fputc('}', out);
	json_free(top);
}

void slim_get(struct slim_job *job, const struct json *answer, const char *text, bool is_more,
	      const struct slim_want *want, FILE *out)
{
	int64_t left = job->left_out;

	if (!is_more) {
		slim_job_clear(job);
		take_head(job, answer);
	}
	add_records(job, answer, text);
	if (is_more) {
		left -= (int64_t)json_list(answer, "records")->list.count;
		job->left_out = left > 0 ? left : 0;
		fprintf(out, "%s\n", text);
		return;
	}
	put_with_advice(answer, text, job, want, out);
	fputc('\n', out);
}

/* ---- rows ----------------------------------------------------------------- */

/* What the ledger would add up, where the summary has three digits. */
static void add_totals(struct json *top, const struct slim_job *job, const struct json *run)
{
	const char *text = json_text(run, "summary");
	struct json *totals;
	struct io sum, best;
	struct summary s;
	struct err err;
	size_t i;

	if (!job->count || job->left_out || !text || summary_parse(text, &s, &err) < 0 ||
	    s.scope != SUMMARY_SCOPE_JOB) {
		json_add_null(top, "totals");
		return;
	}
	io_init(&sum);
	for (i = 0; i < job->count; i++) {
		run_best(job->records[i], IO_SCOPE_JOB, &best);
		io_add(&sum, &best);
	}
	totals = json_add_object(top, "totals");
	json_add_known(totals, "read_bytes", sum.numbers[IO_READ_BYTES]);
	json_add_known(totals, "read_calls", sum.numbers[IO_READ_CALLS]);
	json_add_known(totals, "write_bytes", sum.numbers[IO_WRITE_BYTES]);
	json_add_known(totals, "write_calls", sum.numbers[IO_WRITE_CALLS]);
}

static void add_seconds(struct json *top, const char *key, double seconds)
{
	char digits[40];

	snprintf(digits, sizeof(digits), "%.3f", seconds);
	json_add_real(top, key, seconds > 0 ? digits : NULL);
}

/* Each code once. */
static void add_findings(struct json *top, const struct slim_job *job)
{
	struct json *list = json_add_list(top, "findings");
	const struct json *one;
	const char *code;
	size_t i, k;

	for (i = 0; i < job->count; i++)
		for (k = 0; k < job->records[i]->finding_count; k++) {
			code = job->records[i]->findings[k].code;
			for (one = json_first(list); one; one = one->next)
				if (!strcmp(json_value_text(one), code))
					break;
			if (!one)
				json_append_text(list, code);
		}
}

static void put_row(const struct json *run, const struct slim_job *job,
		    const struct slim_want *want, FILE *out)
{
	static const char *const kept[] = { "job",	  "restart", "cluster",	   "array_job",
					    "array_task", "het_job", "het_offset", "summary" };
	struct run_time time = run_time_of(job->records, job->count);
	struct json *top = json_new_object();
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (json_member(run, kept[i]))
			json_add_copy(top, kept[i], json_member(run, kept[i]));
		else
			json_add_null(top, kept[i]);
	json_add_text(top, "user",
		      job->count && *job->records[0]->user ? job->records[0]->user : NULL);
	add_totals(top, job, run);
	add_seconds(top, "last", time.last);
	add_seconds(top, "seconds", run_time_seconds(&time));
	json_add_number(top, "records", (int64_t)job->count);
	add_findings(top, job);
	if (json_member(run, "advice"))
		json_add_copy(top, "advice", json_member(run, "advice"));
	else if (job->count && want->is_advice)
		add_advice(top, job, want->limits);
	fputs(json_line(top), out);
	json_free(top);
}

void slim_list(const struct json *answer, const char *text, const struct slim_want *want, FILE *out)
{
	const struct json *run;
	struct slim_job job = { 0 };
	const char *between = "";

	fprintf(out, "{\"ok\":true,\"done\":%lld,\"runs\":[",
		(long long)json_number(answer, "done"));
	for (run = json_first(json_list(answer, "runs")); run; run = run->next) {
		take_head(&job, run);
		add_records(&job, run, text);
		fputs(between, out);
		if (want->is_slim)
			put_row(run, &job, want, out);
		else
			put_with_advice(run, text, &job, want, out);
		slim_job_clear(&job);
		between = ",";
	}
	fputs("]}\n", out);
}
