/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journal of a transaction: entries are applied, and repeated after a clash. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ledger/maria.h"

#define TRIES 40 /* attempts of a transaction that clashes */

static void drop_journal(struct maria *m)
{
	while (m->journal.count)
		free(maria_entry_at(m, --m->journal.count)->bytes);
}

/* ---- apply and repeat -------------------------------------------------------- */

static int apply(struct maria *m, struct entry *entry, struct err *err)
{
	struct record *parsed = NULL;

	if (entry->is_record) {
		if (!entry->record)
			parsed = record_parse(entry->bytes, entry->size, err);
		if (!entry->record && !parsed)
			return -1;
		entry->result = maria_put_record(m, entry, parsed ? parsed : entry->record, err);
		entry->record = NULL;
		record_free(parsed);
	} else {
		if (maria_flush(m, err) < 0)
			return -1;
		maria_drop_rows(m); /* the statement may change them */
		entry->result = mariadb_run(m->db, entry->bytes, entry->size, NULL, err);
	}
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
	maria_run_text(
		m, yes ? "SET SESSION wsrep_sync_wait=1" : "SET SESSION wsrep_sync_wait=DEFAULT",
		NULL);
}

/* Restart the transaction after a random delay, so that it does not clash again. */
static int begin_again(struct maria *m, struct err *err)
{
	useconds_t delay_us = 1000U << (m->tries < 6 ? m->tries : 6);

	usleep((useconds_t)random() % delay_us);
	m->tries++;
	maria_drop_rows(m);
	if (maria_run_text(m, "ROLLBACK", err) < 0)
		return -1;
	set_sync_wait(m, true);
	return maria_run_text(m, "START TRANSACTION", err);
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
		for (i = 0; i < m->journal.count && rc == 0; i++)
			rc = apply(m, maria_entry_at(m, i), err);
	} while (rc < 0);
	return 0;
}

static int settle(struct maria *m, struct err *err)
{
	while (maria_flush(m, err) < 0)
		if (redo(m, err) < 0)
			return -1;
	return 0;
}

int maria_ready(struct maria *m, struct err *err)
{
	if (m->in_transaction)
		return settle(m, err);
	return mariadb_ready(m->db, maria_make_schema, m, err);
}

int maria_do_entry(struct maria *m, const struct entry *new, int64_t *result, int64_t *due,
		   struct err *err)
{
	struct entry *entry = maria_list_add(&m->journal, sizeof(*entry));
	size_t at = m->journal.count - 1;

	*entry = *new;
	if (apply(m, entry, err) < 0 && redo(m, err) < 0)
		return -1;
	*result = maria_entry_at(m, at)->result;
	if (due && *result > 0)
		*due = maria_entry_at(m, at)->due;
	return 0;
}

/* ---- one transaction ----------------------------------------------------- */

int maria_begin(struct store *store, struct err *err)
{
	struct maria *m = maria_of(store);

	if (maria_ready(m, err) < 0 || maria_run_text(m, "START TRANSACTION", err) < 0)
		return -1;
	m->in_transaction = true;
	m->tries = 0;
	m->started = now_mono();
	return 0;
}

int maria_commit(struct store *store, struct err *err)
{
	struct maria *m = maria_of(store);

	while (settle(m, err) < 0 || maria_run_text(m, "COMMIT", err) < 0)
		if (redo(m, err) < 0)
			return -1;
	if (m->tries)
		set_sync_wait(m, false);
	maria_cache_names(m);
	maria_drop_rows(m);
	drop_journal(m);
	m->in_transaction = false;
	return m->tries > 0;
}

void maria_rollback(struct store *store)
{
	struct maria *m = maria_of(store);

	if (!m->in_transaction)
		return;
	maria_drop_rows(m);
	drop_journal(m);
	m->in_transaction = false;
	maria_run_text(m, "ROLLBACK", NULL); /* after a lost connection the server did this */
}

int maria_change(struct store *store, const char *sql, const struct value *values, struct err *err)
{
	struct maria *m = maria_of(store);
	struct entry entry = { 0 };
	int64_t result;
	bool alone = !m->in_transaction;

	if (alone && maria_begin(store, err) < 0)
		return -1;
	entry.bytes = mariadb_text(m->db, sql, values, &entry.size, err);
	if (!entry.bytes || maria_do_entry(m, &entry, &result, NULL, err) < 0)
		result = -1;
	if (alone && result >= 0 && maria_commit(store, err) < 0)
		result = -1;
	if (alone && result < 0)
		maria_rollback(store);
	return (int)result;
}
