/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/wire.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "record/alloc.h"
#include "record/field.h"
#include "record/json.h"

#define DEPTH_MAX 4
/* Upper limit of a node's operations in a second; 2 million by one of 128 cores were seen
 * nowhere. */
#define CALLS_A_SECOND_MAX 2000000

#define NUMBER(id, name, ...) FIELD(NUMBER, name, wire_row, numbers[IO_##id], FIELD_IF_KNOWN),
static const struct field row_fields[] = {
	FIELD(WORD, "id", wire_row, id),
	FIELD(WORD, "fs", wire_row, fs, FIELD_IF_KNOWN),
	FIELD(NUMBER, "born_s", wire_row, born_s, FIELD_IF_KNOWN),
	IO_CLIENT_NUMBERS(NUMBER) FIELD_LAST,
};

struct wire *wire_new(void)
{
	struct wire *wire = xcalloc(1, sizeof(*wire));
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	wire->at_s = now.tv_sec;
	return wire;
}

void wire_free(struct wire *wire)
{
	if (wire)
		free(wire->row);
	free(wire);
}

/* ---- rows -------------------------------------------------------------- */

/* Find a row; 'near': its probable index, since two readings have most rows at the same one. */
static const struct wire_row *find_row(const struct wire *wire, const char *id, size_t near)
{
	size_t i;

	if (near < wire->count && !strcmp(wire->row[near].id, id))
		return &wire->row[near];
	for (i = 0; i < wire->count; i++)
		if (!strcmp(wire->row[i].id, id))
			return &wire->row[i];
	return NULL;
}

/* Return true if the source of an id, without its epoch, was not read. */
static bool is_unread(const struct wire *wire, const char *id)
{
	char bare[WIRE_ID_MAX];
	const char *at = wire->unread ? strchr(id, '@') : NULL;

	snprintf(bare, sizeof(bare), "%.*s", at ? (int)(at - id + 1) : 0, id);
	return at && find_row(wire, bare, 0);
}

/* Return true for the id of a source that was not read. */
static bool is_bare(const char *id)
{
	return *id && id[strlen(id) - 1] == '@';
}

struct wire_row *wire_row(struct wire *wire, const char *id)
{
	struct wire_row *row = (struct wire_row *)find_row(wire, id, wire->count);

	if (row || wire->count == WIRE_ROWS_MAX)
		return row;
	wire->row = xmore(wire->row, wire->count, sizeof(*row));
	row = &wire->row[wire->count++];
	memset(row, 0, sizeof(*row));
	snprintf(row->id, sizeof(row->id), "%s", id);
	wire->unread += is_bare(id);
	field_init(row_fields, row);
	return row;
}

int wire_row_add(struct wire_row *row, enum io_number kind, int64_t count)
{
	int64_t *sum = &row->numbers[kind];

	if (*sum == IO_UNKNOWN)
		*sum = 0;
	if (count > INT64_MAX - *sum)
		return -1;
	*sum += count;
	return 0;
}

/* ---- text ----------------------------------------------------------- */

static const struct field fields[] = {
	FIELD(NUMBER, "at_s", wire, at_s),
	FIELD_ALL("rows", row_fields, wire, row, count, .most = WIRE_ROWS_MAX),
	FIELD_LAST,
};

void wire_clean(struct wire *wire)
{
	struct wire_row *row;
	size_t i;

	for (i = 0; i < wire->count; i++) {
		row = &wire->row[i];
		utf8_clean(row->id, sizeof(row->id), row->id, strlen(row->id));
		utf8_clean(row->fs, sizeof(row->fs), row->fs, strlen(row->fs));
	}
}

char *wire_text(const struct wire *wire)
{
	struct json *top = json_new_object();

	field_write(fields, wire, top, WIRE_ROWS_MAX, false);
	return json_line_free(top);
}

struct wire *wire_parse(const char *text, struct err *err)
{
	struct json *top = json_read(text, strlen(text), DEPTH_MAX, err);
	struct wire *wire = wire_new();
	bool is_cut = false;
	size_t i;
	int rc;

	wire->at_s = IO_UNKNOWN;
	rc = top ? field_read(fields, wire, top, &is_cut, err) : -1;
	if (rc == 0 && !json_list(top, "rows"))
		rc = err_set(err, "rows: must be there");
	for (i = 0; rc == 0 && i < wire->count; i++) {
		if (!*wire->row[i].id)
			rc = err_set(err, "id: must be there");
		wire->unread += is_bare(wire->row[i].id);
	}
	json_free(top);
	if (rc == 0)
		return wire;
	err_prefix(err, "counters of the client");
	wire_free(wire);
	return NULL;
}

/* ---- difference ---------------------------------------------------- */

static bool may_go_back(int kind)
{
	return kind == IO_READ_US || kind == IO_WRITE_US || kind == IO_META_US ||
	       kind == IO_QUEUE_US || kind == IO_BACKLOG;
}

struct span {
	const struct wire *before, *after;
	const char *fs;
	int64_t wrap; /* value at which operations wrap; 0: never */
	int64_t most; /* limit of operations in the time; IO_UNKNOWN */
};

static struct span span_of(const struct wire *before, const struct wire *after, const char *fs)
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
static bool has_wrapped(const struct span *span, const struct wire_row *before,
			const struct wire_row *after, int kind)
{
	int64_t was = before->numbers[kind];

	if (!span->wrap || !is_calls(kind) || was >= span->wrap)
		return false;
	if (span->most != IO_UNKNOWN && span->most < span->wrap)
		return after->numbers[kind] + span->wrap - was <= span->most;
	return was > span->wrap / 2;
}

/* Return the difference of a number. A new row began after the first reading (its process started,
 * or first used the filesystem): all of it counts. */
static int64_t difference(const struct span *span, const struct wire_row *before,
			  const struct wire_row *after, int kind)
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
static int64_t row_since(const struct span *span, const struct wire_row *before,
			 const struct wire_row *after, int kind)
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
static bool is_reborn(const struct wire_row *before, const struct wire_row *after)
{
	return !strchr(before->id, '@') && before->born_s != IO_UNKNOWN &&
	       after->born_s > before->born_s + WIRE_BORN_SLACK_S;
}

static bool is_lower(const struct span *span, const struct wire_row *was, const struct wire_row *is)
{
	int kind;

	for (kind = 0; kind < WIRE_NUMBERS; kind++)
		if (!may_go_back(kind) && is->numbers[kind] != IO_UNKNOWN &&
		    is->numbers[kind] < was->numbers[kind] && !has_wrapped(span, was, is, kind))
			return true;
	return false;
}

static bool went_back(const struct span *span)
{
	const struct wire_row *is, *was;
	size_t i;

	for (i = 0; i < span->before->count; i++) {
		was = &span->before->row[i];
		if (strcmp(was->fs, span->fs) != 0)
			continue;
		is = find_row(span->after, was->id, i);
		if (!is && (is_unread(span->before, was->id) || is_unread(span->after, was->id)))
			continue;
		if (!is || is_reborn(was, is) || is_lower(span, was, is))
			return true;
	}
	return false;
}

/* Return true if counters of a row were cleared, which then also holds for rows without a trace of
 * it. */
static bool are_cleared(const struct wire *before, const struct wire *after)
{
	struct span span = span_of(before, after, "");
	const struct wire_row *is;
	size_t i;

	for (i = 0; after->clears_all && i < before->count; i++) {
		is = find_row(after, before->row[i].id, i);
		if (is && is_lower(&span, &before->row[i], is))
			return true;
	}
	return false;
}

/* Return the old row; NULL: it is new. A device number may be reused for another filesystem. */
static const struct wire_row *row_before(const struct span *span, const struct wire_row *row,
					 size_t near)
{
	const struct wire_row *was = find_row(span->before, row->id, near);

	return was && is_reborn(was, row) ? NULL : was;
}

static int64_t all_since(const struct span *span, int kind)
{
	const struct wire_row *row;
	int64_t sum = IO_UNKNOWN, one;
	size_t i;

	for (i = 0; i < span->after->count; i++) {
		row = &span->after->row[i];
		if (strcmp(row->fs, span->fs) != 0 || is_unread(span->before, row->id) ||
		    is_unread(span->after, row->id))
			continue;
		one = row_since(span, row_before(span, row, i), row, kind);
		if (one == IO_UNKNOWN || (sum > 0 && one > INT64_MAX - sum))
			return IO_UNKNOWN;
		io_add_number(&sum, one);
	}
	return sum;
}

/* Return true if a new row began before the first reading. Its part since then is unknown. */
static bool has_older(const struct span *span)
{
	const struct wire_row *row;
	size_t i;

	for (i = 0; i < span->after->count; i++) {
		row = &span->after->row[i];
		if (!strcmp(row->fs, span->fs) && row->born_s != IO_UNKNOWN &&
		    row->born_s + WIRE_BORN_SLACK_S < span->before->at_s &&
		    !row_before(span, row, i) && !is_unread(span->before, row->id) &&
		    !is_unread(span->after, row->id))
			return true;
	}
	return false;
}

int wire_since(const struct wire *before, const struct wire *after, const char *fs,
	       int64_t moved[WIRE_NUMBERS])
{
	struct span span = span_of(before, after, fs);
	int kind;

	if (went_back(&span) || has_older(&span))
		return 0;
	for (kind = 0; kind < WIRE_NUMBERS; kind++)
		moved[kind] = all_since(&span, kind);
	return 1;
}

/* ---- lines of the record --------------------------------------------- */

static bool has_fs(const struct wire *wire, size_t count, const char *fs)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(wire->row[i].fs, fs))
			return true;
	return false;
}

/* Add a filesystem without a line of its own to the last line. */
static void add_rest(struct client_wire_line *last, const struct client_wire_line *line)
{
	int kind;

	*last->fs = '\0';
	last->has_restarted |= line->has_restarted;
	last->is_gone |= line->is_gone;
	last->is_partial |= line->is_partial;
	for (kind = 0; kind < WIRE_NUMBERS; kind++) {
		int64_t *sum = &last->numbers[kind];
		int64_t more = line->numbers[kind];

		if (*sum == IO_UNKNOWN || more == IO_UNKNOWN || more > INT64_MAX - *sum)
			*sum = IO_UNKNOWN;
		else
			*sum += more;
	}
}

static bool is_partial(const struct wire *wire, const char *fs)
{
	size_t i;

	for (i = 0; i < wire->count; i++)
		if (!strcmp(wire->row[i].fs, fs) && is_unread(wire, wire->row[i].id))
			return true;
	return false;
}

static void tell(const struct wire *before, const struct wire *after, const char *fs,
		 struct client_wire *told)
{
	struct client_wire_line line = { .is_gone = false };

	snprintf(line.fs, sizeof(line.fs), "%s", fs);
	line.has_restarted =
		wire_since(before, after, fs, line.numbers) == 0 || are_cleared(before, after);
	line.is_partial = is_partial(before, fs) || is_partial(after, fs);
	line.is_gone = *fs && !has_fs(after, after->count, fs);
	if (told->line_count == CLIENT_WIRE_LINES_MAX)
		add_rest(&told->line[CLIENT_WIRE_LINES_MAX - 1], &line);
	else
		told->line[told->line_count++] = line;
}

/* Return true if the rows had no mount point then, and all are under other filesystems now. */
static bool is_named_since(const struct wire *before, const struct wire *after, const char *fs)
{
	size_t i;

	for (i = 0; i < before->count; i++)
		if (!strcmp(before->row[i].fs, fs) && !find_row(after, before->row[i].id, i))
			return false;
	return *fs != '/';
}

void wire_lines(const struct wire *before, const struct wire *after, struct client_wire *told)
{
	size_t i;

	told->line_count = 0;
	told->event = after->event;
	for (i = 0; i < after->count; i++)
		if (!has_fs(after, i, after->row[i].fs))
			tell(before, after, after->row[i].fs, told);
	for (i = 0; i < before->count; i++)
		if (!has_fs(before, i, before->row[i].fs) &&
		    !has_fs(after, after->count, before->row[i].fs) &&
		    !is_named_since(before, after, before->row[i].fs))
			tell(before, after, before->row[i].fs, told);
}
