/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - I/O over time, in rows of equal width
 *
 * Terms   row: what was moved from 'start + i * width' on, for 'width' seconds.
 *           The width is a power of two and the start a multiple of it: rows of
 *           any two timelines nest.
 *         to fold: to double the width. The sums stay the same.
 *         lane: bytes read, bytes written, calls, time inside I/O calls
 *           (microseconds of all threads; a long call is in each row that it took).
 *         partial: some bytes were moved at an unknown time. A sum with it has
 *           no rows either: they would be incomplete.
 *         run: the seconds 'first' to 'last' of a job, both included.
 *         shape: of the bytes of a run, over its at most 64 rows:
 *           TAIL    at least 3/4 of them in the last quarter of the rows
 *           HEAD    at least 3/4 of them in the first quarter
 *           STEADY  at least 3/4 of the rows have half of their mean or more
 *           BURSTS  else: the number of groups of rows with their mean or more
 *           NONE    below 8 rows, or below 1 MiB: too few.
 * Owner   plain values. All zero is one without rows. Rows at both ends are not
 *           empty.
 * Errors  none; a number ends at INT64_MAX. Adding in any order, any number of
 *           sums of sums, gives the same.
 * Runs    jobio-count, epilog, ledger, report.
 */
#ifndef JOBIO_RECORD_TIMELINE_H
#define JOBIO_RECORD_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_ROWS 64
#define TIMELINE_TIME_MAX INT64_C(100000000000) /* the year 5138 */
/* All times fit into 64 rows of it. */
#define TIMELINE_WIDTH_MAX (INT64_C(1) << 31)
#define TIMELINE_SHAPE_ROWS 8
#define TIMELINE_SHAPE_BYTES (1 << 20)

enum timeline_lane {
	TIMELINE_READ,
	TIMELINE_WRITE,
	TIMELINE_CALLS,
	TIMELINE_IO_US,
	TIMELINE_LANES
};

struct timeline {
	bool is_partial;
	int64_t start; /* seconds since 1970 */
	int64_t width; /* seconds; 0: no rows */
	size_t count;
	int64_t rows[TIMELINE_LANES][TIMELINE_ROWS];
};

enum timeline_shape {
	TIMELINE_SHAPE_NONE,
	TIMELINE_STEADY,
	TIMELINE_BURSTS,
	TIMELINE_TAIL,
	TIMELINE_HEAD
};

/* Return true if a row of this width may start here. */
bool timeline_is_row(int64_t start, int64_t width);

/* Add such a row; an empty one adds nothing. */
void timeline_put(struct timeline *line, int64_t start, int64_t width,
		  const int64_t amounts[TIMELINE_LANES]);

void timeline_add(struct timeline *line, const struct timeline *other);

/* Mark as partial: it has no rows from now on. */
void timeline_spoil(struct timeline *line);

int64_t timeline_sum(const struct timeline *line, enum timeline_lane lane);

/* Copy, with empty rows at both ends so that the run is covered, and wider ones if there were more
 * than 64. */
void timeline_cover(const struct timeline *line, int64_t first, int64_t last,
		    struct timeline *covered);

/* Return the last second of a run from 'start' to 'end'; end < 0: unknown. */
int64_t timeline_last(double start, double end);

/* Return true if any lane has a value in this row. */
bool timeline_has_row(const struct timeline *line, size_t row);

/* Return the bytes read and written in a row. */
int64_t timeline_moved(const struct timeline *line, size_t row);

/* *bursts is set with TIMELINE_BURSTS. */
enum timeline_shape timeline_shape(const struct timeline *line, int64_t first, int64_t last,
				   int64_t *bursts);

#endif
