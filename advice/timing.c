/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/timing.h"

#include "advice/limits.h"
#include "record/timeline.h"

/* Return the first row of the last part of the run. */
static size_t tail_row(const struct timeline *run)
{
	return run->count - (run->count + LIMIT_TAIL_PARTS - 1) / LIMIT_TAIL_PARTS;
}

static double written(const struct timeline *run, size_t from)
{
	double bytes = 0;

	for (; from < run->count; from++)
		bytes += (double)run->rows[TIMELINE_WRITE][from];
	return bytes;
}

/* Set [run] to the rows of the whole run. Return false if there are too few of them or the clocks
 * of nodes differ. */
static bool cover(const struct view *v, struct timeline *run)
{
	timeline_cover(&v->io->timeline, (int64_t)v->run->first,
		       timeline_last(v->run->first, v->run->first + v->run->seconds), run);
	return v->run->clock_skew <= 0 && run->count >= TIMELINE_SHAPE_ROWS;
}

double timing_tail(const struct view *v)
{
	struct timeline run;

	if (!cover(v, &run) || view_bytes(v) <= 0)
		return 0;
	return written(&run, tail_row(&run)) / view_bytes(v);
}

static double waited(const struct timeline *run, size_t row)
{
	return timeline_sum(run, TIMELINE_IO_US) > 0 ? (double)run->rows[TIMELINE_IO_US][row]
						     : (double)timeline_moved(run, row);
}

double timing_tail_time(const struct view *v)
{
	struct timeline run;
	double tail = 0;
	size_t i;

	if (!cover(v, &run) || timeline_sum(&run, TIMELINE_IO_US) <= 0)
		return -1;
	for (i = tail_row(&run); i < run.count; i++)
		tail += (double)run.rows[TIMELINE_IO_US][i];
	return tail / (double)timeline_sum(&run, TIMELINE_IO_US);
}

double timing_bursts(const struct view *v)
{
	struct timeline run;
	double sum = 0, bursts = 0, busy = 0;
	bool is_above = false, was_above = false;
	size_t i;

	if (!cover(v, &run))
		return 0;
	for (i = 0; i < run.count; i++)
		sum += waited(&run, i);
	for (i = 0; i < run.count; i++, was_above = is_above) {
		is_above = waited(&run, i) * (double)run.count > sum;
		busy += is_above;
		bursts += is_above && !was_above;
	}
	return reaches(run.count - busy, LIMIT_HALF_PERCENT, run.count) ? bursts : 0;
}
