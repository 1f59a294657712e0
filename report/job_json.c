/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for programs: one JSON object. */
#include "report/job_print.h"

#include <json-c/json.h>
#include <string.h>

#include "lib/json.h"
#include "lib/utf8.h"
#include "report/job_advice.h"
#include "report/job_timeline.h"

struct json_object *job_totals_json(const struct summary *s)
{
	struct json_object *totals = json_object_new_object();

	json_add_known(totals, "read_bytes", s->rd_bytes);
	json_add_known(totals, "read_calls", s->rd_calls);
	json_add_known(totals, "write_bytes", s->wr_bytes);
	json_add_known(totals, "write_calls", s->wr_calls);
	return totals;
}

static void add_summary(struct json_object *top, const struct job_report *r)
{
	json_add_text(top, "cluster", r->cluster);
	json_add_text(top, "summary", r->summary_text);
	json_add_text(top, "why_not_ledger", *r->why_not_ledger ? r->why_not_ledger : NULL);
	if (r->summary_text)
		json_object_object_add(top, "totals", job_totals_json(&r->summary));
}

static void add_word(struct json_object *o, const char *key, const char *text)
{
	json_add_text(o, key, *text ? text : NULL);
}

/* Of the job's newest run; null: it says nothing. */
static struct json_object *slurm_json(const struct sacct_row *job)
{
	struct json_object *o;

	if (!job)
		return NULL;
	o = json_object_new_object();
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
	return o;
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
	struct json_object *top = r->json ? json_parse(r->json) : json_object_new_object();

	json_object_object_del(top, "ok");
	json_add_text(top, "id", r->id);
	json_add_text(top, "source", r->source);
	if (!r->json)
		add_summary(top, r);
	json_object_object_add(top, "slurm", slurm_json(r->slurm));
	if (r->record_count)
		json_object_object_add(top, "timelines", job_timelines_json(r));
	if (r->record_count && r->advice != ADVICE_WANT_NONE)
		json_object_object_add(top, "advice", job_advice_json(r));
	put_json(json_line(top), out);
	json_object_put(top);
}
