/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - which run a record belongs to, and what it makes of that run
 *
 * Terms   row: a run as a store keeps it, as far as store_put() needs it. The
 *           rules are those of store.h, the same for every database.
 *         blank: a record as an epilog makes it that finds nothing of its job, a
 *           second time mostly: neither start nor restart nor any counter. It is
 *           of the nearest run that began before. A row of such alone, whose last
 *           is before its first, is of the next run that ends before it.
 * Owner   the nodelist of a row is malloc'ed, the caller's.
 * Errors  -1 and a sentence: out of memory.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_ROW_H
#define JOBIO_LEDGER_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/record.h"

struct row {
	int64_t id, restart, seen, expected, version;
	int64_t array_job, array_task, het_job, het_offset;
	int64_t next_try; /* RECORD_UNKNOWN: it does not wait */
	double first, last;
	char *nodelist;
};

/* Until when its run took up time. A record that began before now and ends in
 * days to come, or took longer than any job, is forged or of a clock that was
 * set: it would swallow all later runs of the job, so it takes up a moment. */
double row_end(const struct record *r, int64_t now_s);

/* A run of this record alone, which is not in the store yet: id 0. */
struct row row_new(const struct record *r, int64_t now_s);

/* Seconds between a run and a record that ended at 'end', 0 when they overlap;
 * -1: another run. */
double row_distance(const struct record *r, double end, const struct row *run);

/* One of the two is blank: of what a node has in both there is one record. */
bool row_is_blank(const struct record *r, const struct row *run);

/* Is it better than what this node said before? */
bool row_is_news(const struct record *r, const char *text, size_t size, const char *old_text,
		 size_t old_size);

/* The run knows what any of its records knows; the longest node list counts
 * (merge.h), so that the order of arrival does not matter. */
void row_widen(struct row *run, const struct record *r, int64_t now_s);

/* When it is to be written. The grace period begins with the first record that
 * waits: nodes that come one by one must not put it off for ever. */
int64_t row_due(const struct row *run, int64_t now_s, unsigned int grace_s);

#endif
