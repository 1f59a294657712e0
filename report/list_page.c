/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many jobs as a page: no network, no script, as that of a job. */
#include <time.h>

#include "report/list_table.h"
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
	const char *user = list->count && !list_has_users(list->reports, list->count)
				   ? list_user_of(list->reports[0])
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

static void put_table(struct page *page, const struct job_list *list)
{
	const struct list_table table = { page, list_has_users(list->reports, list->count) };
	size_t i;

	list_table_begin(&table, "A line for each job", "Advice");
	for (i = 0; i < list->count && i < LIST_PAGE_ROWS; i++)
		list_table_job(&table, list->reports[i], NULL);
	page_table_end(page);
}

static void put_notes(struct page *page, const struct job_list *list,
		      const struct job_list_query *query)
{
	if (list_is_wide(list))
		page_raw(page, "<p class=\"warn\">%s.</p>\n", LIST_WIDE_NOTE);
	if (list->count > LIST_PAGE_ROWS)
		page_raw(page,
			 "<p>%zu more: a page has %d jobs at most, --csv has all of them.</p>\n",
			 list->count - LIST_PAGE_ROWS + list->left_out, LIST_PAGE_ROWS);
	else if (list->left_out)
		page_raw(page, "<p>%zu more: --limit=%zu shows them.</p>\n", list->left_out,
			 query->limit + list->left_out);
	if (*list->why_not_ledger) {
		page_say(page, "<p class=\"warn\">From sacct alone, without advice: ",
			 list->why_not_ledger, ".</p>\n");
	}
}

int job_list_page(const char *file, const struct job_list *list, const struct job_list_query *query,
		  struct err *err)
{
	struct page page = { 0 };

	page_open(&page);
	put_head(&page, list, query);
	if (list->count)
		put_table(&page, list);
	else
		page_raw(&page, "<p>No jobs.</p>\n");
	put_notes(&page, list, query);
	page_end(&page);
	return page_save(file, &page, err);
}
