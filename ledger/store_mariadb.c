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
 * - A run, or reason, that a writer takes carries its name until claimed_until:
 *   the other leaves it alone, and takes it over when the writer has died.
 */
#include "ledger/store_ops.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ledger/mariadb.h"
#include "ledger/row.h"

#define SCHEMA_VERSION 2
#define TRIES 40	    /* of a transaction that clashes */
#define HELD_MAX (1U << 20) /* bytes of records held back */
#define ASK_ONE_BY_ONE 8    /* nodes of a run; then all of them at once */
#define PURGE_RECORDS 20000 /* in a transaction, or one run */

static const char *const schema[] = {
	"CREATE TABLE IF NOT EXISTS runs("
	" id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
	" cluster VARBINARY(255) NOT NULL, job BIGINT NOT NULL,"
	" uid BIGINT NOT NULL, seq BIGINT NOT NULL, restart BIGINT,"
	" array_job BIGINT, array_task BIGINT,"
	" het_job BIGINT, het_offset BIGINT,"
	" first DOUBLE NOT NULL, last DOUBLE NOT NULL, nodelist MEDIUMBLOB,"
	" nodes_seen BIGINT NOT NULL, nodes_expected BIGINT,"
	" version BIGINT NOT NULL, dirty TINYINT NOT NULL,"
	" next_try BIGINT NOT NULL, tries BIGINT NOT NULL DEFAULT 0,"
	" summary BLOB, written BIGINT NOT NULL DEFAULT 0, error BLOB,"
	" claimed_by VARBINARY(300), claimed_until BIGINT NOT NULL DEFAULT 0,"
	" due BIGINT AS (IF(dirty, next_try, NULL)) STORED,"
	" UNIQUE KEY runs_by_job(job, cluster, uid, seq),"
	" KEY runs_by_array(array_job, array_task),"
	" KEY runs_by_het(het_job, het_offset),"
	" KEY runs_due(due), KEY runs_by_age(last)"
	") ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS records("
	" run BIGINT NOT NULL, node VARBINARY(255) NOT NULL,"
	" received BIGINT NOT NULL, text MEDIUMBLOB NOT NULL,"
	" PRIMARY KEY(run, node)"
	") ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS reasons("
	" cluster VARBINARY(255) NOT NULL, node VARBINARY(255) NOT NULL,"
	" time BIGINT NOT NULL, text BLOB NOT NULL, received BIGINT NOT NULL,"
	" tries BIGINT NOT NULL, next_try BIGINT NOT NULL,"
	" claimed_by VARBINARY(300), claimed_until BIGINT NOT NULL DEFAULT 0,"
	" PRIMARY KEY(cluster, node)"
	") ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS schema_version("
	" one TINYINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL"
	") ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS uses(" /* since version 2 */
	" run BIGINT NOT NULL PRIMARY KEY, ended BIGINT NOT NULL,"
	" text BLOB NOT NULL, KEY uses_by_end(ended, run)"
	") ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"CREATE TABLE IF NOT EXISTS unused(run BIGINT NOT NULL PRIMARY KEY"
	") ENGINE=InnoDB DEFAULT CHARACTER SET binary",
	"INSERT IGNORE INTO unused SELECT id FROM runs",
	"INSERT INTO schema_version(one, version) VALUES(1, 2)"
	" ON DUPLICATE KEY UPDATE version=2",
	NULL
};

/* Free for us to take: nobody's, ours from before, or of one that has died. */
#define FREE_AT "(claimed_until<=?1 OR claimed_by=?3)"

/* As in store_sqlite.c. */
#define OLD_RUNS                                                               \
	"(last<?1 OR (last>?2+86400 AND NOT EXISTS"                            \
	" (SELECT 1 FROM records WHERE run=id AND received>=?1)))"

static const char find_runs[] =
	"SELECT id, restart, first, last, nodelist, nodes_seen,"
	" nodes_expected, version, array_job, array_task, het_job, het_offset,"
	" CASE dirty WHEN 1 THEN next_try END, seq FROM runs"
	" WHERE job=?1 AND cluster=?2 AND uid=?3 FOR UPDATE";
static const char new_run[] =
	"INSERT INTO runs(restart, first, last, nodelist, nodes_seen,"
	" nodes_expected, version, array_job, array_task, het_job, het_offset,"
	" dirty, next_try, cluster, job, uid, seq)"
	" VALUES(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 1, ?13, ?14,"
	" ?15, ?16, ?17)";
static const char update_run[] =
	"UPDATE runs SET restart=?2, first=?3, last=?4, nodelist=?5,"
	" nodes_seen=?6, nodes_expected=?7, version=?8, array_job=?9,"
	" array_task=?10, het_job=?11, het_offset=?12, dirty=1,"
	" next_try=?13, tries=0 WHERE id=?1";
static const char get_record[] =
	"SELECT text FROM records WHERE run=?1 AND node=?2";
static const char get_nodes[] =
	"SELECT node FROM records WHERE run=?1 ORDER BY node";
static const char put_records[] =
	"INSERT INTO records(run, node, received, text) VALUES";
static const char put_records_end[] =
	" ON DUPLICATE KEY UPDATE received=VALUES(received),"
	" text=VALUES(text)";
static const char claim_due[] =
	"UPDATE runs SET claimed_by=?3, claimed_until=?4"
	" WHERE due<=?1 AND " FREE_AT " ORDER BY due LIMIT ?2";
static const char due_ids[] =
	"SELECT id FROM runs WHERE due<=?1 AND claimed_by=?3"
	" AND claimed_until=?4 ORDER BY due LIMIT ?2";
/* What another has taken is looked at when its claim ends. */
static const char next_due[] =
	"SELECT (SELECT min(due) FROM runs WHERE due>?1), (SELECT"
	" min(IF(" FREE_AT ", due, claimed_until)) FROM runs WHERE due<=?1)";
static const char load_run[] =
	"SELECT id, version, cluster, summary, error, job, uid,"
	" restart, array_job, array_task, het_job, het_offset,"
	" first, last, nodes_seen, nodes_expected, tries,"
	" next_try, written, dirty FROM runs WHERE id=?1";
static const char records[] =
	"SELECT text FROM records WHERE run=?1 AND node>?2 ORDER BY node";
static const char done[] =
	"UPDATE runs SET next_try=CASE WHEN version=?2 AND ?9>0 THEN ?9"
	" ELSE next_try END, dirty=CASE WHEN version<>?2 THEN 1"
	" WHEN ?9>0 THEN 2 ELSE 0 END, summary=?3, written=?4, error=NULL,"
	" tries=0, array_job=?5, array_task=?6, het_job=?7, het_offset=?8,"
	" claimed_by=NULL, claimed_until=0 WHERE id=?1";
static const char later[] =
	"UPDATE runs SET next_try=?2, tries=tries+1, error=?3,"
	" summary=coalesce(?4, summary), claimed_by=NULL, claimed_until=0"
	" WHERE id=?1";
static const char find_job[] =
	"SELECT id FROM runs WHERE job=?1 ORDER BY first DESC LIMIT ?3";
static const char find_array[] =
	"SELECT id FROM runs WHERE array_job=?1 AND array_task=?2"
	" ORDER BY first DESC LIMIT ?3";
static const char find_het[] =
	"SELECT id FROM runs WHERE het_job=?1 AND het_offset=?2"
	" ORDER BY first DESC LIMIT ?3";
static const char find_all_tasks[] =
	"SELECT max(id) FROM runs WHERE array_job=?1"
	" GROUP BY array_task ORDER BY array_task LIMIT ?3";
static const char find_all_components[] =
	"SELECT max(id) FROM runs WHERE het_job=?1"
	" GROUP BY het_offset ORDER BY het_offset LIMIT ?3";
static const char old_runs[] = "SELECT id, nodes_seen FROM runs WHERE " OLD_RUNS
			       " ORDER BY last LIMIT ?3 FOR UPDATE";
static const char backlog[] =
	"SELECT count(*), sum(tries=0 AND next_try>?1), sum(tries>0),"
	" min(last) FROM runs WHERE due IS NOT NULL AND dirty=1";
static const char counts[] =
	"SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM records),"
	" (SELECT count(*) FROM runs WHERE dirty=1),"
	" (SELECT count(*) FROM runs WHERE dirty=1 AND tries>0)";
/* Assignments are made from left to right: the time is the last one. */
static const char put_reason[] =
	"INSERT INTO reasons(cluster, node, time, text, received, tries,"
	" next_try) VALUES(?1, ?2, ?3, ?4, ?5, 0, ?6)"
	" ON DUPLICATE KEY UPDATE text=IF(?3>time, ?4, text),"
	" received=IF(?3>time, ?5, received), tries=IF(?3>time, 0, tries),"
	" next_try=IF(?3>time, ?6, next_try),"
	" claimed_by=IF(?3>time, NULL, claimed_by),"
	" claimed_until=IF(?3>time, 0, claimed_until),"
	" time=GREATEST(time, ?3)";
static const char forget_reason[] =
	"DELETE FROM reasons WHERE cluster=?1 AND node=?2 AND time<=?3";
static const char later_reason[] =
	"UPDATE reasons SET tries=tries+1, next_try=?4, claimed_by=NULL,"
	" claimed_until=0 WHERE cluster=?1 AND node=?2 AND time=?3";
static const char claim_reasons[] =
	"UPDATE reasons SET claimed_by=?3, claimed_until=?4"
	" WHERE next_try<=?1 AND " FREE_AT " ORDER BY next_try LIMIT ?2";
static const char due_reasons[] =
	"SELECT cluster, node, text, time, received, tries FROM reasons"
	" WHERE next_try<=?1 AND claimed_by=?3 AND claimed_until=?4"
	" ORDER BY next_try LIMIT ?2";
static const char next_reason[] =
	"SELECT min(IF(" FREE_AT ", next_try, GREATEST(next_try,"
	" claimed_until))), NULL FROM reasons";

static const char put_use[] =
	"INSERT INTO uses(run, ended, text) VALUES(?1, ?2, ?3)"
	" ON DUPLICATE KEY UPDATE ended=VALUES(ended), text=VALUES(text)";
static const char find_unused[] =
	"SELECT run FROM unused ORDER BY run DESC LIMIT ?1";
static const char forget_unused[] = "DELETE FROM unused WHERE run=?1";
static const char count_unused[] = "SELECT count(*) FROM unused";
static const char find_uses[] =
	"SELECT ended, run, text FROM uses WHERE ended>=?1 AND ended<?3"
	" AND (ended>?1 OR run>?2) ORDER BY ended, run LIMIT ?4";

/* What was asked for in this transaction: a record, or a statement. */
struct entry {
	char *bytes;
	size_t size;
	const struct record *record; /* the first time */
	bool is_record;
	int64_t now_s;
	unsigned int grace_s;
	int64_t result, due; /* what came of it */
};

/* A job whose runs this transaction has locked. */
struct job {
	char cluster[RECORD_NAME_MAX];
	uint32_t job, uid;
	int64_t last_seq;
};

/* One of those runs, and what is to be written of it. */
struct locked {
	struct row row; /* id 0: not there yet */
	size_t job;
	int64_t seq;
	bool is_changed;
	size_t asked; /* for the record of a node */
	char **names; /* of all nodes that reported, when 'knows' */
	size_t count;
	bool knows;
};

/* A record to be written. */
struct held {
	size_t run, entry;
	int64_t now_s;
	char node[RECORD_NAME_MAX];
};

struct list {
	void *items;
	size_t count, room;
};

struct maria {
	struct store store;
	struct mariadb *db;
	char me[300]; /* whose claims are ours, over restarts */
	bool in_transaction;
	bool has_none_unused; /* and there never are more */
	unsigned int tries;   /* how often this one was made again */
	time_t began;
	struct list journal, jobs, runs, held;
	size_t held_bytes;
	/* The last run that many nodes reported for: as long as its version is
	 * this one, these are the nodes. */
	struct known {
		int64_t id, version;
		char **names;
		size_t count;
	} known;
};

static const struct store_ops ops; /* at the end */

static struct maria *of(struct store *store)
{
	return (struct maria *)(void *)store;
}

static int no_memory(struct err *err)
{
	return err_set(err, "store: out of memory");
}

/* Room for one more, all zero; NULL: out of memory. */
static void *list_add(struct list *list, size_t size)
{
	size_t room = list->room ? 2 * list->room : 16;
	void *items;

	if (list->count == list->room) {
		items = reallocarray(list->items, room, size);
		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	items = (char *)list->items + size * list->count++;
	return memset(items, 0, size);
}

static struct locked *run_at(struct maria *m, size_t at)
{
	return (struct locked *)m->runs.items + at;
}

static struct job *job_at(struct maria *m, size_t at)
{
	return (struct job *)m->jobs.items + at;
}

static struct held *held_at(struct maria *m, size_t at)
{
	return (struct held *)m->held.items + at;
}

static struct entry *entry_at(struct maria *m, size_t at)
{
	return (struct entry *)m->journal.items + at;
}

/* ---- which nodes have reported ------------------------------------------- */

static void free_names(char **names, size_t count)
{
	while (count)
		free(names[--count]);
	free(names);
}

static void forget_names(struct locked *run)
{
	free_names(run->names, run->count);
	run->names = NULL;
	run->count = 0;
	run->knows = false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Among the first 'count' of them. */
static bool is_known(const struct locked *run, size_t count, const char *node)
{
	return count && bsearch(&node, run->names, count, sizeof(*run->names),
				compare_names);
}

/* These are written now. */
static int learn_names(struct maria *m, size_t run_number)
{
	struct locked *run = run_at(m, run_number);
	size_t i, count = run->count;
	char **names;

	names = reallocarray(run->names, count + m->held.count, sizeof(*names));
	if (!names)
		return -1;
	run->names = names;
	for (i = 0; i < m->held.count; i++) {
		const struct held *held = held_at(m, i);

		if (held->run != run_number || is_known(run, count, held->node))
			continue;
		run->names[run->count] = strdup(held->node);
		if (!run->names[run->count])
			return -1;
		run->count++;
	}
	qsort(run->names, run->count, sizeof(*run->names), compare_names);
	return 0;
}

/* After the commit: the next records may be of the same run. */
static void keep_names(struct maria *m)
{
	struct locked *run;
	size_t i;

	for (i = 0; i < m->runs.count; i++) {
		run = run_at(m, i);
		if (!run->knows)
			continue;
		free_names(m->known.names, m->known.count);
		m->known = (struct known){ run->row.id, run->row.version,
					   run->names, run->count };
		run->names = NULL;
		run->count = 0;
	}
}

static void recall_names(struct maria *m, struct locked *run)
{
	if (!m->known.names || run->row.id != m->known.id)
		return;
	if (run->row.version == m->known.version) {
		run->names = m->known.names;
		run->count = m->known.count;
		run->knows = true;
	} else {
		free_names(m->known.names, m->known.count);
	}
	m->known = (struct known){ 0 };
}

/* ---- one transaction ----------------------------------------------------- */

/* What is locked and held back, not what was asked for. */
static void forget_rows(struct maria *m)
{
	size_t i;

	for (i = 0; i < m->runs.count; i++) {
		forget_names(run_at(m, i));
		free(run_at(m, i)->row.nodelist);
	}
	m->runs.count = m->jobs.count = m->held.count = 0;
	m->held_bytes = 0;
}

static void forget_journal(struct maria *m)
{
	while (m->journal.count)
		free(entry_at(m, --m->journal.count)->bytes);
}

static int run_text(struct maria *m, const char *text, struct err *err)
{
	return mariadb_run(m->db, text, strlen(text), NULL, err) < 0 ? -1 : 0;
}

static int run_values(struct maria *m, const char *sql,
		      const struct value *values, int64_t *id, struct err *err)
{
	size_t size;
	char *text = mariadb_text(m->db, sql, values, &size);
	int64_t changed;

	if (!text)
		return no_memory(err);
	changed = mariadb_run(m->db, text, size, id, err);
	free(text);
	return changed < 0 ? -1 : 0;
}

static int write_run(struct maria *m, struct locked *run, struct err *err)
{
	const struct job *job = job_at(m, run->job);
	const struct row *row = &run->row;
	const struct value values[] = {
		value_number(row->id),	     value_known(row->restart),
		value_real(row->first),	     value_real(row->last),
		value_text(row->nodelist),   value_number(row->seen),
		value_known(row->expected),  value_number(row->version),
		value_known(row->array_job), value_known(row->array_task),
		value_known(row->het_job),   value_known(row->het_offset),
		value_number(row->next_try), value_text(job->cluster),
		value_number(job->job),	     value_number(job->uid),
		value_number(run->seq),
	};

	if (run_values(m, row->id ? update_run : new_run, values,
		       row->id ? NULL : &run->row.id, err) < 0)
		return -1;
	run->is_changed = false;
	return 0;
}

static int print_record(struct maria *m, const struct held *held, FILE *out)
{
	const struct entry *entry = entry_at(m, held->entry);
	const struct value values[] = {
		value_number(run_at(m, held->run)->row.id),
		value_text(held->node),
		value_number(held->now_s),
		value_bytes(entry->bytes, entry->size),
	};
	size_t size;
	char *text = mariadb_text(m->db, "(?1,?2,?3,?4)", values, &size);

	if (!text)
		return -1;
	fwrite(text, 1, size, out);
	free(text);
	return 0;
}

static int write_records(struct maria *m, struct err *err)
{
	char *text = NULL;
	size_t i, size = 0;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? 0 : -1;

	for (i = 0; i < m->held.count && rc == 0; i++) {
		fputs(i ? "," : put_records, out);
		rc = print_record(m, held_at(m, i), out);
	}
	if (out)
		fputs(put_records_end, out);
	if ((out && fclose(out)) || rc < 0) {
		free(text);
		return no_memory(err);
	}
	rc = mariadb_run(m->db, text, size, NULL, err) < 0 ? -1 : 0;
	free(text);
	return rc;
}

/* Write what was held back. */
static int flush(struct maria *m, struct err *err)
{
	size_t i;

	for (i = 0; i < m->runs.count; i++)
		if (run_at(m, i)->is_changed &&
		    write_run(m, run_at(m, i), err) < 0)
			return -1;
	if (m->held.count && write_records(m, err) < 0)
		return -1;
	for (i = 0; i < m->runs.count && m->held.count; i++)
		if (run_at(m, i)->knows && learn_names(m, i) < 0)
			forget_names(run_at(m, i));
	m->held.count = 0;
	m->held_bytes = 0;
	return 0;
}

/* ---- put ----------------------------------------------------------------- */

static int read_row(struct maria *m, struct locked *run, struct err *err)
{
	const char *nodelist = mariadb_column(m->db, 4, NULL);
	struct row *row = &run->row;

	row->id = mariadb_number(m->db, 0);
	row->restart = mariadb_known(m->db, 1);
	row->first = mariadb_real(m->db, 2);
	row->last = mariadb_real(m->db, 3);
	row->nodelist = nodelist ? strdup(nodelist) : NULL;
	row->seen = mariadb_number(m->db, 5);
	row->expected = mariadb_known(m->db, 6);
	row->version = mariadb_number(m->db, 7);
	row->array_job = mariadb_known(m->db, 8);
	row->array_task = mariadb_known(m->db, 9);
	row->het_job = mariadb_known(m->db, 10);
	row->het_offset = mariadb_known(m->db, 11);
	row->next_try = mariadb_known(m->db, 12);
	run->seq = mariadb_number(m->db, 13);
	return nodelist && !row->nodelist ? no_memory(err) : 0;
}

/* Lock the runs of the record's job, unless that is done: its number or -1. */
static ssize_t lock_job(struct maria *m, const struct record *r,
			struct err *err)
{
	const struct value values[] = { value_number(r->job),
					value_text(r->cluster),
					value_number(r->uid) };
	struct locked *run;
	struct job *job;
	size_t at;
	int rc;

	for (at = 0; at < m->jobs.count; at++) {
		job = job_at(m, at);
		if (job->job == r->job && job->uid == r->uid &&
		    !strcmp(job->cluster, r->cluster))
			return (ssize_t)at;
	}
	job = list_add(&m->jobs, sizeof(*job));
	if (!job)
		return no_memory(err);
	strcpy(job->cluster, r->cluster);
	job->job = r->job;
	job->uid = r->uid;
	if (mariadb_ask(m->db, find_runs, values, err) < 0)
		return -1;
	while ((rc = mariadb_row(m->db, err)) > 0) {
		run = list_add(&m->runs, sizeof(*run));
		if (!run || read_row(m, run, err) < 0)
			return no_memory(err);
		recall_names(m, run);
		run->job = at;
		if (run->seq > job->last_seq)
			job->last_seq = run->seq;
	}
	return rc < 0 ? -1 : (ssize_t)at;
}

static int ask_names(struct maria *m, struct locked *run, struct err *err)
{
	const struct value id = value_number(run->row.id);
	struct list list = { 0 };
	char **name;
	int rc;

	if (mariadb_ask(m->db, get_nodes, &id, err) < 0)
		return -1;
	while ((rc = mariadb_row(m->db, err)) > 0) {
		name = list_add(&list, sizeof(*name));
		if (name)
			*name = strdup(mariadb_column(m->db, 0, NULL));
		if (!name || !*name) {
			list.count -= name != NULL;
			rc = no_memory(err);
			break;
		}
	}
	run->names = list.items;
	run->count = list.count;
	run->knows = rc == 0;
	return rc;
}

/* Does the database have a record of this node? One by one that is a way there
 * and back for each; of a run that many nodes report for, ask for all. */
static int ask_record(struct maria *m, struct locked *run, const char *node,
		      const char **text, size_t *size, struct err *err)
{
	const struct value values[] = { value_number(run->row.id),
					value_text(node) };
	int rc;

	if (!run->knows && ++run->asked > ASK_ONE_BY_ONE &&
	    ask_names(m, run, err) < 0)
		return -1;
	if (run->knows &&
	    (!run->count || !bsearch(&node, run->names, run->count,
				     sizeof(*run->names), compare_names)))
		return 0;
	if (mariadb_ask(m->db, get_record, values, err) < 0)
		return -1;
	rc = mariadb_row(m->db, err);
	if (rc > 0)
		*text = mariadb_column(m->db, 0, size);
	return rc;
}

/* What this node has said in this run, or is about to: 1, 0 nothing, -1. Held:
 * which of those it is, or -1. */
static int find_record(struct maria *m, size_t run, const char *node,
		       ssize_t *held, const char **text, size_t *size,
		       struct err *err)
{
	size_t i;

	*held = -1;
	for (i = 0; i < m->held.count; i++)
		if (held_at(m, i)->run == run &&
		    !strcmp(held_at(m, i)->node, node)) {
			*held = (ssize_t)i;
			*text = entry_at(m, held_at(m, i)->entry)->bytes;
			*size = entry_at(m, held_at(m, i)->entry)->size;
			return 1;
		}
	if (!run_at(m, run)->row.id)
		return 0;
	return ask_record(m, run_at(m, run), node, text, size, err);
}

/* The run that the record belongs to, or -1: none yet; -2: error. */
static ssize_t find_run(struct maria *m, size_t job, const struct record *r,
			int64_t now_s, struct err *err)
{
	double best = -1, gap, end = row_end(r, now_s);
	ssize_t found = -1, held;
	const char *text;
	size_t i, size;
	int has;

	for (i = 0; i < m->runs.count; i++) {
		const struct row *row = &run_at(m, i)->row;

		if (run_at(m, i)->job != job)
			continue;
		gap = row_distance(r, end, row->restart, row->nodelist,
				   row->first, row->last);
		if (gap < 0 || (best >= 0 && gap >= best))
			continue;
		has = gap > 0 ? find_record(m, i, r->node, &held, &text, &size,
					    err)
			      : 0;
		if (has < 0)
			return -2;
		if (has)
			continue;
		best = gap;
		found = (ssize_t)i;
	}
	return found;
}

static ssize_t add_run(struct maria *m, size_t job, const struct record *r,
		       int64_t now_s, struct err *err)
{
	struct locked *run = list_add(&m->runs, sizeof(*run));

	if (!run)
		return no_memory(err);
	run->job = job;
	run->seq = ++job_at(m, job)->last_seq;
	run->row.restart = run->row.expected = RECORD_UNKNOWN;
	run->row.array_job = run->row.array_task = RECORD_UNKNOWN;
	run->row.het_job = run->row.het_offset = RECORD_UNKNOWN;
	run->row.next_try = RECORD_UNKNOWN;
	run->row.first = r->start;
	run->row.last = row_end(r, now_s);
	return (ssize_t)m->runs.count - 1;
}

/* Hold the record back, in the place of what the node said before. */
static int hold(struct maria *m, size_t run, const struct record *r, ssize_t at,
		const struct entry *entry, struct err *err)
{
	struct held *held = at < 0 ? list_add(&m->held, sizeof(*held))
				   : held_at(m, (size_t)at);

	if (!held)
		return no_memory(err);
	strcpy(held->node, r->node);
	held->run = run;
	held->entry = (size_t)(entry - entry_at(m, 0));
	held->now_s = entry->now_s;
	m->held_bytes += entry->size;
	return m->held_bytes < HELD_MAX ? 0 : flush(m, err);
}

/* As store_put(). */
static int put_record(struct maria *m, struct entry *entry,
		      const struct record *r, struct err *err)
{
	ssize_t job = lock_job(m, r, err), run, held = -1;
	const char *text = NULL;
	struct row *row;
	size_t size = 0;
	int has;

	if (job < 0)
		return -1;
	run = find_run(m, (size_t)job, r, entry->now_s, err);
	if (run == -1)
		run = add_run(m, (size_t)job, r, entry->now_s, err);
	if (run < 0)
		return -1;
	has = find_record(m, (size_t)run, r->node, &held, &text, &size, err);
	if (has < 0)
		return -1;
	if (has && !row_is_news(r, entry->bytes, entry->size, text, size))
		return 0;
	row = &run_at(m, (size_t)run)->row;
	if (row_widen(row, r, entry->now_s, err) < 0)
		return -1;
	row->seen += !has;
	row->version++;
	row->next_try = row_due(row, entry->now_s, entry->grace_s);
	run_at(m, (size_t)run)->is_changed = true;
	entry->due = row->next_try;
	return hold(m, (size_t)run, r, held, entry, err) < 0 ? -1 : 1;
}

/* ---- make it, and make it again ------------------------------------------ */

static int apply(struct maria *m, struct entry *entry, struct err *err)
{
	struct record *parsed = NULL;

	if (entry->is_record) {
		if (!entry->record)
			parsed = record_parse(entry->bytes, entry->size, err);
		if (!entry->record && !parsed)
			return -1;
		entry->result = put_record(
			m, entry, parsed ? parsed : entry->record, err);
		entry->record = NULL;
		record_free(parsed);
	} else {
		if (flush(m, err) < 0)
			return -1;
		forget_rows(m); /* it may change them */
		entry->result = mariadb_run(m->db, entry->bytes, entry->size,
					    NULL, err);
	}
	return entry->result < 0 ? -1 : 0;
}

static time_t now_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* A node of Galera answers from what it has; whether it waits for what the others
 * have committed (a server without Galera does not know the question). */
static void wait_for_others(struct maria *m, bool yes)
{
	run_text(m,
		 yes ? "SET SESSION wsrep_sync_wait=1"
		     : "SET SESSION wsrep_sync_wait=DEFAULT",
		 NULL);
}

/* Begin anew; the other one is not met again in the same step. */
static int begin_again(struct maria *m, struct err *err)
{
	useconds_t nap_us = 1000U << (m->tries < 6 ? m->tries : 6);

	usleep((useconds_t)random() % nap_us);
	m->tries++;
	forget_rows(m);
	if (run_text(m, "ROLLBACK", err) < 0)
		return -1;
	wait_for_others(m, true);
	return run_text(m, "START TRANSACTION", err);
}

/* After a clash: all of it again, in a new transaction. */
static int redo(struct maria *m, struct err *err)
{
	size_t i;
	int rc;

	do {
		if (!mariadb_is_clash(m->db))
			return -1;
		if (m->tries == TRIES ||
		    now_mono() - m->began >= MARIADB_LIMIT_S)
			return err_set(err, "store: MariaDB: others are at "
					    "the same runs: try again later");
		rc = begin_again(m, err);
		for (i = 0; i < m->journal.count && rc == 0; i++)
			rc = apply(m, entry_at(m, i), err);
	} while (rc < 0);
	return 0;
}

static int settle(struct maria *m, struct err *err)
{
	while (flush(m, err) < 0)
		if (redo(m, err) < 0)
			return -1;
	return 0;
}

static int ready(struct maria *m, struct err *err);

/* Note what is asked for, and do it. Its bytes are the journal's from now on. */
static int do_entry(struct maria *m, const struct entry *new, int64_t *result,
		    int64_t *due, struct err *err)
{
	struct entry *entry = list_add(&m->journal, sizeof(*entry));
	size_t at = m->journal.count - 1;

	if (!entry) {
		free(new->bytes);
		return no_memory(err);
	}
	*entry = *new;
	if (apply(m, entry, err) < 0 && redo(m, err) < 0)
		return -1;
	*result = entry_at(m, at)->result;
	if (due && *result > 0)
		*due = entry_at(m, at)->due;
	return 0;
}

/* ---- open and close ------------------------------------------------------ */

static int maria_begin(struct store *store, struct err *err)
{
	struct maria *m = of(store);

	if (ready(m, err) < 0 || run_text(m, "START TRANSACTION", err) < 0)
		return -1;
	m->in_transaction = true;
	m->tries = 0;
	m->began = now_mono();
	return 0;
}

static int maria_commit(struct store *store, struct err *err)
{
	struct maria *m = of(store);

	while (settle(m, err) < 0 || run_text(m, "COMMIT", err) < 0)
		if (redo(m, err) < 0)
			return -1;
	if (m->tries)
		wait_for_others(m, false);
	keep_names(m);
	forget_rows(m);
	forget_journal(m);
	m->in_transaction = false;
	return m->tries > 0;
}

static void maria_rollback(struct store *store)
{
	struct maria *m = of(store);

	if (!m->in_transaction)
		return;
	forget_rows(m);
	forget_journal(m);
	m->in_transaction = false;
	run_text(m, "ROLLBACK", NULL); /* a lost connection has done so */
}

static int make_schema(void *arg, struct err *err)
{
	struct maria *m = arg;
	static const char ask[] = "SELECT version FROM schema_version";
	int64_t version = -1;
	size_t i;
	int rc;

	rc = mariadb_ask(m->db, ask, NULL, err);
	if (rc < 0 && !mariadb_is_missing(m->db))
		return -1;
	if (rc == 0 && (rc = mariadb_row(m->db, err)) > 0)
		version = mariadb_number(m->db, 0);
	if (version > SCHEMA_VERSION)
		return err_set(err, "store: MariaDB: the schema was made by a "
				    "later version of jobio");
	if (version == SCHEMA_VERSION)
		return 0;
	for (i = 0; schema[i]; i++)
		if (run_text(m, schema[i], err) < 0)
			return -1;
	return 0;
}

/* Questions outside of a transaction connect; in one they see what was put. */
static int ready(struct maria *m, struct err *err)
{
	if (m->in_transaction)
		return settle(m, err);
	return mariadb_ready(m->db, make_schema, m, err);
}

static void maria_close(struct store *store)
{
	struct maria *m = of(store);

	maria_rollback(store);
	mariadb_free(m->db);
	free_names(m->known.names, m->known.count);
	free(m->journal.items);
	free(m->jobs.items);
	free(m->runs.items);
	free(m->held.items);
	free(m);
}

struct store *store_mariadb_open(const struct config_ledger *config,
				 struct err *err)
{
	struct maria *m = calloc(1, sizeof(*m));
	char host[256] = "";

	if (!m) {
		no_memory(err);
		return NULL;
	}
	m->store.ops = &ops;
	gethostname(host, sizeof(host) - 1);
	snprintf(m->me, sizeof(m->me), "%s:%u", host, config->port);
	m->db = mariadb_new(config, err);
	if (m->db && (ready(m, err) == 0 || mariadb_is_away(m->db)))
		return &m->store;
	maria_close(&m->store);
	return NULL;
}

static int maria_put(struct store *store, const struct record *record,
		     const char *text, size_t size, int64_t now_s,
		     unsigned int grace_s, int64_t *due, struct err *err)
{
	struct entry entry = { .bytes = malloc(size + 1),
			       .size = size,
			       .record = record,
			       .is_record = true,
			       .now_s = now_s,
			       .grace_s = grace_s };
	int64_t result;

	if (!entry.bytes)
		return no_memory(err);
	memcpy(entry.bytes, text, size);
	entry.bytes[size] = 0;
	if (do_entry(of(store), &entry, &result, due, err) < 0)
		return -1;
	return (int)result;
}

/* A statement that may be made again: rows changed, or -1. */
static int change(struct store *store, const char *sql,
		  const struct value *values, struct err *err)
{
	struct maria *m = of(store);
	struct entry entry = { 0 };
	int64_t result;
	bool alone = !m->in_transaction;

	if (alone && maria_begin(store, err) < 0)
		return -1;
	entry.bytes = mariadb_text(m->db, sql, values, &entry.size);
	if (!entry.bytes)
		result = mariadb_ask(m->db, sql, values, err); /* says why */
	else if (do_entry(m, &entry, &result, NULL, err) < 0)
		result = -1;
	if (alone && result >= 0 && maria_commit(store, err) < 0)
		result = -1;
	if (alone && result < 0)
		maria_rollback(store);
	return (int)result;
}

/* ---- runs ---------------------------------------------------------------- */

static int list_ids(struct maria *m, const char *sql,
		    const struct value *values, int64_t *ids, int max,
		    struct err *err)
{
	int count = 0, rc = 1;

	if (ready(m, err) < 0 || mariadb_ask(m->db, sql, values, err) < 0)
		return -1;
	while (count < max && (rc = mariadb_row(m->db, err)) > 0)
		ids[count++] = mariadb_number(m->db, 0);
	return rc < 0 ? -1 : count;
}

/* The earlier of two columns that may be NULL. */
static int ask_next(struct maria *m, const char *sql,
		    const struct value *values, int64_t *next, struct err *err)
{
	int64_t second;

	if (ready(m, err) < 0 || mariadb_ask(m->db, sql, values, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	*next = mariadb_known(m->db, 0);
	second = mariadb_known(m->db, 1);
	if (second >= 0 && (*next < 0 || second < *next))
		*next = second;
	return 0;
}

static int maria_due(struct store *store, int64_t now_s, int64_t *ids, int max,
		     int64_t *next, struct err *err)
{
	struct maria *m = of(store);
	const struct value values[] = { value_number(now_s), value_number(max),
					value_text(m->me),
					value_number(now_s + STORE_CLAIM_S) };
	int rc;

	if (ask_next(m, next_due, values, next, err) < 0)
		return -1;
	if (*next < 0 || *next > now_s)
		return 0;
	rc = change(store, claim_due, values, err);
	return rc < 0 ? -1 : list_ids(m, due_ids, values, ids, max, err);
}

static int maria_find(struct store *store, enum store_part kind, uint32_t job,
		      int64_t part, int64_t *ids, int max, struct err *err)
{
	bool is_all = kind != STORE_JOB && part == RECORD_UNKNOWN;
	const struct value values[] = { value_number(job), value_number(part),
					value_number(max) };
	const char *sql = kind == STORE_ARRAY_TASK
				  ? is_all ? find_all_tasks : find_array
			  : kind == STORE_HET_COMPONENT
				  ? is_all ? find_all_components : find_het
				  : find_job;

	return list_ids(of(store), sql, values, ids, max, err);
}

/* A copy of a text column; NULL stays NULL, -1: out of memory. */
static int copy_text(const struct maria *m, unsigned int column, char **out)
{
	const char *text = mariadb_column(m->db, column, NULL);

	*out = text ? strdup(text) : NULL;
	return text && !*out ? -1 : 0;
}

static int fill_run(const struct maria *m, struct store_run *run)
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
	if (copy_text(m, 2, &run->cluster) < 0 ||
	    copy_text(m, 3, &run->summary) < 0 ||
	    copy_text(m, 4, &run->error) < 0) {
		store_run_free(run);
		return -1;
	}
	return 0;
}

static int maria_run_load(struct store *store, int64_t id,
			  struct store_run *run, struct err *err)
{
	const struct value value = value_number(id);
	struct maria *m = of(store);
	struct store_run new = { 0 };
	int rc;

	if (ready(m, err) < 0 || mariadb_ask(m->db, load_run, &value, err) < 0)
		return -1;
	rc = mariadb_row(m->db, err);
	if (rc == 0)
		return err_set(err, "store: run %lld is gone", (long long)id);
	if (rc < 0)
		return -1;
	if (fill_run(m, &new) < 0)
		return no_memory(err);
	*run = new;
	return 0;
}

static int maria_records_after(struct store *store, int64_t id,
			       const char *node, store_fn fn, void *arg,
			       struct err *err)
{
	const struct value values[] = { value_number(id), value_text(node) };
	struct maria *m = of(store);
	const char *text;
	size_t size;
	int rc, said = 0;

	if (ready(m, err) < 0 || mariadb_ask(m->db, records, values, err) < 0)
		return -1;
	while (!said && (rc = mariadb_row(m->db, err)) > 0) {
		text = mariadb_column(m->db, 0, &size);
		said = fn(text, size, arg, err);
	}
	return said ? said : rc;
}

static int maria_done(struct store *store, const struct store_run *run,
		      const char *summary, int64_t now_s, int64_t again_s,
		      struct err *err)
{
	const struct value values[] = {
		value_number(run->id),	     value_number(run->version),
		value_text(summary),	     value_number(now_s),
		value_known(run->array_job), value_known(run->array_task),
		value_known(run->het_job),   value_known(run->het_offset),
		value_number(again_s),
	};

	return change(store, done, values, err) < 0 ? -1 : 0;
}

static int maria_later(struct store *store, int64_t id, const char *summary,
		       int64_t next_try, const char *why, struct err *err)
{
	const struct value values[] = { value_number(id),
					value_number(next_try), value_text(why),
					value_text(summary) };

	return change(store, later, values, err) < 0 ? -1 : 0;
}

/* ---- reasons ------------------------------------------------------------- */

static int maria_reason_put(struct store *store,
			    const struct store_reason *reason, int64_t next_try,
			    struct err *err)
{
	const struct value values[] = {
		value_text(reason->cluster),	value_text(reason->node),
		value_number(reason->time),	value_text(reason->text),
		value_number(reason->received), value_number(next_try),
	};
	int rc = change(store, put_reason, values, err);

	return rc < 0 ? -1 : rc > 0;
}

static int maria_reason_forget(struct store *store, const char *cluster,
			       const char *node, int64_t time, struct err *err)
{
	const struct value values[] = { value_text(cluster), value_text(node),
					value_number(time) };

	return change(store, forget_reason, values, err) < 0 ? -1 : 0;
}

static int maria_reason_later(struct store *store,
			      const struct store_reason *reason,
			      int64_t next_try, struct err *err)
{
	const struct value values[] = { value_text(reason->cluster),
					value_text(reason->node),
					value_number(reason->time),
					value_number(next_try) };

	return change(store, later_reason, values, err) < 0 ? -1 : 0;
}

static int fill_reason(const struct maria *m, struct store_reason *reason)
{
	memset(reason, 0, sizeof(*reason));
	reason->time = mariadb_number(m->db, 3);
	reason->received = mariadb_number(m->db, 4);
	reason->tries = mariadb_number(m->db, 5);
	if (copy_text(m, 0, &reason->cluster) == 0 &&
	    copy_text(m, 1, &reason->node) == 0 &&
	    copy_text(m, 2, &reason->text) == 0)
		return 0;
	store_reason_free(reason);
	return -1;
}

static int maria_reasons_due(struct store *store, int64_t now_s,
			     struct store_reason *reasons, int max,
			     int64_t *next, struct err *err)
{
	struct maria *m = of(store);
	const struct value values[] = { value_number(now_s), value_number(max),
					value_text(m->me),
					value_number(now_s + STORE_CLAIM_S) };
	int count = 0, rc;

	if (ask_next(m, next_reason, values, next, err) < 0)
		return -1;
	if (*next < 0 || *next > now_s)
		return 0;
	if (change(store, claim_reasons, values, err) < 0 ||
	    mariadb_ask(m->db, due_reasons, values, err) < 0)
		return -1;
	while ((rc = mariadb_row(m->db, err)) > 0) {
		if (count == max || fill_reason(m, &reasons[count]) < 0) {
			rc = no_memory(err);
			break;
		}
		count++;
	}
	if (rc == 0)
		return count;
	while (count)
		store_reason_free(&reasons[--count]);
	return -1;
}

/* ---- uses ---------------------------------------------------------------- */

static int maria_unused_forget(struct store *store, int64_t id, struct err *err)
{
	const struct value value = value_number(id);

	return change(store, forget_unused, &value, err) < 0 ? -1 : 0;
}

static int maria_use_put(struct store *store, int64_t id, int64_t ended_s,
			 const char *text, struct err *err)
{
	const struct value values[] = { value_number(id), value_number(ended_s),
					value_text(text) };

	if (change(store, put_use, values, err) < 0)
		return -1;
	return of(store)->has_none_unused ? 0
					  : maria_unused_forget(store, id, err);
}

static int maria_unused(struct store *store, int64_t *ids, int max,
			struct err *err)
{
	const struct value value = value_number(max);
	struct maria *m = of(store);
	int count;

	if (m->has_none_unused)
		return 0;
	count = list_ids(m, find_unused, &value, ids, max, err);
	m->has_none_unused = count == 0;
	return count;
}

static int64_t maria_unused_count(struct store *store, struct err *err)
{
	struct maria *m = of(store);

	if (m->has_none_unused)
		return 0;
	if (ready(m, err) < 0 ||
	    mariadb_ask(m->db, count_unused, NULL, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	return mariadb_number(m->db, 0);
}

static int maria_uses(struct store *store, const struct store_place *after,
		      int64_t until_s, int max, store_use_fn fn, void *arg,
		      struct err *err)
{
	const struct value values[] = { value_number(after->ended_s),
					value_number(after->id),
					value_number(until_s),
					value_number(max) };
	struct maria *m = of(store);
	struct store_place place;
	const char *text;
	int rc = 0, said = 0;

	if (ready(m, err) < 0 || mariadb_ask(m->db, find_uses, values, err) < 0)
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
static int list_old(struct maria *m, const struct value *values, char **ids,
		    struct err *err)
{
	int64_t sum = 0;
	size_t size;
	FILE *out = open_memstream(ids, &size);
	int rc, count = 0;

	if (!out)
		return no_memory(err);
	rc = mariadb_ask(m->db, old_runs, values, err);
	while (rc >= 0 && sum < PURGE_RECORDS &&
	       (rc = mariadb_row(m->db, err)) > 0) {
		fprintf(out, "%s%lld", count++ ? "," : "",
			(long long)mariadb_number(m->db, 0));
		sum += mariadb_number(m->db, 1);
	}
	if (fclose(out))
		return no_memory(err);
	return rc < 0 ? -1 : count;
}

static int delete_from(struct maria *m, const char *what, const char *ids,
		       struct err *err)
{
	char *text;
	int rc;

	if (asprintf(&text, "DELETE FROM %s IN (%s)", what, ids) < 0)
		return no_memory(err);
	rc = run_text(m, text, err);
	free(text);
	return rc;
}

/* Some of them, in one transaction; their number or -1. */
static int purge_some(struct store *store, const struct value *values,
		      struct err *err)
{
	struct maria *m = of(store);
	char *ids = NULL;
	int count;

	if (maria_begin(store, err) < 0)
		return -1;
	count = list_old(m, values, &ids, err);
	if (count > 0 && (delete_from(m, "uses WHERE run", ids, err) < 0 ||
			  delete_from(m, "unused WHERE run", ids, err) < 0 ||
			  delete_from(m, "records WHERE run", ids, err) < 0 ||
			  delete_from(m, "runs WHERE id", ids, err) < 0))
		count = -1;
	if (count >= 0 && run_text(m, "COMMIT", err) < 0)
		count = -1;
	free(ids);
	if (count < 0)
		maria_rollback(store);
	m->in_transaction = false;
	return count;
}

static int maria_purge(struct store *store, int64_t before_s, int64_t now_s,
		       int max, struct err *err)
{
	int purged = 0, count;

	do {
		const struct value values[] = { value_number(before_s),
						value_number(now_s),
						value_number(max - purged) };

		count = purge_some(store, values, err);
		if (count < 0 && mariadb_is_clash(of(store)->db))
			return purged; /* the other ledger is at it */
		if (count < 0)
			return -1;
		purged += count;
	} while (count && purged < max);
	return purged;
}

static int maria_backlog(struct store *store, int64_t now_s,
			 struct store_backlog *waits, struct err *err)
{
	const struct value value = value_number(now_s);
	struct maria *m = of(store);

	if (ready(m, err) < 0 || mariadb_ask(m->db, backlog, &value, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	waits->for_nodes = mariadb_number(m->db, 1);
	waits->for_retry = mariadb_number(m->db, 2);
	waits->for_writer =
		mariadb_number(m->db, 0) - waits->for_nodes - waits->for_retry;
	waits->oldest = mariadb_real(m->db, 3);
	return 0;
}

static int maria_count(struct store *store, struct store_counts *found,
		       struct err *err)
{
	struct maria *m = of(store);

	if (ready(m, err) < 0 || mariadb_ask(m->db, counts, NULL, err) < 0 ||
	    mariadb_row(m->db, err) < 0)
		return -1;
	found->runs = mariadb_number(m->db, 0);
	found->records = mariadb_number(m->db, 1);
	found->waiting = mariadb_number(m->db, 2);
	found->failed = mariadb_number(m->db, 3);
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
	.reason_put = maria_reason_put,
	.reason_forget = maria_reason_forget,
	.reason_later = maria_reason_later,
	.reasons_due = maria_reasons_due,
	.use_put = maria_use_put,
	.unused = maria_unused,
	.unused_forget = maria_unused_forget,
	.unused_count = maria_unused_count,
	.uses = maria_uses,
	.purge = maria_purge,
	.backlog = maria_backlog,
	.count = maria_count,
};
