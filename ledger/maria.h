/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maria.h - internals of the store on MariaDB
 *
 * Terms   store_mariadb.c implements store_ops.h. A change is an entry of
 *           maria_journal.c, which applies it, and repeats all entries of the
 *           transaction after a clash. maria_put.c finds the run of a record and
 *           buffers rows until they are written together. maria_schema.c has the
 *           tables, mariadb.h the connection.
 *         flush: write the buffered rows. It may clash.
 *         cached: the nodes of one run, kept after a commit.
 * Owner   struct maria owns everything. The bytes of an entry belong to the
 *           journal from maria_do_entry() on, also if that fails.
 * Errors  -1 and a message that begins with "store: ". maria_put.c fails at a
 *           clash (mariadb_is_clash()); maria_journal.c repeats the transaction,
 *           and fails if this does not help within MARIADB_LIMIT_S.
 * Runs    ledger. Included by these files only.
 */
#ifndef JOBIO_LEDGER_MARIA_H
#define JOBIO_LEDGER_MARIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "ledger/mariadb.h"
#include "ledger/store_ops.h"

/* An operation of this transaction: a record, or a statement. */
struct entry {
	char *bytes;
	size_t size;
	const struct record *record; /* parsed, the first time */
	bool is_record;
	int64_t now_s;
	unsigned int grace_s;
	int64_t result, due; /* its results */
};

struct list {
	void *items;
	size_t count;
};

struct maria {
	struct store store;
	struct mariadb *db;
	char claim_name[300]; /* name in claims, the same after a restart */
	bool in_transaction;
	unsigned int tries; /* repetitions of this transaction */
	time_t started;
	struct list journal, jobs, runs, buffered;
	size_t buffered_bytes;
	/* Nodes of the last run with many records; valid while the run has this version. */
	struct cached_names {
		int64_t id, version;
		char **names;
		size_t count;
	} cached;
};

static inline struct maria *maria_of(struct store *store)
{
	return (struct maria *)(void *)store;
}

static inline struct entry *maria_entry_at(struct maria *m, size_t at)
{
	return (struct entry *)m->journal.items + at;
}

static inline int maria_run_text(struct maria *m, const char *text, struct err *err)
{
	return mariadb_run(m->db, text, strlen(text), NULL, err) < 0 ? -1 : 0;
}

/* Append an item of 'size' bytes, all zero. */
void *maria_list_add(struct list *list, size_t size);

/* ---- maria_schema.c ------------------------------------------------------ */

/* Create the tables unless they exist; 'arg' is the struct maria. mariadb_ready() calls it on a new
 * connection. */
int maria_make_schema(void *arg, struct err *err);

/* ---- maria_put.c --------------------------------------------------------- */

/* As store_put(); the entry belongs to the journal and holds 'record'. */
int maria_put_record(struct maria *m, struct entry *entry, const struct record *record,
		     struct err *err);
int maria_flush(struct maria *m, struct err *err);

/* Drop locked and buffered rows, but not the journal. */
void maria_drop_rows(struct maria *m);

/* Call after the commit: the next records may be of the same run. */
void maria_cache_names(struct maria *m);
void maria_free_names(char **names, size_t count);

/* ---- maria_journal.c ----------------------------------------------------- */

/* Connect; in a transaction flush, so that queries see what was put. */
int maria_ready(struct maria *m, struct err *err);

/* As in store_ops.h. */
int maria_begin(struct store *store, struct err *err);
int maria_commit(struct store *store, struct err *err);
void maria_rollback(struct store *store);

/* Add an entry to the journal and apply it. *result: 0 or more; *due, which may be NULL, is set for
 * a new record. */
int maria_do_entry(struct maria *m, const struct entry *new, int64_t *result, int64_t *due,
		   struct err *err);

/* Run a statement that may be repeated, in a transaction of its own unless one is open. Return rows
 * changed, or -1. */
int maria_change(struct store *store, const char *sql, const struct value *values, struct err *err);

#endif
