/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store_site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "ledger/store.h"
#include "ledger/store_sql.h"
#include "record/json.h"

#define ROLL_UP_MAX 64 /* days */

#define NAME(id, column) ", " #column
#define SUM(id, column) ", sum(" #column "+0.0)"
#define SUMS ", max(peak)" SITE_SUMS(SUM)

static const char put_row[] =
	"REPLACE INTO run_sums(run, n, day, ended, stamp, gated, job, cluster, user, account, profile, advice, fs, type, peak" SITE_SUMS(
		NAME) ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34)";
static const char drop_rows[] = "DELETE FROM run_sums WHERE run=?1 AND n>=?2";

/* Days before ?2, from ?1 on, without valid sums; with those that have no runs any more. */
static const char invalid_days[] =
	"SELECT day FROM (SELECT day, count(*) AS jobs, sum(stamp) AS stamp FROM run_sums WHERE day>=?1 AND day<?2 GROUP BY day UNION ALL SELECT day, -jobs, -stamp FROM day_sums WHERE kind=0 AND day>=?1 AND day<?2) AS days GROUP BY day HAVING sum(jobs)<>0 OR sum(stamp)<>0 ORDER BY day LIMIT ?3";

#define ROLL_UP(kind, column, type)                                                                \
	"INSERT INTO day_sums(day, kind, cluster, name, type, peak" SITE_SUMS(                     \
		NAME) ") SELECT day, " kind ", cluster, " column ", " type SUMS                    \
		      " FROM run_sums WHERE day=?1 AND " column                                    \
		      " IS NOT NULL GROUP BY day, cluster, " column

/* The row of kind 0 is read first: after a change between the statements it does not match. */
static const char *const roll_up[] = {
	"DELETE FROM day_sums WHERE day=?1",
	"INSERT INTO day_sums(day, kind, cluster, name, stamp, jobs) SELECT day, 0, '', '', sum(stamp), count(*) FROM run_sums WHERE day=?1 GROUP BY day",
	ROLL_UP("1", "user", "NULL"),
	ROLL_UP("2", "account", "NULL"),
	ROLL_UP("3", "profile", "NULL"),
	ROLL_UP("4", "advice", "NULL"),
	ROLL_UP("5", "fs", "max(type)"),
	NULL,
};
static const char read_days[] =
	"SELECT cluster, CASE kind WHEN 1 THEN name END, CASE kind WHEN 2 THEN name END, CASE kind WHEN 3 THEN name END, CASE kind WHEN 4 THEN name END, CASE kind WHEN 5 THEN name END, max(type)" SUMS
	" FROM day_sums WHERE day>=?1 AND day<?3 AND kind>0 GROUP BY kind, cluster, name";

#define IN_PART "ended>=?1 AND (ended>?1 OR run>?2) AND (ended<?3 OR (ended=?3 AND run<=?4))"
static const char read_runs[] = "SELECT cluster, user, account, profile, advice, fs, max(type)" SUMS
				" FROM run_sums WHERE day=?5 AND " IN_PART
				" GROUP BY cluster, user, account, profile, advice, fs";
static const char read_gate[] =
	"SELECT cluster, user, job, ended, warned_tasks, refused_tasks FROM run_sums WHERE gated=1 AND " IN_PART
	" ORDER BY ended DESC, run LIMIT ?6";
static const char row_at[] =
	"SELECT ended, run FROM run_sums WHERE day=?5 AND ended<?3 AND ended>=?1 AND (ended>?1 OR run>?2) ORDER BY ended, run LIMIT 1 OFFSET ?6";

#define COLUMN(id, column) #column,
#define NAMES 7
static const char *const columns[] = {
	"cluster", "user", "account",  "profile",  "advice",
	"fs",	   "type", "peak_Bps", "peak_job", SITE_SUMS(COLUMN)
};

/* ---- write ----------------------------------------------------------------- */

enum count {
#define COUNT(id, column) COUNT_##id,
	SITE_COUNTS(COUNT) COUNTS
};

#define FIRST_SUM 15
#define VALUES (FIRST_SUM + COUNTS + SITE_NUMBERS)
#define AT_STAMP 4

static int64_t day_of(int64_t ended_s)
{
	return ended_s - ended_s % SITE_DAY_S;
}

/* 32 bits, so that sums of many days do not overflow. */
static int64_t stamp_of(const struct value *values)
{
	uint64_t digest = DIGEST_BEGIN;
	int i;

	for (i = 0; i < VALUES; i++) {
		digest = digest_add(digest, &values[i].kind, sizeof(values[i].kind));
		digest = digest_add(digest, &values[i].number, sizeof(values[i].number));
		if (values[i].size)
			digest = digest_add(digest, values[i].bytes, values[i].size);
	}
	return (int64_t)(digest >> 32 ^ (digest & UINT32_MAX));
}

/* Write row 'at' of a run; account NULL: a row for one of several filesystems. */
static int put(struct store *store, int64_t at, const struct store_row *row,
	       const struct site_run *sums, const char *account, const struct site_fs *fs,
	       struct err *err)
{
	const int64_t ended_s = (int64_t)row->run.last, is_run = account != NULL;
	const int64_t counts[COUNTS] = {
		[COUNT_JOBS] = 1,
		[COUNT_NODE_S] = sums->node_s,
		[COUNT_NODE_WIDE] = is_run && sums->is_wide && !sums->fs_count,
		[COUNT_JUDGED] = is_run && sums->is_judged,
		[COUNT_WARNED_JOBS] = is_run && sums->warned > 0,
		[COUNT_WARNED_TASKS] = is_run ? sums->warned : 0,
		[COUNT_REFUSED_JOBS] = is_run && sums->refused > 0,
		[COUNT_REFUSED_TASKS] = is_run ? sums->refused : 0,
	};
	char peak[64]; /* max() of texts finds the larger peak, then the smaller job */
	struct value values[VALUES] = {
		value_number(row->id),
		value_number(at),
		value_number(day_of(ended_s)),
		value_number(ended_s),
		value_number(0),
		value_number(is_run && (sums->warned > 0 || sums->refused > 0)),
		value_number(row->run.key.job),
		value_text(row->run.key.cluster),
		value_text(is_run ? sums->user : NULL),
		value_text(account),
		value_text(is_run ? sums->profile : NULL),
		value_text(is_run ? sums->advice : NULL),
		value_text(fs->name),
		value_text(fs->type),
		value_text(NULL),
	};
	int i;

	snprintf(peak, sizeof(peak), "%020" PRId64 "%010u", fs->peak,
		 UINT32_MAX - row->run.key.job);
	if (fs->peak >= 0)
		values[FIRST_SUM - 1] = value_text(peak);
	for (i = 0; i < COUNTS; i++)
		values[FIRST_SUM + i] = value_number(counts[i]);
	for (i = 0; i < SITE_NUMBERS; i++)
		values[FIRST_SUM + COUNTS + i] = value_known(fs->numbers[i]);
	values[AT_STAMP] = value_number(stamp_of(values));
	return store_change(store, put_row, values, err);
}

int store_site_put(struct store *store, const struct store_row *row, const struct site_run *sums,
		   const char *account, struct err *err)
{
	const bool is_single = sums->fs_count == 1;
	struct value values[] = { value_number(row->id), value_number(0) };
	struct site_fs all;
	size_t i;

	site_fs_init(&all);
	for (i = 0; i < sums->fs_count; i++) {
		if (put(store, (int64_t)i, row, sums, is_single ? account : NULL, &sums->fs[i],
			err) < 0)
			return -1;
		site_fs_add(&all, &sums->fs[i]);
	}
	if (!is_single && put(store, (int64_t)i++, row, sums, account, &all, err) < 0)
		return -1;
	values[1] = value_number((int64_t)i);
	return store_change(store, drop_rows, values, err) < 0 ? -1 : 0;
}

static int roll_up_day(struct store *store, int64_t day, struct err *err)
{
	const struct value value = value_number(day);
	int i;

	if (store_begin(store, err) < 0)
		return -1;
	for (i = 0; roll_up[i]; i++)
		if (store_change(store, roll_up[i], &value, err) < 0)
			goto fail;
	if (store_commit(store, err) >= 0)
		return 0;
fail:
	store_rollback(store);
	return -1;
}

int store_site_roll_up(struct store *store, int64_t before_s, int max, struct err *err)
{
	const struct value values[] = { value_number(0), value_number(day_of(before_s)),
					value_number(max) };
	int64_t days[ROLL_UP_MAX];
	int i, count;

	count = store_list_ids(store, invalid_days, values, days,
			       max < ROLL_UP_MAX ? max : ROLL_UP_MAX, err);
	for (i = 0; i < count; i++)
		if (roll_up_day(store, days[i], err) < 0)
			return -1;
	return count;
}

/* ---- read -------------------------------------------------------------------- */

/* Return the first day from 'day' on without valid sums, at most 'end'; -1: error. */
static int64_t valid_until(struct store *store, int64_t day, int64_t end, struct err *err)
{
	const struct value values[] = { value_number(day), value_number(end), value_number(1) };
	int64_t invalid;
	int count = store_list_ids(store, invalid_days, values, &invalid, 1, err);

	return count < 0 ? -1 : count ? invalid : end;
}

static void set_values(const struct site_part *part, int64_t last, struct value values[6])
{
	const struct value all[] = {
		value_number(part->from.ended_s),	  value_number(part->from.run),
		value_number(part->to.ended_s),		  value_number(part->to.run),
		value_number(day_of(part->from.ended_s)), value_number(last)
	};

	memcpy(values, all, sizeof(all));
}

int store_site_part(struct store *store, struct site_part *part, int64_t until_s, int64_t days,
		    int64_t rows, struct err *err)
{
	const int64_t from = part->from.ended_s, day = day_of(from), last = day_of(until_s);
	int64_t end = day + days * SITE_DAY_S;
	struct value values[6];
	int rc;

	part->is_days = false;
	if (from == day && !part->from.run && days && day < last) {
		end = valid_until(store, day, end < last ? end : last, err);
		if (end < 0)
			return -1;
		part->is_days = end > day;
	}
	if (!part->is_days)
		end = day + SITE_DAY_S < until_s ? day + SITE_DAY_S : until_s;
	part->to = (struct site_position){ end, 0 };
	if (part->is_days)
		return 0;
	set_values(part, rows, values);
	if (store_query(store, row_at, values, err) < 0)
		return -1;
	rc = store->ops->row(store, err);
	if (rc > 0)
		part->to = (struct site_position){ store->ops->number(store, 0),
						   store->ops->number(store, 1) };
	store->ops->end(store);
	return rc < 0 ? -1 : 0;
}

static void add_row(struct store *store, struct json *sums)
{
	const char *peak = store->ops->text(store, NAMES, NULL);
	int64_t job = -1, most = -1;
	int i;

	for (i = 0; i < NAMES; i++)
		json_add_text(sums, NULL, store->ops->text(store, i, NULL));
	if (peak)
		sscanf(peak, "%20" SCNd64 "%10" SCNd64, &most, &job);
	json_add_known(sums, NULL, most);
	json_add_known(sums, NULL, peak ? UINT32_MAX - job : -1);
	for (i = NAMES + 1; i < NAMES + 1 + COUNTS + SITE_NUMBERS; i++)
		json_add_known(sums, NULL, store->ops->number(store, i));
}

static void add_job(struct store *store, struct json *list)
{
	static const char *const numbers[] = { "job", "ended", "warned", "refused" };
	struct json *o = json_append_object(list);
	int i;

	json_add_text(o, "cluster", store->ops->text(store, 0, NULL));
	json_add_text(o, "user", store->ops->text(store, 1, NULL));
	for (i = 0; i < 4; i++)
		json_add_known(o, numbers[i], store->ops->number(store, i + 2));
}

static int read_all(struct store *store, const char *sql, const struct value *values,
		    void (*add)(struct store *store, struct json *list), struct json *list,
		    struct err *err)
{
	int rc;

	if (store_query(store, sql, values, err) < 0)
		return -1;
	while ((rc = store->ops->row(store, err)) > 0)
		add(store, list);
	store->ops->end(store);
	return rc;
}

int store_site_read(struct store *store, const struct site_part *part, struct json *top,
		    struct err *err)
{
	struct json *list = json_add_list(top, "columns");
	struct value values[6];
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		json_append_text(list, columns[i]);
	set_values(part, SITE_GATE_MAX, values);
	if (read_all(store, part->is_days ? read_days : read_runs, values, add_row,
		     json_add_list(top, "sums"), err) < 0)
		return -1;
	return read_all(store, read_gate, values, add_job, json_add_list(top, "gate"), err);
}
