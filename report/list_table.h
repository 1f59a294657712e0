/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_table.h - jobs as lines of a table on a page
 *
 * Terms   more: columns behind those of a list, "Remarks|Advice": who writes a line
 *           adds their cells, and list_table_line_end().
 *         sum: a line that stands for those behind it.
 * Owner   nothing.
 * Errors  none; those of the page's 'out' stay in it.
 * Runs    jobio report --html.
 */
#ifndef JOBIO_REPORT_LIST_TABLE_H
#define JOBIO_REPORT_LIST_TABLE_H

#include <stdbool.h>

#include "report/list_row.h"
#include "report/page_out.h"

struct list_table {
	struct page *page;
	bool has_users; /* a column of users */
};

void list_table_begin(const struct list_table *table, const char *caption, const char *more);
void list_table_line(const struct list_table *table, const struct list_row *row, bool is_sum);
/* Of a job, its first advice in the last cell; 'remark' NULL: no cell of it. */
void list_table_job(const struct list_table *table, const struct job_report *r,
		    void (*remark)(struct page *page, const struct job_report *r));

#endif
