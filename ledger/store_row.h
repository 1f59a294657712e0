/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_row.h - a row of the store: a run, and the state of its summary
 *
 * Terms   the rules by which a record belongs to a run are those of store.h, the same for
 *           every database.
 *         blank: record of an epilog that found nothing of its job, mostly at
 *           its second run: without start, restart and counters. It belongs to
 *           the nearest run that started before. A row with blank records only
 *           (last is before first) belongs to the next run that ends before it.
 *         The run of a row has no records; its times are those of store_row_end().
 * Owner   store_row_clear() frees what is in a row.
 * Errors  none.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_STORE_ROW_H
#define JOBIO_LEDGER_STORE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "record/run.h"

#define STORE_SLOP_S 10
#define STORE_SKEW_S 300 /* MUNGE refuses more: it is the lifetime of its credentials */

enum store_dirt {
	STORE_CLEAN,
	STORE_DIRTY,
	STORE_AGAIN
};

struct store_row {
	struct run run;
	int64_t id, version; /* id 0: not in the store yet */
	enum store_dirt dirty;
	int64_t tries, next_try, written; /* written: when; 0: never */
	char *summary, *error;		  /* NULL: none */
	char *brief, *text; /* run_json.h; NULL: not yet, too long, or not loaded (text) */
};

/* Return the end of the record's run. A record that started before now and ends days ahead, or took
 * longer than any job, is forged or from a clock that was set: it would absorb all later runs of
 * the job, so its start is returned. */
double store_row_end(const struct record *r, int64_t now_s);

/* Set [row] to a run with the times of this record. */
void store_row_init(struct store_row *row, const struct record *r, int64_t now_s);
void store_row_clear(struct store_row *row);

/* Return the seconds between a run and a record that ended at 'end', 0 if they overlap; -1: another
 * run. */
double store_row_distance(const struct record *r, double end, const struct store_row *row);

/* Return true if one of the two is blank: both may contain a record of the same node. */
bool store_row_is_blank(const struct record *r, const struct store_row *row);

/* Return true if the record is better than the stored one of this node. */
bool store_row_is_better(const struct record *r, const char *text, size_t size,
			 const char *old_text, size_t old_size);

/* Update the run from a record, of a new node or in place of an older one, and when to write its
 * summary. The order of arrival does not matter. */
void store_row_add(struct store_row *row, const struct record *r, bool is_new, int64_t now_s,
		   unsigned int grace_s);

#endif
