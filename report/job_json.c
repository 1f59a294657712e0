/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for programs: one JSON object. */
#include "report/job_print.h"

#include <json-c/json.h>
#include <string.h>

#include "lib/json.h"
#include "lib/utf8.h"
#include "report/job_advice.h"
#include "report/job_timeline.h"

static void add_sacct(struct json_object *top, const struct job_report *r)
{
	json_add_text(top, "cluster", r->cluster);
	json_add_text(top, "user", r->user);
	json_add_text(top, "job_state", r->job_state);
	json_add_text(top, "start", r->start);
	json_add_text(top, "end", r->end);
	json_add_text(top, "summary", r->summary_text);
	json_add_text(top, "why_not_ledger", r->why_not_ledger);
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
	struct json_object *top =
		r->json ? json_parse(r->json) : json_object_new_object();

	json_object_object_del(top, "ok");
	json_add_text(top, "id", r->id);
	json_add_text(top, "source", r->source);
	if (!r->json)
		add_sacct(top, r);
	if (r->record_count)
		json_object_object_add(top, "timelines", job_timelines_json(r));
	if (r->record_count && r->advice != ADVICE_WANT_NONE)
		json_object_object_add(top, "advice", job_advice_json(r));
	put_json(json_line(top), out);
	json_object_put(top);
}
