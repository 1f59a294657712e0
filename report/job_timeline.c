/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_timeline.h"

#include "lib/json.h"
#include "lib/run.h"
#include "lib/summary.h"
#include "report/bar.h"

static const char head[] = "                timeline     ";

static void put_shape(FILE *out, const char *before, enum timeline_shape shape, int64_t bursts)
{
	static const char *const words[] = {
		[TIMELINE_STEADY] = "steady",
		[TIMELINE_TAIL] = "most of it at the end",
		[TIMELINE_HEAD] = "most of it at the start",
	};

	if (shape == TIMELINE_BURSTS)
		fprintf(out, "%s%lld burst%s", before, (long long)bursts, bursts == 1 ? "" : "s");
	else if (shape != TIMELINE_SHAPE_NONE)
		fprintf(out, "%s%s", before, words[shape]);
}

void job_print_timeline(FILE *out, const struct job_report *r, const struct timeline *line)
{
	const struct run_time time = run_time_of(r->records, r->record_count);
	int64_t first = (int64_t)time.first, most = 0, bursts = 0;
	int64_t last = timeline_last(time.first, time.last);
	enum timeline_shape shape;
	struct timeline run;
	char text[16];
	size_t i;

	if (!line->count)
		return;
	timeline_cover(line, first, last, &run);
	for (i = 0; i < run.count; i++)
		if (timeline_moved(&run, i) > most)
			most = timeline_moved(&run, i);
	if (!most)
		return;
	fprintf(out, "%s|", head);
	for (i = 0; i < run.count; i++)
		bar_print(out, timeline_moved(&run, i), most);
	summary_bytes(most, text, sizeof(text));
	fprintf(out, "| %lld s each, at most %s", (long long)run.width, text);
	shape = timeline_shape(line, first, last, &bursts);
	if (time.apart > 0)
		fprintf(out, "; clocks are %.0f s apart", time.apart);
	else
		put_shape(out, "; ", shape, bursts);
	fputc('\n', out);
}

void job_print_shape(FILE *out, const struct summary *s)
{
	put_shape(out, head, s->shape, s->bursts);
	if (s->shape != TIMELINE_SHAPE_NONE)
		fputc('\n', out);
}

static void line_json(struct json *json, const struct run_line *line)
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

void job_timelines_json(struct json *top, const struct job_report *r)
{
	struct json *list;
	struct run_lines *lines;
	size_t i;

	if (r->left_out) {
		json_add_null(top, "timelines");
		return;
	}
	list = json_add_list(top, "timelines");
	lines = run_lines_new(r->records, r->record_count);
	for (i = 0; lines && i < lines->count; i++)
		if (lines->line[i].io.timeline.count)
			line_json(json_append_object(list), &lines->line[i]);
	run_lines_free(lines);
}
