/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - add to the rows of a series (layout.h), and fold them
 *
 * Terms   fold: make one row of 1 << by neighbours. Sums stay the same.
 * Owner   the caller.
 * Errors  none. Windows of a series only grow: one before its first row would be added to a
 *           wrong row.
 * Runs    in the kernel, under the lock of the shard, and in jobio-count on a copy. Loops have
 *           no branches that depend on data, and are cut into pieces, which are separate
 *           functions in the kernel: the verifier walks each once.
 */
#ifndef JOBIO_COUNT_SERIES_H
#define JOBIO_COUNT_SERIES_H

#include "count/layout.h"

#define SERIES_WINDOW_NS (COUNT_WINDOW_S * 1000000000ULL)
#define SERIES_PIECE 8	    /* rows */
#define SERIES_SHIFT_MAX 40 /* 64 rows of 35000 years */
#define SERIES_INLINE static inline __attribute__((always_inline))

/* Return how many times rows must be folded to make room for row 'number'. */
SERIES_INLINE __u32 series_fold_by(__u64 base, __u64 number)
{
	__u32 by = 0, i;
	__u64 over;

	for (i = 0; i < SERIES_SHIFT_MAX; i++) {
		over = ((number >> i) - (base >> i)) / COUNT_ROWS;
		__asm__ volatile("" : "+r"(over));
		over = (0 - over) >> 63; /* 1, or 0 for 0 */
		by += (__u32)over;
	}
	return by;
}

/* Fold one piece of the rows. */
SERIES_INLINE void series_fold_piece(struct count_series *series, __u32 first, __u32 by)
{
	__u64 base = series->base;
	struct count_row *to, row;
	__u32 i;

	for (i = first; i < first + SERIES_PIECE; i++) {
		row = series->rows[i & (COUNT_ROWS - 1)];
		series->rows[i & (COUNT_ROWS - 1)] = (struct count_row){ .calls = 0 };
		to = &series->rows[(((base + i) >> by) - (base >> by)) & (COUNT_ROWS - 1)];
		to->bytes[0] += row.bytes[0];
		to->bytes[1] += row.bytes[1];
		to->calls += row.calls;
		to->ns += row.ns;
	}
}

SERIES_INLINE void series_folded(struct count_series *series, __u32 by)
{
	series->base >>= by;
	series->shift += by;
}

/* Fold until the current window has a row. */
SERIES_INLINE void series_make_room(struct count_series *series)
{
	__u32 by = series_fold_by(series->base, series->window >> (series->shift & 63)) & 63;
	__u32 i;

	for (i = 0; by && i < COUNT_ROWS; i += SERIES_PIECE)
		series_fold_piece(series, i, by);
	series_folded(series, by);
}

/* Add the difference to the counters 'now' to the row of the current window, which exists. */
SERIES_INLINE void series_add(struct count_series *series, const struct count_row *now)
{
	struct count_row *row;

	row = &series->rows[((series->window >> (series->shift & 63)) - series->base) &
			    (COUNT_ROWS - 1)];
	row->bytes[0] += now->bytes[0] - series->counted.bytes[0];
	row->bytes[1] += now->bytes[1] - series->counted.bytes[1];
	row->calls += now->calls - series->counted.calls;
	row->ns += now->ns - series->counted.ns;
	series->counted = *now;
}

SERIES_INLINE void series_update(struct count_series *series, const struct count_row *now)
{
	series_make_room(series);
	series_add(series, now);
}

/* a - b, or 0 */
SERIES_INLINE __u64 series_excess(__u64 a, __u64 b)
{
	__s64 by = a - b;

	__asm__ volatile("" : "+r"(by));
	return by & ~(by >> 63);
}

SERIES_INLINE void series_spread_piece(struct count_series *series, __u32 first, __u64 begin_ns,
				       __u64 end_ns)
{
	__u64 width = SERIES_WINDOW_NS << (series->shift & 31), at = (series->base + first) * width;
	__u64 from, to;
	__u32 i;

	for (i = first; i < first + SERIES_PIECE; i++, at += width) {
		from = at + series_excess(begin_ns, at);
		to = end_ns - series_excess(end_ns, at + width);
		series->rows[i & (COUNT_ROWS - 1)].ns += series_excess(to, from);
	}
}

/* Prepare a call of [begin, end), by the clock of the series, to be spread over its rows. Time before
 * the first row is counted in none; an empty series then begins with the call. */
SERIES_INLINE void series_add_call(struct count_series *series, __u64 begin_ns, __u64 end_ns)
{
	if (!series->counted.calls && !series->counted.ns && !series->shift &&
	    series->base == series->window && begin_ns / SERIES_WINDOW_NS < series->base)
		series->base = begin_ns / SERIES_WINDOW_NS;
	series->counted.ns += end_ns - begin_ns;
}

#endif
