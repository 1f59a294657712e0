/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store.h"

#include <stdio.h>
#include <string.h>

#include "record/alloc.h"

/* Cluster ?4, or any if it is NULL; and the end of a claim. MariaDB's column is binary, which has
 * no case. */
#define OF_CLUSTER_SQLITE " AND (?4 IS NULL OR cluster=?4 COLLATE NOCASE)"
#define OF_CLUSTER_MARIADB                                                                         \
	" AND (?4 IS NULL OR LOWER(CONVERT(cluster USING latin1))="                                \
	"LOWER(CONVERT(?4 USING latin1)))"
#define FREE_SQLITE ""
#define FREE_MARIADB ", claimed_by=NULL, claimed_until=0"
#define WAITS_SQLITE "dirty" /* condition of the index */
#define WAITS_MARIADB "due IS NOT NULL"

enum statement {
	FIND_JOB,
	FIND_ARRAY,
	FIND_HET,
	FIND_ALL_TASKS,
	FIND_ALL_COMPONENTS,
	DONE,
	LATER,
	BACKLOG,
	STATEMENTS
};

/* MariaDB evaluates assignments from left to right. */
#define STATEMENTS_OF(dialect)                                                                                                                                                                                                                                                                                        \
	{                                                                                                                                                                                                                                                                                                             \
		[FIND_JOB] = "SELECT id FROM runs WHERE job=?1" OF_CLUSTER_##dialect                                                                                                                                                                                                                                  \
			" ORDER BY first DESC LIMIT ?3",                                                                                                                                                                                                                                                              \
		[FIND_ARRAY] =                                                                                                                                                                                                                                                                                        \
			"SELECT id FROM runs WHERE array_job=?1 AND array_task=?2" OF_CLUSTER_##dialect                                                                                                                                                                                                               \
			" ORDER BY first DESC LIMIT ?3",                                                                                                                                                                                                                                                              \
		[FIND_HET] =                                                                                                                                                                                                                                                                                          \
			"SELECT id FROM runs WHERE het_job=?1 AND het_offset=?2" OF_CLUSTER_##dialect                                                                                                                                                                                                                 \
			" ORDER BY first DESC LIMIT ?3",                                                                                                                                                                                                                                                              \
		[FIND_ALL_TASKS] =                                                                                                                                                                                                                                                                                    \
			"SELECT max(id) FROM runs WHERE array_job=?1" OF_CLUSTER_##dialect                                                                                                                                                                                                                            \
			" GROUP BY array_task, cluster, uid ORDER BY array_task LIMIT ?3",                                                                                                                                                                                                                            \
		[FIND_ALL_COMPONENTS] =                                                                                                                                                                                                                                                                               \
			"SELECT max(id) FROM runs WHERE het_job=?1" OF_CLUSTER_##dialect                                                                                                                                                                                                                              \
			" GROUP BY het_offset, cluster, uid ORDER BY het_offset LIMIT ?3",                                                                                                                                                                                                                            \
		[DONE] =                                                                                                                                                                                                                                                                                              \
			"UPDATE runs SET next_try=CASE WHEN version=?2 AND ?9>0 THEN ?9 ELSE next_try END, dirty=CASE WHEN version<>?2 THEN 1 WHEN ?9>0 THEN 2 ELSE 0 END, summary=?3, written=?4, error=NULL, tries=0, array_job=?5, array_task=?6, het_job=?7, het_offset=?8, brief=?10, merged=?11" FREE_##dialect \
			" WHERE id=?1",                                                                                                                                                                                                                                                                               \
		[LATER] =                                                                                                                                                                                                                                                                                             \
			"UPDATE runs SET next_try=?2, tries=tries+1, error=?3, summary=coalesce(?4, summary)" FREE_##dialect                                                                                                                                                                                          \
			" WHERE id=?1",                                                                                                                                                                                                                                                                               \
		[BACKLOG] =                                                                                                                                                                                                                                                                                           \
			"SELECT count(*), coalesce(sum(tries=0 AND next_try>?1), 0), coalesce(sum(tries>0), 0), coalesce(min(last), 0) FROM runs WHERE " WAITS_##dialect                                                                                                                                              \
			" AND dirty=1",                                                                                                                                                                                                                                                                               \
	}

static const char *const statements[STORE_DIALECTS][STATEMENTS] = {
	[STORE_SQLITE] = STATEMENTS_OF(SQLITE),
	[STORE_MARIADB] = STATEMENTS_OF(MARIADB),
};

static const char load_run[] = "SELECT " STORE_ROW_COLUMNS " FROM runs WHERE id=?1";
static const char load_text[] = "SELECT merged FROM runs WHERE id=?1";
static const char records[] = "SELECT text FROM records WHERE run=?1 AND node>?2 ORDER BY node";
static const char newest[] = "SELECT coalesce(max(last), 0) FROM runs WHERE last<=?1+86400";

const char store_update_run[] =
	"UPDATE runs SET restart=?2, first=?3, last=?4, nodelist=?5, nodes_seen=?6, nodes_expected=?7, version=?8, array_job=?9, array_task=?10, het_job=?11, het_offset=?12, dirty=1, next_try=?13, tries=0 WHERE id=?1";

static const char *sql(const struct store *store, enum statement which)
{
	return statements[store->dialect][which];
}

/* Fetch the only row: 1, 0 if there is none, -1. Its columns are valid until end(). */
static int query_one(struct store *store, const char *text, const struct value *values,
		     struct err *err)
{
	return store->ops->query(store, text, values, err) < 0 ? -1 : store->ops->row(store, err);
}

/* ---- open and close ------------------------------------------------------ */

void store_close(struct store *store)
{
	if (store)
		store->ops->close(store);
}

int store_begin(struct store *store, struct err *err)
{
	return store->ops->begin(store, err);
}

int store_commit(struct store *store, struct err *err)
{
	return store->ops->commit(store, err);
}

void store_rollback(struct store *store)
{
	store->ops->rollback(store);
}

int store_put(struct store *store, const struct record *record, const char *text, size_t size,
	      int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err)
{
	return store->ops->put(store, record, text, size, now_s, grace_s, due, err);
}

/* ---- rows ---------------------------------------------------------------- */

int store_list_ids(struct store *store, const char *text, const struct value *values, int64_t *ids,
		   int max, struct err *err)
{
	int count = 0, rc = 1;

	if (store->ops->query(store, text, values, err) < 0)
		return -1;
	while (count < max && (rc = store->ops->row(store, err)) > 0)
		ids[count++] = store->ops->number(store, 0);
	store->ops->end(store);
	return rc < 0 ? -1 : count;
}

static char *copy_text(struct store *store, int column)
{
	return xstrdup(store->ops->text(store, column, NULL));
}

void store_read_row(struct store *store, struct store_row *row)
{
	int64_t (*number)(struct store * store, int column) = store->ops->number;
	struct run *run = &row->run;

	*row = (struct store_row){ .id = number(store, 0),
				   .version = number(store, 1),
				   .dirty = (enum store_dirt)number(store, 15),
				   .tries = number(store, 16),
				   .next_try = number(store, 17),
				   .written = number(store, 18),
				   .summary = copy_text(store, 19),
				   .error = copy_text(store, 20),
				   .brief = copy_text(store, 21) };
	run_init(run);
	run->key = (struct run_key){ .job = (uint32_t)number(store, 3),
				     .uid = (uint32_t)number(store, 4),
				     .restart = number(store, 5),
				     .array_job = number(store, 6),
				     .array_task = number(store, 7),
				     .het_job = number(store, 8),
				     .het_offset = number(store, 9) };
	snprintf(run->key.cluster, sizeof(run->key.cluster), "%s",
		 store->ops->text(store, 2, NULL));
	run->first = store->ops->real(store, 10);
	run->last = store->ops->real(store, 11);
	run->nodelist = copy_text(store, 12);
	run->nodes_seen = number(store, 13);
	run->nodes_expected = number(store, 14);
}

void store_row_values(const struct store_row *row, struct value values[STORE_ROW_VALUES])
{
	const struct run *run = &row->run;
	const struct value all[STORE_ROW_VALUES] = {
		value_number(row->id),
		value_known(run->key.restart),
		value_real(run->first),
		value_real(run->last),
		value_text(run->nodelist),
		value_number(run->nodes_seen),
		value_known(run->nodes_expected),
		value_number(row->version),
		value_known(run->key.array_job),
		value_known(run->key.array_task),
		value_known(run->key.het_job),
		value_known(run->key.het_offset),
		value_number(row->next_try),
	};

	memcpy(values, all, sizeof(all));
}

/* ---- runs ---------------------------------------------------------------- */

int store_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
	      struct err *err)
{
	return store->ops->due(store, now_s, ids, max, next, err);
}

int store_find(struct store *store, const struct store_selector *selector, int64_t *ids, int max,
	       struct err *err)
{
	bool is_all = selector->kind != STORE_JOB && selector->component == RECORD_UNKNOWN;
	const struct value values[] = { value_number(selector->job),
					value_number(selector->component), value_number(max),
					value_text(selector->cluster) };
	enum statement which =
		selector->kind == STORE_ARRAY_TASK	? is_all ? FIND_ALL_TASKS : FIND_ARRAY
		: selector->kind == STORE_HET_COMPONENT ? is_all ? FIND_ALL_COMPONENTS : FIND_HET
							: FIND_JOB;

	return store_list_ids(store, sql(store, which), values, ids, max, err);
}

int store_load(struct store *store, int64_t id, struct store_row *row, struct err *err)
{
	const struct value value = value_number(id);
	int rc = query_one(store, load_run, &value, err);

	if (rc > 0)
		store_read_row(store, row);
	else if (rc == 0)
		err_set(err, "store: run %lld is gone", (long long)id);
	store->ops->end(store);
	return rc > 0 ? 0 : -1;
}

int store_load_text(struct store *store, struct store_row *row, struct err *err)
{
	const struct value value = value_number(row->id);
	int rc = query_one(store, load_text, &value, err);

	if (rc > 0)
		row->text = copy_text(store, 0);
	store->ops->end(store);
	return rc < 0 ? -1 : 0;
}

int store_records_after(struct store *store, int64_t id, const char *node, store_fn fn, void *arg,
			struct err *err)
{
	const struct value values[] = { value_number(id), value_text(node) };
	const char *text;
	size_t size;
	int rc = 0, stop = 0;

	if (store->ops->query(store, records, values, err) < 0)
		return -1;
	while (!stop && (rc = store->ops->row(store, err)) > 0) {
		text = store->ops->text(store, 0, &size);
		stop = fn(text, size, arg, err);
	}
	store->ops->end(store);
	return stop ? stop : rc;
}

int store_records(struct store *store, int64_t id, store_fn fn, void *arg, struct err *err)
{
	return store_records_after(store, id, "", fn, arg, err);
}

int store_done(struct store *store, const struct store_row *row, int64_t now_s, int64_t again_s,
	       struct err *err)
{
	const struct run_key *key = &row->run.key;
	const struct value values[] = {
		value_number(row->id),	     value_number(row->version),
		value_text(row->summary),    value_number(now_s),
		value_known(key->array_job), value_known(key->array_task),
		value_known(key->het_job),   value_known(key->het_offset),
		value_number(again_s),	     value_text(row->brief),
		value_text(row->text),
	};

	return store->ops->change(store, sql(store, DONE), values, err) < 0 ? -1 : 0;
}

int store_later(struct store *store, const struct store_row *row, int64_t next_try, const char *why,
		struct err *err)
{
	const struct value values[] = { value_number(row->id), value_number(next_try),
					value_text(why), value_text(row->summary) };

	return store->ops->change(store, sql(store, LATER), values, err) < 0 ? -1 : 0;
}

/* ---- housekeeping -------------------------------------------------------- */

int64_t store_newest(struct store *store, int64_t now_s, struct err *err)
{
	const struct value value = value_number(now_s);
	int64_t last = -1;

	if (query_one(store, newest, &value, err) > 0)
		last = (int64_t)store->ops->real(store, 0);
	store->ops->end(store);
	return last;
}

int store_purge(struct store *store, int64_t before_s, int64_t now_s, int max, struct err *err)
{
	return store->ops->purge(store, before_s, now_s, max, err);
}

int store_backlog(struct store *store, int64_t now_s, struct store_backlog *backlog,
		  struct err *err)
{
	const struct value value = value_number(now_s);
	int rc = query_one(store, sql(store, BACKLOG), &value, err);

	if (rc > 0) {
		backlog->for_nodes = store->ops->number(store, 1);
		backlog->for_retry = store->ops->number(store, 2);
		backlog->for_writer =
			store->ops->number(store, 0) - backlog->for_nodes - backlog->for_retry;
		backlog->oldest = store->ops->real(store, 3);
	}
	store->ops->end(store);
	return rc > 0 ? 0 : -1;
}
