/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs from store_sqlite.c, and why:
 *
 * - Two ledgers work on it. A transaction that clashes with the other's is made
 *   again from the journal, which has what was asked for since its begin. New
 *   rows of a job are numbered (seq), so that two of them clash: with Galera,
 *   whose nodes see each other's locks at the commit only, too.
 * - Each question is a way there and back. Records and rows of a transaction
 *   are held back, and written together before the commit or the next question;
 *   which nodes have reported is asked for many at once.
 * - A run that a writer takes carries its name until claimed_until:
 *   the other leaves it alone, and takes it over when the writer has died.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/maria.h"
#include "lib/alloc.h"

#define PURGE_RECORDS 20000 /* in a transaction, or one run */

/* Free for us to take: nobody's, ours from before, or of one that has died. */
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
/* What another has taken is looked at when its claim ends. */
static const char next_due[] =
	"SELECT (SELECT min(due) FROM runs WHERE due>?1), (SELECT min(IF(" FREE_AT
	", due, claimed_until)) FROM runs WHERE due<=?1)";
static const char load_run[] =
	"SELECT id, version, cluster, summary, error, job, uid, restart, array_job, array_task, het_job, het_offset, first, last, nodes_seen, nodes_expected, tries, next_try, written, dirty, judged FROM runs WHERE id=?1";
static const char records[] = "SELECT text FROM records WHERE run=?1 AND node>?2 ORDER BY node";
static const char done[] =
	"UPDATE runs SET next_try=CASE WHEN version=?2 AND ?9>0 THEN ?9 ELSE next_try END, dirty=CASE WHEN version<>?2 THEN 1 WHEN ?9>0 THEN 2 ELSE 0 END, summary=?3, written=?4, error=NULL, tries=0, array_job=?5, array_task=?6, het_job=?7, het_offset=?8, judged=?10, claimed_by=NULL, claimed_until=0 WHERE id=?1";
static const char later[] =
	"UPDATE runs SET next_try=?2, tries=tries+1, error=?3, summary=coalesce(?4, summary), claimed_by=NULL, claimed_until=0 WHERE id=?1";
/* Of the cluster ?4, or NULL: of any. The column is of bytes, which have no case. */
#define OF_CLUSTER                                                                                 \
	" AND (?4 IS NULL OR LOWER(CONVERT(cluster USING latin1))="                                \
	"LOWER(CONVERT(?4 USING latin1)))"

static const char find_job[] =
	"SELECT id FROM runs WHERE job=?1" OF_CLUSTER " ORDER BY first DESC LIMIT ?3";
static const char find_array[] =
	"SELECT id FROM runs WHERE array_job=?1 AND array_task=?2" OF_CLUSTER
	" ORDER BY first DESC LIMIT ?3";
static const char find_het[] = "SELECT id FROM runs WHERE het_job=?1 AND het_offset=?2" OF_CLUSTER
			       " ORDER BY first DESC LIMIT ?3";
static const char find_all_tasks[] =
	"SELECT max(id) FROM runs WHERE array_job=?1" OF_CLUSTER
	" GROUP BY array_task, cluster, uid ORDER BY array_task LIMIT ?3";
static const char find_all_components[] =
	"SELECT max(id) FROM runs WHERE het_job=?1" OF_CLUSTER
	" GROUP BY het_offset, cluster, uid ORDER BY het_offset LIMIT ?3";
static const char newest[] =
	"SELECT CAST(coalesce(max(last), 0) AS SIGNED) FROM runs WHERE last<=?1+86400";
static const char old_runs[] =
	"SELECT id, nodes_seen FROM runs WHERE " OLD_RUNS " ORDER BY last LIMIT ?3 FOR UPDATE";
static const char backlog[] =
	"SELECT count(*), sum(tries=0 AND next_try>?1), sum(tries>0), min(last) FROM runs WHERE due IS NOT NULL AND dirty=1";

static const char put_use[] =
	"INSERT INTO uses(run, ended, text) VALUES(?1, ?2, ?3) ON DUPLICATE KEY UPDATE ended=VALUES(ended), text=VALUES(text)";
static const char find_uses[] =
	"SELECT ended, run, text FROM uses WHERE ended>=?1 AND ended<?3 AND (ended>?1 OR run>?2) ORDER BY ended, run LIMIT ?4";

static const struct store_ops ops; /* at the end */

/* ---- open and close ------------------------------------------------------ */

static void maria_close(struct store *store)
{
	struct maria *m = maria_of(store);

	maria_rollback(store);
	mariadb_free(m->db);
	maria_free_names(m->known.names, m->known.count);
	free(m->journal.items);
	free(m->jobs.items);
	free(m->runs.items);
	free(m->held.items);
	free(m);
}

struct store *store_mariadb_open(const struct config_ledger *config, struct err *err)
{
	struct maria *m = xcalloc(1, sizeof(*m));
	char host[256] = "";

	m->store.ops = &ops;
	gethostname(host, sizeof(host) - 1);
	snprintf(m->me, sizeof(m->me), "%s:%u", host, config->port);
	m->db = mariadb_new(config);
	if (maria_ready(m, err) == 0 || mariadb_is_away(m->db))
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

static int list_ids(struct maria *m, const char *sql, const struct value *values, int64_t *ids,
		    int max, struct err *err)
{
	int count = 0, rc = 1;

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, sql, values, err) < 0)
		return -1;
	while (count < max && (rc = mariadb_row(m->db, err)) > 0)
		ids[count++] = mariadb_number(m->db, 0);
	return rc < 0 ? -1 : count;
}

/* The earlier of two columns that may be NULL. */
static int ask_next(struct maria *m, const char *sql, const struct value *values, int64_t *next,
		    struct err *err)
{
	int64_t second;

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, sql, values, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	*next = mariadb_known(m->db, 0);
	second = mariadb_known(m->db, 1);
	if (second >= 0 && (*next < 0 || second < *next))
		*next = second;
	return 0;
}

static int maria_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
		     struct err *err)
{
	struct maria *m = maria_of(store);
	const struct value values[] = { value_number(now_s), value_number(max), value_text(m->me),
					value_number(now_s + STORE_CLAIM_S) };
	int rc;

	if (ask_next(m, next_due, values, next, err) < 0)
		return -1;
	if (*next < 0 || *next > now_s)
		return 0;
	rc = maria_change(store, claim_due, values, err);
	return rc < 0 ? -1 : list_ids(m, due_ids, values, ids, max, err);
}

static int maria_find(struct store *store, const struct store_wanted *wanted, int64_t *ids, int max,
		      struct err *err)
{
	bool is_all = wanted->kind != STORE_JOB && wanted->part == RECORD_UNKNOWN;
	const struct value values[] = { value_number(wanted->job), value_number(wanted->part),
					value_number(max), value_text(wanted->cluster) };
	const char *sql = wanted->kind == STORE_ARRAY_TASK ? is_all ? find_all_tasks : find_array
			  : wanted->kind == STORE_HET_COMPONENT
				  ? is_all ? find_all_components : find_het
				  : find_job;

	return list_ids(maria_of(store), sql, values, ids, max, err);
}

static void fill_run(const struct maria *m, struct store_run *run)
{
	run->id = mariadb_number(m->db, 0);
	run->version = mariadb_number(m->db, 1);
	run->job = (uint32_t)mariadb_number(m->db, 5);
	run->uid = (uint32_t)mariadb_number(m->db, 6);
	run->restart = mariadb_known(m->db, 7);
	run->array_job = mariadb_known(m->db, 8);
	run->array_task = mariadb_known(m->db, 9);
	run->het_job = mariadb_known(m->db, 10);
	run->het_offset = mariadb_known(m->db, 11);
	run->first = mariadb_real(m->db, 12);
	run->last = mariadb_real(m->db, 13);
	run->nodes_seen = mariadb_number(m->db, 14);
	run->nodes_expected = mariadb_known(m->db, 15);
	run->tries = mariadb_number(m->db, 16);
	run->next_try = mariadb_number(m->db, 17);
	run->written = mariadb_number(m->db, 18);
	run->dirty = (enum store_dirt)mariadb_number(m->db, 19);
	run->cluster = xstrdup(mariadb_column(m->db, 2, NULL));
	run->summary = xstrdup(mariadb_column(m->db, 3, NULL));
	run->error = xstrdup(mariadb_column(m->db, 4, NULL));
	run->judged = xstrdup(mariadb_column(m->db, 20, NULL));
}

static int maria_run_load(struct store *store, int64_t id, struct store_run *run, struct err *err)
{
	const struct value value = value_number(id);
	struct maria *m = maria_of(store);
	int rc;

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, load_run, &value, err) < 0)
		return -1;
	rc = mariadb_row(m->db, err);
	if (rc == 0)
		return err_set(err, "store: run %lld is gone", (long long)id);
	if (rc < 0)
		return -1;
	fill_run(m, run);
	return 0;
}

static int maria_records_after(struct store *store, int64_t id, const char *node, store_fn fn,
			       void *arg, struct err *err)
{
	const struct value values[] = { value_number(id), value_text(node) };
	struct maria *m = maria_of(store);
	const char *text;
	size_t size;
	int rc, said = 0;

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, records, values, err) < 0)
		return -1;
	while (!said && (rc = mariadb_row(m->db, err)) > 0) {
		text = mariadb_column(m->db, 0, &size);
		said = fn(text, size, arg, err);
	}
	return said ? said : rc;
}

static int maria_done(struct store *store, const struct store_run *run, const char *summary,
		      int64_t now_s, int64_t again_s, struct err *err)
{
	const struct value values[] = {
		value_number(run->id),	     value_number(run->version),
		value_text(summary),	     value_number(now_s),
		value_known(run->array_job), value_known(run->array_task),
		value_known(run->het_job),   value_known(run->het_offset),
		value_number(again_s),	     value_text(run->judged),
	};

	return maria_change(store, done, values, err) < 0 ? -1 : 0;
}

static int maria_later(struct store *store, int64_t id, const char *summary, int64_t next_try,
		       const char *why, struct err *err)
{
	const struct value values[] = { value_number(id), value_number(next_try), value_text(why),
					value_text(summary) };

	return maria_change(store, later, values, err) < 0 ? -1 : 0;
}

/* ---- uses ---------------------------------------------------------------- */

static int maria_use_put(struct store *store, int64_t id, int64_t ended_s, const char *text,
			 struct err *err)
{
	const struct value values[] = { value_number(id), value_number(ended_s), value_text(text) };

	return maria_change(store, put_use, values, err) < 0 ? -1 : 0;
}

static int maria_uses(struct store *store, const struct store_place *after, int64_t until_s,
		      int max, store_use_fn fn, void *arg, struct err *err)
{
	const struct value values[] = { value_number(after->ended_s), value_number(after->id),
					value_number(until_s), value_number(max) };
	struct maria *m = maria_of(store);
	struct store_place place;
	const char *text;
	int rc = 0, said = 0;

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, find_uses, values, err) < 0)
		return -1;
	while (!said && (rc = mariadb_row(m->db, err)) > 0) {
		place.ended_s = mariadb_number(m->db, 0);
		place.id = mariadb_number(m->db, 1);
		text = mariadb_column(m->db, 2, NULL);
		said = fn(&place, text ? text : "", arg, err);
	}
	return said ? said : rc;
}

/* ---- housekeeping -------------------------------------------------------- */

/* The ids of old runs, as "1,2,3"; their number or -1. */
static int list_old(struct maria *m, const struct value *values, char **ids, struct err *err)
{
	int64_t sum = 0;
	size_t size;
	FILE *out = xneed(open_memstream(ids, &size));
	int rc, count = 0;

	rc = mariadb_ask(m->db, old_runs, values, err);
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

/* Some of them, in one transaction; their number, 0 also while the other ledger is
 * at it, or -1. */
static int purge_some(struct store *store, const struct value *values, struct err *err)
{
	struct maria *m = maria_of(store);
	char *ids = NULL;
	int count;

	if (maria_begin(store, err) < 0)
		return -1;
	count = list_old(m, values, &ids, err);
	if (count > 0 && (delete_from(m, "uses WHERE run", ids, err) < 0 ||
			  delete_from(m, "records WHERE run", ids, err) < 0 ||
			  delete_from(m, "runs WHERE id", ids, err) < 0))
		count = -1;
	if (count >= 0 && maria_run_text(m, "COMMIT", err) < 0)
		count = -1;
	free(ids);
	if (count < 0) {
		if (mariadb_is_clash(m->db))
			count = 0;
		maria_rollback(store); /* forgets the clash */
	}
	m->in_transaction = false;
	return count;
}

static int64_t maria_newest(struct store *store, int64_t now_s, struct err *err)
{
	const struct value value = value_number(now_s);
	struct maria *m = maria_of(store);

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, newest, &value, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	return mariadb_number(m->db, 0);
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

static int maria_backlog(struct store *store, int64_t now_s, struct store_backlog *waits,
			 struct err *err)
{
	const struct value value = value_number(now_s);
	struct maria *m = maria_of(store);

	if (maria_ready(m, err) < 0 || mariadb_ask(m->db, backlog, &value, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	waits->for_nodes = mariadb_number(m->db, 1);
	waits->for_retry = mariadb_number(m->db, 2);
	waits->for_writer = mariadb_number(m->db, 0) - waits->for_nodes - waits->for_retry;
	waits->oldest = mariadb_real(m->db, 3);
	return 0;
}

static const struct store_ops ops = {
	.close = maria_close,
	.begin = maria_begin,
	.commit = maria_commit,
	.rollback = maria_rollback,
	.put = maria_put,
	.due = maria_due,
	.run_load = maria_run_load,
	.records_after = maria_records_after,
	.done = maria_done,
	.later = maria_later,
	.find = maria_find,
	.use_put = maria_use_put,
	.uses = maria_uses,
	.newest = maria_newest,
	.purge = maria_purge,
	.backlog = maria_backlog,
};
