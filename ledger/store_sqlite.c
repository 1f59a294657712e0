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

#include "ledger/row.h"
#include "lib/alloc.h"

#define BUSY_MS 10000
#define FILES 3

#define SCHEMA_VERSION 1

static const char schema[] =
	"BEGIN IMMEDIATE;CREATE TABLE IF NOT EXISTS runs( id INTEGER PRIMARY KEY, cluster TEXT NOT NULL, job INTEGER NOT NULL, restart INTEGER, uid INTEGER NOT NULL, array_job INTEGER, array_task INTEGER, het_job INTEGER, het_offset INTEGER, first REAL NOT NULL, last REAL NOT NULL, nodelist TEXT, nodes_seen INTEGER NOT NULL, nodes_expected INTEGER, version INTEGER NOT NULL, dirty INTEGER NOT NULL, next_try INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, summary TEXT, written INTEGER NOT NULL DEFAULT 0, error TEXT, judged TEXT);CREATE INDEX IF NOT EXISTS runs_by_job ON runs(job, cluster);CREATE INDEX IF NOT EXISTS runs_by_array ON runs(array_job, array_task) WHERE array_job IS NOT NULL;CREATE INDEX IF NOT EXISTS runs_by_het ON runs(het_job, het_offset) WHERE het_job IS NOT NULL;CREATE INDEX IF NOT EXISTS runs_due ON runs(next_try) WHERE dirty;CREATE INDEX IF NOT EXISTS runs_by_age ON runs(last);CREATE TABLE IF NOT EXISTS records( run INTEGER NOT NULL, node TEXT NOT NULL, received INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(run, node));CREATE TABLE IF NOT EXISTS uses( ended INTEGER NOT NULL, run INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(ended, run)) WITHOUT ROWID;CREATE UNIQUE INDEX IF NOT EXISTS uses_by_run ON uses(run);PRAGMA user_version=1;COMMIT;";

enum statement {
	FIND_RUNS,
	NEW_RUN,
	UPDATE_RUN,
	GET_RECORD,
	ADD_RECORD,
	CHANGE_RECORD,
	DUE,
	NEXT_DUE,
	LOAD_RUN,
	RECORDS,
	DONE,
	LATER,
	FIND_JOB,
	FIND_ARRAY,
	FIND_HET,
	FIND_ALL_TASKS,
	FIND_ALL_COMPONENTS,
	PURGE_RECORDS,
	PURGE_RUNS,
	BACKLOG,
	DROP_USE,
	PUT_USE,
	USES,
	NEWEST,
	PURGE_USES,
	STATEMENTS
};

/* Runs that ended before ?1. One that ends more than a day after now, which is
 * ?2, has its end from a clock that is wrong, or from somebody who wants it kept
 * for ever: when it was received counts. At most ?3. */
#define OLD_RUNS                                                                                   \
	"SELECT id FROM runs WHERE last<?1 OR (last>?2+86400 AND NOT EXISTS"                       \
	" (SELECT 1 FROM records WHERE run=id AND received>=?1))"                                  \
	" ORDER BY last LIMIT ?3"

/* Of the cluster ?4, or NULL: of any. */
#define OF_CLUSTER " AND (?4 IS NULL OR cluster=?4 COLLATE NOCASE)"

static const char *const sql[STATEMENTS] = {
	[FIND_RUNS] =
		"SELECT id, restart, first, last, nodelist, nodes_seen, nodes_expected, version, array_job, array_task, het_job, het_offset, CASE dirty WHEN 1 THEN next_try END FROM runs WHERE job=?1 AND cluster=?2 AND uid=?3",
	[NEW_RUN] =
		"INSERT INTO runs(cluster, job, uid, first, last, nodes_seen, version, dirty, next_try) VALUES(?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0)",
	[UPDATE_RUN] =
		"UPDATE runs SET restart=?2, first=?3, last=?4, nodelist=?5, nodes_seen=?6, nodes_expected=?7, version=?8, array_job=?9, array_task=?10, het_job=?11, het_offset=?12, dirty=1, next_try=?13, tries=0 WHERE id=?1",
	[GET_RECORD] = "SELECT text FROM records WHERE run=?1 AND node=?2",
	[ADD_RECORD] =
		"INSERT OR IGNORE INTO records(run, node, received, text) VALUES(?1, ?2, ?3, ?4)",
	[CHANGE_RECORD] = "UPDATE records SET received=?3, text=?4 WHERE run=?1 AND node=?2",
	[DUE] = "SELECT id FROM runs WHERE dirty AND next_try<=?1 ORDER BY next_try LIMIT ?2",
	[NEXT_DUE] = "SELECT min(next_try) FROM runs WHERE dirty",
	[LOAD_RUN] =
		"SELECT id, version, cluster, summary, error, job, uid, restart, array_job, array_task, het_job, het_offset, first, last, nodes_seen, nodes_expected, tries, next_try, written, dirty, judged FROM runs WHERE id=?1",
	[RECORDS] = "SELECT text FROM records WHERE run=?1 AND node>?2 ORDER BY node",
	[DONE] =
		"UPDATE runs SET dirty=CASE WHEN version<>?2 THEN 1 WHEN ?9>0 THEN 2 ELSE 0 END, next_try=CASE WHEN version=?2 AND ?9>0 THEN ?9 ELSE next_try END, summary=?3, written=?4, error=NULL, tries=0, array_job=?5, array_task=?6, het_job=?7, het_offset=?8, judged=?10 WHERE id=?1",
	[LATER] =
		"UPDATE runs SET next_try=?2, tries=tries+1, error=?3, summary=coalesce(?4, summary) WHERE id=?1",
	[FIND_JOB] = "SELECT id FROM runs WHERE job=?1" OF_CLUSTER " ORDER BY first DESC LIMIT ?3",
	[FIND_ARRAY] = "SELECT id FROM runs WHERE array_job=?1 AND array_task=?2" OF_CLUSTER
		       " ORDER BY first DESC LIMIT ?3",
	[FIND_HET] = "SELECT id FROM runs WHERE het_job=?1 AND het_offset=?2" OF_CLUSTER
		     " ORDER BY first DESC LIMIT ?3",
	[FIND_ALL_TASKS] = "SELECT max(id) FROM runs WHERE array_job=?1" OF_CLUSTER
			   " GROUP BY array_task, cluster, uid ORDER BY array_task LIMIT ?3",
	[FIND_ALL_COMPONENTS] = "SELECT max(id) FROM runs WHERE het_job=?1" OF_CLUSTER
				" GROUP BY het_offset, cluster, uid ORDER BY het_offset LIMIT ?3",
	[PURGE_RECORDS] = "DELETE FROM records WHERE run IN (" OLD_RUNS ")",
	[BACKLOG] =
		"SELECT count(*), sum(tries=0 AND next_try>?1), sum(tries>0), min(last) FROM runs WHERE dirty AND dirty=1",
	[PURGE_RUNS] = "DELETE FROM runs WHERE id IN (" OLD_RUNS ")",
	[DROP_USE] = "DELETE FROM uses WHERE run=?1",
	[PUT_USE] = "INSERT INTO uses(run, ended, text) VALUES(?1, ?2, ?3)",
	[USES] =
		"SELECT ended, run, text FROM uses WHERE (ended, run)>(?1, ?2) AND ended<?3 ORDER BY ended, run LIMIT ?4",
	[NEWEST] = "SELECT max(last) FROM runs WHERE last<=?1+86400",
	[PURGE_USES] = "DELETE FROM uses WHERE run IN (" OLD_RUNS ")",
};

struct sqlite {
	struct store store;
	sqlite3 *db;
	const char *path;
	ino_t files[FILES]; /* that are open */
	sqlite3_stmt *statements[STATEMENTS];
};

static const struct store_ops ops; /* at the end */

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

/* Which files are there now? Without one of them a later start finds another store. */
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

/* Files that are in place afterwards have it. */
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

/* Only a new file is written to: another process may be in the middle of a
 * transaction. */
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
	if (version > SCHEMA_VERSION)
		return err_set(err, "store: made by a later version of jobio");
	if (version == SCHEMA_VERSION)
		return 0;
	if (run_sql(store, schema, err) == 0)
		return 0;
	sqlite_rollback(store);
	return -1;
}

/* SQLite takes an empty file, or none, for a new database, and deletes its -wal. 1: it
 * is one. */
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
	if (run_sql(store, "PRAGMA page_size=8192", err) < 0 || /* of a new one: a record fits */
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

	for (i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(of(store)->statements[i]);
	sqlite3_close(of(store)->db);
	free(store);
}

struct store *store_sqlite_open(const char *path, struct err *err)
{
	struct store *store = xcalloc(1, sizeof(struct sqlite));
	int i, rc, is_made;
	mode_t old;

	store->ops = &ops;
	of(store)->path = path;
	is_made = is_new(path, err);
	old = umask(077);
	rc = is_made < 0 ? -1 : open_file(store, path, err);
	umask(old);
	if (rc < 0) {
		err_prefix(err, "'%s'", path);
		sqlite_close(store);
		if (is_made > 0)
			unlink(path);
		return NULL;
	}
	for (i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v3(of(store)->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &of(store)->statements[i], NULL) != SQLITE_OK) {
			fail(store, err);
			err_prefix(err, "'%s'", path);
			sqlite_close(store);
			return NULL;
		}
	return store;
}

/* ---- statements ---------------------------------------------------------- */

static sqlite3_stmt *get(struct store *store, enum statement which)
{
	sqlite3_stmt *st = of(store)->statements[which];

	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return st;
}

static void bind_known(sqlite3_stmt *st, int at, int64_t number)
{
	if (number >= 0)
		sqlite3_bind_int64(st, at, number);
}

static void bind_text(sqlite3_stmt *st, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC); /* until it was stepped */
}

static int64_t known(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? RECORD_UNKNOWN
							      : sqlite3_column_int64(st, column);
}

/* Of a text column; NULL stays NULL. */
static const char *text_of(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL
		       ? NULL
		       : xneed((char *)sqlite3_column_text(st, column));
}

/* For statements without rows. */
static int finish(struct store *store, sqlite3_stmt *st, struct err *err)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : fail(store, err);
}

/* ---- put ----------------------------------------------------------------- */

/* 1: the node has a record in this run, 0, or -1 for an error. */
static int has_record(struct store *store, int64_t run, const char *node, struct err *err)
{
	sqlite3_stmt *st = get(store, GET_RECORD);
	int rc;

	sqlite3_bind_int64(st, 1, run);
	bind_text(st, 2, node);
	rc = sqlite3_step(st);
	sqlite3_reset(st);
	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : fail(store, err);
}

static void read_run(sqlite3_stmt *st, struct row *run)
{
	free(run->nodelist);
	run->id = sqlite3_column_int64(st, 0);
	run->restart = known(st, 1);
	run->first = sqlite3_column_double(st, 2);
	run->last = sqlite3_column_double(st, 3);
	run->seen = sqlite3_column_int64(st, 5);
	run->expected = known(st, 6);
	run->version = sqlite3_column_int64(st, 7);
	run->array_job = known(st, 8);
	run->array_task = known(st, 9);
	run->het_job = known(st, 10);
	run->het_offset = known(st, 11);
	run->next_try = known(st, 12);
	run->nodelist = xstrdup(text_of(st, 4));
}

/* 1 found, 0 none yet, -1 error */
static int find_run(struct store *store, const struct record *r, int64_t now_s, struct row *run,
		    struct err *err)
{
	sqlite3_stmt *st = get(store, FIND_RUNS);
	double best = -1, gap;
	int rc, has;

	sqlite3_bind_int64(st, 1, r->job);
	bind_text(st, 2, r->cluster);
	sqlite3_bind_int64(st, 3, r->uid);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		gap = row_distance(r, row_end(r, now_s), known(st, 1),
				   (const char *)sqlite3_column_text(st, 4),
				   sqlite3_column_double(st, 2), sqlite3_column_double(st, 3));
		if (gap < 0 || (best >= 0 && gap >= best))
			continue;
		has = gap > 0 ? has_record(store, sqlite3_column_int64(st, 0), r->node, err) : 0;
		if (has < 0) {
			sqlite3_reset(st);
			return -1;
		}
		if (has)
			continue;
		best = gap;
		read_run(st, run);
	}
	sqlite3_reset(st);
	if (rc != SQLITE_DONE)
		return fail(store, err);
	return best >= 0;
}

static int new_run(struct store *store, const struct record *r, int64_t now_s, struct row *run,
		   struct err *err)
{
	sqlite3_stmt *st = get(store, NEW_RUN);

	bind_text(st, 1, r->cluster);
	sqlite3_bind_int64(st, 2, r->job);
	sqlite3_bind_int64(st, 3, r->uid);
	sqlite3_bind_double(st, 4, r->start);
	sqlite3_bind_double(st, 5, row_end(r, now_s));
	if (finish(store, st, err) < 0)
		return -1;
	run->id = sqlite3_last_insert_rowid(of(store)->db);
	run->restart = run->expected = RECORD_UNKNOWN;
	run->array_job = run->array_task = RECORD_UNKNOWN;
	run->het_job = run->het_offset = RECORD_UNKNOWN;
	run->next_try = RECORD_UNKNOWN;
	run->first = r->start;
	run->last = row_end(r, now_s);
	return 0;
}

static int write_record(struct store *store, enum statement how, const struct row *run,
			const struct record *r, const char *text, size_t size, int64_t now_s,
			struct err *err)
{
	sqlite3_stmt *st = get(store, how);

	sqlite3_bind_int64(st, 1, run->id);
	bind_text(st, 2, r->node);
	sqlite3_bind_int64(st, 3, now_s);
	sqlite3_bind_text(st, 4, text, (int)size, SQLITE_STATIC);
	return finish(store, st, err);
}

/* Is the new record better than what this node said before? 1 yes, 0 no, -1 error. */
static int is_news(struct store *store, const struct row *run, const struct record *r,
		   const char *text, size_t size, struct err *err)
{
	sqlite3_stmt *st = get(store, GET_RECORD);
	int rc;

	sqlite3_bind_int64(st, 1, run->id);
	bind_text(st, 2, r->node);
	rc = sqlite3_step(st) != SQLITE_ROW ? fail(store, err)
					    : row_is_news(r, text, size, text_of(st, 0),
							  (size_t)sqlite3_column_bytes(st, 0));
	sqlite3_reset(st);
	return rc;
}

/* 1: the node has said nothing before, or nothing as good; 0: it has; -1 error. */
static int keep_record(struct store *store, struct row *run, const struct record *r,
		       const char *text, size_t size, int64_t now_s, struct err *err)
{
	int rc;

	if (write_record(store, ADD_RECORD, run, r, text, size, now_s, err) < 0)
		return -1;
	if (sqlite3_changes(of(store)->db)) {
		run->seen++;
		return 1;
	}
	rc = is_news(store, run, r, text, size, err);
	if (rc <= 0)
		return rc;
	return write_record(store, CHANGE_RECORD, run, r, text, size, now_s, err) < 0 ? -1 : 1;
}

static int write_run(struct store *store, const struct row *run, int64_t next_try, struct err *err)
{
	sqlite3_stmt *st = get(store, UPDATE_RUN);

	sqlite3_bind_int64(st, 1, run->id);
	bind_known(st, 2, run->restart);
	sqlite3_bind_double(st, 3, run->first);
	sqlite3_bind_double(st, 4, run->last);
	bind_text(st, 5, run->nodelist);
	sqlite3_bind_int64(st, 6, run->seen);
	bind_known(st, 7, run->expected);
	sqlite3_bind_int64(st, 8, run->version);
	bind_known(st, 9, run->array_job);
	bind_known(st, 10, run->array_task);
	bind_known(st, 11, run->het_job);
	bind_known(st, 12, run->het_offset);
	sqlite3_bind_int64(st, 13, next_try);
	return finish(store, st, err);
}

static int sqlite_put(struct store *store, const struct record *record, const char *text,
		      size_t size, int64_t now_s, unsigned int grace_s, int64_t *due,
		      struct err *err)
{
	struct row run = { 0 };
	int rc = find_run(store, record, now_s, &run, err);

	if (rc == 0)
		rc = new_run(store, record, now_s, &run, err);
	if (rc >= 0)
		rc = keep_record(store, &run, record, text, size, now_s, err);
	if (rc > 0) {
		row_widen(&run, record, now_s);
		run.version++;
		*due = row_due(&run, now_s, grace_s);
		rc = write_run(store, &run, *due, err) < 0 ? -1 : 1;
	}
	free(run.nodelist);
	return rc;
}

/* ---- runs ---------------------------------------------------------------- */

static int list_ids(struct store *store, sqlite3_stmt *st, int64_t *ids, int max, struct err *err)
{
	int count = 0, rc;

	while ((rc = sqlite3_step(st)) == SQLITE_ROW && count < max)
		ids[count++] = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? count : fail(store, err);
}

static int sqlite_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
		      struct err *err)
{
	sqlite3_stmt *st = get(store, NEXT_DUE);

	if (sqlite3_step(st) != SQLITE_ROW) {
		sqlite3_reset(st);
		return fail(store, err);
	}
	*next = known(st, 0);
	sqlite3_reset(st);
	st = get(store, DUE);
	sqlite3_bind_int64(st, 1, now_s);
	sqlite3_bind_int(st, 2, max);
	return list_ids(store, st, ids, max, err);
}

static int sqlite_find(struct store *store, const struct store_wanted *wanted, int64_t *ids,
		       int max, struct err *err)
{
	bool is_all = wanted->kind != STORE_JOB && wanted->part == RECORD_UNKNOWN;
	sqlite3_stmt *st =
		get(store, wanted->kind == STORE_ARRAY_TASK ? is_all ? FIND_ALL_TASKS : FIND_ARRAY
			   : wanted->kind == STORE_HET_COMPONENT
				   ? is_all ? FIND_ALL_COMPONENTS : FIND_HET
				   : FIND_JOB);

	sqlite3_bind_int64(st, 1, wanted->job);
	if (wanted->kind != STORE_JOB && !is_all)
		sqlite3_bind_int64(st, 2, wanted->part);
	sqlite3_bind_int(st, 3, max);
	bind_text(st, 4, wanted->cluster);
	return list_ids(store, st, ids, max, err);
}

static void fill_run(sqlite3_stmt *st, struct store_run *run)
{
	run->id = sqlite3_column_int64(st, 0);
	run->version = sqlite3_column_int64(st, 1);
	run->job = (uint32_t)sqlite3_column_int64(st, 5);
	run->uid = (uint32_t)sqlite3_column_int64(st, 6);
	run->restart = known(st, 7);
	run->array_job = known(st, 8);
	run->array_task = known(st, 9);
	run->het_job = known(st, 10);
	run->het_offset = known(st, 11);
	run->first = sqlite3_column_double(st, 12);
	run->last = sqlite3_column_double(st, 13);
	run->nodes_seen = sqlite3_column_int64(st, 14);
	run->nodes_expected = known(st, 15);
	run->tries = sqlite3_column_int64(st, 16);
	run->next_try = sqlite3_column_int64(st, 17);
	run->written = sqlite3_column_int64(st, 18);
	run->dirty = (enum store_dirt)sqlite3_column_int(st, 19);
	run->cluster = xstrdup(text_of(st, 2));
	run->summary = xstrdup(text_of(st, 3));
	run->error = xstrdup(text_of(st, 4));
	run->judged = xstrdup(text_of(st, 20));
}

static int sqlite_run_load(struct store *store, int64_t id, struct store_run *run, struct err *err)
{
	sqlite3_stmt *st = get(store, LOAD_RUN);
	int rc;

	sqlite3_bind_int64(st, 1, id);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		fill_run(st, run);
		rc = 0;
	} else if (rc == SQLITE_DONE)
		rc = err_set(err, "store: run %lld is gone", (long long)id);
	else
		rc = fail(store, err);
	sqlite3_reset(st);
	return rc;
}

static int sqlite_records_after(struct store *store, int64_t id, const char *node, store_fn fn,
				void *arg, struct err *err)
{
	sqlite3_stmt *st = get(store, RECORDS);
	int rc, said = 0;

	sqlite3_bind_int64(st, 1, id);
	bind_text(st, 2, node);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && !said) {
		const char *text = text_of(st, 0);

		said = fn(text, (size_t)sqlite3_column_bytes(st, 0), arg, err);
	}
	sqlite3_reset(st);
	if (said)
		return said;
	return rc == SQLITE_DONE ? 0 : fail(store, err);
}

static int sqlite_done(struct store *store, const struct store_run *run, const char *summary,
		       int64_t now_s, int64_t again_s, struct err *err)
{
	sqlite3_stmt *st = get(store, DONE);

	sqlite3_bind_int64(st, 1, run->id);
	sqlite3_bind_int64(st, 2, run->version);
	bind_text(st, 3, summary);
	sqlite3_bind_int64(st, 4, now_s);
	bind_known(st, 5, run->array_job);
	bind_known(st, 6, run->array_task);
	bind_known(st, 7, run->het_job);
	bind_known(st, 8, run->het_offset);
	sqlite3_bind_int64(st, 9, again_s);
	bind_text(st, 10, run->judged);
	return finish(store, st, err);
}

static int sqlite_later(struct store *store, int64_t id, const char *summary, int64_t next_try,
			const char *why, struct err *err)
{
	sqlite3_stmt *st = get(store, LATER);

	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, next_try);
	bind_text(st, 3, why);
	bind_text(st, 4, summary);
	return finish(store, st, err);
}

/* ---- housekeeping -------------------------------------------------------- */

static int64_t sqlite_newest(struct store *store, int64_t now_s, struct err *err)
{
	sqlite3_stmt *st = get(store, NEWEST);
	int64_t newest = -1;

	sqlite3_bind_int64(st, 1, now_s);
	if (sqlite3_step(st) == SQLITE_ROW)
		newest = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return newest < 0 ? fail(store, err) : newest;
}

static int finish_one(struct store *store, enum statement which, int64_t id, struct err *err)
{
	sqlite3_stmt *st = get(store, which);

	sqlite3_bind_int64(st, 1, id);
	return finish(store, st, err);
}

static int sqlite_use_put(struct store *store, int64_t id, int64_t ended_s, const char *text,
			  struct err *err)
{
	sqlite3_stmt *st;

	if (finish_one(store, DROP_USE, id, err) < 0)
		return -1;
	st = get(store, PUT_USE);
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, ended_s);
	bind_text(st, 3, text);
	return finish(store, st, err);
}

static int sqlite_uses(struct store *store, const struct store_place *after, int64_t until_s,
		       int max, store_use_fn fn, void *arg, struct err *err)
{
	sqlite3_stmt *st = get(store, USES);
	struct store_place place;
	int rc, said = 0;

	sqlite3_bind_int64(st, 1, after->ended_s);
	sqlite3_bind_int64(st, 2, after->id);
	sqlite3_bind_int64(st, 3, until_s);
	sqlite3_bind_int(st, 4, max);
	while (!said && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		place.ended_s = sqlite3_column_int64(st, 0);
		place.id = sqlite3_column_int64(st, 1);
		said = fn(&place, text_of(st, 2), arg, err);
	}
	sqlite3_reset(st);
	if (said)
		return said;
	return rc == SQLITE_DONE ? 0 : fail(store, err);
}

static int sqlite_purge(struct store *store, int64_t before_s, int64_t now_s, int max,
			struct err *err)
{
	static const enum statement steps[] = { PURGE_USES, PURGE_RECORDS, PURGE_RUNS };
	sqlite3_stmt *st;
	size_t i;

	if (sqlite_begin(store, err) < 0)
		return -1;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		st = get(store, steps[i]);
		sqlite3_bind_int64(st, 1, before_s);
		sqlite3_bind_int64(st, 2, now_s);
		sqlite3_bind_int(st, 3, max);
		if (finish(store, st, err) < 0) {
			sqlite_rollback(store);
			return -1;
		}
	}
	max = sqlite3_changes(of(store)->db);
	if (sqlite_commit(store, err) < 0) {
		sqlite_rollback(store);
		return -1;
	}
	return max;
}

static int sqlite_backlog(struct store *store, int64_t now_s, struct store_backlog *backlog,
			  struct err *err)
{
	sqlite3_stmt *st = get(store, BACKLOG);

	sqlite3_bind_int64(st, 1, now_s);
	if (sqlite3_step(st) != SQLITE_ROW) {
		sqlite3_reset(st);
		return fail(store, err);
	}
	backlog->for_nodes = sqlite3_column_int64(st, 1);
	backlog->for_retry = sqlite3_column_int64(st, 2);
	backlog->for_writer = sqlite3_column_int64(st, 0) - backlog->for_nodes - backlog->for_retry;
	backlog->oldest = sqlite3_column_double(st, 3);
	sqlite3_reset(st);
	return 0;
}

static const struct store_ops ops = {
	.close = sqlite_close,
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.put = sqlite_put,
	.due = sqlite_due,
	.run_load = sqlite_run_load,
	.records_after = sqlite_records_after,
	.done = sqlite_done,
	.later = sqlite_later,
	.find = sqlite_find,
	.use_put = sqlite_use_put,
	.uses = sqlite_uses,
	.newest = sqlite_newest,
	.purge = sqlite_purge,
	.backlog = sqlite_backlog,
};
