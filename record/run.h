/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - sums over the records of one run
 *
 * Terms   best: the counters of one node, see record_best_app().
 *         series: counters of the same source (and client), files and scope, added up over
 *           nodes: numbers, metadata operations and histograms; a peak is the largest
 *           of one node; a timeline uses the clocks of the nodes, and is only there if
 *           each node that moved something has one.
 *         time: from the first start of a node to the last end, by the nodes' clocks.
 *         clock_skew: of the nodes, as far as records show it: the largest
 *           delay of a node after the first start and after the first end, if both
 *           are RUN_CLOCK_SKEW_S or more and nearly the same. A node that is late by the same
 *           time at both ends looks the same; one that is late at one end does not.
 *         A sum ends at INT64_MAX. Unknown values are skipped; if all are unknown, so
 *           is the sum.
 * Owner   series: run_series_free(), NULL allowed; 'fs' of a series belongs to a record.
 * Errors  none.
 * Runs    ledger, report.
 */
#ifndef JOBIO_RECORD_RUN_H
#define JOBIO_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

#define RUN_SERIES_MAX 64
#define RUN_CLOCK_SKEW_S 10	/* clocks may differ by so much, store_ops.h */
#define RUN_CLOCK_SKEW_SLOP_S 5 /* prologs and epilogs of a job do not start at once */

enum run_kind {
	RUN_APP,      /* of the job's processes, by the best source of the node */
	RUN_OTHER,    /* the same, by another source */
	RUN_CLIENT_IO /* of the client */
};

struct run_series {
	struct io io; /* sum over nodes */
	enum run_kind kind;
	size_t nodes;
};

struct run_series_list {
	struct run_series *list;
	size_t count;
	size_t left_out; /* lines of nodes beyond RUN_SERIES_MAX */
};

/* Add up the best lines of one node in one scope, with their source; unknown and "" if there are
 * none. */
void run_best(const struct record *record, enum io_scope scope, struct io *sum);
/* Return their source; "": there are none. */
const char *run_source(const struct record *record, enum io_scope scope);

struct run_time {
	double first, last; /* seconds since 1970; < 0: unknown */
	double first_end;   /* of the node that ended first */
	double longest;	    /* seconds of the node that took the longest */
	double clock_skew;  /* 0: none found */
};
#define RUN_TIME_NONE                                                                              \
	{                                                                                          \
		-1, -1, -1, 0, 0                                                                   \
	}

/* Call the first for all nodes, then the second for all: it finds clocks that differ. */
void run_time_add(struct run_time *time, double start, double end);
void run_time_compare(struct run_time *time, double start, double end);

/* Return the elapsed time, 0: unknown. If clocks differ: the longest of one node. */
double run_time_seconds(const struct run_time *time);

/* Do both for these records. */
struct run_time run_time_of(struct record *const *records, size_t count);

struct run_series_list *run_series_new(struct record *const *records, size_t count);
void run_series_free(struct run_series_list *lines);

#endif
