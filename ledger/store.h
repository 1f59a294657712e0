/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store.h - where the ledger keeps records and what became of them
 *
 * Terms   run: one execution of a job, the thing that gets a summary. Two runs
 *           of a job never overlap in time, the nodes of one run always do. So
 *           records of the same cluster, job and user belong together when they
 *           say the same restart (or one does not say) and their
 *           times overlap; and, because clocks differ a little, when they are
 *           at most STORE_SLOP_S apart, say the same node list (or one says
 *           none), and come from different nodes; STORE_SKEW_S where both say
 *           the restart and the node list. A record that ends in days to come or
 *           took more than a year counts as its start alone. One that has
 *           neither its start nor its restart nor a counter (row.h: blank) is of
 *           the nearest run before it. A requeued job, and a job id that is used
 *           again months later, are other runs.
 *         dirty: the run has records that its summary in slurmdbd does not
 *           have; next_try says when to write it: at once when every node has
 *           reported, else after the grace period.
 *         STORE_AGAIN: its summary is in slurmdbd, and next_try says when to
 *           look whether it still is there.
 *         version: counts the records that changed a run; store_done() leaves
 *           a run dirty whose version has gone on meanwhile.
 *         claim: of several ledgers on one database, one writes a run's summary:
 *           the one whose writer has taken it. What one has taken the others
 *           leave alone for STORE_CLAIM_S, longer than a writer lives that
 *           hangs (writer.c), so that one that has died is taken over. Their
 *           clocks differ by less than 30 s, or MUNGE would not let nodes talk
 *           to both.
 * Owner   struct store is one connection of one process to the SQLite file or
 *           to MariaDB; the server and the writer have one each. Texts of a
 *           store_run belong to it: store_run_free().
 * Errors  -1 and a sentence; the transaction is then good for rollback only.
 *           MariaDB that is away, or does not answer, is -1 within seconds; what
 *           was to be kept stays with the nodes. So is a file that has been
 *           removed, replaced or cut to nothing since it was opened.
 * Runs    ledger. Nothing is safe before store_commit() has returned 0 or 1: it
 *           waits for the disk (synchronous=FULL; what the site's MariaDB has
 *           for innodb_flush_log_at_trx_commit).
 */
#ifndef JOBIO_LEDGER_STORE_H
#define JOBIO_LEDGER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/err.h"
#include "lib/record.h"
#include "ledger/store_ops.h"

/* NULL, or -- when the database can only not be reached now -- a store with the
 * cause in *err, which is untouched otherwise. */
struct store *store_open(const struct config_ledger *config, struct err *err);
void store_close(struct store *store);

int store_begin(struct store *store, struct err *err);
/* 1: it had to be made again, for another ledger was at the same runs; when
 * they are due may not be what store_put() said. */
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* Keep a record. 1: new or better than what was there, *due says when its run
 * is to be written; 0: nothing new. In a transaction. */
int store_put(struct store *store, const struct record *record, const char *text, size_t size,
	      int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err);

/* Ids of runs to write now, the longest waiting first; their number or -1.
 * *next: when the next one is due, -1 for none. They are ours (claims) until
 * store_done() or store_later(). */
int store_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
	      struct err *err);

int store_run_load(struct store *store, int64_t id, struct store_run *run, struct err *err);

/* Call fn for every record of a run, by node; it ends early when fn returns
 * other than 0, and -1 is an error. */
int store_records(struct store *store, int64_t id, store_fn fn, void *arg, struct err *err);
/* Those of the nodes that come after this one. */
int store_records_after(struct store *store, int64_t id, const char *node, store_fn fn, void *arg,
			struct err *err);

/* The summary of this version is in slurmdbd; what the row there knew, and what was judged. Look
 * again at again_s, unless that is 0. */
int store_done(struct store *store, const struct store_run *run, const char *summary, int64_t now_s,
	       int64_t again_s, struct err *err);
/* It is not; try again at next_try. 'why' may be NULL. */
int store_later(struct store *store, int64_t id, const char *summary, int64_t next_try,
		const char *why, struct err *err);

/* Ids of the runs of a job, newest first; with 'part' RECORD_UNKNOWN, one run of
 * each task, or component, of each cluster and user, in their order. Their number
 * or -1. */
int store_find(struct store *store, const struct store_wanted *wanted, int64_t *ids, int max,
	       struct err *err);

/* What a run makes of the site's filesystems (lib/tally.h), in the place of what
 * was said before. In a transaction. */
int store_use_put(struct store *store, int64_t id, int64_t ended_s, const char *text,
		  struct err *err);
/* Call fn for at most 'max' uses that ended before until_s and come behind this
 * place, in their order, until it returns other than 0: then *place is where it did.
 * Before the first that ended at S is { S, 0 }. */
int store_uses(struct store *store, struct store_place *place, int64_t until_s, int max,
	       store_fn fn, void *arg, struct err *err);

/* When the run ended that ended last, but a day after now at most; 0: there is none;
 * or -1. */
int64_t store_newest(struct store *store, int64_t now_s, struct err *err);

/* Forget at most 'max' runs that ended before 'before_s'; their number. A run
 * that ends long after 'now_s' goes when its records came before 'before_s'. */
int store_purge(struct store *store, int64_t before_s, int64_t now_s, int max, struct err *err);

/* Cheap: it looks at the runs that wait only. */
int store_backlog(struct store *store, int64_t now_s, struct store_backlog *backlog,
		  struct err *err);

#endif
