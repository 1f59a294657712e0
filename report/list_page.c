/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many jobs as a page: no network, no script, as that of a job. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/job_view.h"
#include "report/list_row.h"
#include "report/page_out.h"
#include "report/when.h"

/* Who reads it later wants to know when "now" was. */
static void fact_time(struct page *page, const char *name, const char *when)
{
	char text[WHEN_SIZE];
	int64_t when_s;

	if (when_parse(when, time(NULL), &when_s, NULL) == 0)
		when = when_text(when_s, text);
	page_fact(page, name, when);
}

static void put_head(struct page *page, const struct job_list *list,
		     const struct job_list_query *query)
{
	const char *user = list->count && !list_has_users(list)
				   ? list->reports[0]->slurm->user
				   : "";
	char text[24];

	page_begin(page, *user ? "Jobs of " : "Jobs", user);
	page_raw(page, *user ? "<h1>Jobs of " : "<h1>Jobs");
	page_put(page, user);
	page_raw(page, "</h1>\n<dl>\n");
	page_fact(page, "Users", query->users);
	page_fact(page, "Accounts", query->accounts);
	fact_time(page, "From", query->since);
	fact_time(page, "To", query->until);
	page_fact(page, "States", query->states);
	page_fact(page, "Sorted by", job_list_sorted_by(query));
	snprintf(text, sizeof(text), "%zu", list->count + list->left_out);
	page_fact(page, "Jobs", text);
	page_raw(page, "</dl>\n");
}

static void put_state(struct page *page, const char *state)
{
	enum tone which = job_state_tone(state);

	if (which == TONE_GOOD || which == TONE_BAD)
		page_raw(page, "<td class=\"%s\">",
			 which == TONE_GOOD ? "good" : "bad");
	else
		page_raw(page, "<td>");
	page_put(page, state);
	page_raw(page, "</td>");
}

static void put_row(struct page *page, const struct job_report *report,
		    bool has_users)
{
	char advice[LIST_ADVICE];
	struct list_row row;
	int k;

	list_row_fill(&row, report);
	list_row_advice(report, advice);
	page_raw(page, "<tr><th scope=\"row\">");
	page_put(page, row.word[LIST_ID]);
	page_raw(page, "</th>");
	for (k = LIST_ID + 1; k < LIST_COLUMNS; k++)
		if (k == LIST_STATE)
			put_state(page, row.word[k]);
		else if (k != LIST_USER || has_users)
			page_cell(page, row.word[k]);
	page_cell(page, advice);
	page_raw(page, "</tr>\n");
}

static void put_table(struct page *page, const struct job_list *list)
{
	bool has_users = list_has_users(list);
	char head[200] = "";
	size_t i;
	int k;

	for (k = 0; k < LIST_COLUMNS; k++)
		if (k != LIST_USER || has_users) {
			strcat(head, list_heads[k]);
			strcat(head, "|");
		}
	strcat(head, "Advice");
	page_table(page, "A line for each job", head);
	for (i = 0; i < list->count && i < LIST_PAGE_ROWS; i++)
		put_row(page, list->reports[i], has_users);
	page_table_end(page);
}

static void put_notes(struct page *page, const struct job_list *list,
		      const struct job_list_query *query)
{
	if (list_is_wide(list))
		page_raw(page, "<p class=\"warn\">%s.</p>\n", LIST_WIDE_NOTE);
	if (list->count > LIST_PAGE_ROWS)
		page_raw(page,
			 "<p>%zu more: a page has %d jobs at most, --csv has "
			 "all of them.</p>\n",
			 list->count - LIST_PAGE_ROWS + list->left_out,
			 LIST_PAGE_ROWS);
	else if (list->left_out)
		page_raw(page, "<p>%zu more: --limit=%zu shows them.</p>\n",
			 list->left_out, query->limit + list->left_out);
	if (*list->why_not_ledger) {
		page_raw(page, "<p class=\"warn\">From sacct alone, without "
			       "advice: ");
		page_put(page, list->why_not_ledger);
		page_raw(page, ".</p>\n");
	}
}

int job_list_page(const char *file, const struct job_list *list,
		  const struct job_list_query *query, struct err *err)
{
	struct page page = { 0 };
	char *text = NULL;
	size_t size = 0;
	int rc = -1;

	page.out = open_memstream(&text, &size);
	if (!page.out)
		return err_set(err, "page: out of memory");
	put_head(&page, list, query);
	if (list->count)
		put_table(&page, list);
	else
		page_raw(&page, "<p>No jobs.</p>\n");
	put_notes(&page, list, query);
	page_end(&page);
	if (fclose(page.out) == 0)
		rc = page_save(file, text, err);
	else
		err_set(err, "page: out of memory");
	free(text);
	return rc;
}
