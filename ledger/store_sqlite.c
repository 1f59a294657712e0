/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store_ops.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/store_site.h"
#include "record/alloc.h"

#define BUSY_MS 10000
#define FILES 3

#define SCHEMA_VERSION 2

static const char schema[] =
	"BEGIN IMMEDIATE;CREATE TABLE IF NOT EXISTS runs( id INTEGER PRIMARY KEY, cluster TEXT NOT NULL, job INTEGER NOT NULL, restart INTEGER, uid INTEGER NOT NULL, array_job INTEGER, array_task INTEGER, het_job INTEGER, het_offset INTEGER, first REAL NOT NULL, last REAL NOT NULL, nodelist TEXT, nodes_seen INTEGER NOT NULL, nodes_expected INTEGER, version INTEGER NOT NULL, dirty INTEGER NOT NULL, next_try INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, summary TEXT, written INTEGER NOT NULL DEFAULT 0, error TEXT, brief TEXT, merged TEXT);CREATE INDEX IF NOT EXISTS runs_by_job ON runs(job, cluster);CREATE INDEX IF NOT EXISTS runs_by_array ON runs(array_job, array_task) WHERE array_job IS NOT NULL;CREATE INDEX IF NOT EXISTS runs_by_het ON runs(het_job, het_offset) WHERE het_job IS NOT NULL;CREATE INDEX IF NOT EXISTS runs_due ON runs(next_try) WHERE dirty;CREATE INDEX IF NOT EXISTS runs_by_age ON runs(last);CREATE TABLE IF NOT EXISTS records( run INTEGER NOT NULL, node TEXT NOT NULL, received INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(run, node));" SITE_RUN_TABLE(
		"TEXT", " WITHOUT ROWID;") SITE_DAY_TABLE("TEXT", " WITHOUT ROWID;") SITE_RUN_INDEX
	";" SITE_GATE_INDEX ";PRAGMA user_version=2;COMMIT;";

/* Runs that ended before ?1, at most ?3. An end more than a day after now (?2) is from a wrong
 * clock, or forged to keep the run for ever: then the time of receipt counts. */
#define OLD_RUNS                                                                                   \
	"SELECT id FROM runs WHERE last<?1 OR (last>?2+86400 AND NOT EXISTS"                       \
	" (SELECT 1 FROM records WHERE run=id AND received>=?1))"                                  \
	" ORDER BY last LIMIT ?3"

static const char find_runs[] =
	"SELECT " STORE_ROW_COLUMNS " FROM runs WHERE job=?1 AND cluster=?2 AND uid=?3";
static const char new_run[] =
	"INSERT INTO runs(cluster, job, uid, first, last, nodes_seen, version, dirty, next_try) VALUES(?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0)";
static const char get_record[] = "SELECT text FROM records WHERE run=?1 AND node=?2";
static const char add_record[] =
	"INSERT OR IGNORE INTO records(run, node, received, text) VALUES(?1, ?2, ?3, ?4)";
static const char change_record[] =
	"UPDATE records SET received=?3, text=?4 WHERE run=?1 AND node=?2";
static const char due_ids[] =
	"SELECT id FROM runs WHERE dirty AND next_try<=?1 ORDER BY next_try LIMIT ?2";
static const char next_due[] = "SELECT min(next_try) FROM runs WHERE dirty";
static const char *const purges[] = { "DELETE FROM run_sums WHERE run IN (" OLD_RUNS ")",
				      "DELETE FROM records WHERE run IN (" OLD_RUNS ")",
				      "DELETE FROM runs WHERE id IN (" OLD_RUNS ")", NULL };

#define STATEMENTS_MAX 32

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
	if (run_sql(store, "COMMIT", err) < 0)
		return -1;
	return check_files(store, err);
}

static void sqlite_rollback(struct store *store)
{
	sqlite3_exec(of(store)->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Write only to a new file: another process may have a transaction open. */
static int make_schema(struct store *store, struct err *err)
{
	sqlite3_stmt *st;
	int version = -1;

	if (sqlite3_prepare_v2(of(store)->db, "PRAGMA user_version", -1, &st, NULL) != SQLITE_OK)
		return fail(store, err);
	if (sqlite3_step(st) == SQLITE_ROW)
		version = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	if (version < 0)
		return fail(store, err);
	if (version == SCHEMA_VERSION)
		return 0;
	if (version)
		return err_set(err, "store: made by another version of jobio");
	if (run_sql(store, schema, err) == 0)
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

/* Run a statement of one step: 1 for a row, 0, or -1. An open query is not affected. */
static int step(struct store *store, const char *sql, const struct value *values, struct err *err)
{
	sqlite3_stmt *st = get(store, sql, values, err);
	int rc;

	if (!st)
		return -1;
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : fail(store, err);
}

static int sqlite_change(struct store *store, const char *sql, const struct value *values,
			 struct err *err)
{
	return step(store, sql, values, err) < 0 ? -1 : sqlite3_changes(of(store)->db);
}

/* ---- put ----------------------------------------------------------------- */

/* Return the seconds between run and record; -1: another run; -2: error. */
static double distance(struct store *store, const struct record *r, int64_t now_s,
		       const struct store_row *row, struct err *err)
{
	const struct value values[] = { value_number(row->id), value_text(r->node) };
	double gap = store_row_distance(r, store_row_end(r, now_s), row);
	int has = gap > 0 && !store_row_is_blank(r, row) ? step(store, get_record, values, err) : 0;

	return has < 0 ? -2 : has > 0 ? -1 : gap;
}

/* 1 found, 0 none yet, -1 error */
static int find_run(struct store *store, const struct record *r, int64_t now_s,
		    struct store_row *row, struct err *err)
{
	const struct value values[] = { value_number(r->job), value_text(r->cluster),
					value_number(r->uid) };
	double best = -1, gap = -1;
	struct store_row one, other;
	int rc;

	rc = sqlite_query(store, find_runs, values, err);
	while (rc >= 0 && gap > -2 && (rc = sqlite_row(store, err)) > 0) {
		store_read_row(store, &one);
		gap = distance(store, r, now_s, &one, err);
		if (gap >= 0 && (best < 0 || gap < best)) {
			best = gap;
			other = *row;
			*row = one;
			one = other;
		}
		store_row_clear(&one);
	}
	sqlite_end(store);
	return rc < 0 || gap <= -2 ? -1 : best >= 0;
}

static int add_run(struct store *store, const struct record *r, int64_t now_s,
		   struct store_row *row, struct err *err)
{
	const struct value values[] = { value_text(r->cluster), value_number(r->job),
					value_number(r->uid), value_real(r->start),
					value_real(store_row_end(r, now_s)) };

	if (sqlite_change(store, new_run, values, err) < 0)
		return -1;
	store_row_init(row, r, now_s);
	row->id = sqlite3_last_insert_rowid(of(store)->db);
	return 0;
}

/* Is the record better than the stored one of its node? 1 yes, 0 no, -1 error. */
static int is_better(struct store *store, const struct value *values, const struct record *r,
		     const char *text, size_t size, struct err *err)
{
	const char *old_text;
	size_t old_size;
	int rc;

	if (sqlite_query(store, get_record, values, err) < 0 || sqlite_row(store, err) <= 0)
		return -1;
	old_text = sqlite_text(store, 0, &old_size);
	rc = store_row_is_better(r, text, size, old_text, old_size);
	sqlite_end(store);
	return rc;
}

/* Store a record if it is new or better: 1 stored, 0 not, -1 error. */
static int write_record(struct store *store, const struct store_row *row, const struct record *r,
			const char *text, size_t size, int64_t now_s, bool *is_new, struct err *err)
{
	const struct value values[] = { value_number(row->id), value_text(r->node),
					value_number(now_s), value_bytes(text, size) };
	int rc = sqlite_change(store, add_record, values, err);

	*is_new = rc > 0;
	if (rc != 0)
		return rc;
	rc = is_better(store, values, r, text, size, err);
	return rc > 0 ? sqlite_change(store, change_record, values, err) : rc;
}

static int sqlite_put(struct store *store, const struct record *record, const char *text,
		      size_t size, int64_t now_s, unsigned int grace_s, int64_t *due,
		      struct err *err)
{
	struct value values[STORE_ROW_VALUES];
	struct store_row row = { 0 };
	bool is_new;
	int rc = find_run(store, record, now_s, &row, err);

	if (rc == 0)
		rc = add_run(store, record, now_s, &row, err);
	if (rc >= 0)
		rc = write_record(store, &row, record, text, size, now_s, &is_new, err);
	if (rc > 0) {
		store_row_add(&row, record, is_new, now_s, grace_s);
		*due = row.next_try;
		store_row_values(&row, values);
		rc = sqlite_change(store, store_update_run, values, err);
	}
	store_row_clear(&row);
	return rc;
}

/* ---- runs ---------------------------------------------------------------- */

static int sqlite_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
		      struct err *err)
{
	const struct value values[] = { value_number(now_s), value_number(max) };

	if (sqlite_query(store, next_due, NULL, err) < 0 || sqlite_row(store, err) <= 0)
		return -1;
	*next = sqlite_number(store, 0);
	return store_list_ids(store, due_ids, values, ids, max, err);
}

static int sqlite_purge(struct store *store, int64_t before_s, int64_t now_s, int max,
			struct err *err)
{
	const struct value values[] = { value_number(before_s), value_number(now_s),
					value_number(max) };
	int i, rc = sqlite_begin(store, err);

	if (rc < 0)
		return -1;
	for (i = 0; purges[i] && rc >= 0; i++)
		rc = sqlite_change(store, purges[i], values, err);
	if (rc >= 0 && sqlite_commit(store, err) >= 0)
		return rc;
	sqlite_rollback(store);
	return -1;
}

static const struct store_ops ops = {
	.close = sqlite_close,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.put = sqlite_put,
	.due = sqlite_due,
	.purge = sqlite_purge,
	.query = sqlite_query,
	.row = sqlite_row,
	.end = sqlite_end,
	.number = sqlite_number,
	.real = sqlite_real,
	.text = sqlite_text,
	.change = sqlite_change,
};
