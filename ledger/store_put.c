/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store_put.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"

struct locked_run {
	struct store_row row;
	int64_t seq; /* of the runs of a job: two new ones of two ledgers clash */
	bool is_changed;
};

#define FIND_RUNS                                                                                  \
	"SELECT " STORE_ROW_COLUMNS ", seq FROM runs WHERE job=?1 AND cluster=?2 AND uid=?3"
#define ADD_RECORD "INTO records(run, node, received, text) VALUES(?1, ?2, ?3, ?4)"

static const char *const find_runs[STORE_DIALECTS] = { FIND_RUNS, FIND_RUNS " FOR UPDATE" };
static const char *const add_record[STORE_DIALECTS] = { "INSERT OR IGNORE " ADD_RECORD,
							"INSERT IGNORE " ADD_RECORD };
static const char new_run[] =
	"INSERT INTO runs(cluster, job, uid, seq, first, last, nodes_seen, version, dirty) VALUES(?1, ?2, ?3, ?4, ?5, ?6, 0, 0, 0)";
static const char write_run[] =
	"UPDATE runs SET restart=?2, first=?3, last=?4, nodelist=?5, nodes_seen=?6, nodes_expected=?7, version=?8, array_job=?9, array_task=?10, het_job=?11, het_offset=?12, dirty=1, next_try=?13, tries=0 WHERE id=?1";
static const char get_record[] = "SELECT text FROM records WHERE run=?1 AND node=?2";
static const char change_record[] =
	"UPDATE records SET received=?3, text=?4 WHERE run=?1 AND node=?2";

/* ---- runs ---------------------------------------------------------------- */

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

int store_flush(struct store *store, struct err *err)
{
	struct locked_run *run;

	for (run = store->runs; run < store->runs + store->run_count; run++) {
		const struct store_row *row = &run->row;
		const struct value values[] = {
			value_number(row->id),
			value_known(row->run.key.restart),
			value_real(row->run.first),
			value_real(row->run.last),
			value_text(row->run.nodelist),
			value_number(row->run.nodes_seen),
			value_known(row->run.nodes_expected),
			value_number(row->version),
			value_known(row->run.key.array_job),
			value_known(row->run.key.array_task),
			value_known(row->run.key.het_job),
			value_known(row->run.key.het_offset),
			value_number(row->next_try),
		};

		if (run->is_changed && store->ops->run(store, write_run, values, NULL, err) < 0)
			return -1;
		run->is_changed = false;
	}
	return 0;
}

void store_forget(struct store *store)
{
	while (store->run_count)
		store_row_clear(&store->runs[--store->run_count].row);
	free(store->runs);
	store->runs = NULL;
}

static struct locked_run *append(struct store *store)
{
	store->runs = xmore(store->runs, store->run_count, sizeof(*store->runs));
	memset(&store->runs[store->run_count], 0, sizeof(*store->runs));
	return &store->runs[store->run_count++];
}

static bool is_of(const struct locked_run *run, const struct record *r)
{
	const struct run_key *key = &run->row.run.key;

	return key->job == r->job && key->uid == r->uid && !strcmp(key->cluster, r->cluster);
}

/* Read the runs of the record's job, unless this transaction has them. */
static int lock_runs(struct store *store, const struct record *r, struct err *err)
{
	const struct value values[] = { value_number(r->job), value_text(r->cluster),
					value_number(r->uid) };
	struct locked_run *run;
	size_t i;
	int rc;

	for (i = 0; i < store->run_count; i++)
		if (is_of(&store->runs[i], r))
			return 0;
	if (store->ops->query(store, find_runs[store->dialect], values, err) < 0)
		return -1;
	while ((rc = store->ops->row(store, err)) > 0) {
		run = append(store);
		store_read_row(store, &run->row);
		run->seq = store->ops->number(store, STORE_ROW_COLUMN_COUNT);
	}
	return rc;
}

static int has_record(struct store *store, int64_t run, const char *node, struct err *err)
{
	const struct value values[] = { value_number(run), value_text(node) };
	int rc = store->ops->query(store, get_record, values, err);

	rc = rc < 0 ? -1 : store->ops->row(store, err);
	store->ops->end(store);
	return rc;
}

/* Set *found to the record's run, NULL: there is none. */
static int find_run(struct store *store, const struct record *r, int64_t now_s,
		    struct locked_run **found, struct err *err)
{
	double best = -1, gap, end = store_row_end(r, now_s);
	struct locked_run *run;
	int has;

	*found = NULL;
	for (run = store->runs; run < store->runs + store->run_count; run++) {
		gap = is_of(run, r) ? store_row_distance(r, end, &run->row) : -1;
		if (gap < 0 || (best >= 0 && gap >= best))
			continue;
		has = gap > 0 && !store_row_is_blank(r, &run->row)
			      ? has_record(store, run->row.id, r->node, err)
			      : 0;
		if (has < 0)
			return -1;
		if (has)
			continue;
		best = gap;
		*found = run;
	}
	return 0;
}

static int add_run(struct store *store, const struct record *r, int64_t now_s,
		   struct locked_run **added, struct err *err)
{
	struct locked_run *run;
	int64_t id, seq = 1;
	size_t i;

	for (i = 0; i < store->run_count; i++)
		if (is_of(&store->runs[i], r) && store->runs[i].seq >= seq)
			seq = store->runs[i].seq + 1;
	const struct value values[] = {
		value_text(r->cluster), value_number(r->job), value_number(r->uid),
		value_number(seq),	value_real(r->start), value_real(store_row_end(r, now_s))
	};
	if (store->ops->run(store, new_run, values, &id, err) < 0)
		return -1;
	run = append(store);
	store_row_init(&run->row, r, now_s);
	run->row.id = id;
	run->seq = seq;
	*added = run;
	return 0;
}

/* ---- records ----------------------------------------------------------------- */

/* Is the record better than the stored one of its node? 1 yes, 0 no, -1 error. */
static int is_better(struct store *store, const struct value *values, const struct record *r,
		     const char *text, size_t size, struct err *err)
{
	const char *old_text;
	size_t old_size;
	int rc;

	if (store->ops->query(store, get_record, values, err) < 0 ||
	    store->ops->row(store, err) <= 0)
		return -1;
	old_text = store->ops->text(store, 0, &old_size);
	rc = store_row_is_better(r, text, size, old_text, old_size);
	store->ops->end(store);
	return rc;
}

/* Store a record if it is new or better: 1 stored, 0 not, -1 error. */
static int write_record(struct store *store, int64_t run, const struct record *r, const char *text,
			size_t size, int64_t now_s, bool *is_new, struct err *err)
{
	const struct value values[] = { value_number(run), value_text(r->node), value_number(now_s),
					value_bytes(text, size) };
	int rc = store->ops->run(store, add_record[store->dialect], values, NULL, err);

	*is_new = rc > 0;
	if (rc != 0)
		return rc;
	rc = is_better(store, values, r, text, size, err);
	return rc > 0 ? store->ops->run(store, change_record, values, NULL, err) : rc;
}

int store_put_record(struct store *store, const struct record *r, const char *text, size_t size,
		     const struct store_times *times, int64_t *due, struct err *err)
{
	struct locked_run *run;
	bool is_new;
	int rc;

	if (lock_runs(store, r, err) < 0 || find_run(store, r, times->now_s, &run, err) < 0 ||
	    (!run && add_run(store, r, times->now_s, &run, err) < 0))
		return -1;
	rc = write_record(store, run->row.id, r, text, size, times->now_s, &is_new, err);
	if (rc <= 0)
		return rc;
	store_row_add(&run->row, r, is_new, times->now_s, times->grace_s);
	run->is_changed = true;
	*due = run->row.next_try;
	return 1;
}
