/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - what the records of one run say together
 *
 * Terms   best: the numbers of one node, see record_best_app().
 *         line: what the same source (and client) says on all nodes of the same
 *           files in the same scope, added up: numbers, metadata operations and histograms;
 *           a peak is the most of one node; a timeline goes by the clocks of the nodes,
 *           and is only there where each that moved something has one.
 *         A sum ends at INT64_MAX. What is unknown adds nothing; a sum of
 *           nothing is RECORD_UNKNOWN.
 * Owner   lines: run_lines_free(), NULL allowed; 'first' belongs to a record.
 *           'fs' of a sum is NULL.
 * Errors  NULL only when out of memory.
 * Runs    ledger, report.
 */
#ifndef JOBIO_RUN_H
#define JOBIO_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/record.h"

#define RUN_LINES_MAX 64

enum run_kind {
	RUN_APP,   /* what the job asked for, by the best source of the node */
	RUN_OTHER, /* the same, as another source saw it */
	RUN_WIRE   /* what the client did */
};

struct run_line {
	const struct record_io *first; /* scope, source, fs of all of them */
	struct record_io sum;
	enum run_kind kind;
	size_t nodes;
};

struct run_lines {
	struct run_line *line;
	size_t count;
	size_t left_out; /* lines of nodes that found no place */
};

/* Add a number to a sum, either of which may be unknown. */
void run_add(int64_t *sum, int64_t number);

/* Add the counters of 'io' to 'sum'; scope, source and files stay. */
void run_add_io(struct record_io *sum, const struct record_io *io);

/* The best lines of one node in one scope, added up, with their source; all
 * unknown and "" when there are none. */
void run_best(const struct record *record, enum record_scope scope,
	      struct record_io *sum);

struct run_lines *run_lines_new(struct record *const *records, size_t count);
void run_lines_free(struct run_lines *lines);

#endif
