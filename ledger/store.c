/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/store_mariadb.h"
#include "ledger/store_put.h"
#include "ledger/store_sql.h"
#include "ledger/store_sqlite.h"
#include "record/alloc.h"

#define PURGE_RUNS 100 /* in one transaction */

/* of the cluster ?4, in lower case, or of any if it is NULL */
#define OF_CLUSTER " AND (?4 IS NULL OR lower(cluster)=?4)"
#define FREE ", claimed_by=NULL, claimed_until=0"
/* not claimed, claimed by this ledger, or expired */
#define FREE_AT "(claimed_until<=?1 OR claimed_by=?3)"

static const char *const find[][2] = {
	[STORE_JOB] = { "SELECT id FROM runs WHERE job=?1" OF_CLUSTER
			" ORDER BY first DESC LIMIT ?3" },
	[STORE_ARRAY_TASK] = { "SELECT id FROM runs WHERE array_job=?1 AND array_task=?2" OF_CLUSTER
			       " ORDER BY first DESC LIMIT ?3",
			       "SELECT max(id) FROM runs WHERE array_job=?1" OF_CLUSTER
			       " GROUP BY array_task, cluster, uid ORDER BY array_task LIMIT ?3" },
	[STORE_HET_COMPONENT] = { "SELECT id FROM runs WHERE het_job=?1 AND het_offset=?2" OF_CLUSTER
				  " ORDER BY first DESC LIMIT ?3",
				  "SELECT max(id) FROM runs WHERE het_job=?1" OF_CLUSTER
				  " GROUP BY het_offset, cluster, uid ORDER BY het_offset LIMIT ?3" },
};
static const char load_run[] = "SELECT " STORE_ROW_COLUMNS " FROM runs WHERE id=?1";
static const char load_text[] = "SELECT merged FROM runs WHERE id=?1";
static const char records[] = "SELECT text FROM records WHERE run=?1 AND node>?2 ORDER BY node";
static const char newest[] = "SELECT coalesce(max(last), 0) FROM runs WHERE last<=?1+86400";

/* MariaDB evaluates assignments from left to right. */
static const char done[] =
	"UPDATE runs SET next_try=CASE WHEN version<>?2 THEN next_try WHEN ?9>0 THEN ?9 END, dirty=CASE WHEN version<>?2 THEN 1 WHEN ?9>0 THEN 2 ELSE 0 END, summary=?3, written=?4, error=NULL, tries=0, array_job=?5, array_task=?6, het_job=?7, het_offset=?8, brief=?10, merged=?11" FREE
	" WHERE id=?1";
static const char later[] =
	"UPDATE runs SET next_try=?2, tries=tries+1, error=?3, summary=coalesce(?4, summary)" FREE
	" WHERE id=?1";
static const char backlog_of[] =
	"SELECT count(*), coalesce(sum(tries=0 AND next_try>?1), 0), coalesce(sum(tries>0), 0), coalesce(min(last), 0) FROM runs WHERE next_try>=0 AND dirty=1";

static const char due_ids[] = "SELECT id FROM runs WHERE next_try<=?1 ORDER BY next_try LIMIT ?2";
static const char next_due[] = "SELECT min(next_try) FROM runs";
static const char claim_due[] =
	"UPDATE runs SET claimed_by=?3, claimed_until=?4 WHERE next_try<=?1 AND " FREE_AT
	" ORDER BY next_try LIMIT ?2";
static const char claimed_ids[] =
	"SELECT id FROM runs WHERE next_try<=?1 AND claimed_by=?3 AND claimed_until=?4 ORDER BY next_try LIMIT ?2";
/* Runs claimed by another ledger are due when the claim ends. */
static const char next_free[] =
	"SELECT min(at) FROM (SELECT min(next_try) AS at FROM runs WHERE next_try>?1 UNION ALL SELECT min(CASE WHEN " FREE_AT
	" THEN next_try ELSE claimed_until END) FROM runs WHERE next_try<=?1) AS times";

/* Runs that ended before ?1, at most ?3. An end more than a day after now (?2) is from a wrong
 * clock, or forged to keep the run for ever: then the time of receipt counts. */
static const char old_runs[] =
	"SELECT id FROM runs WHERE last<?1 OR (last>?2+86400 AND NOT EXISTS (SELECT 1 FROM records WHERE run=id AND received>=?1)) ORDER BY last LIMIT ?3";
/* The run first: a record that arrives now waits for its row, and then finds none. */
static const char *const delete_run[] = { "DELETE FROM runs WHERE id=?1",
					  "DELETE FROM records WHERE run=?1",
					  "DELETE FROM run_sums WHERE run=?1" };

/* ---- open and close ------------------------------------------------------ */

struct store *store_open(const struct config_ledger *config, struct err *err)
{
	if (strcmp(config->store, CONFIG_MARIADB) != 0)
		return store_sqlite_open(config->store, err);
#ifdef HAVE_MARIADB
	return store_mariadb_open(config, err);
#else
	err_set(err,
		"[ledger] store: 'mariadb': this jobio-ledgerd was built without MariaDB (configure --with-mariadb)");
	return NULL;
#endif
}

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
	const struct store_times times = { now_s, grace_s };

	return store->ops->put(store, record, text, size, &times, due, err);
}

/* ---- statements -------------------------------------------------------------- */

int store_query(struct store *store, const char *sql, const struct value *values, struct err *err)
{
	return store->ops->settle(store, err) < 0 ? -1 : store->ops->query(store, sql, values, err);
}

int store_query_one(struct store *store, const char *sql, const struct value *values,
		    struct err *err)
{
	return store_query(store, sql, values, err) < 0 ? -1 : store->ops->row(store, err);
}

int store_list_ids(struct store *store, const char *sql, const struct value *values, int64_t *ids,
		   int max, struct err *err)
{
	int count = 0, rc = 1;

	if (store_query(store, sql, values, err) < 0)
		return -1;
	while (count < max && (rc = store->ops->row(store, err)) > 0)
		ids[count++] = store->ops->number(store, 0);
	store->ops->end(store);
	return rc < 0 ? -1 : count;
}

int store_change(struct store *store, const char *sql, const struct value *values, struct err *err)
{
	return store->ops->change(store, sql, values, err);
}

/* ---- runs ---------------------------------------------------------------- */

int store_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
	      struct err *err)
{
	const bool is_shared = store->claim_name != NULL;
	const struct value values[] = { value_number(now_s), value_number(max),
					value_text(store->claim_name),
					value_number(now_s + STORE_CLAIM_S) };

	if (store_query_one(store, is_shared ? next_free : next_due, values, err) <= 0)
		return -1;
	*next = store->ops->number(store, 0);
	store->ops->end(store);
	if (*next < 0 || *next > now_s)
		return 0;
	if (is_shared && store_change(store, claim_due, values, err) < 0)
		return -1;
	return store_list_ids(store, is_shared ? claimed_ids : due_ids, values, ids, max, err);
}

int store_find(struct store *store, const struct store_selector *selector, int64_t *ids, int max,
	       struct err *err)
{
	bool is_all = selector->kind != STORE_JOB && selector->component == RECORD_UNKNOWN;
	char *cluster = selector->cluster ? xstrdup(selector->cluster) : NULL, *at;
	const struct value values[] = { value_number(selector->job),
					value_number(selector->component), value_number(max),
					value_text(cluster) };
	int count;

	for (at = cluster; at && *at; at++)
		*at = (char)tolower((unsigned char)*at);
	count = store_list_ids(store, find[selector->kind][is_all], values, ids, max, err);
	free(cluster);
	return count;
}

int store_load(struct store *store, int64_t id, struct store_row *row, struct err *err)
{
	const struct value value = value_number(id);
	int rc = store_query_one(store, load_run, &value, err);

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
	int rc = store_query_one(store, load_text, &value, err);

	if (rc > 0)
		row->text = xstrdup(store->ops->text(store, 0, NULL));
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

	if (store_query(store, records, values, err) < 0)
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

	return store_change(store, done, values, err) < 0 ? -1 : 0;
}

int store_later(struct store *store, const struct store_row *row, int64_t next_try, const char *why,
		struct err *err)
{
	const struct value values[] = { value_number(row->id), value_number(next_try),
					value_text(why), value_text(row->summary) };

	return store_change(store, later, values, err) < 0 ? -1 : 0;
}

/* ---- housekeeping -------------------------------------------------------- */

int64_t store_newest(struct store *store, int64_t now_s, struct err *err)
{
	const struct value value = value_number(now_s);
	int64_t last = -1;

	if (store_query_one(store, newest, &value, err) > 0)
		last = (int64_t)store->ops->real(store, 0);
	store->ops->end(store);
	return last;
}

static int purge(struct store *store, int64_t id, struct err *err)
{
	const struct value value = value_number(id);
	size_t i;

	for (i = 0; i < sizeof(delete_run) / sizeof(*delete_run); i++)
		if (store_change(store, delete_run[i], &value, err) < 0)
			return -1;
	return 0;
}

int store_purge(struct store *store, int64_t before_s, int64_t now_s, int max, struct err *err)
{
	const struct value values[] = { value_number(before_s), value_number(now_s),
					value_number(max) };
	int64_t *ids = xcalloc((size_t)max, sizeof(*ids));
	int i, rc = -1, count = store_list_ids(store, old_runs, values, ids, max, err);

	for (i = 0; i < count; i++) {
		if (i % PURGE_RUNS == 0 && store_begin(store, err) < 0)
			goto out;
		if (purge(store, ids[i], err) < 0 ||
		    ((i % PURGE_RUNS == PURGE_RUNS - 1 || i == count - 1) &&
		     store_commit(store, err) < 0)) {
			store_rollback(store);
			goto out;
		}
	}
	rc = count;
out:
	free(ids);
	return rc;
}

int store_backlog(struct store *store, int64_t now_s, struct store_backlog *backlog,
		  struct err *err)
{
	const struct value value = value_number(now_s);
	int rc = store_query_one(store, backlog_of, &value, err);

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
