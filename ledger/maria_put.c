/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and rows of a transaction: found, buffered, written together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "ledger/maria.h"
#include "record/alloc.h"

#define BUFFERED_MAX (1U << 20) /* bytes of buffered records */
#define FETCH_SINGLE_MAX 8	/* nodes of a run; above this all of them at once */

static const char find_runs[] = "SELECT " STORE_ROW_COLUMNS
				", seq FROM runs WHERE job=?1 AND cluster=?2 AND uid=?3 FOR UPDATE";
static const char new_run[] =
	"INSERT INTO runs(restart, first, last, nodelist, nodes_seen, nodes_expected, version, array_job, array_task, het_job, het_offset, dirty, next_try, cluster, job, uid, seq) VALUES(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 1, ?13, ?14, ?15, ?16, ?17)";
static const char get_record[] = "SELECT text FROM records WHERE run=?1 AND node=?2";
static const char get_nodes[] = "SELECT node FROM records WHERE run=?1 ORDER BY node";
static const char put_records[] = "INSERT INTO records(run, node, received, text) VALUES";
static const char put_records_end[] =
	" ON DUPLICATE KEY UPDATE received=VALUES(received), text=VALUES(text)";

/* A job with runs that this transaction has locked. */
struct job {
	char cluster[RECORD_NAME_MAX];
	uint32_t job, uid;
	int64_t last_seq;
};

/* One of those runs, and what to write to it. */
struct locked {
	struct store_row row; /* id 0: not in the database yet */
	size_t job;
	int64_t seq;
	bool is_changed;
	size_t fetched; /* queries for the record of one node */
	char **names;	/* of all nodes that reported, if 'has_names' */
	size_t count;
	bool has_names;
};

/* A buffered record. */
struct buffered {
	size_t run, entry;
	int64_t now_s;
	char node[RECORD_NAME_MAX];
};

void *maria_list_add(struct list *list, size_t size)
{
	list->items = xmore(list->items, list->count, size);
	return memset((char *)list->items + size * list->count++, 0, size);
}

static struct locked *run_at(struct maria *m, size_t at)
{
	return (struct locked *)m->runs.items + at;
}

static struct job *job_at(struct maria *m, size_t at)
{
	return (struct job *)m->jobs.items + at;
}

static struct buffered *buffered_at(struct maria *m, size_t at)
{
	return (struct buffered *)m->buffered.items + at;
}

/* ---- which nodes have reported ------------------------------------------- */

void maria_free_names(char **names, size_t count)
{
	while (count)
		free(names[--count]);
	free(names);
}

static void drop_names(struct locked *run)
{
	maria_free_names(run->names, run->count);
	run->names = NULL;
	run->count = 0;
	run->has_names = false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Search among the first 'count' names. */
static bool has_name(const struct locked *run, size_t count, const char *node)
{
	return count && bsearch(&node, run->names, count, sizeof(*run->names), compare_names);
}

/* Add the nodes of the records just written. */
static void add_names(struct maria *m, size_t run_number)
{
	struct locked *run = run_at(m, run_number);
	size_t i, count = run->count;

	run->names = xrealloc(run->names, count + m->buffered.count, sizeof(*run->names));
	for (i = 0; i < m->buffered.count; i++) {
		const struct buffered *buffered = buffered_at(m, i);

		if (buffered->run != run_number || has_name(run, count, buffered->node))
			continue;
		run->names[run->count++] = xstrdup(buffered->node);
	}
	qsort(run->names, run->count, sizeof(*run->names), compare_names);
}

void maria_cache_names(struct maria *m)
{
	struct locked *run;
	size_t i;

	for (i = 0; i < m->runs.count; i++) {
		run = run_at(m, i);
		if (!run->has_names)
			continue;
		maria_free_names(m->cached.names, m->cached.count);
		m->cached = (struct cached_names){ run->row.id, run->row.version, run->names,
						   run->count };
		run->names = NULL;
		run->count = 0;
	}
}

static void use_cached_names(struct maria *m, struct locked *run)
{
	if (!m->cached.names || run->row.id != m->cached.id)
		return;
	if (run->row.version == m->cached.version) {
		run->names = m->cached.names;
		run->count = m->cached.count;
		run->has_names = true;
	} else {
		maria_free_names(m->cached.names, m->cached.count);
	}
	m->cached = (struct cached_names){ 0 };
}

/* ---- one transaction ----------------------------------------------------- */

void maria_drop_rows(struct maria *m)
{
	size_t i;

	for (i = 0; i < m->runs.count; i++) {
		drop_names(run_at(m, i));
		store_row_clear(&run_at(m, i)->row);
	}
	m->runs.count = m->jobs.count = m->buffered.count = 0;
	m->buffered_bytes = 0;
}

static int run_values(struct maria *m, const char *sql, const struct value *values, int64_t *id,
		      struct err *err)
{
	size_t size;
	char *text = mariadb_text(m->db, sql, values, &size, err);
	int64_t changed;

	if (!text)
		return -1;
	changed = mariadb_run(m->db, text, size, id, err);
	free(text);
	return changed < 0 ? -1 : 0;
}

static int write_run(struct maria *m, struct locked *run, struct err *err)
{
	const struct job *job = job_at(m, run->job);
	struct value values[STORE_ROW_VALUES + 4];
	struct store_row *row = &run->row;

	store_row_values(row, values);
	values[STORE_ROW_VALUES] = value_text(job->cluster);
	values[STORE_ROW_VALUES + 1] = value_number(job->job);
	values[STORE_ROW_VALUES + 2] = value_number(job->uid);
	values[STORE_ROW_VALUES + 3] = value_number(run->seq);
	if (run_values(m, row->id ? store_update_run : new_run, values, row->id ? NULL : &row->id,
		       err) < 0)
		return -1;
	run->is_changed = false;
	return 0;
}

static int print_record(struct maria *m, const struct buffered *buffered, FILE *out,
			struct err *err)
{
	const struct entry *entry = maria_entry_at(m, buffered->entry);
	const struct value values[] = {
		value_number(run_at(m, buffered->run)->row.id),
		value_text(buffered->node),
		value_number(buffered->now_s),
		value_bytes(entry->bytes, entry->size),
	};
	size_t size;
	char *text = mariadb_text(m->db, "(?1,?2,?3,?4)", values, &size, err);

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
	FILE *out = xneed(open_memstream(&text, &size));
	int rc = 0;

	for (i = 0; i < m->buffered.count && rc == 0; i++) {
		fputs(i ? "," : put_records, out);
		rc = print_record(m, buffered_at(m, i), out, err);
	}
	fputs(put_records_end, out);
	fclose(out);
	xneed(text);
	if (rc == 0 && mariadb_run(m->db, text, size, NULL, err) < 0)
		rc = -1;
	free(text);
	return rc;
}

int maria_flush(struct maria *m, struct err *err)
{
	size_t i;

	for (i = 0; i < m->runs.count; i++)
		if (run_at(m, i)->is_changed && write_run(m, run_at(m, i), err) < 0)
			return -1;
	if (m->buffered.count && write_records(m, err) < 0)
		return -1;
	for (i = 0; i < m->runs.count && m->buffered.count; i++)
		if (run_at(m, i)->has_names)
			add_names(m, i);
	m->buffered.count = 0;
	m->buffered_bytes = 0;
	return 0;
}

/* ---- put ----------------------------------------------------------------- */

/* Lock the runs of the record's job, unless locked already. Return the job's index or -1. */
static ssize_t lock_job(struct maria *m, const struct record *r, struct err *err)
{
	const struct value values[] = { value_number(r->job), value_text(r->cluster),
					value_number(r->uid) };
	struct locked *run;
	struct job *job;
	size_t at;
	int rc;

	for (at = 0; at < m->jobs.count; at++) {
		job = job_at(m, at);
		if (job->job == r->job && job->uid == r->uid && !strcmp(job->cluster, r->cluster))
			return (ssize_t)at;
	}
	job = maria_list_add(&m->jobs, sizeof(*job));
	strcpy(job->cluster, r->cluster);
	job->job = r->job;
	job->uid = r->uid;
	if (mariadb_query(m->db, find_runs, values, err) < 0)
		return -1;
	while ((rc = mariadb_row(m->db, err)) > 0) {
		run = maria_list_add(&m->runs, sizeof(*run));
		store_read_row(&m->store, &run->row);
		run->seq = mariadb_number(m->db, STORE_ROW_COLUMN_COUNT);
		use_cached_names(m, run);
		run->job = at;
		if (run->seq > job->last_seq)
			job->last_seq = run->seq;
	}
	return rc < 0 ? -1 : (ssize_t)at;
}

static int fetch_names(struct maria *m, struct locked *run, struct err *err)
{
	const struct value id = value_number(run->row.id);
	struct list list = { 0 };
	char **name;
	int rc;

	if (mariadb_query(m->db, get_nodes, &id, err) < 0)
		return -1;
	while ((rc = mariadb_row(m->db, err)) > 0) {
		name = maria_list_add(&list, sizeof(*name));
		*name = xstrdup(mariadb_column(m->db, 0, NULL));
	}
	run->names = list.items;
	run->count = list.count;
	run->has_names = rc == 0;
	return rc;
}

/* Find the stored record of [node]: 1, 0 or -1. Each query is a round trip; for a run with many
 * nodes fetch all names once. */
static int fetch_record(struct maria *m, struct locked *run, const char *node, const char **text,
			size_t *size, struct err *err)
{
	const struct value values[] = { value_number(run->row.id), value_text(node) };
	int rc;

	if (!run->has_names && ++run->fetched > FETCH_SINGLE_MAX && fetch_names(m, run, err) < 0)
		return -1;
	if (run->has_names && (!run->count || !bsearch(&node, run->names, run->count,
						       sizeof(*run->names), compare_names)))
		return 0;
	if (mariadb_query(m->db, get_record, values, err) < 0)
		return -1;
	rc = mariadb_row(m->db, err);
	if (rc > 0)
		*text = mariadb_column(m->db, 0, size);
	return rc;
}

/* Find the stored or buffered record of [node]: 1, 0 or -1. *buffered: index of the buffered one,
 * or -1. */
static int find_record(struct maria *m, size_t run, const char *node, ssize_t *buffered,
		       const char **text, size_t *size, struct err *err)
{
	size_t i;

	*buffered = -1;
	for (i = 0; i < m->buffered.count; i++)
		if (buffered_at(m, i)->run == run && !strcmp(buffered_at(m, i)->node, node)) {
			*buffered = (ssize_t)i;
			*text = maria_entry_at(m, buffered_at(m, i)->entry)->bytes;
			*size = maria_entry_at(m, buffered_at(m, i)->entry)->size;
			return 1;
		}
	if (!run_at(m, run)->row.id)
		return 0;
	return fetch_record(m, run_at(m, run), node, text, size, err);
}

/* Return the index of the record's run; -1: none yet; -2: error. */
static ssize_t find_run(struct maria *m, size_t job, const struct record *r, int64_t now_s,
			struct err *err)
{
	double best = -1, gap, end = store_row_end(r, now_s);
	ssize_t found = -1, buffered;
	const char *text;
	size_t i, size;
	int has;

	for (i = 0; i < m->runs.count; i++) {
		const struct store_row *row = &run_at(m, i)->row;

		if (run_at(m, i)->job != job)
			continue;
		gap = store_row_distance(r, end, row);
		if (gap < 0 || (best >= 0 && gap >= best))
			continue;
		has = gap > 0 && !store_row_is_blank(r, row)
			      ? find_record(m, i, r->node, &buffered, &text, &size, err)
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

static ssize_t add_run(struct maria *m, size_t job, const struct record *r, int64_t now_s)
{
	struct locked *run = maria_list_add(&m->runs, sizeof(*run));

	run->job = job;
	run->seq = ++job_at(m, job)->last_seq;
	store_row_init(&run->row, r, now_s);
	return (ssize_t)m->runs.count - 1;
}

/* Buffer the record, in place of the buffered record [at] of its node (-1: none). */
static int buffer_record(struct maria *m, size_t run, const struct record *r, ssize_t at,
			 const struct entry *entry, struct err *err)
{
	struct buffered *buffered = at < 0 ? maria_list_add(&m->buffered, sizeof(*buffered))
					   : buffered_at(m, (size_t)at);

	strcpy(buffered->node, r->node);
	buffered->run = run;
	buffered->entry = (size_t)(entry - maria_entry_at(m, 0));
	buffered->now_s = entry->now_s;
	m->buffered_bytes += entry->size;
	return m->buffered_bytes < BUFFERED_MAX ? 0 : maria_flush(m, err);
}

int maria_put_record(struct maria *m, struct entry *entry, const struct record *r, struct err *err)
{
	ssize_t job = lock_job(m, r, err), run, buffered = -1;
	const char *text = NULL;
	struct store_row *row;
	size_t size = 0;
	int has;

	if (job < 0)
		return -1;
	run = find_run(m, (size_t)job, r, entry->now_s, err);
	if (run == -1)
		run = add_run(m, (size_t)job, r, entry->now_s);
	if (run < 0)
		return -1;
	has = find_record(m, (size_t)run, r->node, &buffered, &text, &size, err);
	if (has < 0)
		return -1;
	if (has && !store_row_is_better(r, entry->bytes, entry->size, text, size))
		return 0;
	row = &run_at(m, (size_t)run)->row;
	store_row_add(row, r, !has, entry->now_s, entry->grace_s);
	run_at(m, (size_t)run)->is_changed = true;
	entry->due = row->next_try;
	return buffer_record(m, (size_t)run, r, buffered, entry, err) < 0 ? -1 : 1;
}
