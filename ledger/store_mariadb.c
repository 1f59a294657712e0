/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences from store_sqlite.c:
 *
 * - Two ledgers use it. A transaction that clashes with the other's is repeated
 *   from the journal, which has all operations since its begin. New rows of a
 *   job are numbered (seq), so that two of them clash: also with Galera, where
 *   nodes detect each other's locks at the commit only.
 * - Each query is a round trip. Records and rows of a transaction are buffered,
 *   and written together before the commit or the next query; the names of nodes
 *   that have reported are fetched together.
 * - A writer puts its name on a run until claimed_until: the other skips the run,
 *   and takes it over after that time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/maria.h"
#include "record/alloc.h"

#define PURGE_RECORDS 20000 /* per transaction, or one run */

/* Not claimed, claimed by this ledger, or expired. */
#define FREE_AT "(claimed_until<=?1 OR claimed_by=?3)"

/* As in store_sqlite.c. */
#define OLD_RUNS                                                                                   \
	"(last<?1 OR (last>?2+86400 AND NOT EXISTS"                                                \
	" (SELECT 1 FROM records WHERE run=id AND received>=?1)))"

static const char claim_due[] =
	"UPDATE runs SET claimed_by=?3, claimed_until=?4 WHERE due<=?1 AND " FREE_AT
	" ORDER BY due LIMIT ?2";
static const char due_ids[] =
	"SELECT id FROM runs WHERE due<=?1 AND claimed_by=?3 AND claimed_until=?4 ORDER BY due LIMIT ?2";
/* Runs claimed by another ledger are due when the claim ends. */
static const char next_due[] =
	"SELECT (SELECT min(due) FROM runs WHERE due>?1), (SELECT min(IF(" FREE_AT
	", due, claimed_until)) FROM runs WHERE due<=?1)";
static const char old_runs[] =
	"SELECT id, nodes_seen FROM runs WHERE " OLD_RUNS " ORDER BY last LIMIT ?3 FOR UPDATE";
static const struct store_ops ops; /* defined at the end */

/* ---- open and close ------------------------------------------------------ */

static void maria_close(struct store *store)
{
	struct maria *m = maria_of(store);

	maria_rollback(store);
	mariadb_free(m->db);
	maria_free_names(m->cached.names, m->cached.count);
	free(m->journal.items);
	free(m->jobs.items);
	free(m->runs.items);
	free(m->buffered.items);
	free(m);
}

struct store *store_mariadb_open(const struct config_ledger *config, struct err *err)
{
	struct maria *m = xcalloc(1, sizeof(*m));
	char host[256] = "";

	m->store.ops = &ops;
	m->store.dialect = STORE_MARIADB;
	gethostname(host, sizeof(host) - 1);
	snprintf(m->claim_name, sizeof(m->claim_name), "%s:%u", host, config->port);
	m->db = mariadb_new(config);
	if (maria_ready(m, err) == 0 || mariadb_is_unavailable(m->db))
		return &m->store;
	maria_close(&m->store);
	return NULL;
}

/* ---- runs ---------------------------------------------------------------- */

static int maria_put(struct store *store, const struct record *record, const char *text,
		     size_t size, int64_t now_s, unsigned int grace_s, int64_t *due,
		     struct err *err)
{
	struct entry entry = { .bytes = xcalloc(size + 1, 1),
			       .size = size,
			       .record = record,
			       .is_record = true,
			       .now_s = now_s,
			       .grace_s = grace_s };
	int64_t result;

	memcpy(entry.bytes, text, size);
	if (maria_do_entry(maria_of(store), &entry, &result, due, err) < 0)
		return -1;
	return (int)result;
}

/* ---- statements ---------------------------------------------------------- */

static int maria_query(struct store *store, const char *sql, const struct value *values,
		       struct err *err)
{
	struct maria *m = maria_of(store);

	return maria_ready(m, err) < 0 ? -1 : mariadb_query(m->db, sql, values, err);
}

static int maria_row(struct store *store, struct err *err)
{
	return mariadb_row(maria_of(store)->db, err);
}

static void maria_end(struct store *store)
{
	mariadb_end(maria_of(store)->db);
}

static int64_t maria_number(struct store *store, int column)
{
	return mariadb_number(maria_of(store)->db, column);
}

static double maria_real(struct store *store, int column)
{
	return mariadb_real(maria_of(store)->db, column);
}

static const char *maria_text(struct store *store, int column, size_t *size)
{
	return mariadb_column(maria_of(store)->db, column, size);
}

/* ---- runs that are due --------------------------------------------------- */

/* Set *next to the earlier of two columns, which may be NULL. */
static int query_next(struct store *store, const struct value *values, int64_t *next,
		      struct err *err)
{
	int64_t second;

	if (maria_query(store, next_due, values, err) < 0 || maria_row(store, err) < 0)
		return -1;
	*next = maria_number(store, 0);
	second = maria_number(store, 1);
	if (second >= 0 && (*next < 0 || second < *next))
		*next = second;
	return 0;
}

static int maria_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
		     struct err *err)
{
	struct maria *m = maria_of(store);
	const struct value values[] = { value_number(now_s), value_number(max),
					value_text(m->claim_name),
					value_number(now_s + STORE_CLAIM_S) };
	int rc;

	if (query_next(store, values, next, err) < 0)
		return -1;
	if (*next < 0 || *next > now_s)
		return 0;
	rc = maria_change(store, claim_due, values, err);
	return rc < 0 ? -1 : store_list_ids(store, due_ids, values, ids, max, err);
}

/* ---- housekeeping -------------------------------------------------------- */

/* Set *ids to the IDs of old runs, "1,2,3". Return their number or -1. */
static int list_old(struct maria *m, const struct value *values, char **ids, struct err *err)
{
	int64_t sum = 0;
	size_t size;
	FILE *out = xneed(open_memstream(ids, &size));
	int rc, count = 0;

	rc = mariadb_query(m->db, old_runs, values, err);
	while (rc >= 0 && sum < PURGE_RECORDS && (rc = mariadb_row(m->db, err)) > 0) {
		fprintf(out, "%s%lld", count++ ? "," : "", (long long)mariadb_number(m->db, 0));
		sum += mariadb_number(m->db, 1);
	}
	fclose(out);
	xneed(*ids);
	return rc < 0 ? -1 : count;
}

static int delete_from(struct maria *m, const char *what, const char *ids, struct err *err)
{
	char *text = xasprintf("DELETE FROM %s IN (%s)", what, ids);
	int rc = maria_run_text(m, text, err);

	free(text);
	return rc;
}

/* Delete some of them, in one transaction. Return their number, 0 also after a clash with the other
 * ledger, or -1. */
static int purge_some(struct store *store, const struct value *values, struct err *err)
{
	struct maria *m = maria_of(store);
	char *ids = NULL;
	int count;

	if (maria_begin(store, err) < 0)
		return -1;
	count = list_old(m, values, &ids, err);
	if (count > 0 && (delete_from(m, "run_sums WHERE run", ids, err) < 0 ||
			  delete_from(m, "records WHERE run", ids, err) < 0 ||
			  delete_from(m, "runs WHERE id", ids, err) < 0))
		count = -1;
	if (count >= 0 && maria_run_text(m, "COMMIT", err) < 0)
		count = -1;
	free(ids);
	if (count < 0) {
		if (mariadb_is_clash(m->db))
			count = 0;
		maria_rollback(store); /* resets the error number */
	}
	m->in_transaction = false;
	return count;
}

static int maria_purge(struct store *store, int64_t before_s, int64_t now_s, int max,
		       struct err *err)
{
	int purged = 0, count;

	do {
		const struct value values[] = { value_number(before_s), value_number(now_s),
						value_number(max - purged) };

		count = purge_some(store, values, err);
		if (count < 0)
			return -1;
		purged += count;
	} while (count && purged < max);
	return purged;
}

static const struct store_ops ops = {
	.close = maria_close,
	.begin = maria_begin,
	.commit = maria_commit,
	.rollback = maria_rollback,
	.put = maria_put,
	.due = maria_due,
	.purge = maria_purge,
	.query = maria_query,
	.row = maria_row,
	.end = maria_end,
	.number = maria_number,
	.real = maria_real,
	.text = maria_text,
	.change = maria_change,
};
