/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.h - rows of a line (layout.h), filled and folded
 *
 * Terms   to fold: to make one row of 1 << by neighbours. Nothing gets lost, and
 *           a line that holds more than COUNT_ROWS rows is folded first.
 * Errors  none. A window before the first row of its line would be in a wrong
 *           row; windows of a line only grow.
 * Runs    in the kernel, under the shard's lock, and in jobio-count on its copy.
 *           No branch in the loops depends on what is counted: the verifier walks
 *           each of them once, and in pieces, which are functions of their own there.
 */
#ifndef JOBIO_COUNT_LINE_H
#define JOBIO_COUNT_LINE_H

#include "count/layout.h"

#define LINE_WINDOW_NS (COUNT_WINDOW_S * 1000000000ULL)
#define LINE_PIECE 8	  /* rows; the verifier walks each loop */
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

/* A piece of the rows becomes part of those that neighbours make. */
LINE_INLINE void line_fold_piece(struct count_line *line, __u32 first, __u32 by)
{
	__u64 base = line->base;
	struct count_row *to, row;
	__u32 i;

	for (i = first; i < first + LINE_PIECE; i++) {
		row = line->rows[i & (COUNT_ROWS - 1)];
		line->rows[i & (COUNT_ROWS - 1)] = (struct count_row){ .calls = 0 };
		to = &line->rows[(((base + i) >> by) - (base >> by)) & (COUNT_ROWS - 1)];
		to->bytes[0] += row.bytes[0];
		to->bytes[1] += row.bytes[1];
		to->calls += row.calls;
		to->ns += row.ns;
	}
}

LINE_INLINE void line_folded(struct count_line *line, __u32 by)
{
	line->base >>= by;
	line->shift += by;
}

/* Make room for the row of the line's window. */
LINE_INLINE void line_room(struct count_line *line)
{
	__u32 by = line_fold_by(line->base, line->window >> (line->shift & 63)) & 63;
	__u32 i;

	for (i = 0; by && i < COUNT_ROWS; i += LINE_PIECE)
		line_fold_piece(line, i, by);
	line_folded(line, by);
}

/* Put what was counted since the last time into the row of the line's window, for which there
 * is room: 'now' is what the counters are. */
LINE_INLINE void line_add(struct count_line *line, const struct count_row *now)
{
	struct count_row *row;

	row = &line->rows[((line->window >> (line->shift & 63)) - line->base) & (COUNT_ROWS - 1)];
	row->bytes[0] += now->bytes[0] - line->told.bytes[0];
	row->bytes[1] += now->bytes[1] - line->told.bytes[1];
	row->calls += now->calls - line->told.calls;
	row->ns += now->ns - line->told.ns;
	line->told = *now;
}

LINE_INLINE void line_tell(struct count_line *line, const struct count_row *now)
{
	line_room(line);
	line_add(line, now);
}

/* a - b, or 0 */
LINE_INLINE __u64 line_above(__u64 a, __u64 b)
{
	__s64 by = a - b;

	__asm__ volatile("" : "+r"(by));
	return by & ~(by >> 63);
}

LINE_INLINE void line_spread_piece(struct count_line *line, __u32 first, __u64 begin_ns,
				   __u64 end_ns)
{
	__u64 width = LINE_WINDOW_NS << (line->shift & 31), at = (line->base + first) * width;
	__u64 from, to;
	__u32 i;

	for (i = first; i < first + LINE_PIECE; i++, at += width) {
		from = at + line_above(begin_ns, at);
		to = end_ns - line_above(end_ns, at + width);
		line->rows[i & (COUNT_ROWS - 1)].ns += line_above(to, from);
	}
}

/* A call of [begin, end) is to be spread over the rows that it took; in nanoseconds of the
 * line's clock. What lies before the first row counts as told: but where
 * nothing was, the line begins with it. */
LINE_INLINE void line_begin(struct count_line *line, __u64 begin_ns, __u64 end_ns)
{
	if (!line->told.calls && !line->told.ns && !line->shift && line->base == line->window &&
	    begin_ns / LINE_WINDOW_NS < line->base)
		line->base = begin_ns / LINE_WINDOW_NS;
	line->told.ns += end_ns - begin_ns;
}

LINE_INLINE void line_spread(struct count_line *line, __u64 begin_ns, __u64 end_ns)
{
	__u32 i;

	line_begin(line, begin_ns, end_ns);
	line_room(line);
	for (i = 0; i < COUNT_ROWS; i += LINE_PIECE)
		line_spread_piece(line, i, begin_ns, end_ns);
}

#endif
