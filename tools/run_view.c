/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/run_view.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "record/alloc.h"
#include "record/field.h"
#include "record/run.h"
#include "record/summary.h"

/* ---- values that nodes have in common ------------------------------------------ */

/* Members of a record that are printed once for all nodes with the same value. */
static const char *const same[] = { "nodelist", "request",	"refused", "gate",     "io_cores",
				    "machine",	"client",	"changes", "findings", "quality",
				    "steps",	"more_clients", "user",	   "uid",      "gid" };

struct group {
	struct json *nodes;
	char text[]; /* of the value */
};

static int compare_groups(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->text, ((const struct group *)b)->text);
}

static void add_value(struct json *list, void **tree, const struct json *value, const char *node)
{
	const char *text = json_line(value);
	struct group *group = xcalloc(1, sizeof(*group) + strlen(text) + 1), **found;
	struct json *one;

	strcpy(group->text, text);
	found = xneed(tsearch(group, tree, compare_groups));
	if (*found != group) {
		free(group);
	} else {
		one = json_append_object(list);
		json_add_copy(one, "value", value);
		group->nodes = json_add_list(one, "nodes");
	}
	json_append_text((*found)->nodes, node ? node : "?");
}

#define SAME (sizeof(same) / sizeof(same[0]))

static void add_same(struct run_view *run, const struct json *record)
{
	const struct json *value, *one;
	struct json *list;
	const char *node = json_text(record, "node");
	size_t i;

	for (i = 0; i < SAME; i++) {
		value = json_member(record, same[i]);
		list = json_list(run->same, same[i]);
		if (!value)
			continue;
		if (!json_is(value, JSON_LIST))
			add_value(list, &run->groups[i], value, node);
		for (one = json_is(value, JSON_LIST) ? json_first(value) : NULL; one;
		     one = one->next)
			add_value(list, &run->groups[i], one, node);
	}
}

static void begin_same(struct run_view *run)
{
	size_t i;

	run->same = json_new_object();
	run->groups = xcalloc(SAME, sizeof(void *));
	for (i = 0; i < SAME; i++)
		json_add_list(run->same, same[i]);
}

/* ---- a run ------------------------------------------------------------------ */

static void add_record(struct run_view *run, const struct json *one, const char *text)
{
	struct record *record = record_read(one, text, NULL);

	if (!record) {
		run->left_out++;
		return;
	}
	if (run->count == run->room) {
		run->room = run->room ? 2 * run->room : 16;
		run->records = xrealloc(run->records, run->room, sizeof(struct record *));
	}
	run->records[run->count++] = record;
	if (run->same)
		add_same(run, one);
}

void run_view_add(struct run_view *run, struct json *answer, const char *text,
		  enum run_view_form form)
{
	const struct json *one;
	int64_t missing = json_number(answer, "records_left_out");

	if (!run->first) {
		run->first = answer;
		run->left_out = missing > 0 ? missing : 0;
		if (form == RUN_VIEW_SLIM)
			begin_same(run);
	} else {
		missing = run->left_out - (int64_t)json_list(answer, "records")->list.count;
		run->left_out = missing > 0 ? missing : 0;
	}
	for (one = json_first(json_list(answer, "records")); one; one = one->next)
		add_record(run, one, text);
}

void run_view_clear(struct run_view *run)
{
	size_t i;

	while (run->count)
		record_free(run->records[--run->count]);
	free(run->records);
	for (i = 0; run->groups && i < SAME; i++)
		tdestroy(run->groups[i], free);
	free(run->groups);
	json_free(run->same);
	*run = (struct run_view){ 0 };
}

/* Copy the value of " KEY=" in the summary to out[SUMMARY_MAX]; "" if there is none. */
static const char *summary_value(const struct run_view *run, const char *key, char *out)
{
	const char *text = json_text(run->first, "summary"), *at = text ? strstr(text, key) : NULL;

	snprintf(out, SUMMARY_MAX, "%s", at ? at + strlen(key) : "");
	out[strcspn(out, " ")] = '\0';
	return out;
}

/* ---- advice and timelines -------------------------------------------------- */

/* Add advice from these records, unless the ledger has sent it. */
static void add_judged(struct json *top, const struct run_view *run,
		       const struct run_view_options *options)
{
	struct advice_list *list;
	struct json *judged;
	int64_t expected = json_number(run->first, "nodes_expected");
	bool is_whole;
	char *text;

	if (json_member(run->first, "judged"))
		return;
	is_whole = !run->left_out && expected >= 0 &&
		   json_number(run->first, "nodes_seen") >= expected;
	list = xneed(advice_new(run->records, run->count, is_whole, options->limits));
	text = advice_text(list, options->limits);
	judged = json_parse(text);
	json_add_copy(top, "judged", judged);
	json_free(judged);
	free(text);
	advice_free(list);
}

static void add_timeline(struct json *json, const struct run_series *line)
{
	const struct timeline *timeline = &line->io.timeline;
	struct json *rows;
	size_t lane, i;

	json_add_text(json, "fs", line->io.fs);
	json_add_text(json, "source", line->io.source);
	json_add_text(json, "scope", line->io.scope == IO_SCOPE_JOB ? "job" : "node");
	json_add_number(json, "nodes", (int64_t)line->nodes);
	json_add_number(json, "start", timeline->start);
	json_add_number(json, "width_s", timeline->width);
	for (lane = 0; lane < TIMELINE_LANES; lane++) {
		if (lane > TIMELINE_CALLS && !timeline_sum(timeline, lane))
			continue;
		rows = json_add_list(json, io_lane_names[lane]);
		for (i = 0; i < timeline->count; i++)
			json_append_number(rows, timeline->rows[lane][i]);
	}
}

static void add_timelines(struct json *top, const struct run_view *run,
			  const struct run_series_list *series)
{
	struct json *list;
	size_t i;

	if (run->left_out) {
		json_add_null(top, "timelines");
		return;
	}
	list = json_add_list(top, "timelines");
	for (i = 0; i < series->count; i++)
		if (series->list[i].io.timeline.count)
			add_timeline(json_append_object(list), &series->list[i]);
}

/* ---- sums over nodes -------------------------------------------------------------- */

static void add_seconds(struct json *top, const char *key, double seconds)
{
	if (seconds > 0)
		json_add_seconds(top, key, seconds);
	else
		json_add_null(top, key);
}

static void add_time(struct json *top, const struct run_view *run)
{
	struct run_time time = run_time_of(run->records, run->count);

	top = json_add_object(top, "time");
	add_seconds(top, "first", time.first);
	add_seconds(top, "last", time.last);
	add_seconds(top, "seconds", run_time_seconds(&time));
	add_seconds(top, "apart", time.clock_skew);
}

/* Copy the members that are not unknown. */
static void add_known(struct json *to, const struct json *from)
{
	const struct json *one;

	for (one = json_first(from); one; one = one->next) {
		if (json_is(one, JSON_OBJECT))
			add_known(json_add_object(to, one->key), one);
		else if (!json_is(one, JSON_NULL))
			json_add_copy(to, one->key, one);
	}
}

static void add_io(struct json *to, const struct io *io, bool is_brief)
{
	struct json *all = json_new_object();

	field_write(io_fields, io, all, FIELD_LIST_MAX, is_brief);
	add_known(to, all);
	json_free(all);
}

static void add_series(struct json *top, const struct run_series_list *series)
{
	static const char *const kinds[] = {
		[RUN_APP] = "app", [RUN_OTHER] = "other", [RUN_CLIENT_IO] = "wire"
	};
	struct json *list = json_add_list(top, "lines"), *one;
	size_t i;

	for (i = 0; i < series->count; i++) {
		one = json_append_object(list);
		json_add_text(one, "kind", kinds[series->list[i].kind]);
		json_add_number(one, "nodes", (int64_t)series->list[i].nodes);
		add_io(one, &series->list[i].io, false);
	}
	json_add_number(top, "lines_left_out", (int64_t)series->left_out);
}

static void add_nodes(struct json *top, const struct run_view *run)
{
	struct json *list = json_add_list(top, "nodes"), *one;
	struct io best;
	size_t i;

	for (i = 0; i < run->count; i++) {
		one = json_append_object(list);
		json_add_text(one, "node", run->records[i]->node);
		add_seconds(one, "start", run->records[i]->start);
		add_seconds(one, "end", run->records[i]->end);
		run_best(run->records[i], IO_SCOPE_JOB, &best);
		add_io(one, &best, true);
	}
}

static void add_quality(struct json *top, const struct run_view *run)
{
	char words[SUMMARY_MAX], *rest = words, *word;
	uint64_t flags = 0;
	unsigned int bit;

	summary_value(run, " q=", words);
	while ((word = strsep(&rest, ",")))
		flags |= *word && *word != '-' ? record_flag(word) : 0;
	top = json_add_object(top, "quality_words");
	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (flags & (UINT64_C(1) << bit))
			json_add_text(top, record_flag_name(bit), record_flag_words(bit));
}

/* ---- rows ----------------------------------------------------------------- */

/* Add exact totals, as the ledger does; the summary has three digits. */
static void add_totals(struct json *top, const struct run_view *run)
{
	struct json *totals;
	struct io sum, best;
	char scope[SUMMARY_MAX];
	size_t i;

	if (!run->count || run->left_out ||
	    strcmp(summary_value(run, " scope=", scope), "job") != 0) {
		json_add_null(top, "totals");
		return;
	}
	io_init(&sum);
	for (i = 0; i < run->count; i++) {
		run_best(run->records[i], IO_SCOPE_JOB, &best);
		io_add(&sum, &best);
	}
	totals = json_add_object(top, "totals");
	json_add_known(totals, "read_bytes", sum.numbers[IO_READ_BYTES]);
	json_add_known(totals, "read_calls", sum.numbers[IO_READ_CALLS]);
	json_add_known(totals, "write_bytes", sum.numbers[IO_WRITE_BYTES]);
	json_add_known(totals, "write_calls", sum.numbers[IO_WRITE_CALLS]);
}

/* Add each code once. */
static void add_findings(struct json *top, const struct run_view *run)
{
	struct json *list = json_add_list(top, "findings");
	const struct json *one;
	const char *code;
	size_t i, k;

	for (i = 0; i < run->count; i++)
		for (k = 0; k < run->records[i]->findings.count; k++) {
			code = run->records[i]->findings.list[k].code;
			for (one = json_first(list); one; one = one->next)
				if (!strcmp(json_value_text(one), code))
					break;
			if (!one)
				json_append_text(list, code);
		}
}

/* ---- all ------------------------------------------------------------------ */

/* Copy the members of the first answer, without its records. */
static void add_head(struct json *top, const struct run_view *run)
{
	const struct json *one;

	for (one = json_first(run->first); one; one = one->next)
		if (strcmp(one->key, "records") != 0)
			json_add_copy(top, one->key, one);
	json_add_number(top, "record_count", (int64_t)run->count);
	json_add_text(top, "user",
		      run->count && *run->records[0]->user ? run->records[0]->user : NULL);
	json_add_number(top, "left_out", run->left_out);
	add_time(top, run);
	add_findings(top, run);
}

void run_view_print(const struct run_view *run, const char *text,
		    const struct run_view_options *options, FILE *out)
{
	struct run_series_list *series = run_series_new(run->records, run->count);
	const struct json *first = run->first;
	struct json *top = json_new_object();

	if (options->form != RUN_VIEW_FULL)
		add_head(top, run);
	if (options->form == RUN_VIEW_ROW && !json_member(first, "totals"))
		add_totals(top, run);
	if (options->form == RUN_VIEW_SLIM) {
		add_series(top, series);
		add_nodes(top, run);
		json_add_copy(top, "same", run->same);
		add_quality(top, run);
	}
	if (options->form != RUN_VIEW_ROW && run->count)
		add_timelines(top, run, series);
	if (options->is_advice && run->count)
		add_judged(top, run, options);
	run_series_free(series);
	if (options->form == RUN_VIEW_FULL)
		fwrite(text + first->list.at, first->list.size - 1, 1, out);
	text = json_line(top);
	if (options->form != RUN_VIEW_FULL)
		fputs(text, out);
	else
		fprintf(out, "%s%s", text[1] == '}' ? "" : ",", text + 1);
	json_free(top);
}
