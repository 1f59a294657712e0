/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for programs: one JSON object. */
#include "report/job_print.h"

#include <string.h>

#include "lib/json.h"
#include "lib/utf8.h"
#include "report/job_advice.h"
#include "report/job_timeline.h"

void job_totals_json(struct json *top, const struct summary *s)
{
	struct json *totals = json_add_object(top, "totals");

	json_add_known(totals, "read_bytes", s->rd_bytes);
	json_add_known(totals, "read_calls", s->rd_calls);
	json_add_known(totals, "write_bytes", s->wr_bytes);
	json_add_known(totals, "write_calls", s->wr_calls);
}

static void add_summary(struct json *top, const struct job_report *r)
{
	json_add_text(top, "cluster", r->cluster);
	json_add_text(top, "summary", r->summary_text);
	json_add_text(top, "why_not_ledger", *r->why_not_ledger ? r->why_not_ledger : NULL);
	if (r->summary_text)
		job_totals_json(top, &r->summary);
}

static void add_word(struct json *o, const char *key, const char *text)
{
	json_add_text(o, key, *text ? text : NULL);
}

/* Of the job's newest run; null: it says nothing. */
static void slurm_json(struct json *top, const struct sacct_row *job)
{
	struct json *o;

	if (!job) {
		json_add_null(top, "slurm");
		return;
	}
	o = json_add_object(top, "slurm");
	add_word(o, "name", job->name);
	add_word(o, "user", job->user);
	add_word(o, "account", job->account);
	add_word(o, "partition", job->partition);
	add_word(o, "state", job->state);
	json_add_known(o, "exit_code", job->exit_code);
	json_add_known(o, "signal", job->signal);
	json_add_known(o, "start", job->start);
	json_add_known(o, "end", job->end);
	json_add_known(o, "elapsed_s", job->elapsed_s);
	json_add_known(o, "nodes", job->nodes);
}

/* Hidden characters as \uXXXX: a terminal may show JSON, too. */
static void put_json(const char *json, FILE *out)
{
	size_t size = strlen(json), n;
	unsigned int code = 0;

	for (; size; json += n, size -= n) {
		n = utf8_character(json, size, &code);
		if (!n)
			fputc('?', out);
		else if (utf8_is_hidden(code))
			fprintf(out, "\\u%04x", code);
		else
			fwrite(json, n, 1, out);
		n = n ? n : 1;
	}
}

/* The ledger's answer as it came, timelines (null: records are left out) and
 * advice (null: too little to judge), or what sacct knows in the same form. */
void job_print_json(const struct job_report *r, FILE *out)
{
	struct json *told = r->json ? json_parse(r->json) : NULL, *top = json_new_object();
	const struct json *one;

	for (one = json_first(told); one; one = one->next)
		if (strcmp(one->key, "ok") != 0)
			json_add_copy(top, one->key, one);
	json_add_text(top, "id", r->id);
	json_add_text(top, "source", r->source);
	if (!r->json)
		add_summary(top, r);
	slurm_json(top, r->slurm);
	if (r->record_count)
		job_timelines_json(top, r);
	if (r->record_count && r->advice != ADVICE_WANT_NONE)
		job_advice_json(top, r);
	put_json(json_line(top), out);
	json_free(top);
	json_free(told);
}
