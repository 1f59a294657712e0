/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "ledger/nodes.h"

#define AHEAD_MAX_S 86400.0	  /* largest lead of a clock */
#define RUN_MAX_S (366 * 86400.0) /* longest run */
#define BLANK_S 1.0		  /* longest blank record */
#define NO_TIME_S 0.001

static bool is_blank(const struct record *r)
{
	return r->restart < 0 && r->flags & RECORD_FLAG(START_UNKNOWN) &&
	       r->end - r->start < BLANK_S && !record_weight(r);
}

bool store_row_is_blank(const struct record *r, const struct store_row *row)
{
	return is_blank(r) || row->run.last < row->run.first;
}

double store_row_end(const struct record *r, int64_t now_s)
{
	double ahead = (double)now_s + AHEAD_MAX_S;

	if (is_blank(r))
		return r->start - NO_TIME_S;
	if (r->end <= r->start || r->end - r->start > RUN_MAX_S ||
	    (r->start <= ahead && r->end > ahead))
		return r->start;
	return r->end;
}

void store_row_init(struct store_row *row, const struct record *r, int64_t now_s)
{
	*row = (struct store_row){ 0 };
	run_init(&row->run);
	row->run.first = r->start;
	row->run.last = store_row_end(r, now_s);
}

/* Return the largest gap in seconds between a record and its run. */
static double slop_of(const struct record *r, const struct run *run)
{
	bool is_same_run = run->key.restart >= 0 && run->key.restart == r->restart &&
			   run->nodelist && r->nodelist && !strcmp(run->nodelist, r->nodelist);

	return is_same_run ? STORE_SKEW_S : STORE_SLOP_S;
}

double store_row_distance(const struct record *r, double end, const struct store_row *row)
{
	const struct run *run = &row->run;
	double gap = 0;
	bool is_elsewhere = run->nodelist && r->nodelist && strcmp(run->nodelist, r->nodelist) != 0;

	if (run->key.restart >= 0 && r->restart >= 0 && run->key.restart != r->restart)
		return -1;
	if (r->start > run->last)
		gap = r->start - run->last;
	else if (run->first > end)
		gap = run->first - end;
	if (gap > 0 && is_elsewhere)
		return -1;
	if ((is_blank(r) && r->start > run->last) || (run->last < run->first && run->first > end))
		return gap;
	return gap > slop_of(r, run) ? -1 : gap;
}

bool store_row_is_better(const struct record *r, const char *text, size_t size,
			 const char *old_text, size_t old_size)
{
	struct record *old = record_parse(old_text, old_size, NULL);
	bool is_better = !old || record_is_better(r, digest_add(DIGEST_BEGIN, text, size), old,
						  digest_add(DIGEST_BEGIN, old_text, old_size));

	record_free(old);
	return is_better;
}

static void count_nodes(struct run *run)
{
	struct nodes *nodes = nodes_expand(run->nodelist, NULL);

	run->nodes_expected = nodes ? (int64_t)nodes->count : RECORD_UNKNOWN;
	nodes_free(nodes);
}

/* The grace period begins with the first waiting record: nodes that report one by one must not
 * extend it. */
static int64_t due_at(const struct store_row *row, int64_t now_s, unsigned int grace_s)
{
	if (row->run.nodes_expected >= 0 && row->run.nodes_seen >= row->run.nodes_expected)
		return now_s;
	if (row->dirty == STORE_DIRTY && row->next_try < now_s + grace_s)
		return row->next_try;
	return now_s + grace_s;
}

void store_row_add(struct store_row *row, const struct record *r, bool is_new, int64_t now_s,
		   unsigned int grace_s)
{
	struct run *run = &row->run;
	bool is_first = run->last < run->first, has_times = is_first || !is_blank(r);

	if (is_first || (has_times && r->start < run->first))
		run->first = r->start;
	if (is_first || (has_times && store_row_end(r, now_s) > run->last))
		run->last = store_row_end(r, now_s);
	if (run_add_head(run, r))
		count_nodes(run);
	run->nodes_seen += is_new;
	row->version++;
	row->next_try = due_at(row, now_s, grace_s);
	row->dirty = STORE_DIRTY;
}

void store_row_clear(struct store_row *row)
{
	run_clear(&row->run);
	free(row->summary);
	free(row->error);
	free(row->brief);
	free(row->text);
	*row = (struct store_row){ 0 };
}
