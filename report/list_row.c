/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/list_row.h"

#include <stdio.h>
#include <string.h>

#include "lib/utf8.h"
#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_view.h"

const char *const list_heads[LIST_COLUMNS] = {
	"JobID", "User",    "JobName", "State",	 "Elapsed",
	"Nodes", "Profile", "Read",    "Written"
};

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

static void put_some(struct list_row *row, enum list_column column,
		     const char *text, size_t size)
{
	char *word = row->word[column];

	/* one character more than fits, for list_cut() to see that there are */
	utf8_clean(word, sizeof(row->word[column]), size ? text : "-",
		   size ? size : 1);
	list_cut(word, LIST_NAME_MAX);
}

static void put(struct list_row *row, enum list_column column, const char *text)
{
	put_some(row, column, text, strlen(text));
}

static void put_bytes(struct list_row *row, enum list_column column,
		      int64_t bytes, bool is_wide)
{
	char text[JOB_ELAPSED] = "";

	if (bytes >= 0)
		job_bytes(bytes, text);
	if (*text && is_wide)
		strcat(text, "*");
	put(row, column, text);
}

void list_row_fill(struct list_row *row, const struct job_report *r)
{
	const struct sacct_row *job = r->slurm;
	const struct summary *s = &r->summary;
	bool is_wide = s->scope == SUMMARY_SCOPE_NODE;
	char text[JOB_ELAPSED];

	put(row, LIST_ID, r->id);
	put(row, LIST_USER, job->user);
	put(row, LIST_NAME, job->name);
	/* "CANCELLED by 1000" */
	put_some(row, LIST_STATE, job->state, strcspn(job->state, " "));
	put(row, LIST_ELAPSED,
	    job->elapsed_s >= 0 ? job_elapsed((double)job->elapsed_s, text)
				: "");
	snprintf(text, sizeof(text), "%lld", (long long)job_nodes_of(r));
	put(row, LIST_NODES, job_nodes_of(r) >= 0 ? text : "");
	put(row, LIST_PROFILE, s->prof);
	put_bytes(row, LIST_READ, s->rd_bytes, is_wide);
	put_bytes(row, LIST_WRITTEN, s->wr_bytes, is_wide);
}

void list_row_advice(const struct job_report *report, char *out)
{
	struct advice first;

	if (job_advice_first(report, &first))
		snprintf(out, LIST_ADVICE, "%s %s", first.code, first.what);
	else
		snprintf(out, LIST_ADVICE, "-");
}

bool list_has_users(const struct job_list *list)
{
	size_t i;

	for (i = 1; i < list->count; i++)
		if (strcmp(list->reports[0]->slurm->user,
			   list->reports[i]->slurm->user) != 0)
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
