/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - what the records of one run say together
 *
 * Terms   best: the numbers of one node, see record_best_app().
 *         line: what the same source (and client) says on all nodes of the same
 *           files in the same scope, added up: numbers, metadata operations and histograms;
 *           a peak is the most of one node; a timeline goes by the clocks of the nodes,
 *           and is only there where each that moved something has one.
 *         time: from the first start of a node to the last end, by the nodes' clocks.
 *         apart: by how much these differ, as far as records can tell: the most that
 *           a node began after the first that began, and ended after the first that
 *           ended, where both are RUN_APART_S or more and nearly the same. Who was as
 *           late at the start as at the end looks the same; who was late once does
 *           not.
 *         A sum ends at INT64_MAX. What is unknown adds nothing; a sum of
 *           nothing is RECORD_UNKNOWN.
 * Owner   lines: run_lines_free(), NULL allowed; 'fs' of a line belongs to a record.
 * Errors  none.
 * Runs    ledger, report.
 */
#ifndef JOBIO_RUN_H
#define JOBIO_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/record.h"

#define RUN_LINES_MAX 64
#define RUN_APART_S 10	   /* as much as clocks may differ, store_ops.h */
#define RUN_APART_SLOP_S 5 /* prologs and epilogs of a job do not start at once */

enum run_kind {
	RUN_APP,   /* what the job asked for, by the best source of the node */
	RUN_OTHER, /* the same, as another source saw it */
	RUN_WIRE   /* what the client did */
};

struct run_line {
	struct io io; /* of all of them */
	enum run_kind kind;
	size_t nodes;
};

struct run_lines {
	struct run_line *line;
	size_t count;
	size_t left_out; /* lines of nodes that found no place */
};

/* The best lines of one node in one scope, added up, with their source; all
 * unknown and "" when there are none. */
void run_best(const struct record *record, enum io_scope scope, struct io *sum);
/* Their source; "": there are none. */
const char *run_source(const struct record *record, enum io_scope scope);

struct run_time {
	double first, last; /* seconds since 1970; < 0: unknown */
	double first_end;   /* of the node that ended first */
	double longest;	    /* seconds of the node that took the longest */
	double apart;	    /* 0: nothing is known of that */
};
#define RUN_TIME_NONE                                                                              \
	{                                                                                          \
		-1, -1, -1, 0, 0                                                                   \
	}

/* Of all its nodes first the one, then the other: that can tell who is apart. */
void run_time_add(struct run_time *time, double start, double end);
void run_time_compare(struct run_time *time, double start, double end);

/* How long the run took, 0: unknown. With clocks that are apart: on one node. */
double run_time_seconds(const struct run_time *time);

/* Both, of these records. */
struct run_time run_time_of(struct record *const *records, size_t count);

struct run_lines *run_lines_new(struct record *const *records, size_t count);
void run_lines_free(struct run_lines *lines);

#endif
