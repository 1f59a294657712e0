/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store.h - where the ledger keeps records and what became of them
 *
 * Terms   run: one execution of a job, the thing that gets a summary. Two runs
 *           of a job never overlap in time, the nodes of one run always do. So
 *           records of the same cluster, job and user belong together when their
 *           times overlap; and, because clocks differ a little, when they are
 *           at most STORE_SLOP_S apart, say the same restart (or one does not
 *           say: Slurm 20.11) and the same node list (or one says none), and
 *           come from different nodes. A record that ends in days to come or
 *           took more than a year counts as its start alone. A requeued job,
 *           and a job id that is used again months later, are other runs.
 *         dirty: the run has records that its summary in slurmdbd does not
 *           have; next_try says when to write it: at once when every node has
 *           reported, else after the grace period.
 *         STORE_AGAIN: its summary is in slurmdbd, and next_try says when to
 *           look whether it still is there.
 *         version: counts the records that changed a run; store_done() leaves
 *           a run dirty whose version has gone on meanwhile.
 * Owner   struct store is one connection of one process to the SQLite file;
 *           the server and the writer have one each (WAL). Texts of a
 *           store_run belong to it: store_run_free().
 * Errors  -1 and a sentence; the transaction is then good for rollback only.
 * Runs    ledger. Nothing is safe before store_commit() has returned 0: it
 *           waits for the disk (synchronous=FULL).
 */
#ifndef JOBIO_LEDGER_STORE_H
#define JOBIO_LEDGER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/record.h"

#define STORE_SLOP_S 10

struct store;

enum store_dirt {
	STORE_CLEAN,
	STORE_DIRTY,
	STORE_AGAIN
};

struct store_run {
	int64_t id, version;
	char *cluster, *summary, *error; /* summary, error: may be NULL */
	uint32_t job, uid;
	int64_t restart;	       /* RECORD_UNKNOWN */
	int64_t array_job, array_task; /* RECORD_UNKNOWN */
	int64_t het_job, het_offset;   /* RECORD_UNKNOWN */
	double first, last;	       /* first start, last end */
	int64_t nodes_seen, nodes_expected;
	int64_t tries, next_try, written; /* written: when, 0 never */
	enum store_dirt dirty;
};

/* Why a node is drained, to be told to slurmctld. One a node, the newest. */
struct store_reason {
	char *cluster, *node, *text;
	int64_t time;	  /* when its prolog failed, by its own clock */
	int64_t received; /* when we were told */
	int64_t tries;
};

/* Runs without an up-to-date summary in slurmdbd. */
struct store_backlog {
	int64_t for_nodes, for_writer, for_retry;
	double oldest; /* when the run ended that waits longest; 0: none */
};

struct store_counts {
	int64_t runs, records, waiting, failed;
};

struct store *store_open(const char *path, struct err *err);
void store_close(struct store *store);

int store_begin(struct store *store, struct err *err);
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* Keep a record. 1: new or better than what was there, *due says when its run
 * is to be written; 0: nothing new. In a transaction. */
int store_put(struct store *store, const struct record *record,
	      const char *text, size_t size, int64_t now_s,
	      unsigned int grace_s, int64_t *due, struct err *err);

/* Ids of runs to write now, the longest waiting first; their number or -1.
 * *next: when the next one is due, -1 for none. */
int store_due(struct store *store, int64_t now_s, int64_t *ids, int max,
	      int64_t *next, struct err *err);

int store_run_load(struct store *store, int64_t id, struct store_run *run,
		   struct err *err);
void store_run_free(struct store_run *run);

/* Call fn for every record of a run, by node; it ends early when fn returns
 * other than 0, and -1 is an error. */
typedef int (*store_fn)(const char *text, size_t size, void *arg,
			struct err *err);
int store_records(struct store *store, int64_t id, store_fn fn, void *arg,
		  struct err *err);
/* Those of the nodes that come after this one. */
int store_records_after(struct store *store, int64_t id, const char *node,
			store_fn fn, void *arg, struct err *err);

/* The summary of this version is in slurmdbd; what the row there knew. Look
 * again at again_s, unless that is 0. */
int store_done(struct store *store, const struct store_run *run,
	       const char *summary, int64_t now_s, int64_t again_s,
	       struct err *err);
/* It is not; try again at next_try. 'why' may be NULL. */
int store_later(struct store *store, int64_t id, const char *summary,
		int64_t next_try, const char *why, struct err *err);

/* Ids of the runs of a job, newest first: by raw id; or by array and task, or
 * het job and offset; with 'part' RECORD_UNKNOWN, one run of each task, or
 * component, in their order. Their number or -1. */
enum store_part {
	STORE_JOB,
	STORE_ARRAY_TASK,
	STORE_HET_COMPONENT
};
int store_find(struct store *store, enum store_part kind, uint32_t job,
	       int64_t part, int64_t *ids, int max, struct err *err);

/* Keep a node's reason: 1, or 0 when a newer one, or this one, is there. In a
 * transaction. */
int store_reason_put(struct store *store, const struct store_reason *reason,
		     int64_t next_try, struct err *err);
/* Forget what a node said at 'time' or before. */
int store_reason_forget(struct store *store, const char *cluster,
			const char *node, int64_t time, struct err *err);
int store_reason_later(struct store *store, const struct store_reason *reason,
		       int64_t next_try, struct err *err);
/* Reasons to look after now; their number or -1. *next: when the next one is
 * due, -1 for none. */
int store_reasons_due(struct store *store, int64_t now_s,
		      struct store_reason *reasons, int max, int64_t *next,
		      struct err *err);
void store_reason_free(struct store_reason *reason);

/* What a run makes of the site's filesystems (lib/use.h), in the place of what
 * was said before. In a transaction. */
int store_use_put(struct store *store, int64_t id, int64_t ended_s,
		  const char *text, struct err *err);
/* Runs that were kept before there were uses and have none yet, the newest first;
 * their number or -1. */
int store_unused(struct store *store, int64_t *ids, int max, struct err *err);
/* Nothing is to be said of this one. In a transaction. */
int store_unused_forget(struct store *store, int64_t id, struct err *err);
/* How many there are, or -1. */
int64_t store_unused_count(struct store *store, struct err *err);

/* Call fn for the uses that ended before until_s and come behind this place, in
 * their order, until it returns other than 0. Before the first that ended at S
 * is { S, 0 }. */
struct store_place {
	int64_t ended_s, id;
};
typedef int (*store_use_fn)(const struct store_place *place, const char *text,
			    void *arg, struct err *err);
int store_uses(struct store *store, const struct store_place *after,
	       int64_t until_s, store_use_fn fn, void *arg, struct err *err);

/* Forget at most 'max' runs that ended before 'before_s'; their number. A run
 * that ends long after 'now_s' goes when its records came before 'before_s'. */
int store_purge(struct store *store, int64_t before_s, int64_t now_s, int max,
		struct err *err);

/* Cheap: it looks at the runs that wait only. */
int store_backlog(struct store *store, int64_t now_s,
		  struct store_backlog *backlog, struct err *err);

int store_count(struct store *store, struct store_counts *counts,
		struct err *err);

#endif
