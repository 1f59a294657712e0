/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many jobs for people: a table, the columns as wide as they must be. */
#include <stdio.h>

#include "report/list_row.h"

#define NAME_MAX_WIDE 20
#define ADVICE_MIN_WIDE 16

struct table {
	const struct job_list *list;
	int width[LIST_COLUMNS];
	bool has_users;
};

static void fill(struct list_row *row, const struct job_report *report)
{
	list_row_fill(row, report);
	list_cut(row->word[LIST_NAME], NAME_MAX_WIDE);
}

static void measure(struct table *t)
{
	const struct job_list *list = t->list;
	struct list_row row;
	size_t i;
	int k, width;

	t->has_users = list_has_users(list->reports, list->count);
	for (k = 0; k < LIST_COLUMNS; k++)
		t->width[k] = list_width_of(list_heads[k]);
	for (i = 0; i < list->count; i++) {
		fill(&row, list->reports[i]);
		for (k = 0; k < LIST_COLUMNS; k++) {
			width = list_width_of(row.word[k]);
			if (width > t->width[k])
				t->width[k] = width;
		}
	}
}

static void print_cell(FILE *out, const struct table *t, enum list_column column, const char *text,
		       enum tone which)
{
	bool is_number = column == LIST_ELAPSED || column == LIST_NODES || column == LIST_READ ||
			 column == LIST_WRITTEN;
	int room = t->width[column] - list_width_of(text);

	if (column == LIST_USER && !t->has_users)
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

	for (k = 0; room > 0 && k < LIST_COLUMNS; k++)
		room -= k == LIST_USER && !t->has_users ? 0 : t->width[k] + 2;
	return room < ADVICE_MIN_WIDE ? ADVICE_MIN_WIDE : room;
}

/* In a pipe as long as it is. */
static void print_advice(FILE *out, const struct table *t, const struct job_report *r)
{
	char text[LIST_ADVICE];

	list_row_advice(r, text);
	if (tone_width())
		list_cut(text, advice_room(t));
	fputs(text, out);
}

static void print_row(FILE *out, const struct table *t, const struct job_report *r)
{
	struct list_row row;
	int k;

	fill(&row, r);
	for (k = 0; k < LIST_COLUMNS; k++)
		print_cell(out, t, (enum list_column)k, row.word[k],
			   k == LIST_STATE ? row.tone : TONE_END);
	print_advice(out, t, r);
	fputc('\n', out);
}

static void print_notes(FILE *out, const struct job_list *list, const struct job_list_query *query)
{
	if (list_is_wide(list))
		fputs(LIST_WIDE_NOTE "\n", out);
	if (list->left_out)
		fprintf(out, "%zu more: --limit=%zu shows them\n", list->left_out,
			query->limit + list->left_out);
	if (*list->why_not_ledger)
		fprintf(out, "from sacct alone, without advice: %s\n", list->why_not_ledger);
}

void job_list_print(FILE *out, const struct job_list *list, const struct job_list_query *query)
{
	struct table t = { .list = list };
	size_t i;
	int k;

	if (!list->count) {
		fprintf(out, "no jobs from %s to %s\n", query->since, query->until);
		return;
	}
	measure(&t);
	for (k = 0; k < LIST_COLUMNS; k++)
		print_cell(out, &t, (enum list_column)k, list_heads[k], TONE_STRONG);
	fprintf(out, "%sAdvice%s\n", tone(TONE_STRONG), tone(TONE_END));
	for (i = 0; i < list->count; i++)
		print_row(out, &t, list->reports[i]);
	print_notes(out, list, query);
}
