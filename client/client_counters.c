/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/client_counters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/utf8.h"
#include "record/alloc.h"
#include "record/field.h"
#include "record/json.h"

#define DEPTH_MAX 4
/* Upper limit of a node's operations in a second; 2 million by one of 128 cores were seen
 * nowhere. */
#define CALLS_A_SECOND_MAX 2000000

#define NUMBER(id, name, ...)                                                                      \
	FIELD(NUMBER, name, source_counters, numbers[IO_##id], FIELD_IF_KNOWN),
static const struct field source_fields[] = {
	FIELD(WORD, "id", source_counters, id),
	FIELD(WORD, "fs", source_counters, fs, FIELD_IF_KNOWN),
	FIELD(NUMBER, "born_s", source_counters, start_s, FIELD_IF_KNOWN),
	IO_CLIENT_NUMBERS(NUMBER) FIELD_LAST,
};

struct client_counters *client_counters_new(void)
{
	struct client_counters *counters = xcalloc(1, sizeof(*counters));
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	counters->at_s = now.tv_sec;
	return counters;
}

void client_counters_free(struct client_counters *counters)
{
	if (counters)
		free(counters->sources);
	free(counters);
}

/* ---- sources ----------------------------------------------------------- */

/* Find a source; 'near': its probable index, which is mostly the same in two readings. */
static const struct source_counters *find_source(const struct client_counters *counters,
						 const char *id, size_t near)
{
	size_t i;

	if (near < counters->count && !strcmp(counters->sources[near].id, id))
		return &counters->sources[near];
	for (i = 0; i < counters->count; i++)
		if (!strcmp(counters->sources[i].id, id))
			return &counters->sources[i];
	return NULL;
}

/* Return true if the source of an id, without its epoch, was not read. */
static bool is_unread(const struct client_counters *counters, const char *id)
{
	char bare[CLIENT_SOURCE_ID_MAX];
	const char *at = counters->unread ? strchr(id, '@') : NULL;

	TEXT_SET_PART(bare, id, at ? (int)(at - id + 1) : 0);
	return at && find_source(counters, bare, 0);
}

/* Return true for the id of a source that was not read. */
static bool is_bare(const char *id)
{
	return *id && id[strlen(id) - 1] == '@';
}

struct source_counters *client_counters_source(struct client_counters *counters, const char *id)
{
	struct source_counters *source =
		(struct source_counters *)find_source(counters, id, counters->count);

	if (source || counters->count == CLIENT_SOURCES_MAX)
		return source;
	counters->sources = xmore(counters->sources, counters->count, sizeof(*source));
	source = &counters->sources[counters->count++];
	memset(source, 0, sizeof(*source));
	TEXT_SET(source->id, id);
	counters->unread += is_bare(id);
	field_init(source_fields, source);
	return source;
}

int source_counters_add(struct source_counters *source, enum io_number kind, int64_t count)
{
	int64_t *sum = &source->numbers[kind];

	if (*sum == IO_UNKNOWN)
		*sum = 0;
	if (count > INT64_MAX - *sum)
		return -1;
	*sum += count;
	return 0;
}

/* ---- text ----------------------------------------------------------- */

static const struct field fields[] = {
	FIELD(NUMBER, "at_s", client_counters, at_s),
	FIELD_ALL("rows", source_fields, client_counters, sources, count,
		  .most = CLIENT_SOURCES_MAX),
	FIELD_LAST,
};

void client_counters_clean(struct client_counters *counters)
{
	struct source_counters *source;
	size_t i;

	for (i = 0; i < counters->count; i++) {
		source = &counters->sources[i];
		utf8_clean(source->id, sizeof(source->id), source->id, strlen(source->id));
		utf8_clean(source->fs, sizeof(source->fs), source->fs, strlen(source->fs));
	}
}

char *client_counters_text(const struct client_counters *counters)
{
	struct json *top = json_new_object();

	field_write(fields, counters, top, CLIENT_SOURCES_MAX, 0);
	return json_line_free(top);
}

struct client_counters *client_counters_parse(const char *text, struct err *err)
{
	struct json *top = json_read(text, strlen(text), DEPTH_MAX, err);
	struct client_counters *counters = client_counters_new();
	bool is_cut = false;
	size_t i;
	int rc;

	counters->at_s = IO_UNKNOWN;
	rc = top ? field_read(fields, counters, top, &is_cut, err) : -1;
	if (rc == 0 && !json_list(top, "rows"))
		rc = err_set(err, "rows: must be there");
	for (i = 0; rc == 0 && i < counters->count; i++) {
		if (!*counters->sources[i].id)
			rc = err_set(err, "id: must be there");
		counters->unread += is_bare(counters->sources[i].id);
	}
	json_free(top);
	if (rc == 0)
		return counters;
	err_prefix(err, "counters of the client");
	client_counters_free(counters);
	return NULL;
}

/* ---- difference ---------------------------------------------------- */

static bool may_go_back(int kind)
{
	return kind == IO_READ_US || kind == IO_WRITE_US || kind == IO_META_US ||
	       kind == IO_QUEUE_US || kind == IO_BACKLOG;
}

struct span {
	const struct client_counters *before, *after;
	const char *fs;
	int64_t wrap; /* value at which operations wrap; 0: never */
	int64_t most; /* limit of operations in the time; IO_UNKNOWN */
};

static struct span span_of(const struct client_counters *before,
			   const struct client_counters *after, const char *fs)
{
	struct span span = { before, after, fs, after->calls_wrap, IO_UNKNOWN };
	int64_t time_s = after->at_s - before->at_s;

	if (before->at_s >= 0 && time_s >= 0)
		span.most = time_s < INT64_MAX / CALLS_A_SECOND_MAX
				    ? (time_s + 1) * CALLS_A_SECOND_MAX
				    : INT64_MAX;
	return span;
}

static bool is_calls(int kind)
{
	return kind == IO_READ_CALLS || kind == IO_WRITE_CALLS;
}

/* Return true if a counter that is below its old value has wrapped: in a short time, if the
 * operations are possible in it; in a long one, if the old value was above half of the wrap. */
static bool has_wrapped(const struct span *span, const struct source_counters *before,
			const struct source_counters *after, int kind)
{
	int64_t was = before->numbers[kind];

	if (!span->wrap || !is_calls(kind) || was >= span->wrap)
		return false;
	if (span->most != IO_UNKNOWN && span->most < span->wrap)
		return after->numbers[kind] + span->wrap - was <= span->most;
	return was > span->wrap / 2;
}

/* Return the difference of a number. A new source began after the first reading (its process
 * started, or first used the filesystem): all of it counts. */
static int64_t difference(const struct span *span, const struct source_counters *before,
			  const struct source_counters *after, int kind)
{
	int64_t is = after->numbers[kind], was;

	if (is == IO_UNKNOWN)
		return IO_UNKNOWN;
	if (!before)
		return kind == IO_BACKLOG ? IO_UNKNOWN : is;
	was = before->numbers[kind];
	if (was == IO_UNKNOWN)
		return IO_UNKNOWN;
	if (is < was)
		return has_wrapped(span, before, after, kind) ? is + span->wrap - was : IO_UNKNOWN;
	return is - was;
}

/* Return the difference, unknown if the counter may have wrapped without a trace. An operation
 * moves at least a byte, except at the end of a file: with fewer bytes than a wrap takes, none has
 * wrapped. A counter that is beyond the wrap has more bits and never wraps. */
static int64_t source_since(const struct span *span, const struct source_counters *before,
			    const struct source_counters *after, int kind)
{
	int64_t moved = difference(span, before, after, kind), bytes;

	if (moved == IO_UNKNOWN || !span->wrap || !is_calls(kind) ||
	    after->numbers[kind] >= span->wrap ||
	    (span->most != IO_UNKNOWN && span->most < span->wrap))
		return moved;
	bytes = difference(span, before, after, kind - IO_READ_CALLS + IO_READ_BYTES);
	return (!before || after->numbers[kind] >= before->numbers[kind]) && bytes != IO_UNKNOWN &&
			       bytes < span->wrap
		       ? moved
		       : IO_UNKNOWN;
}

/* Return true if the source began anew. If its id has an epoch ('@') that is decisive: clocks are
 * set. */
static bool is_newer(const struct source_counters *before, const struct source_counters *after)
{
	return !strchr(before->id, '@') && before->start_s != IO_UNKNOWN &&
	       after->start_s > before->start_s + CLIENT_SOURCE_START_SLACK_S;
}

static bool is_lower(const struct span *span, const struct source_counters *was,
		     const struct source_counters *is)
{
	int kind;

	for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++)
		if (!may_go_back(kind) && is->numbers[kind] != IO_UNKNOWN &&
		    is->numbers[kind] < was->numbers[kind] && !has_wrapped(span, was, is, kind))
			return true;
	return false;
}

/* Return true if one of the readings left the source out. */
static bool is_left_out(const struct span *span, const char *id)
{
	return is_unread(span->before, id) || is_unread(span->after, id);
}

static bool went_back(const struct span *span)
{
	const struct source_counters *is, *was;
	size_t i;

	for (i = 0; i < span->before->count; i++) {
		was = &span->before->sources[i];
		if (strcmp(was->fs, span->fs) != 0)
			continue;
		is = find_source(span->after, was->id, i);
		if (!is && is_left_out(span, was->id))
			continue;
		if (!is || is_newer(was, is) || is_lower(span, was, is))
			return true;
	}
	return false;
}

/* Return true if counters of a source were cleared, which then also holds for sources without a
 * trace of it. */
static bool are_cleared(const struct client_counters *before, const struct client_counters *after)
{
	struct span span = span_of(before, after, "");
	const struct source_counters *is;
	size_t i;

	for (i = 0; after->clears_all && i < before->count; i++) {
		is = find_source(after, before->sources[i].id, i);
		if (is && is_lower(&span, &before->sources[i], is))
			return true;
	}
	return false;
}

/* Return the old source; NULL: it is new. A device number may be reused for another filesystem. */
static const struct source_counters *
source_before(const struct span *span, const struct source_counters *source, size_t near)
{
	const struct source_counters *was = find_source(span->before, source->id, near);

	return was && is_newer(was, source) ? NULL : was;
}

static int64_t all_since(const struct span *span, int kind)
{
	const struct source_counters *source;
	int64_t sum = IO_UNKNOWN, one;
	size_t i;

	for (i = 0; i < span->after->count; i++) {
		source = &span->after->sources[i];
		if (strcmp(source->fs, span->fs) != 0 || is_left_out(span, source->id))
			continue;
		one = source_since(span, source_before(span, source, i), source, kind);
		if (one == IO_UNKNOWN || (sum > 0 && one > INT64_MAX - sum))
			return IO_UNKNOWN;
		io_add_number(&sum, one);
	}
	return sum;
}

/* Return true if a new source began before the first reading. Its part since then is unknown. */
static bool has_older(const struct span *span)
{
	const struct source_counters *source;
	size_t i;

	for (i = 0; i < span->after->count; i++) {
		source = &span->after->sources[i];
		if (!strcmp(source->fs, span->fs) && source->start_s != IO_UNKNOWN &&
		    source->start_s + CLIENT_SOURCE_START_SLACK_S < span->before->at_s &&
		    !source_before(span, source, i) && !is_left_out(span, source->id))
			return true;
	}
	return false;
}

int client_counters_since(const struct client_counters *before, const struct client_counters *after,
			  const char *fs, int64_t moved[CLIENT_IO_NUMBERS])
{
	struct span span = span_of(before, after, fs);
	int kind;

	if (went_back(&span) || has_older(&span))
		return 0;
	for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++)
		moved[kind] = all_since(&span, kind);
	return 1;
}

/* ---- lines of the record --------------------------------------------- */

static bool has_fs(const struct client_counters *counters, size_t count, const char *fs)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(counters->sources[i].fs, fs))
			return true;
	return false;
}

/* Add a filesystem without a line of its own to the last line. */
static void add_to_last(struct client_io_series *last, const struct client_io_series *series)
{
	int kind;

	*last->fs = '\0';
	last->has_restarted |= series->has_restarted;
	last->is_gone |= series->is_gone;
	last->is_partial |= series->is_partial;
	for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++) {
		int64_t *sum = &last->numbers[kind];
		int64_t more = series->numbers[kind];

		if (*sum == IO_UNKNOWN || more == IO_UNKNOWN || more > INT64_MAX - *sum)
			*sum = IO_UNKNOWN;
		else
			*sum += more;
	}
}

static bool is_partial(const struct client_counters *counters, const char *fs)
{
	size_t i;

	for (i = 0; i < counters->count; i++)
		if (!strcmp(counters->sources[i].fs, fs) &&
		    is_unread(counters, counters->sources[i].id))
			return true;
	return false;
}

static void add_series(const struct client_counters *before, const struct client_counters *after,
		       const char *fs, struct client_io *client_io)
{
	struct client_io_series series = { .is_gone = false };

	TEXT_SET(series.fs, fs);
	series.has_restarted = client_counters_since(before, after, fs, series.numbers) == 0 ||
			       are_cleared(before, after);
	series.is_partial = is_partial(before, fs) || is_partial(after, fs);
	series.is_gone = *fs && !has_fs(after, after->count, fs);
	if (client_io->series_count == CLIENT_IO_SERIES_MAX)
		add_to_last(&client_io->series[CLIENT_IO_SERIES_MAX - 1], &series);
	else
		client_io->series[client_io->series_count++] = series;
}

/* Return true if the sources had no mount point then, and all are under other filesystems now. */
static bool is_named_since(const struct client_counters *before,
			   const struct client_counters *after, const char *fs)
{
	size_t i;

	for (i = 0; i < before->count; i++)
		if (!strcmp(before->sources[i].fs, fs) &&
		    !find_source(after, before->sources[i].id, i))
			return false;
	return *fs != '/';
}

void client_counters_series(const struct client_counters *before,
			    const struct client_counters *after, struct client_io *client_io)
{
	size_t i;

	client_io->series_count = 0;
	client_io->event = after->event;
	for (i = 0; i < after->count; i++)
		if (!has_fs(after, i, after->sources[i].fs))
			add_series(before, after, after->sources[i].fs, client_io);
	for (i = 0; i < before->count; i++)
		if (!has_fs(before, i, before->sources[i].fs) &&
		    !has_fs(after, after->count, before->sources[i].fs) &&
		    !is_named_since(before, after, before->sources[i].fs))
			add_series(before, after, before->sources[i].fs, client_io);
}
