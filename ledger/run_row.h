/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_row.h - assign a record to a run, and update the run
 *
 * Terms   row: a run in the store, with the members that store_put() needs. The
 *           rules are those of store.h, the same for every database.
 *         blank: record of an epilog that found nothing of its job, mostly at
 *           its second run: without start, restart and counters. It belongs to
 *           the nearest run that started before. A row with blank records only
 *           (last is before first) belongs to the next run that ends before it.
 * Owner   the nodelist of a row is malloc'ed, the caller's.
 * Errors  none.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_RUN_ROW_H
#define JOBIO_LEDGER_RUN_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

struct run_row {
	int64_t id, restart, nodes_seen, nodes_expected, version;
	int64_t array_job, array_task, het_job, het_offset;
	int64_t next_try; /* RECORD_UNKNOWN: it is not dirty */
	double first, last;
	char *nodelist;
};

/* Return the end of the record's run. A record that started before now and ends days ahead, or took
 * longer than any job, is forged or from a clock that was set: it would absorb all later runs of
 * the job, so its start is returned. */
double run_row_end(const struct record *r, int64_t now_s);

/* Return a run with this record only, which is not in the store yet: id 0. */
struct run_row run_row_new(const struct record *r, int64_t now_s);

/* Return the seconds between a run and a record that ended at 'end', 0 if they overlap; -1: another
 * run. */
double run_row_distance(const struct record *r, double end, const struct run_row *run);

/* Return true if one of the two is blank: both may contain a record of the same node. */
bool run_row_is_blank(const struct record *r, const struct run_row *run);

/* Return true if the record is better than the stored one of this node. */
bool run_row_is_better(const struct record *r, const char *text, size_t size, const char *old_text,
		       size_t old_size);

/* Update the run from a record. Values known to any record are used, and the longest node list
 * (merge.h), so that the order of arrival does not matter. */
void run_row_update(struct run_row *run, const struct record *r, int64_t now_s);

/* Return when to write the run. The grace period begins with the first waiting record: nodes that
 * report one by one must not extend it. */
int64_t run_row_due(const struct run_row *run, int64_t now_s, unsigned int grace_s);

#endif
