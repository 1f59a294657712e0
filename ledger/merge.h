/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.h - many nodes' records of one run become one summary
 *
 * Terms   part: what a merge keeps of one record.
 *         better: of two records of the same node (an epilog that ran twice, a
 *           node that came back after a reboot) the store keeps one: the one with more
 *           counters (record_weight()), then the one that has its start, then the one
 *           without node_rebooted, then the later end, then the larger digest of its
 *           text. The same one whatever the order of arrival.
 *         The numbers of a record: those of scope job that record_best_app()
 *           chooses. Node-wide numbers only if no record of the run has any of
 *           scope job, and then the summary says so.
 * Owner   struct merge copies what it needs: merge_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger. merge_add in any order: the summary is the same.
 */
#ifndef JOBIO_LEDGER_MERGE_H
#define JOBIO_LEDGER_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/record.h"
#include "lib/summary.h"

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *merge);

/* 64 bits of a record's text; equal texts, equal digests. */
uint64_t merge_digest(const char *text, size_t size);

/* 1: the first is better than the second; 0: it is not. */
bool merge_is_better(const struct record *first, uint64_t first_digest, const struct record *second,
		     uint64_t second_digest);

/* One of each node. */
void merge_add(struct merge *merge, const struct record *record);

/* Summarize; missing nodes are those of the longest node list that no record
 * came from. */
void merge_summary(struct merge *merge, struct summary *summary);

#endif
