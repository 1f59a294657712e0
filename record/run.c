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

	if (end >= 0 && least >= RUN_CLOCK_SKEW_S && between <= RUN_CLOCK_SKEW_SLOP_S &&
	    least > time->clock_skew)
		time->clock_skew = least;
}

double run_time_seconds(const struct run_time *time)
{
	if (time->first < 0 || time->last <= time->first)
		return 0;
	return time->clock_skew > 0 ? time->longest : time->last - time->first;
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

/* ---- series -------------------------------------------------------------- */

static bool is_same(const struct run_series *one, const struct io *io, enum run_kind kind)
{
	const char *fs = one->io.fs ? one->io.fs : "";

	return one->kind == kind && one->io.scope == io->scope &&
	       !strcmp(one->io.source, io->source) && !strcmp(one->io.client, io->client) &&
	       !strcmp(fs, io->fs ? io->fs : "");
}

static struct run_series *new_series(struct run_series_list *series, const struct io *io,
				     enum run_kind kind)
{
	struct run_series *one;

	series->list = xmore(series->list, series->count, sizeof(*one));
	one = &series->list[series->count++];
	one->kind = kind;
	one->nodes = 0;
	io_init(&one->io);
	one->io.scope = io->scope;
	one->io.shared = io->shared;
	one->io.fs = io->fs;
	strcpy(one->io.source, io->source);
	strcpy(one->io.client, io->client);
	return one;
}

static void add_series(struct run_series_list *series, const struct io *io, enum run_kind kind)
{
	struct run_series *one;
	size_t at = 0;

	while (at < series->count && !is_same(&series->list[at], io, kind))
		at++;
	if (at == RUN_SERIES_MAX) {
		series->left_out++;
		return;
	}
	one = at < series->count ? &series->list[at] : new_series(series, io, kind);
	one->nodes++;
	io_add(&one->io, io);
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

static void add_record(struct run_series_list *series, const struct record *record)
{
	const char *best[2] = { run_source(record, IO_SCOPE_JOB),
				run_source(record, IO_SCOPE_NODE) };
	const struct io *io;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		add_series(series, io, !strcmp(io->source, best[io->scope]) ? RUN_APP : RUN_OTHER);
	}
	for (i = 0; i < record->client_io_count; i++)
		add_series(series, &record->client_io[i], RUN_CLIENT_IO);
}

struct run_series_list *run_series_new(struct record *const *records, size_t count)
{
	struct run_series_list *series = xcalloc(1, sizeof(*series));
	size_t i;

	for (i = 0; i < count; i++)
		add_record(series, records[i]);
	return series;
}

void run_series_free(struct run_series_list *series)
{
	if (series)
		free(series->list);
	free(series);
}
