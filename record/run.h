/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - one run of a job: the records of its nodes, merged
 *
 * Terms   best: the counters of one node, see record_best_app(); those of scope node are
 *           used only if the record has none of scope job.
 *         series: counters of the same source (and client), files and scope, added up over
 *           nodes: numbers, metadata operations and histograms; a peak is the largest
 *           of one node; a timeline uses the clocks of the nodes, and is only there if
 *           each node that moved something has one.
 *         group: nodes for which one member of the record, or one element of a list, has
 *           the same value.
 *         times: from the first start of a node to the last end, by the nodes' clocks.
 *         clock_skew: of the nodes, as far as records show it: the largest
 *           delay of a node after the first start and after the first end, if both
 *           are RUN_CLOCK_SKEW_S or more and nearly the same. A node that is late by the
 *           same time at both ends looks the same; one that is late at one end does not.
 *         place: least position in a record; series and mounts are in this order, and
 *           groups in that of their first nodes.
 *         A sum ends at INT64_MAX. Unknown values are skipped; if all are unknown, so
 *           is the sum.
 * Owner   run_free(), NULL allowed. A run owns everything in it.
 * Errors  none. The order of records does not matter, and a second record of a node is
 *           ignored: record_is_better() chooses one before. Of more series or mounts than
 *           a run holds the first are kept.
 * Runs    ledger, report.
 */
#ifndef JOBIO_RECORD_RUN_H
#define JOBIO_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

#define RUN_SERIES_MAX 64
#define RUN_MOUNTS_MAX 256
#define RUN_WORDS_MAX 64
#define RUN_VALUES_BYTES_MAX (16U << 20) /* of groups: above this the run is "truncated" */
#define RUN_CLOCK_SKEW_S 10		 /* clocks may differ by so much, store_ops.h */
#define RUN_CLOCK_SKEW_SLOP_S 5		 /* prologs and epilogs of a job do not start at once */

/* What the job did not get. */
#define RUN_UNMET_PARTS(X)                                                                         \
	X(STARTED, "started")                                                                      \
	X(PROFILE, "profile")                                                                      \
	X(CORES, "cores")                                                                          \
	X(GATE, "gate")

#define RUN_UNMET_ENUM(id, name) RUN_UNMET_BIT_##id,
enum run_unmet_bit {
	RUN_UNMET_PARTS(RUN_UNMET_ENUM) RUN_UNMET_COUNT
};
#define RUN_UNMET(id) (UINT32_C(1) << RUN_UNMET_BIT_##id)

/* Members of a record that are grouped by value. */
#define RUN_GROUPED(X)                                                                             \
	X(REQUEST, "request")                                                                      \
	X(REFUSED, "refused")                                                                      \
	X(GATE, "gate")                                                                            \
	X(IO_CORES, "io_cores")                                                                    \
	X(MACHINE, "machine")                                                                      \
	X(CLIENT, "client")                                                                        \
	X(MORE_CLIENTS, "more_clients")                                                            \
	X(CHANGES, "changes")                                                                      \
	X(FINDINGS, "findings")

#define RUN_GROUPED_ENUM(id, name) RUN_GROUPED_##id,
enum run_grouped {
	RUN_GROUPED(RUN_GROUPED_ENUM) RUN_GROUPED_COUNT
};
extern const char *const run_grouped_names[RUN_GROUPED_COUNT];

enum run_kind {
	RUN_APP,   /* of the job's processes, by the best source of the node */
	RUN_OTHER, /* the same, by another source */
	RUN_CLIENT_IO
};

struct run_series {
	struct io io; /* sum over nodes */
	enum run_kind kind;
	size_t nodes, place;
};

struct run_node {
	char *name;
	double start, end; /* end < 0: unknown */
	char source[IO_WORD_MAX];
	int64_t numbers[IO_COUNT]; /* the best, of scope job */
};

/* Mount of a client. */
struct run_mount {
	const char *mount, *fstype, *client, *type; /* client: its name in jobio.conf */
	size_t place;
};

struct run_group {
	enum run_grouped member;
	const struct json *value;
	const char *text; /* of the value */
	const struct run_node **nodes;
	size_t count, place;
};

/* Different texts; of more than RUN_WORDS_MAX the first. */
struct run_words {
	char **word;
	size_t count;
};

struct run_key {
	char cluster[RECORD_NAME_MAX];
	uint32_t job, uid;
	int64_t restart, array_job, array_task, het_job, het_offset; /* RECORD_UNKNOWN */
};

struct run {
	struct run_key key;
	char user[RECORD_NAME_MAX]; /* "" unknown */
	char *nodelist;		    /* the longest of any node; NULL unknown */
	double first, last;	    /* seconds since 1970; < 0: unknown */
	double seconds;		    /* 0: unknown; with a clock skew those of one node */
	double clock_skew;	    /* 0: none found */
	int64_t nodes_seen, nodes_expected;
	int64_t left_out; /* records that could not be read, or are elsewhere */

	struct run_node **nodes; /* in strcmp order */
	struct run_series *series;
	struct run_mount *mounts;
	struct run_group **groups;
	size_t node_count, series_count, mount_count, group_count;
	size_t series_left_out; /* of nodes, beyond RUN_SERIES_MAX */
	struct run_words missing;
	void *by_name, *by_value; /* trees of nodes and groups */
	struct json *values;	  /* of all groups */
	size_t value_bytes;	  /* of their texts */

	struct io *best; /* sum over nodes, by scope; NULL: a run without records */
	bool has_job_io; /* a node has counters of scope job */
	bool is_client_io_shared;
	uint64_t flags;				/* RECORD_FLAG(..) */
	uint32_t unmet;				/* RUN_UNMET(..), on any node */
	struct run_words cores, cpus, profiles; /* of each node, "": none */
	struct run_words sources;		/* the best of each node */
	char lost_profile[RECORD_WORD_MAX];
	int64_t least_cores; /* io-cores that the client uses; 0: a node has none */
	int64_t lost_profiles, lost_cores, core_requests, refused, numa_remote; /* nodes */
	int64_t gate_warned, gate_refused;					/* tasks */
};

/* Set a run that has no records, and never will; run_clear() frees what is in it. */
void run_init(struct run *run);
void run_clear(struct run *run);
struct run *run_new(void);
void run_free(struct run *run);

/* Set key, user and node list: values known to any record, and the longest node list. Return true
 * if the node list has changed. */
bool run_add_head(struct run *run, const struct record *record);

/* Add a record and what it was read from. */
void run_add(struct run *run, const struct record *record, const struct json *json);
/* Call after the last run_add(), before reading the run. */
void run_finish(struct run *run);
/* Set the nodes of the node list, in strcmp order. */
void run_expect(struct run *run, char *const *names, size_t count);

/* Return the first word; "": there is none. */
const char *run_first(const struct run_words *words);
/* Return the sum over nodes: of scope job if any node has one. */
const struct io *run_io(const struct run *run);
/* Return true if the records cover all nodes of the job. */
bool run_is_whole(const struct run *run);

/* Return the next group of this member, from *at on, which starts as 0. */
const struct run_group *run_next_group(const struct run *run, enum run_grouped member, size_t *at);
/* Return the number of elements with this text, on all nodes. */
int64_t run_count(const struct run *run, enum run_grouped member, const char *key,
		  const char *text);
/* Return true if jobio set this mount option on this filesystem, on any node. */
bool run_has_option(const struct run *run, const char *mount, const char *option);

#endif
