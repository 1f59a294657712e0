/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/timeline.h"

#include <string.h>

static int64_t sum(int64_t a, int64_t b)
{
	return b > INT64_MAX - a ? INT64_MAX : a + b;
}

bool timeline_is_row(int64_t start, int64_t width)
{
	return width > 0 && width <= TIMELINE_WIDTH_MAX && !(width & (width - 1)) && start >= 0 &&
	       start < TIMELINE_TIME_MAX && start % width == 0;
}

/* Return the number of rows from the one with 'first' to the one with 'last'. */
static int64_t span(int64_t first, int64_t last, int64_t width)
{
	return last / width - first / width + 1;
}

static int64_t end_of(const struct timeline *line)
{
	return line->start + ((int64_t)line->count - 1) * line->width;
}

/* Return the least width, from this one on, with which 64 rows hold both. */
static int64_t wide_enough(int64_t first, int64_t last, int64_t width)
{
	while (span(first, last, width) > TIMELINE_ROWS)
		width *= 2;
	return width;
}

/* Move the rows to another frame, which holds them all. */
static void frame(struct timeline *line, int64_t first, int64_t last, int64_t width)
{
	const struct timeline old = *line;
	size_t i, at;
	int lane;

	memset(line, 0, sizeof(*line));
	line->width = width;
	line->start = first / width * width;
	line->count = (size_t)span(first, last, width);
	for (i = 0; i < old.count; i++) {
		at = (size_t)((old.start + (int64_t)i * old.width) / width - first / width);
		for (lane = 0; lane < TIMELINE_LANES; lane++)
			line->rows[lane][at] = sum(line->rows[lane][at], old.rows[lane][i]);
	}
}

/* Fold and lengthen it until everything from 'first' to 'last' fits. */
static void make_room(struct timeline *line, int64_t first, int64_t last, int64_t width)
{
	if (line->count) {
		first = line->start < first ? line->start : first;
		last = end_of(line) > last ? end_of(line) : last;
		width = line->width > width ? line->width : width;
	}
	width = wide_enough(first, last, width);
	if (width != line->width || first != line->start ||
	    span(first, last, width) != (int64_t)line->count)
		frame(line, first, last, width);
}

void timeline_spoil(struct timeline *line)
{
	memset(line, 0, sizeof(*line));
	line->is_partial = true;
}

void timeline_put(struct timeline *line, int64_t start, int64_t width,
		  const int64_t amounts[TIMELINE_LANES])
{
	size_t at;
	int lane;

	for (lane = 0; lane < TIMELINE_LANES && !amounts[lane];)
		lane++;
	if (line->is_partial || lane == TIMELINE_LANES)
		return;
	make_room(line, start, start, width);
	at = (size_t)(start / line->width - line->start / line->width);
	for (lane = 0; lane < TIMELINE_LANES; lane++)
		line->rows[lane][at] = sum(line->rows[lane][at], amounts[lane]);
}

bool timeline_has_row(const struct timeline *line, size_t row)
{
	int lane;

	for (lane = 0; lane < TIMELINE_LANES; lane++)
		if (line->rows[lane][row])
			return true;
	return false;
}

/* Find the first and last row that are not empty. Return false if there is none. */
static bool find_ends(const struct timeline *line, size_t *first, size_t *last)
{
	size_t i;
	bool is_there = false;

	for (i = 0; i < line->count; i++) {
		if (!timeline_has_row(line, i))
			continue;
		*first = is_there ? *first : i;
		*last = i;
		is_there = true;
	}
	return is_there;
}

/* As timeline_put() row by row, with room for all of them made at once. */
void timeline_add(struct timeline *line, const struct timeline *other)
{
	size_t i, at, first = 0, last = 0;
	int64_t base;
	int lane, shift;

	if (other->is_partial)
		timeline_spoil(line);
	if (line->is_partial || !find_ends(other, &first, &last))
		return;
	make_room(line, other->start + (int64_t)first * other->width,
		  other->start + (int64_t)last * other->width, other->width);
	shift = __builtin_ctzll((unsigned long long)line->width); /* a power of two */
	base = line->start >> shift;
	for (i = first; i <= last; i++) {
		at = (size_t)(((other->start + (int64_t)i * other->width) >> shift) - base);
		for (lane = 0; lane < TIMELINE_LANES; lane++)
			line->rows[lane][at] = sum(line->rows[lane][at], other->rows[lane][i]);
	}
}

int64_t timeline_sum(const struct timeline *line, enum timeline_lane lane)
{
	int64_t all = 0;
	size_t i;

	for (i = 0; i < line->count; i++)
		all = sum(all, line->rows[lane][i]);
	return all;
}

void timeline_cover(const struct timeline *line, int64_t first, int64_t last,
		    struct timeline *covered)
{
	*covered = *line;
	if (line->count)
		make_room(covered, first, last > first ? last : first, line->width);
}

int64_t timeline_last(double start, double end)
{
	int64_t first = (int64_t)start, last = (int64_t)end;

	if (end < start)
		return first;
	/* a run that ends with a second does not extend into the next */
	return last > first && (double)last >= end ? last - 1 : last;
}

int64_t timeline_moved(const struct timeline *line, size_t row)
{
	return sum(line->rows[TIMELINE_READ][row], line->rows[TIMELINE_WRITE][row]);
}

/* ---- shape --------------------------------------------------------------- */

static double moved(const struct timeline *line, size_t from, size_t to)
{
	double all = 0;

	for (; from < to; from++)
		all += (double)timeline_moved(line, from);
	return all;
}

static bool is_steady(const struct timeline *line, double mean)
{
	size_t i, busy = 0;

	for (i = 0; i < line->count; i++)
		busy += (double)timeline_moved(line, i) * 2 >= mean;
	return busy * 4 >= line->count * 3;
}

static int64_t count_bursts(const struct timeline *line, double mean)
{
	bool is_busy, was_busy = false;
	int64_t bursts = 0;
	size_t i;

	for (i = 0; i < line->count; i++) {
		is_busy = (double)timeline_moved(line, i) >= mean;
		bursts += is_busy && !was_busy;
		was_busy = is_busy;
	}
	return bursts;
}

enum timeline_shape timeline_shape(const struct timeline *line, int64_t first, int64_t last,
				   int64_t *bursts)
{
	struct timeline run;
	size_t quarter;
	double all;

	timeline_cover(line, first, last, &run);
	all = moved(&run, 0, run.count);
	if (run.count < TIMELINE_SHAPE_ROWS || all < TIMELINE_SHAPE_BYTES)
		return TIMELINE_SHAPE_NONE;
	quarter = (run.count + 3) / 4;
	if (moved(&run, run.count - quarter, run.count) * 4 >= all * 3)
		return TIMELINE_TAIL;
	if (moved(&run, 0, quarter) * 4 >= all * 3)
		return TIMELINE_HEAD;
	if (is_steady(&run, all / (double)run.count))
		return TIMELINE_STEADY;
	*bursts = count_bursts(&run, all / (double)run.count);
	return TIMELINE_BURSTS;
}
