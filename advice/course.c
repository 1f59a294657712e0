/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/course.h"

#include "advice/limits.h"
#include "lib/timeline.h"

/* ---- at the end of the job ---------------------------------------------------- */

static double written(const struct timeline *run, size_t from)
{
	double bytes = 0;

	for (; from < run->count; from++)
		bytes += (double)run->rows[TIMELINE_WRITE][from];
	return bytes;
}

/* How much of all that was moved was written in the last quarter of the run: 0 to 1,
 * 0 too where there are too few rows to tell, or clocks that differ. */
static double written_late(const struct view *v)
{
	struct timeline run;
	size_t quarter;

	timeline_cover(&v->io->timeline, (int64_t)v->start,
		       timeline_last(v->start, v->start + v->seconds), &run);
	quarter = (run.count + 3) / 4;
	if (v->apart > 0 || run.count < TIMELINE_SHAPE_ROWS || view_bytes(v) <= 0)
		return 0;
	return written(&run, run.count - quarter) / view_bytes(v);
}

bool course_tail(const struct view *v, struct advice *a)
{
	double late = written_late(v);

	if (v->seconds < v->limits->min_seconds || !view_is_busy(v) ||
	    late * 100 < LIMIT_TAIL_PERCENT)
		return false;
	view_what(
		a,
		"%.1f GiB, %.0f %% of all that it moved, were written in the last quarter of its time",
		late * view_bytes(v) / 1073741824.0, late * 100);
	view_why(
		a,
		"%u %% or more are a tail: its nodes wait for the filesystem, and the filesystem had waited for them",
		LIMIT_TAIL_PERCENT);
	return view_tell(a, view_io_share(v) * late);
}
