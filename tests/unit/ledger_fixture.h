/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_fixture.h - records of made-up jobs, and a store in a folder of its
 * own */
#ifndef JOBIO_TESTS_UNIT_LEDGER_FIXTURE_H
#define JOBIO_TESTS_UNIT_LEDGER_FIXTURE_H

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/config.h"
#include "lib/record.h"
#include "ledger/store.h"
#ifdef HAVE_MARIADB
#include "ledger/mariadb.h"
#endif
#include "tests/unit/tempdir.h"

#define NOW INT64_C(1000000)
#define GRACE_S 300

/* A record of job 7, run 0, from 1000 to 2000, node n1 of n[1-2]. */
__attribute__((unused)) static struct record *made(const char *node)
{
	struct record *r = record_new();
	struct record_io io;

	strcpy(r->cluster, "c");
	strcpy(r->node, node);
	strcpy(r->user, "alice");
	record_set(&r->nodelist, "n[1-2]");
	r->job = 7;
	r->restart = 0;
	r->uid = 1000;
	r->start = 1000;
	r->end = 2000;
	record_io_init(&io);
	strcpy(io.source, "stepd");
	io.numbers[RECORD_READ_BYTES] = 1024;
	record_add_app(r, &io);
	return r;
}

/* Of job 9999, which ended at this time. */
__attribute__((unused)) static struct record *ended_at(int64_t at)
{
	struct record *r = made("n1");

	r->job = 9999;
	r->start = (double)at - 10;
	r->end = (double)at;
	return r;
}

static char schema_name[32]; /* a child's is its parent's */

/* The store of this test: a file of its own; or, when JOBIO_TEST_MARIADB is the
 * socket of a server (tests/tools/with-mariadb), a schema of its own. 'port'
 * tells ledgers on the same store apart; the second one's may be another node of
 * a Galera cluster, JOBIO_TEST_MARIADB_2. */
__attribute__((unused)) static struct config_ledger where(unsigned int port)
{
	const char *socket = getenv("JOBIO_TEST_MARIADB");
	struct config_ledger config = { .port = port, .store = (char *)tempdir_path("s") };

	if (!socket)
		return config;
	if (!*schema_name)
		snprintf(schema_name, sizeof(schema_name), "t%d", (int)getpid());
	config.store = (char *)CONFIG_MARIADB;
	if (port == 2 && getenv("JOBIO_TEST_MARIADB_2"))
		socket = getenv("JOBIO_TEST_MARIADB_2");
	config.storage_host = (char *)socket;
	config.storage_user = (char *)"root";
	config.storage_loc = schema_name;
	config.storage_pass_file = config.storage_ca = (char *)"";
	return config;
}

/* As one of several ledgers, 1 to 4; a store borrows its configuration. */
__attribute__((unused)) static struct store *opened_as(unsigned int port)
{
	static struct config_ledger configs[5];
	struct err err = { "" };
	struct store *store;

	configs[port] = where(port);
	store = store_open(&configs[port], &err);
	ck_assert_msg(store != NULL && !*err.text, "%s", err.text);
	return store;
}

/* An empty one, whatever this test has kept in others. */
__attribute__((unused)) static struct store *opened(void)
{
	static int count;

	tempdir_make();
	snprintf(schema_name, sizeof(schema_name), "t%d_%d", (int)getpid(), count++);
	return opened_as(1);
}

/* Put and free; what store_put() returned. *due may be NULL. */
__attribute__((unused)) static int put_at(struct store *store, struct record *r, int64_t now_s,
					  int64_t *due)
{
	char *text = record_text(r, NULL);
	struct err err = { "" };
	int64_t when = -1;
	int rc;

	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(store_begin(store, &err), 0);
	rc = store_put(store, r, text, strlen(text), now_s, GRACE_S, &when, &err);
	ck_assert_msg(rc >= 0, "%s", err.text);
	ck_assert_int_ge(store_commit(store, &err), 0);
	free(text);
	record_free(r);
	if (due)
		*due = when;
	return rc;
}

__attribute__((unused)) static int put(struct store *store, struct record *r)
{
	return put_at(store, r, NOW, NULL);
}

/* Of whatever cluster. */
__attribute__((unused)) static int find_runs(struct store *store, enum store_part kind,
					     uint32_t job, int64_t part, int64_t *ids, int max,
					     struct err *err)
{
	const struct store_wanted wanted = { kind, job, part, NULL };

	return store_find(store, &wanted, ids, max, err);
}

/* How many runs job 7 has. */
__attribute__((unused)) static int run_count(struct store *store)
{
	int64_t ids[32];

	return find_runs(store, STORE_JOB, 7, RECORD_UNKNOWN, ids, 32, NULL);
}

/* The newest run of job 7. */
__attribute__((unused)) static struct store_run newest(struct store *store)
{
	struct store_run run = { 0 };
	struct err err = { "" };
	int64_t id;

	ck_assert_int_eq(find_runs(store, STORE_JOB, 7, RECORD_UNKNOWN, &id, 1, &err), 1);
	ck_assert_int_eq(store_run_load(store, id, &run, &err), 0);
	return run;
}

/* The uses of all runs, one after the other. */
struct told {
	char text[4000];
	struct store_place place; /* of the last */
};

__attribute__((unused)) static int tell_use(const struct store_place *place, const char *text,
					    void *arg, struct err *err)
{
	struct told *told = arg;
	size_t used = strlen(told->text);

	(void)err;
	snprintf(told->text + used, sizeof(told->text) - used, "%s;", text);
	told->place = *place;
	return 0;
}

__attribute__((unused)) static struct told told_uses(struct store *store)
{
	static const struct store_place first = { 0, 0 };
	struct told told = { .text = "" };
	struct err err = { "" };

	ck_assert_int_eq(store_uses(store, &first, INT64_MAX, 1000, tell_use, &told, &err), 0);
	return told;
}

#ifdef HAVE_MARIADB
static int no_greeting(void *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return 0;
}

static struct mariadb *a_mariadb(struct err *err)
{
	struct config_ledger config = where(1);
	struct mariadb *db = mariadb_new(&config);

	ck_assert_msg(db && mariadb_ready(db, no_greeting, NULL, err) == 0, "%s", err->text);
	return db;
}

/* Statement by statement. */
static void in_mariadb(const char *sql)
{
	struct err err = { "" };
	struct mariadb *db = a_mariadb(&err);
	size_t size;

	for (; *sql; sql += size + (sql[size] == ';')) {
		size = strcspn(sql, ";");
		ck_assert_msg(mariadb_run(db, sql, size, NULL, &err) >= 0, "%s", err.text);
	}
	mariadb_free(db);
}
#endif

/* Make the store anything. */
__attribute__((unused)) static void in_store(const char *sql)
{
	sqlite3 *db = NULL;

#ifdef HAVE_MARIADB
	if (getenv("JOBIO_TEST_MARIADB")) {
		in_mariadb(sql);
		return;
	}
#endif
	ck_assert_int_eq(sqlite3_open(tempdir_path("s"), &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* The number that a question asks for. */
__attribute__((unused)) static int64_t number_in_store(const char *sql)
{
	sqlite3_stmt *st;
	sqlite3 *db = NULL;
	int64_t number;

#ifdef HAVE_MARIADB
	if (getenv("JOBIO_TEST_MARIADB")) {
		struct err err = { "" };
		struct mariadb *maria = a_mariadb(&err);

		ck_assert_int_eq(mariadb_ask(maria, sql, NULL, &err), 0);
		ck_assert_int_eq(mariadb_row(maria, &err), 1);
		number = mariadb_number(maria, 0);
		mariadb_free(maria);
		return number;
	}
#endif
	ck_assert_int_eq(sqlite3_open(tempdir_path("s"), &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	number = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return number;
}

static inline void expect_rows(int64_t runs, int64_t records)
{
	ck_assert_int_eq(number_in_store("SELECT count(*) FROM runs"), runs);
	ck_assert_int_eq(number_in_store("SELECT count(*) FROM records"), records);
}

__attribute__((unused)) static void closed(struct store *store)
{
	store_close(store);
	tempdir_remove();
}

#endif
