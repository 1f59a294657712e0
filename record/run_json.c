/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/run_json.h"

#include <string.h>

#include "record/field.h"

static void add_seconds(struct json *to, const char *key, double seconds)
{
	if (seconds > 0)
		json_add_seconds(to, key, seconds);
	else
		json_add_null(to, key);
}

/* ---- brief ----------------------------------------------------------------------- */

static void add_time(struct json *to, const struct run *run)
{
	struct json *time = json_add_object(to, "time");

	add_seconds(time, "first", run->first);
	add_seconds(time, "last", run->last);
	add_seconds(time, "seconds", run->seconds);
	add_seconds(time, "apart", run->clock_skew);
}

static void add_codes(struct json *to, const struct run *run)
{
	struct json *list = json_add_list(to, "findings");
	const struct run_group *group;
	const struct json *one;
	const char *code;
	size_t at = 0;

	while ((group = run_next_group(run, RUN_GROUPED_FINDINGS, &at))) {
		code = json_text(group->value, "code");
		for (one = json_first(list); one && code; one = one->next)
			if (!strcmp(json_value_text(one), code))
				break;
		if (!one && code)
			json_append_text(list, code);
	}
}

void run_json_add_totals(struct json *to, const struct run *run)
{
	static const struct {
		const char *key;
		enum io_number number;
	} totals[] = {
		{ "read_bytes", IO_READ_BYTES },   { "read_calls", IO_READ_CALLS },
		{ "write_bytes", IO_WRITE_BYTES }, { "write_calls", IO_WRITE_CALLS },
		{ "peak_read_Bps", IO_PEAK_READ }, { "peak_write_Bps", IO_PEAK_WRITE },
	};
	size_t i;

	if (!run->node_count || run->left_out) {
		json_add_null(to, "totals");
		return;
	}
	to = json_add_object(to, "totals");
	for (i = 0; i < sizeof(totals) / sizeof(*totals); i++)
		json_add_known(to, totals[i].key, run_io(run)->numbers[totals[i].number]);
}

void run_json_add_brief(struct json *to, const struct run *run)
{
	json_add_number(to, "record_count", (int64_t)run->node_count);
	json_add_text(to, "user", *run->user ? run->user : NULL);
	json_add_number(to, "left_out", run->left_out);
	add_time(to, run);
	add_codes(to, run);
	run_json_add_totals(to, run);
}

/* ---- text ------------------------------------------------------------------------ */

static void add_lines(struct json *to, const struct run *run)
{
	static const char *const kinds[] = {
		[RUN_APP] = "app", [RUN_OTHER] = "other", [RUN_CLIENT_IO] = "wire"
	};
	struct json *list = json_add_list(to, "lines"), *one;
	size_t i;

	for (i = 0; i < run->series_count; i++) {
		one = json_append_object(list);
		json_add_text(one, "kind", kinds[run->series[i].kind]);
		json_add_number(one, "nodes", (int64_t)run->series[i].nodes);
		field_write(io_fields, &run->series[i].io, one, FIELD_LIST_MAX, FIELD_NO_UNKNOWN);
	}
	json_add_number(to, "lines_left_out", (int64_t)run->series_left_out);
}

static void add_nodes(struct json *to, const struct run *run)
{
	struct json *list = json_add_list(to, "nodes"), *one;
	const struct run_node *node;
	struct io io;
	size_t i;

	io_init(&io);
	for (i = 0; i < run->node_count; i++) {
		node = run->nodes[i];
		one = json_append_object(list);
		json_add_text(one, "node", node->name);
		add_seconds(one, "start", node->start);
		add_seconds(one, "end", node->end);
		strcpy(io.source, node->source);
		memcpy(io.numbers, node->numbers, sizeof(io.numbers));
		field_write(io_fields, &io, one, FIELD_LIST_MAX,
			    FIELD_NO_UNKNOWN | FIELD_NO_PICTURES);
	}
}

static void add_groups(struct json *to, const struct run *run)
{
	const struct run_group *group;
	enum run_grouped member;
	struct json *list, *one;
	size_t i, at;

	to = json_add_object(to, "same");
	for (member = 0; member < RUN_GROUPED_COUNT; member++) {
		list = json_add_list(to, run_grouped_names[member]);
		for (at = 0; (group = run_next_group(run, member, &at));) {
			one = json_append_object(list);
			json_add_copy(one, "value", group->value);
			one = json_add_list(one, "nodes");
			for (i = 0; i < group->count; i++)
				json_append_text(one, group->nodes[i]->name);
		}
	}
}

static void add_quality(struct json *to, uint64_t flags)
{
	unsigned int bit;

	to = json_add_object(to, "quality_words");
	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (flags & (UINT64_C(1) << bit))
			json_add_text(to, record_flag_name(bit), record_flag_words(bit));
}

void run_json_add_text(struct json *to, const struct run *run)
{
	add_lines(to, run);
	add_nodes(to, run);
	add_groups(to, run);
	add_quality(to, run->flags);
}

/* ---- timelines -------------------------------------------------------------------- */

static void add_timeline(struct json *to, const struct run_series *series)
{
	const struct timeline *timeline = &series->io.timeline;
	struct json *rows;
	size_t lane, i;

	json_add_text(to, "fs", series->io.fs);
	json_add_text(to, "source", series->io.source);
	json_add_text(to, "scope", series->io.scope == IO_SCOPE_JOB ? "job" : "node");
	json_add_number(to, "nodes", (int64_t)series->nodes);
	json_add_number(to, "start", timeline->start);
	json_add_number(to, "width_s", timeline->width);
	for (lane = 0; lane < TIMELINE_LANES; lane++) {
		if (lane > TIMELINE_CALLS && !timeline_sum(timeline, lane))
			continue;
		rows = json_add_list(to, io_lane_names[lane]);
		for (i = 0; i < timeline->count; i++)
			json_append_number(rows, timeline->rows[lane][i]);
	}
}

void run_json_add_timelines(struct json *to, const struct run *run)
{
	struct json *list;
	size_t i;

	if (run->left_out) {
		json_add_null(to, "timelines");
		return;
	}
	list = json_add_list(to, "timelines");
	for (i = 0; i < run->series_count; i++)
		if (run->series[i].io.timeline.count)
			add_timeline(json_append_object(list), &run->series[i]);
}
