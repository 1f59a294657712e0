/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.h - merge the records of a run's nodes into one summary
 *
 * Terms   node summary: excerpt of one record.
 *         better: of two records of the same node (an epilog that ran twice, a
 *           node that came back after a reboot) the store keeps one: the one with more
 *           counters (record_weight()), then the one with a known start, then the one
 *           without node_rebooted, then the later end, then the larger digest of its
 *           text. The order of arrival does not matter.
 *         Numbers of a record: those of scope job that record_best_app()
 *           chooses. Node-wide numbers are used only if no record of the run has
 *           any of scope job; the summary contains the scope.
 * Owner   struct merge copies what it needs: merge_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger. The order of merge_add() calls does not matter.
 */
#ifndef JOBIO_LEDGER_MERGE_H
#define JOBIO_LEDGER_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "record/summary.h"

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *merge);

/* Return a 64-bit digest of a record's text. */
uint64_t merge_digest(const char *text, size_t size);

/* Return true if the first record is better than the second. */
bool merge_is_better(const struct record *first, uint64_t first_digest, const struct record *second,
		     uint64_t second_digest);

/* Add a record, one for each node. */
void merge_add(struct merge *merge, const struct record *record);

/* Missing nodes are those of the longest node list without a record. */
void merge_summary(struct merge *merge, struct summary *summary);

#endif
