/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/list_row.h"

#include <stdio.h>
#include <string.h>

#include "lib/utf8.h"
#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_print.h"
#include "report/job_view.h"

const char *const list_heads[LIST_COLUMNS] = { "JobID", "User",	   "JobName", "State",	"Elapsed",
					       "Nodes", "Profile", "Read",    "Written" };

int list_width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

void list_cut(char *text, int max)
{
	int width = 0;

	if (list_width_of(text) <= max)
		return;
	for (; *text; text++) {
		width += ((unsigned char)*text & 0xc0) != 0x80;
		if (width == max) {
			strcpy(text, "+");
			return;
		}
	}
}

static void put_some(struct list_row *row, enum list_column column, const char *text, size_t size)
{
	char *word = row->word[column];

	/* one character more than fits, for list_cut() to see that there are */
	utf8_clean(word, sizeof(row->word[column]), size ? text : "-", size ? size : 1);
	list_cut(word, LIST_NAME_MAX);
}

static void put(struct list_row *row, enum list_column column, const char *text)
{
	put_some(row, column, text, strlen(text));
}

static void put_bytes(struct list_row *row, enum list_column column, int64_t bytes, bool is_wide)
{
	char text[JOB_ELAPSED] = "";

	if (bytes >= 0)
		job_bytes(bytes, text);
	if (*text && is_wide)
		strcat(text, "*");
	put(row, column, text);
}

const char *list_user_of(const struct job_report *r)
{
	return r->slurm ? r->slurm->user : job_user_of(r);
}

bool list_is_of_slurm(const struct job_report *r)
{
	return job_is_of_slurm(r) || (r->slurm && !r->is_old_run && !job_is_before_slurm(r));
}

static void put_state(struct list_row *row, const struct job_report *r)
{
	const char *state = list_is_of_slurm(r) ? r->slurm->state : "";

	/* "CANCELLED by 1000" */
	put_some(row, LIST_STATE, state, strcspn(state, " "));
	row->tone = *state ? job_state_tone(row->word[LIST_STATE]) : TONE_END;
}

/* As Slurm has it; without its word, as the nodes have. */
static void put_elapsed(struct list_row *row, const struct job_report *r)
{
	char text[JOB_ELAPSED];
	double seconds = -1;

	if (list_is_of_slurm(r))
		seconds = (double)r->slurm->elapsed_s;
	if (seconds < 0 && job_time_of(r).seconds > 0)
		seconds = job_time_of(r).seconds;
	put(row, LIST_ELAPSED, seconds >= 0 ? job_elapsed(seconds, text) : "");
}

static void put_moved(struct list_row *row, const struct summary *s)
{
	bool is_wide = s->scope == SUMMARY_SCOPE_NODE;

	put_bytes(row, LIST_READ, s->rd_bytes, is_wide);
	put_bytes(row, LIST_WRITTEN, s->wr_bytes, is_wide);
}

void list_row_fill(struct list_row *row, const struct job_report *r)
{
	char text[24];

	put(row, LIST_ID, r->id);
	put(row, LIST_USER, list_user_of(r));
	put(row, LIST_NAME, r->slurm ? r->slurm->name : "");
	put_state(row, r);
	put_elapsed(row, r);
	snprintf(text, sizeof(text), "%lld", (long long)job_nodes_of(r));
	put(row, LIST_NODES, job_nodes_of(r) >= 0 ? text : "");
	put(row, LIST_PROFILE, r->summary.prof);
	put_moved(row, &r->summary);
}

/* "3 tasks of 25" */
static void put_family(struct list_row *row, const char *id, size_t count)
{
	char text[80];

	snprintf(text, sizeof(text), "%zu %s%s of %.*s", count,
		 strchr(id, '_') ? "task" : "component", count == 1 ? "" : "s",
		 (int)strcspn(id, "_+"), id);
	put(row, LIST_ID, text);
}

/* The word of one more: what all have stays. */
static void join(struct list_row *row, const struct list_row *one, enum list_column column)
{
	if (strcmp(row->word[column], one->word[column]) != 0)
		put(row, column, "mixed");
}

static void join_states(struct list_row *row, size_t done, size_t count)
{
	char text[64];

	snprintf(text, sizeof(text), "%zu of %zu COMPLETED", done, count);
	put(row, LIST_STATE, text);
}

void list_row_sum(struct list_row *row, struct job_report *const *reports, size_t count)
{
	struct list_row one;
	struct summary sum;
	size_t i, done = 0;
	bool is_same = true;

	list_row_fill(row, reports[0]);
	for (i = 0; i < count; i++) {
		list_row_fill(&one, reports[i]);
		join(row, &one, LIST_USER);
		join(row, &one, LIST_NAME);
		join(row, &one, LIST_PROFILE);
		is_same &= !strcmp(row->word[LIST_STATE], one.word[LIST_STATE]);
		done += one.tone == TONE_GOOD;
		/* one that went wrong is what matters of all */
		if (one.tone == TONE_BAD || row->tone == TONE_GOOD)
			row->tone = one.tone;
	}
	if (!is_same)
		join_states(row, done, count);
	put_family(row, reports[0]->id, count);
	put(row, LIST_ELAPSED, "");
	put(row, LIST_NODES, "");
	job_family_sum(reports, count, &sum);
	put_moved(row, &sum);
}

void list_row_advice(const struct job_report *report, char *out)
{
	struct advice first;

	if (job_advice_first(report, &first))
		snprintf(out, LIST_ADVICE, "%s %s", first.code, first.what);
	else
		snprintf(out, LIST_ADVICE, "-");
}

bool list_has_users(struct job_report *const *reports, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (strcmp(list_user_of(reports[0]), list_user_of(reports[i])) != 0)
			return true;
	return false;
}

bool list_is_wide(const struct job_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->reports[i]->summary.scope == SUMMARY_SCOPE_NODE)
			return true;
	return false;
}
