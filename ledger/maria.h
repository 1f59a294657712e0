/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maria.h - what the files of the store on MariaDB share
 *
 * Terms   store_mariadb.c answers store_ops.h; what it asks for to be changed
 *           is an entry of maria_journal.c, which makes it, and makes all of a
 *           transaction again when that clashed; maria_put.c finds the run of a
 *           record and holds rows back until they are written together;
 *           maria_schema.c has the tables. mariadb.h is the connection.
 *         flush: write what is held back. It is what may clash.
 *         known: kept over a commit, the nodes of one run.
 * Owner   struct maria has it all. The bytes of an entry are the journal's from
 *           maria_do_entry() on, also when that fails.
 * Errors  -1 and a sentence that begins with "store: ". maria_put.c fails at a
 *           clash (mariadb_is_clash()); maria_journal.c makes it again, and fails
 *           when that does not help within MARIADB_LIMIT_S.
 * Runs    ledger. Nobody but these files includes this.
 */
#ifndef JOBIO_LEDGER_MARIA_H
#define JOBIO_LEDGER_MARIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "ledger/mariadb.h"
#include "ledger/row.h"
#include "ledger/store_ops.h"

/* What was asked for in this transaction: a record, or a statement. */
struct entry {
	char *bytes;
	size_t size;
	const struct record *record; /* the first time */
	bool is_record;
	int64_t now_s;
	unsigned int grace_s;
	int64_t result, due; /* what came of it */
};

struct list {
	void *items;
	size_t count;
};

struct maria {
	struct store store;
	struct mariadb *db;
	char me[300]; /* whose claims are ours, over restarts */
	bool in_transaction;
	unsigned int tries; /* how often this one was made again */
	time_t began;
	struct list journal, jobs, runs, held;
	size_t held_bytes;
	/* The last run that many nodes reported for: as long as its version is
	 * this one, these are the nodes. */
	struct known {
		int64_t id, version;
		char **names;
		size_t count;
	} known;
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

/* One more of 'size' bytes, all zero. */
void *maria_list_add(struct list *list, size_t size);

/* ---- maria_schema.c ------------------------------------------------------ */

/* Make the tables, unless they are there; 'arg' is the struct maria: what
 * mariadb_ready() calls on a new connection. */
int maria_make_schema(void *arg, struct err *err);

/* ---- maria_put.c --------------------------------------------------------- */

/* As store_put(); the entry is one of the journal, and 'record' its record. */
int maria_put_record(struct maria *m, struct entry *entry, const struct record *record,
		     struct err *err);
int maria_flush(struct maria *m, struct err *err);

/* What is locked and held back, not what was asked for. */
void maria_forget_rows(struct maria *m);

/* After the commit: the next records may be of the same run. */
void maria_keep_names(struct maria *m);
void maria_free_names(char **names, size_t count);

/* ---- maria_journal.c ----------------------------------------------------- */

/* Questions outside of a transaction connect; in one they see what was put. */
int maria_ready(struct maria *m, struct err *err);

/* As those of store_ops.h. */
int maria_begin(struct store *store, struct err *err);
int maria_commit(struct store *store, struct err *err);
void maria_rollback(struct store *store);

/* Note what is asked for, and do it: *result of 0 or more; *due, which may be
 * NULL, for a record that is news. */
int maria_do_entry(struct maria *m, const struct entry *new, int64_t *result, int64_t *due,
		   struct err *err);

/* A statement that may be made again, in a transaction of its own unless there
 * is one: rows changed, or -1. */
int maria_change(struct store *store, const char *sql, const struct value *values, struct err *err);

#endif
