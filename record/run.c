/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/run.h"

#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"

/* Threads are counted on each filesystem again: a node has at least as many, and with the same
 * lifetime, as any of its filesystems. */
static void keep_most(struct io *sum, const struct io *io, const int64_t before[IO_COUNT])
{
	static const enum io_number of_threads[] = { IO_THREADS, IO_THREAD_US };
	enum io_number n;
	size_t i;

	for (i = 0; i < sizeof(of_threads) / sizeof(*of_threads); i++) {
		n = of_threads[i];
		sum->numbers[n] = before[n] > io->numbers[n] ? before[n] : io->numbers[n];
	}
}

void run_best(const struct record *record, enum io_scope scope, struct io *sum)
{
	uint64_t best = record_best_app(record, scope);
	int64_t before[IO_COUNT];
	size_t i;

	io_init(sum);
	sum->scope = scope;
	for (i = 0; i < record->app_count; i++) {
		if (!(best >> i & 1))
			continue;
		strcpy(sum->source, record->app[i].source);
		memcpy(before, sum->numbers, sizeof(before));
		io_add(sum, &record->app[i]);
		keep_most(sum, &record->app[i], before);
	}
}

/* ---- time ---------------------------------------------------------------- */

void run_time_add(struct run_time *time, double start, double end)
{
	if (time->first < 0 || start < time->first)
		time->first = start;
	if (end < 0)
		return;
	if (end > time->last)
		time->last = end;
	if (time->first_end < 0 || end < time->first_end)
		time->first_end = end;
	if (end - start > time->longest)
		time->longest = end - start;
}

void run_time_compare(struct run_time *time, double start, double end)
{
	double began = start - time->first, ended = end - time->first_end;
	double between = began < ended ? ended - began : began - ended;
	double least = began < ended ? began : ended;

	if (end >= 0 && least >= RUN_APART_S && between <= RUN_APART_SLOP_S && least > time->apart)
		time->apart = least;
}

double run_time_seconds(const struct run_time *time)
{
	if (time->first < 0 || time->last <= time->first)
		return 0;
	return time->apart > 0 ? time->longest : time->last - time->first;
}

struct run_time run_time_of(struct record *const *records, size_t count)
{
	struct run_time time = RUN_TIME_NONE;
	size_t i;

	for (i = 0; i < count; i++)
		run_time_add(&time, records[i]->start, records[i]->end);
	for (i = 0; i < count; i++)
		run_time_compare(&time, records[i]->start, records[i]->end);
	return time;
}

/* ---- lines --------------------------------------------------------------- */

static bool is_same(const struct run_line *line, const struct io *io, enum run_kind kind)
{
	const char *fs = line->io.fs ? line->io.fs : "";

	return line->kind == kind && line->io.scope == io->scope &&
	       !strcmp(line->io.source, io->source) && !strcmp(line->io.client, io->client) &&
	       !strcmp(fs, io->fs ? io->fs : "");
}

static struct run_line *new_line(struct run_lines *lines, const struct io *io, enum run_kind kind)
{
	struct run_line *line;

	lines->line = xmore(lines->line, lines->count, sizeof(*line));
	line = &lines->line[lines->count++];
	line->kind = kind;
	line->nodes = 0;
	io_init(&line->io);
	line->io.scope = io->scope;
	line->io.shared = io->shared;
	line->io.fs = io->fs;
	strcpy(line->io.source, io->source);
	strcpy(line->io.client, io->client);
	return line;
}

static void add_line(struct run_lines *lines, const struct io *io, enum run_kind kind)
{
	struct run_line *line;
	size_t at = 0;

	while (at < lines->count && !is_same(&lines->line[at], io, kind))
		at++;
	if (at == RUN_LINES_MAX) {
		lines->left_out++;
		return;
	}
	line = at < lines->count ? &lines->line[at] : new_line(lines, io, kind);
	line->nodes++;
	io_add(&line->io, io);
}

/* Lines of filesystems that are not the client's are listed too. They are other I/O, from the same
 * best source. */
const char *run_source(const struct record *record, enum io_scope scope)
{
	uint64_t best = record_best_app(record, scope);
	size_t i;

	for (i = 0; i < record->app_count; i++)
		if (best >> i & 1)
			return record->app[i].source;
	return "";
}

static void add_record(struct run_lines *lines, const struct record *record)
{
	const char *best[2] = { run_source(record, IO_SCOPE_JOB),
				run_source(record, IO_SCOPE_NODE) };
	const struct io *io;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		add_line(lines, io, !strcmp(io->source, best[io->scope]) ? RUN_APP : RUN_OTHER);
	}
	for (i = 0; i < record->wire_count; i++)
		add_line(lines, &record->wire[i], RUN_WIRE);
}

struct run_lines *run_lines_new(struct record *const *records, size_t count)
{
	struct run_lines *lines = xcalloc(1, sizeof(*lines));
	size_t i;

	for (i = 0; i < count; i++)
		add_record(lines, records[i]);
	return lines;
}

void run_lines_free(struct run_lines *lines)
{
	if (lines)
		free(lines->line);
	free(lines);
}
