/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/run_row.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/merge.h"
#include "ledger/nodes.h"
#include "ledger/store_ops.h"

#define AHEAD_MAX_S 86400.0	  /* largest lead of a clock */
#define RUN_MAX_S (366 * 86400.0) /* longest run */
#define BLANK_S 1.0		  /* longest blank record */
#define NO_TIME_S 0.001

static bool is_blank(const struct record *r)
{
	return r->restart < 0 && r->flags & RECORD_FLAG(START_UNKNOWN) &&
	       r->end - r->start < BLANK_S && !record_weight(r);
}

bool run_row_is_blank(const struct record *r, const struct run_row *run)
{
	return is_blank(r) || run->last < run->first;
}

double run_row_end(const struct record *r, int64_t now_s)
{
	double ahead = (double)now_s + AHEAD_MAX_S;

	if (is_blank(r))
		return r->start - NO_TIME_S;
	if (r->end <= r->start || r->end - r->start > RUN_MAX_S ||
	    (r->start <= ahead && r->end > ahead))
		return r->start;
	return r->end;
}

struct run_row run_row_new(const struct record *r, int64_t now_s)
{
	return (struct run_row){ .restart = RECORD_UNKNOWN,
				 .nodes_expected = RECORD_UNKNOWN,
				 .array_job = RECORD_UNKNOWN,
				 .array_task = RECORD_UNKNOWN,
				 .het_job = RECORD_UNKNOWN,
				 .het_offset = RECORD_UNKNOWN,
				 .next_try = RECORD_UNKNOWN,
				 .first = r->start,
				 .last = run_row_end(r, now_s) };
}

/* Return the largest gap in seconds between a record and its run. */
static double slop_of(const struct record *r, const struct run_row *run)
{
	bool is_same_run = run->restart >= 0 && run->restart == r->restart && run->nodelist &&
			   r->nodelist && !strcmp(run->nodelist, r->nodelist);

	return is_same_run ? STORE_SKEW_S : STORE_SLOP_S;
}

double run_row_distance(const struct record *r, double end, const struct run_row *run)
{
	double gap = 0;
	bool is_elsewhere = run->nodelist && r->nodelist && strcmp(run->nodelist, r->nodelist) != 0;

	if (run->restart >= 0 && r->restart >= 0 && run->restart != r->restart)
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

bool run_row_is_better(const struct record *r, const char *text, size_t size, const char *old_text,
		       size_t old_size)
{
	struct record *old = record_parse(old_text, old_size, NULL);
	bool is_better = !old || merge_is_better(r, merge_digest(text, size), old,
						 merge_digest(old_text, old_size));

	record_free(old);
	return is_better;
}

void run_row_update(struct run_row *run, const struct record *r, int64_t now_s)
{
	bool is_first = run->last < run->first, has_times = is_first || !is_blank(r);
	struct nodes *nodes;

	if (is_first || (has_times && r->start < run->first))
		run->first = r->start;
	if (is_first || (has_times && run_row_end(r, now_s) > run->last))
		run->last = run_row_end(r, now_s);
	if (run->restart < 0)
		run->restart = r->restart;
	if (r->array_job >= 0) {
		run->array_job = r->array_job;
		run->array_task = r->array_task;
	}
	if (r->het_job >= 0) {
		run->het_job = r->het_job;
		run->het_offset = r->het_offset;
	}
	if (!r->nodelist || (run->nodelist && (strlen(run->nodelist) > strlen(r->nodelist) ||
					       (strlen(run->nodelist) == strlen(r->nodelist) &&
						strcmp(run->nodelist, r->nodelist) >= 0))))
		return;
	record_set(&run->nodelist, r->nodelist);
	nodes = nodes_expand(run->nodelist, NULL);
	run->nodes_expected = nodes ? (int64_t)nodes->count : RECORD_UNKNOWN;
	nodes_free(nodes);
}

int64_t run_row_due(const struct run_row *run, int64_t now_s, unsigned int grace_s)
{
	if (run->nodes_expected >= 0 && run->nodes_seen >= run->nodes_expected)
		return now_s;
	if (run->next_try >= 0 && run->next_try < now_s + grace_s)
		return run->next_try;
	return now_s + grace_s;
}

void store_run_free(struct store_run *run)
{
	free(run->cluster);
	free(run->summary);
	free(run->error);
	free(run->judged);
	memset(run, 0, sizeof(*run));
}
