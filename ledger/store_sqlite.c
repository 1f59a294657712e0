/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store_sqlite.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/store_put.h"
#include "ledger/store_schema.h"
#include "record/alloc.h"

#define BUSY_MS 10000
#define FILES 3

#define STATEMENTS_MAX 64

struct sqlite {
	struct store store;
	sqlite3 *db;
	const char *path;
	ino_t files[FILES]; /* inodes of the open files */
	struct {
		const char *sql;
		sqlite3_stmt *compiled;
	} statements[STATEMENTS_MAX]; /* compiled at first use */
	sqlite3_stmt *rows;	      /* open query; NULL: all was read */
};

static const struct store_ops ops; /* defined at the end */

static struct sqlite *of(struct store *store)
{
	return (struct sqlite *)(void *)store;
}

static int fail(struct store *store, struct err *err)
{
	return err_set(err, "store: %s", sqlite3_errmsg(of(store)->db));
}

/* ---- open and close ------------------------------------------------------ */

static int run_sql(struct store *store, const char *text, struct err *err)
{
	if (sqlite3_exec(of(store)->db, text, NULL, NULL, NULL) != SQLITE_OK)
		return fail(store, err);
	return 0;
}

/* Get the inodes of the files. If one is missing, a later start would find another store. */
static int find_files(struct store *store, ino_t files[FILES], struct err *err)
{
	static const char *const suffixes[FILES] = { "", "-wal", "-shm" };
	char path[PATH_MAX];
	struct stat st;
	int i;

	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s%s", of(store)->path, suffixes[i]);
		if (stat(path, &st) < 0)
			return err_set(err, "store: '%s': %s", path, strerror(errno));
		if (!i && !st.st_size)
			return err_set(err, "store: '%s': it has 0 bytes", path);
		files[i] = st.st_ino;
	}
	return 0;
}

static int check_files(struct store *store, struct err *err)
{
	ino_t files[FILES];

	if (find_files(store, files, err) < 0)
		return -1;
	if (memcmp(files, of(store)->files, sizeof(files)) != 0)
		return err_set(
			err,
			"store: '%s': it, or its -wal or -shm, was replaced: restart the ledger",
			of(store)->path);
	return 0;
}

static int sqlite_begin(struct store *store, struct err *err)
{
	if (check_files(store, err) < 0)
		return -1;
	return run_sql(store, "BEGIN IMMEDIATE", err);
}

/* A commit is valid only if the open files are in place afterwards. */
static int sqlite_commit(struct store *store, struct err *err)
{
	if (store_flush(store, err) < 0 || run_sql(store, "COMMIT", err) < 0)
		return -1;
	store_forget(store);
	return check_files(store, err);
}

static void sqlite_rollback(struct store *store)
{
	store_forget(store);
	sqlite3_exec(of(store)->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Write only to a new file: another process may have a transaction open. */
static int make_schema(struct store *store, struct err *err)
{
	char version_sql[40], *sql;
	size_t at;
	int rc = 0;
	sqlite3_stmt *st;
	int version = -1;

	if (sqlite3_prepare_v2(of(store)->db, "PRAGMA user_version", -1, &st, NULL) != SQLITE_OK)
		return fail(store, err);
	if (sqlite3_step(st) == SQLITE_ROW)
		version = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	if (version < 0)
		return fail(store, err);
	if (version == STORE_SCHEMA_VERSION)
		return 0;
	if (version)
		return err_set(err, "store: made by another version of jobio");
	if (run_sql(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	for (at = 0; rc == 0 && (sql = store_schema(at, STORE_SQLITE)); at++) {
		rc = run_sql(store, sql, err);
		free(sql);
	}
	snprintf(version_sql, sizeof(version_sql), "PRAGMA user_version=%d; COMMIT",
		 STORE_SCHEMA_VERSION);
	if (rc == 0 && run_sql(store, version_sql, err) == 0)
		return 0;
	sqlite_rollback(store);
	return -1;
}

/* Return 1 if the store is to be created. SQLite takes an empty file, or none, for a new database,
 * and deletes its -wal. */
static int is_new(const char *path, struct err *err)
{
	bool is_there;
	char wal[PATH_MAX];
	struct stat st;

	is_there = stat(path, &st) == 0;
	if (is_there && st.st_size)
		return 0;
	snprintf(wal, sizeof(wal), "%s-wal", path);
	if (is_there || (stat(wal, &st) == 0 && st.st_size))
		return err_set(
			err,
			"store: %s: put a backup in its place, or remove %s to begin without records",
			is_there ? "it has 0 bytes" : "it is missing, and its -wal is not",
			is_there ? "it" : "that");
	return 1;
}

static int open_file(struct store *store, const char *path, struct err *err)
{
	if (sqlite3_open_v2(path, &of(store)->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK ||
	    sqlite3_busy_timeout(of(store)->db, BUSY_MS) != SQLITE_OK)
		return fail(store, err);
	if (run_sql(store, "PRAGMA page_size=8192", err) < 0 || /* of a new file: a record fits */
	    run_sql(store, "PRAGMA journal_mode=WAL", err) < 0 ||
	    run_sql(store, "PRAGMA synchronous=FULL", err) < 0)
		return -1;
	if (make_schema(store, err) < 0)
		return -1;
	return find_files(store, of(store)->files, err);
}

static void sqlite_close(struct store *store)
{
	int i;

	for (i = 0; i < STATEMENTS_MAX; i++)
		sqlite3_finalize(of(store)->statements[i].compiled);
	sqlite3_close(of(store)->db);
	store_forget(store);
	free(store);
}

struct store *store_sqlite_open(const char *path, struct err *err)
{
	struct store *store = xcalloc(1, sizeof(struct sqlite));
	int rc, is_created;
	mode_t old;

	store->ops = &ops;
	of(store)->path = path;
	is_created = is_new(path, err);
	old = umask(077);
	rc = is_created < 0 ? -1 : open_file(store, path, err);
	umask(old);
	if (rc < 0) {
		err_prefix(err, "'%s'", path);
		sqlite_close(store);
		if (is_created > 0)
			unlink(path);
		return NULL;
	}
	return store;
}

/* ---- statements ---------------------------------------------------------- */

static sqlite3_stmt *compile(struct store *store, const char *sql, struct err *err)
{
	sqlite3_stmt *st;
	int i = 0;

	while (of(store)->statements[i].sql && of(store)->statements[i].sql != sql)
		i++;
	if (of(store)->statements[i].sql)
		return of(store)->statements[i].compiled;
	if (sqlite3_prepare_v3(of(store)->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL) !=
	    SQLITE_OK) {
		fail(store, err);
		return NULL;
	}
	of(store)->statements[i].sql = sql;
	of(store)->statements[i].compiled = st;
	return st;
}

/* Texts must stay valid until the statement has been stepped. */
static void bind(sqlite3_stmt *st, int at, const struct value *value)
{
	if (value->kind == VALUE_NUMBER)
		sqlite3_bind_int64(st, at, value->number);
	else if (value->kind == VALUE_REAL)
		sqlite3_bind_double(st, at, value->real);
	else if (value->kind == VALUE_BYTES)
		sqlite3_bind_text(st, at, value->bytes, (int)value->size, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, at);
}

static sqlite3_stmt *get(struct store *store, const char *sql, const struct value *values,
			 struct err *err)
{
	sqlite3_stmt *st = compile(store, sql, err);
	int i, count = st ? sqlite3_bind_parameter_count(st) : 0;

	for (i = 0; i < count; i++)
		bind(st, i + 1, &values[i]);
	return st;
}

static void sqlite_end(struct store *store)
{
	sqlite3_reset(of(store)->rows); /* NULL is allowed */
	of(store)->rows = NULL;
}

static int sqlite_query(struct store *store, const char *sql, const struct value *values,
			struct err *err)
{
	sqlite_end(store);
	of(store)->rows = get(store, sql, values, err);
	return of(store)->rows ? 0 : -1;
}

static int sqlite_row(struct store *store, struct err *err)
{
	int rc = sqlite3_step(of(store)->rows);

	if (rc == SQLITE_ROW)
		return 1;
	rc = rc == SQLITE_DONE ? 0 : fail(store, err);
	sqlite_end(store);
	return rc;
}

static int64_t sqlite_number(struct store *store, int column)
{
	sqlite3_stmt *st = of(store)->rows;

	return sqlite3_column_type(st, column) == SQLITE_NULL ? RECORD_UNKNOWN
							      : sqlite3_column_int64(st, column);
}

static double sqlite_real(struct store *store, int column)
{
	return sqlite3_column_double(of(store)->rows, column);
}

static const char *sqlite_text(struct store *store, int column, size_t *size)
{
	sqlite3_stmt *st = of(store)->rows;
	const char *text = (const char *)sqlite3_column_text(st, column);

	if (!text && sqlite3_column_type(st, column) != SQLITE_NULL)
		xneed(NULL); /* out of memory */
	if (size)
		*size = (size_t)sqlite3_column_bytes(st, column);
	return text;
}

/* An open query is not affected. */
static int sqlite_run(struct store *store, const char *sql, const struct value *values, int64_t *id,
		      struct err *err)
{
	sqlite3_stmt *st = get(store, sql, values, err);
	int rc;

	if (!st)
		return -1;
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	if (rc != SQLITE_DONE)
		return fail(store, err);
	if (id)
		*id = sqlite3_last_insert_rowid(of(store)->db);
	return sqlite3_changes(of(store)->db);
}

static int sqlite_change(struct store *store, const char *sql, const struct value *values,
			 struct err *err)
{
	if (store_flush(store, err) < 0)
		return -1;
	store_forget(store);
	return sqlite_run(store, sql, values, NULL, err);
}

static const struct store_ops ops = {
	.close = sqlite_close,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.query = sqlite_query,
	.row = sqlite_row,
	.end = sqlite_end,
	.number = sqlite_number,
	.real = sqlite_real,
	.text = sqlite_text,
	.run = sqlite_run,
	.settle = store_flush,
	.put = store_put_record,
	.change = sqlite_change,
};
