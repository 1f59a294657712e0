/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/rules.h"
#include "advice/view.h"
#include "lib/alloc.h"
#include "lib/run.h"
#include "lib/utf8.h"

/* ---- views ------------------------------------------------------------------- */

/* Whose filesystem is it? "": none of a client. */
static void find_client(struct view *v)
{
	const struct record *r;
	size_t i, k;

	v->type = v->client = "";
	for (i = 0; i < v->count && !*v->type; i++) {
		r = v->records[i];
		for (k = 0; k < r->mount_count; k++) {
			size_t at = r->mounts[k].client;

			if (at >= r->client_count || strcmp(r->mounts[k].mount, v->fs) != 0)
				continue;
			v->type = r->clients[at].type;
			v->client = r->clients[at].name;
		}
	}
}

/* What clients did is this job's where it was the only one on its nodes. */
static bool is_wire_ours(struct record *const *records, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++) {
		if (records[i]->flags & RECORD_FLAG(SHARED_NODE))
			return false;
		for (k = 0; k < records[i]->wire_count; k++)
			if (records[i]->wire[k].scope != IO_SCOPE_JOB &&
			    records[i]->wire[k].shared != 0)
				return false;
	}
	return true;
}

/* Is it the only filesystem of its client, on all nodes? */
static bool is_only_one(const struct view *v)
{
	const struct record *r;
	size_t i, k;

	for (i = 0; i < v->count; i++) {
		r = v->records[i];
		for (k = 0; k < r->mount_count; k++) {
			size_t at = r->mounts[k].client;

			if (at < r->client_count && !strcmp(r->clients[at].name, v->client) &&
			    strcmp(r->mounts[k].mount, v->fs) != 0)
				return false;
		}
	}
	return true;
}

/* A line of the whole client (WEKA's) is that of a filesystem which it has alone. */
static bool is_of(const struct io *wire, const struct view *v)
{
	if (wire->fs)
		return !strcmp(wire->fs, v->fs);
	return !strcmp(wire->client, v->client) && is_only_one(v);
}

static const struct io *find_wire(const struct run_lines *lines, const struct view *v)
{
	const struct run_line *line;
	size_t i;

	for (i = 0; i < lines->count; i++) {
		line = &lines->line[i];
		if (line->kind == RUN_WIRE && line->nodes >= v->nodes && is_of(&line->io, v))
			return &line->io;
	}
	return NULL;
}

static bool is_enough(const struct view *v)
{
	const struct config_advice *least = v->limits;

	return (view_calls(v) + view_metas(v) > 0 && v->seconds > 0 &&
		v->seconds >= least->min_seconds) ||
	       view_bytes(v) + view_mapped(v) >= least->min_mib * 1048576.0 ||
	       view_calls(v) + view_metas(v) >= least->min_calls;
}

/* ---- rules -------------------------------------------------------------------- */

static void ask(struct advice_list *list, const struct view *v, bool is_once)
{
	const struct rule *rule;
	struct advice *a;

	for (rule = rules; rule->code && list->count < ADVICE_MAX; rule++) {
		if (rule->is_once != is_once)
			continue;
		a = &list->list[list->count];
		memset(a, 0, sizeof(*a));
		a->trust = rule->trust;
		if (!rule->check(v, a))
			continue;
		a->code = rule->code;
		a->source = rule->source;
		if (!*a->cure)
			snprintf(a->cure, sizeof(a->cure), "%s", rule->cure);
		if (!is_once)
			utf8_clean(a->fs, sizeof(a->fs), v->fs, strlen(v->fs));
		list->count++;
	}
}

/* Share times how sure; then as they stand in the table. */
static int compare(const void *one, const void *other)
{
	const struct advice *a = one, *b = other;
	unsigned int left = a->value * (1 + (unsigned int)a->trust);
	unsigned int right = b->value * (1 + (unsigned int)b->trust);

	if (left != right)
		return left < right ? 1 : -1;
	return strcmp(a->code, b->code) ? strcmp(a->code, b->code) : strcmp(a->fs, b->fs);
}

/* Fill in the view of a line; is there something to judge? */
static bool see(struct view *v, const struct run_lines *lines, size_t at, bool is_ours)
{
	const struct run_line *line = &lines->line[at];

	if (line->kind != RUN_APP || line->io.scope != IO_SCOPE_JOB || !line->io.fs)
		return false;
	v->fs = line->io.fs;
	v->io = &line->io;
	v->nodes = line->nodes;
	find_client(v);
	v->wire = is_ours ? find_wire(lines, v) : NULL;
	return *v->type && is_enough(v);
}

static void judge(struct advice_list *list, const struct run_lines *lines, struct view *v)
{
	bool is_ours = is_wire_ours(v->records, v->count);
	size_t i, main = lines->count;
	double most = -1;

	for (i = 0; i < lines->count; i++) {
		if (!see(v, lines, i, is_ours))
			continue;
		list->is_judged = true;
		ask(list, v, false);
		if (view_bytes(v) > most) {
			most = view_bytes(v);
			main = i;
		}
	}
	if (main < lines->count && see(v, lines, main, is_ours))
		ask(list, v, true);
	qsort(list->list, list->count, sizeof(list->list[0]), compare);
}

struct advice_list *advice_new(struct record *const *records, size_t count, bool is_whole,
			       const struct config_advice *limits)
{
	struct run_lines *lines = run_lines_new(records, count);
	struct advice_list *list = xneed(malloc(sizeof(*list)));
	const struct run_time time = run_time_of(records, count);
	struct view v = { .records = records,
			  .count = count,
			  .is_whole = is_whole,
			  .start = time.first,
			  .seconds = run_time_seconds(&time),
			  .apart = time.apart,
			  .limits = limits };

	/* each line is zeroed when it is asked for */
	list->is_judged = false;
	list->count = 0;
	judge(list, lines, &v);
	run_lines_free(lines);
	return list;
}

void advice_free(struct advice_list *advice)
{
	free(advice);
}

const char *advice_trust_name(enum advice_trust trust)
{
	return trust == ADVICE_SURE ? "sure" : trust == ADVICE_LIKELY ? "likely" : "perhaps";
}

const char *advice_cure(const char *code)
{
	const struct rule *rule = rules;

	while (rule->code && strcmp(rule->code, code) != 0)
		rule++;
	return rule->code ? rule->cure : NULL;
}
