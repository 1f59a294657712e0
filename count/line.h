/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.h - rows of a line (layout.h), filled and folded
 *
 * Terms   to fold: to make one row of 1 << by neighbours. Nothing gets lost, and
 *           a line that holds more than COUNT_ROWS rows is folded first.
 * Errors  none. A window before the first row of its line would be in a wrong
 *           row; windows of a line only grow.
 * Runs    in the kernel, under the shard's lock, and in jobio-count on its copy.
 *           No branch in the loops depends on what is counted: the verifier walks
 *           each of them once.
 */
#ifndef JOBIO_COUNT_LINE_H
#define JOBIO_COUNT_LINE_H

#include "count/layout.h"

#define LINE_SHIFT_MAX 40 /* 35000 years of 64 rows */
#define LINE_INLINE static inline __attribute__((always_inline))

/* How often neighbours must become one until row 'number' has a place. */
LINE_INLINE __u32 line_fold_by(__u64 base, __u64 number)
{
	__u32 by = 0, i;
	__u64 over;

	for (i = 0; i < LINE_SHIFT_MAX; i++) {
		over = ((number >> i) - (base >> i)) / COUNT_ROWS;
		__asm__ volatile("" : "+r"(over));
		over = (0 - over) >> 63; /* 1, or 0 when it is 0 */
		by += (__u32)over;
	}
	return by;
}

LINE_INLINE void line_fold(struct count_line *line, __u32 by)
{
	__u64 base = line->base;
	struct count_row *to, row;
	__u32 i;

	for (i = 0; i < COUNT_ROWS; i++) {
		row = line->rows[i];
		line->rows[i].bytes[0] = 0;
		line->rows[i].bytes[1] = 0;
		line->rows[i].calls = 0;
		to = &line->rows[(((base + i) >> by) - (base >> by)) & (COUNT_ROWS - 1)];
		to->bytes[0] += row.bytes[0];
		to->bytes[1] += row.bytes[1];
		to->calls += row.calls;
	}
	line->base = base >> by;
	line->shift += by;
}

/* Put what was counted since the last time into the row of the line's window:
 * 'now' is what the counters are. */
LINE_INLINE void line_tell(struct count_line *line, const struct count_row *now)
{
	__u32 by = line_fold_by(line->base, line->window >> (line->shift & 63));
	struct count_row *row;

	by &= 63;
	if (by)
		line_fold(line, by);
	row = &line->rows[((line->window >> (line->shift & 63)) - line->base) & (COUNT_ROWS - 1)];
	row->bytes[0] += now->bytes[0] - line->told.bytes[0];
	row->bytes[1] += now->bytes[1] - line->told.bytes[1];
	row->calls += now->calls - line->told.calls;
	line->told = *now;
}

#endif
