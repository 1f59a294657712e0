/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/list_table.h"

#include <string.h>

void list_table_begin(const struct list_table *table, const char *caption, const char *more)
{
	char head[200] = "";
	int k;

	for (k = 0; k < LIST_COLUMNS; k++)
		if (k != LIST_USER || table->has_users) {
			strcat(head, list_heads[k]);
			strcat(head, "|");
		}
	strcat(head, more);
	page_table(table->page, caption, head);
}

static void put_cell(struct page *page, const char *class, const char *text)
{
	if (*class)
		page_raw(page, "<td class=\"%s\">", class);
	else
		page_raw(page, "<td>");
	page_put(page, text);
	page_raw(page, "</td>");
}

static const char *class_of(const struct list_row *row, int column, bool is_sum)
{
	if (column == LIST_STATE && row->tone == TONE_GOOD)
		return is_sum ? "good sum" : "good";
	if (column == LIST_STATE && row->tone == TONE_BAD)
		return is_sum ? "bad sum" : "bad";
	return is_sum ? "sum" : "";
}

void list_table_line(const struct list_table *table, const struct list_row *row, bool is_sum)
{
	struct page *page = table->page;
	int k;

	page_raw(page, "<tr><th scope=\"row\">");
	page_put(page, row->word[LIST_ID]);
	page_raw(page, "</th>");
	for (k = LIST_ID + 1; k < LIST_COLUMNS; k++)
		if (k != LIST_USER || table->has_users)
			put_cell(page, class_of(row, k, is_sum), row->word[k]);
}

void list_table_job(const struct list_table *table, const struct job_report *r,
		    void (*remark)(struct page *page, const struct job_report *r))
{
	char advice[LIST_ADVICE];
	struct list_row row;

	list_row_fill(&row, r);
	list_table_line(table, &row, false);
	if (remark)
		remark(table->page, r);
	list_row_advice(r, advice);
	page_cell(table->page, advice);
	page_raw(table->page, "</tr>\n");
}
