/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_advice.h"

#include <errno.h>

#include "advice/advice.h"
#include "lib/alloc.h"
#include "lib/json.h"
#include "report/command.h"
#include "report/job_view.h"
#include "report/tone.h"

#define LINES_SHOWN 5

int job_advice_config(struct config **config, struct config_advice *limits, const char *conf,
		      const char *command, struct err *why)
{
	struct err err;

	*config = config_load(conf, why);
	if (!*config && (conf || errno != ENOENT))
		return command_fail(command, conf ? COMMAND_USAGE : COMMAND_FAILED, why);
	config_advice_init(limits);
	if (!*config)
		return COMMAND_OK;
	*limits = (*config)->advice;
	if (config_calibrate(*config, &err) < 0)
		fprintf(stderr, "jobio: %s: %s; its numbers are not used\n", command, err.text);
	else
		*limits = (*config)->advice;
	return COMMAND_OK;
}

struct advice_list *job_advice_of(const struct job_report *r)
{
	if (!r->record_count || r->advice == ADVICE_WANT_NONE)
		return NULL;
	return xneed(advice_new(r->records, r->record_count, job_is_whole(r), r->limits));
}

/* In one line. */
static void print_one(FILE *out, const char *name, const struct advice *a)
{
	fprintf(out, "  %-13s %s%s%s%s%s: %s; %s; do: %s (%s)\n", name, tone(TONE_WARN), a->code,
		tone(TONE_END), *a->fs ? " on " : "", a->fs, a->what, a->why, a->cure,
		advice_trust_name(a->trust));
}

void job_print_advice(FILE *out, const struct job_report *r)
{
	struct advice_list *list = job_advice_of(r);
	size_t i, shown = list ? list->count : 0;

	if (r->advice != ADVICE_WANT_ALL && shown > LINES_SHOWN)
		shown = LINES_SHOWN - 1;
	for (i = 0; i < shown; i++)
		print_one(out, i ? "" : "advice", &list->list[i]);
	if (list && shown < list->count)
		fprintf(out, "  %-13s and %zu more: --advice=all\n", "", list->count - shown);
	if (list && !list->is_judged)
		fprintf(out,
			"  %-13s too little to judge: not %u s, %u MiB or %u calls of this job alone on a client's filesystem\n",
			"advice", r->limits->min_seconds, r->limits->min_mib, r->limits->min_calls);
	advice_free(list);
}

void job_advice_json(struct json *top, const struct job_report *r)
{
	struct advice_list *list = job_advice_of(r);
	struct json *array, *one;
	size_t i;

	if (!list || !list->is_judged) {
		json_add_null(top, "advice");
		advice_free(list);
		return;
	}
	array = json_add_list(top, "advice");
	for (i = 0; i < list->count; i++) {
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

bool job_advice_first(const struct job_report *r, struct advice *first)
{
	struct advice_list *list = job_advice_of(r);
	bool is_there = list && list->count > 0;

	if (is_there)
		*first = list->list[0];
	advice_free(list);
	return is_there;
}

void job_advice_codes(FILE *out, const struct job_report *r)
{
	struct advice_list *list = job_advice_of(r);
	size_t i;

	for (i = 0; list && i < list->count; i++)
		fprintf(out, "%s%s", i ? " " : "", list->list[i].code);
	advice_free(list);
}
