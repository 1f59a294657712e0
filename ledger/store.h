/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store.h - the ledger's store of records and runs
 *
 * Terms   run: one execution of a job, which has one summary. Two runs of a job
 *           never overlap in time, the nodes of one run always do. So records
 *           of the same cluster, job and user are of one run if they have the
 *           same restart (or one has none) and their times overlap. As clocks
 *           differ, records of different nodes with the same node list (or one
 *           without) may be STORE_SLOP_S apart; STORE_SKEW_S if both have the
 *           restart and the node list. A record that ends days ahead or took
 *           more than a year counts as its start alone. One without start,
 *           restart and counters (store_row.h: blank) is of the nearest run before
 *           it. A requeued job, and a job ID reused months later, are other
 *           runs.
 *         dirty: the run has records that are not in its summary in slurmdbd;
 *           next_try: when to write it: at once when every node has reported,
 *           else after the grace period.
 *         STORE_AGAIN: its summary is in slurmdbd; next_try: when to look at
 *           the row again.
 *         version: number of records that changed a run; store_done() leaves
 *           a run dirty if its version has changed meanwhile.
 *         claim: if several ledgers share a database, the writer that has
 *           claimed a run writes its summary. The others skip the run for
 *           STORE_CLAIM_S, longer than a hanging writer can run (writer.c), and
 *           then take it over. Their clocks differ by less than 30 s, or MUNGE
 *           would reject nodes at one of them.
 * Owner   struct store is one connection of one process to the SQLite file or
 *           to MariaDB; the server and the writer have one each. A row that was
 *           loaded: store_row_clear().
 * Errors  -1 and a message; the transaction can then only be rolled back. If
 *           MariaDB is not reachable or does not reply, -1 is returned within
 *           seconds, and records stay on the nodes. The same if a file was
 *           removed, replaced or truncated since it was opened.
 * Runs    ledger. Nothing is safe before store_commit() has returned 0 or 1: it
 *           waits for the disk (synchronous=FULL; with MariaDB as the site has
 *           set innodb_flush_log_at_trx_commit).
 */
#ifndef JOBIO_LEDGER_STORE_H
#define JOBIO_LEDGER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/store_ops.h"
#include "record/record.h"

/* Return a store or NULL. If the database is only not reachable now, return a store with the reason
 * in *err, which is unchanged otherwise. */
struct store *store_open(const struct config_ledger *config, struct err *err);
void store_close(struct store *store);

int store_begin(struct store *store, struct err *err);
/* Return 1 if the transaction was repeated, because another ledger changed the same runs: they may
 * be due at other times than store_put() returned. */
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* Store a record, in a transaction. Return 1 if it is new or better than the stored one (*due: when
 * to write its run), else 0, or -1. */
int store_put(struct store *store, const struct record *record, const char *text, size_t size,
	      int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err);

/* Set [ids] to the runs to write now, the longest waiting first. Return their number or -1. *next:
 * when the next one is due, -1 for none. The runs are claimed until store_done() or
 * store_later(). */
int store_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
	      struct err *err);

int store_load(struct store *store, int64_t id, struct store_row *row, struct err *err);
/* Load the text of a row that has none yet. */
int store_load_text(struct store *store, struct store_row *row, struct err *err);

/* Call fn for every record of a run, by node, until fn returns other than 0; -1 is an error. */
int store_records(struct store *store, int64_t id, store_fn fn, void *arg, struct err *err);
/* Only the nodes after this one. */
int store_records_after(struct store *store, int64_t id, const char *node, store_fn fn, void *arg,
			struct err *err);

/* Note that the summary of this version is in slurmdbd, with the IDs in the row there, 'brief' and
 * 'text'. again_s: when to look at the row again; 0: never. */
int store_done(struct store *store, const struct store_row *row, int64_t now_s, int64_t again_s,
	       struct err *err);
/* Note that it is not; retry at next_try. 'why' may be NULL. */
int store_later(struct store *store, const struct store_row *row, int64_t next_try, const char *why,
		struct err *err);

/* Set [ids] to the runs of a job, newest first; with 'part' RECORD_UNKNOWN, to one run of each
 * task, or component, of each cluster and user, in their order. Return their number or -1. */
int store_find(struct store *store, const struct store_selector *selector, int64_t *ids, int max,
	       struct err *err);

/* Return the end of the run that ended last, but at most a day after now; 0: there is none; or
 * -1. */
int64_t store_newest(struct store *store, int64_t now_s, struct err *err);

/* Delete at most 'max' runs that ended before 'before_s'. Return their number. A run that ends long
 * after 'now_s' is deleted if its records were received before 'before_s'. */
int store_purge(struct store *store, int64_t before_s, int64_t now_s, int max, struct err *err);

/* Cheap: it reads waiting runs only. */
int store_backlog(struct store *store, int64_t now_s, struct store_backlog *backlog,
		  struct err *err);

#endif
