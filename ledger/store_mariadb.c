/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several ledgers may use one database, also nodes of a Galera cluster, which detect each other's
 * locks at the commit only. A transaction that clashes is repeated from its journal: the records
 * and statements since its begin. */
#include "ledger/store_mariadb.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ledger/mariadb.h"
#include "ledger/store_put.h"
#include "ledger/store_schema.h"
#include "record/alloc.h"

#define TRIES 40 /* attempts of a transaction that clashes */

/* An operation of this transaction: a record, or a statement. */
struct entry {
	char *bytes;
	size_t size;
	bool is_record;
	struct store_times times;
	int64_t result, due; /* its results */
};

struct maria {
	struct store store;
	struct mariadb *db;
	char claim_name[256]; /* the same after a restart */
	bool in_transaction;
	unsigned int tries; /* repetitions of this transaction */
	time_t started;
	struct entry *journal;
	size_t count;
};

static const struct store_ops ops; /* defined at the end */

static struct maria *of(struct store *store)
{
	return (struct maria *)(void *)store;
}

static int run_text(struct maria *m, const char *text, struct err *err)
{
	return mariadb_run(m->db, text, strlen(text), NULL, err) < 0 ? -1 : 0;
}

/* ---- statements ---------------------------------------------------------- */

static int maria_query(struct store *store, const char *sql, const struct value *values,
		       struct err *err)
{
	return mariadb_query(of(store)->db, sql, values, err);
}

static int maria_row(struct store *store, struct err *err)
{
	return mariadb_row(of(store)->db, err);
}

static void maria_end(struct store *store)
{
	mariadb_end(of(store)->db);
}

static int64_t maria_number(struct store *store, int column)
{
	return mariadb_number(of(store)->db, column);
}

static double maria_real(struct store *store, int column)
{
	return mariadb_real(of(store)->db, column);
}

static const char *maria_text(struct store *store, int column, size_t *size)
{
	return mariadb_column(of(store)->db, column, size);
}

static int maria_run(struct store *store, const char *sql, const struct value *values, int64_t *id,
		     struct err *err)
{
	size_t size;
	char *text = mariadb_text(of(store)->db, sql, values, &size, err);
	int64_t changed = text ? mariadb_run(of(store)->db, text, size, id, err) : -1;

	free(text);
	return (int)changed;
}

/* ---- the journal ------------------------------------------------------------- */

static void drop_journal(struct maria *m)
{
	while (m->count)
		free(m->journal[--m->count].bytes);
	free(m->journal);
	m->journal = NULL;
}

static int apply_record(struct maria *m, struct entry *entry, const struct record *record,
			struct err *err)
{
	struct record *parsed = record ? NULL : record_parse(entry->bytes, entry->size, err);

	entry->result = record || parsed ? store_put_record(&m->store, record ? record : parsed,
							    entry->bytes, entry->size,
							    &entry->times, &entry->due, err)
					 : -1;
	record_free(parsed);
	return entry->result < 0 ? -1 : 0;
}

/* record: of the entry, parsed; or NULL */
static int apply(struct maria *m, struct entry *entry, const struct record *record, struct err *err)
{
	if (entry->is_record)
		return apply_record(m, entry, record, err);
	if (store_flush(&m->store, err) < 0)
		return -1;
	store_forget(&m->store);
	entry->result = mariadb_run(m->db, entry->bytes, entry->size, NULL, err);
	return entry->result < 0 ? -1 : 0;
}

static time_t now_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* A Galera node replies from its own state. [yes]: wait for the commits of the others (a server
 * without Galera rejects the variable). */
static void set_sync_wait(struct maria *m, bool yes)
{
	run_text(m, yes ? "SET SESSION wsrep_sync_wait=1" : "SET SESSION wsrep_sync_wait=DEFAULT",
		 NULL);
}

/* Restart the transaction after a random delay, so that it does not clash again. */
static int begin_again(struct maria *m, struct err *err)
{
	useconds_t delay_us = 1000U << (m->tries < 6 ? m->tries : 6);

	usleep((useconds_t)random() % delay_us);
	m->tries++;
	store_forget(&m->store);
	if (run_text(m, "ROLLBACK", err) < 0)
		return -1;
	set_sync_wait(m, true);
	return run_text(m, "START TRANSACTION", err);
}

/* After a clash, repeat the whole journal in a new transaction. */
static int redo(struct maria *m, struct err *err)
{
	size_t i;
	int rc;

	do {
		if (!mariadb_is_clash(m->db))
			return -1;
		if (m->tries == TRIES || now_mono() - m->started >= MARIADB_LIMIT_S)
			return err_set(
				err,
				"store: MariaDB: others are at the same runs: try again later");
		rc = begin_again(m, err);
		for (i = 0; i < m->count && rc == 0; i++)
			rc = apply(m, &m->journal[i], NULL, err);
	} while (rc < 0);
	return 0;
}

/* Add an entry to the journal, which then owns its bytes, and apply it. Return its result. */
static int do_entry(struct maria *m, const struct entry *entry, const struct record *record,
		    struct err *err)
{
	size_t at = m->count++;

	m->journal = xmore(m->journal, at, sizeof(*m->journal));
	m->journal[at] = *entry;
	if (apply(m, &m->journal[at], record, err) < 0 && redo(m, err) < 0)
		return -1;
	return (int)m->journal[at].result;
}

/* ---- schema -------------------------------------------------------------- */

static int make_schema(void *arg, struct err *err)
{
	static const char read_version[] = "SELECT version FROM schema_version";
	static const char make_version[] =
		"CREATE TABLE IF NOT EXISTS schema_version(one TINYINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL) ENGINE=InnoDB";
	const struct value version = value_number(STORE_SCHEMA_VERSION);
	struct maria *m = arg;
	int64_t found = -1;
	char *sql;
	size_t at;
	struct err why;
	int rc = mariadb_query(m->db, read_version, NULL, &why);

	if (rc < 0 && !mariadb_is_missing(m->db))
		return err_set(err, "%s", why.text);
	if (rc == 0 && mariadb_row(m->db, err) > 0)
		found = mariadb_number(m->db, 0);
	if (found == STORE_SCHEMA_VERSION)
		return 0;
	if (found >= 0)
		return err_set(err,
			       "store: MariaDB: the schema was made by another version of jobio");
	for (at = 0, rc = 0; rc == 0 && (sql = store_schema(at, STORE_MARIADB)); at++) {
		rc = run_text(m, sql, err);
		free(sql);
	}
	if (rc < 0 || run_text(m, make_version, err) < 0)
		return -1;
	rc = maria_run(&m->store, "INSERT IGNORE INTO schema_version(one, version) VALUES(1, ?1)",
		       &version, NULL, err);
	return rc < 0 ? -1 : 0;
}

/* ---- one transaction ----------------------------------------------------- */

static int maria_settle(struct store *store, struct err *err)
{
	struct maria *m = of(store);

	if (!m->in_transaction)
		return mariadb_ready(m->db, make_schema, m, err);
	while (store_flush(store, err) < 0)
		if (redo(m, err) < 0)
			return -1;
	return 0;
}

static int maria_begin(struct store *store, struct err *err)
{
	struct maria *m = of(store);

	if (maria_settle(store, err) < 0 || run_text(m, "START TRANSACTION", err) < 0)
		return -1;
	m->in_transaction = true;
	m->tries = 0;
	m->started = now_mono();
	return 0;
}

static void end_transaction(struct maria *m)
{
	store_forget(&m->store);
	drop_journal(m);
	m->in_transaction = false;
}

static int maria_commit(struct store *store, struct err *err)
{
	struct maria *m = of(store);

	while (maria_settle(store, err) < 0 || run_text(m, "COMMIT", err) < 0)
		if (redo(m, err) < 0)
			return -1;
	if (m->tries)
		set_sync_wait(m, false);
	end_transaction(m);
	return m->tries > 0;
}

static void maria_rollback(struct store *store)
{
	struct maria *m = of(store);

	if (!m->in_transaction)
		return;
	end_transaction(m);
	run_text(m, "ROLLBACK", NULL); /* after a lost connection the server did this */
}

static int maria_put(struct store *store, const struct record *record, const char *text,
		     size_t size, const struct store_times *times, int64_t *due, struct err *err)
{
	struct maria *m = of(store);
	struct entry entry = {
		.bytes = xcalloc(size + 1, 1), .size = size, .is_record = true, .times = *times
	};
	size_t at = m->count;
	int result;

	memcpy(entry.bytes, text, size);
	result = do_entry(m, &entry, record, err);
	if (result > 0)
		*due = m->journal[at].due;
	return result;
}

static int maria_change(struct store *store, const char *sql, const struct value *values,
			struct err *err)
{
	struct maria *m = of(store);
	struct entry entry = { 0 };
	int result;
	bool is_alone = !m->in_transaction;

	if (is_alone && maria_begin(store, err) < 0)
		return -1;
	entry.bytes = mariadb_text(m->db, sql, values, &entry.size, err);
	result = entry.bytes ? do_entry(m, &entry, NULL, err) : -1;
	if (is_alone && result >= 0 && maria_commit(store, err) < 0)
		result = -1;
	if (is_alone && result < 0)
		maria_rollback(store);
	return result;
}

/* ---- open and close ------------------------------------------------------ */

static void maria_close(struct store *store)
{
	maria_rollback(store);
	mariadb_free(of(store)->db);
	free(store);
}

static const struct store_ops ops = {
	.close = maria_close,
	.begin = maria_begin,
	.commit = maria_commit,
	.rollback = maria_rollback,
	.query = maria_query,
	.row = maria_row,
	.end = maria_end,
	.number = maria_number,
	.real = maria_real,
	.text = maria_text,
	.run = maria_run,
	.settle = maria_settle,
	.put = maria_put,
	.change = maria_change,
};

struct store *store_mariadb_open(const struct config_ledger *config, struct err *err)
{
	struct maria *m = xcalloc(1, sizeof(*m));
	char host[200] = "";

	m->store.ops = &ops;
	m->store.dialect = STORE_MARIADB;
	gethostname(host, sizeof(host) - 1);
	snprintf(m->claim_name, sizeof(m->claim_name), "%s:%u", host, config->port);
	m->store.claim_name = m->claim_name;
	m->db = mariadb_new(config);
	if (maria_settle(&m->store, err) == 0 || mariadb_is_unavailable(m->db))
		return &m->store;
	maria_close(&m->store);
	return NULL;
}
