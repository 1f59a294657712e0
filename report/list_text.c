/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many jobs for people: a table, the columns as wide as they must be. */
#include <stdlib.h>
#include <string.h>

#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_list.h"
#include "report/job_view.h"

#define NAME_MAX_WIDE 20
#define NAME_BYTES 100 /* more than so many characters have: cut() ends it */
#define ADVICE_MIN_WIDE 16

enum column {
	ID,
	USER, /* where there are several */
	NAME,
	STATE,
	ELAPSED,
	NODES,
	PROFILE,
	READ,
	WRITTEN,
	COLUMNS /* and advice, which ends the line */
};

static const char *const heads[COLUMNS] = { "JobID",   "User",	  "JobName",
					    "State",   "Elapsed", "Nodes",
					    "Profile", "Read",	  "Written" };

struct cells {
	char text[COLUMNS][NAME_BYTES + 1];
};

struct table {
	const struct job_list *list;
	int width[COLUMNS];
	bool has_users;
};

/* Characters, not bytes: those that begin one. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* At most so many characters; the last is a '+' when there were more. */
static void cut(char *text, int max)
{
	int width = 0;

	if (width_of(text) <= max)
		return;
	for (; *text; text++) {
		width += ((unsigned char)*text & 0xc0) != 0x80;
		if (width == max) {
			strcpy(text, "+");
			return;
		}
	}
}

static void put(struct cells *cells, enum column column, const char *text)
{
	snprintf(cells->text[column], sizeof(cells->text[column]), "%s",
		 *text ? text : "-");
}

static void fill(struct cells *c, const struct job_report *r)
{
	const struct sacct_row *job = r->slurm;
	const struct summary *s = &r->summary;
	char text[JOB_ELAPSED];

	put(c, ID, r->id);
	put(c, USER, job->user);
	put(c, NAME, job->name);
	cut(c->text[NAME], NAME_MAX_WIDE);
	/* "CANCELLED by 1000" */
	snprintf(c->text[STATE], sizeof(c->text[STATE]), "%.*s",
		 (int)strcspn(job->state, " "), job->state);
	put(c, ELAPSED,
	    job->elapsed_s >= 0 ? job_elapsed((double)job->elapsed_s, text)
				: "");
	snprintf(text, sizeof(text), "%lld", (long long)job_nodes_of(r));
	put(c, NODES, job_nodes_of(r) >= 0 ? text : "");
	put(c, PROFILE, s->prof);
	put(c, READ, s->rd_bytes >= 0 ? job_bytes(s->rd_bytes, text) : "");
	put(c, WRITTEN, s->wr_bytes >= 0 ? job_bytes(s->wr_bytes, text) : "");
	if (s->scope == SUMMARY_SCOPE_NODE) {
		if (s->rd_bytes >= 0)
			strcat(c->text[READ], "*");
		if (s->wr_bytes >= 0)
			strcat(c->text[WRITTEN], "*");
	}
}

static void measure(struct table *t)
{
	const struct job_list *list = t->list;
	struct cells cells;
	size_t i;
	int k, width;

	for (k = 0; k < COLUMNS; k++)
		t->width[k] = width_of(heads[k]);
	for (i = 0; i < list->count; i++) {
		fill(&cells, list->reports[i]);
		for (k = 0; k < COLUMNS; k++) {
			width = width_of(cells.text[k]);
			if (width > t->width[k])
				t->width[k] = width;
		}
		if (strcmp(list->reports[0]->slurm->user,
			   list->reports[i]->slurm->user) != 0)
			t->has_users = true;
	}
}

static void print_cell(FILE *out, const struct table *t, enum column column,
		       const char *text, enum tone which)
{
	bool is_number = column == ELAPSED || column == NODES ||
			 column == READ || column == WRITTEN;
	int room = t->width[column] - width_of(text);

	if (column == USER && !t->has_users)
		return;
	if (is_number)
		fprintf(out, "%*s", room, "");
	if (which == TONE_END)
		fprintf(out, "%s", text);
	else
		fprintf(out, "%s%s%s", tone(which), text, tone(TONE_END));
	if (!is_number)
		fprintf(out, "%*s", room, "");
	fputs("  ", out);
}

static int advice_room(const struct table *t)
{
	int room = tone_width(), k;

	for (k = 0; room > 0 && k < COLUMNS; k++)
		room -= k == USER && !t->has_users ? 0 : t->width[k] + 2;
	return room < ADVICE_MIN_WIDE ? ADVICE_MIN_WIDE : room;
}

/* In a pipe as long as it is. */
static void print_advice(FILE *out, const struct table *t,
			 const struct job_report *r)
{
	struct advice first;
	char text[sizeof(first.what) + 16];

	if (!job_advice_first(r, &first)) {
		fputs("-", out);
		return;
	}
	snprintf(text, sizeof(text), "%s %s", first.code, first.what);
	if (tone_width())
		cut(text, advice_room(t));
	fputs(text, out);
}

static void print_row(FILE *out, const struct table *t,
		      const struct job_report *r)
{
	struct cells cells;
	int k;

	fill(&cells, r);
	for (k = 0; k < COLUMNS; k++)
		print_cell(out, t, (enum column)k, cells.text[k],
			   k == STATE ? job_state_tone(cells.text[k])
				      : TONE_END);
	print_advice(out, t, r);
	fputc('\n', out);
}

static void print_notes(FILE *out, const struct job_list *list,
			const struct job_list_query *query)
{
	bool is_wide = false;
	size_t i;

	for (i = 0; i < list->count; i++)
		is_wide |=
			list->reports[i]->summary.scope == SUMMARY_SCOPE_NODE;
	if (is_wide)
		fputs("* NODE-WIDE, with whatever else ran there\n", out);
	if (list->left_out)
		fprintf(out, "%zu more: --limit=%zu shows them\n",
			list->left_out, query->limit + list->left_out);
	if (*list->why_not_ledger)
		fprintf(out, "from sacct alone, without advice: %s\n",
			list->why_not_ledger);
}

void job_list_print(FILE *out, const struct job_list *list,
		    const struct job_list_query *query)
{
	struct table t = { .list = list };
	size_t i;
	int k;

	if (!list->count) {
		fprintf(out, "no jobs from %s to %s\n", query->since,
			query->until);
		return;
	}
	measure(&t);
	for (k = 0; k < COLUMNS; k++)
		print_cell(out, &t, (enum column)k, heads[k], TONE_STRONG);
	fprintf(out, "%sAdvice%s\n", tone(TONE_STRONG), tone(TONE_END));
	for (i = 0; i < list->count; i++)
		print_row(out, &t, list->reports[i]);
	print_notes(out, list, query);
}
