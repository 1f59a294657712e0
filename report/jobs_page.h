/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_page.h - the jobs of a command line, as one HTML file (page.h)
 *
 * Terms   group: what one word names: "7", or "25", "25_[1-3]", "26": tasks of an array,
 *           components of a heterogeneous job, of which there is a sum.
 *         unknown: members of it that nobody knows; count 0: nobody knows it, 'why'.
 * Owner   job_group_clear() frees the reports; 'id' is borrowed.
 * Errors  -1, the reason in *err; an older file stays as it was.
 * Runs    jobio report; any user.
 */
#ifndef JOBIO_REPORT_JOBS_PAGE_H
#define JOBIO_REPORT_JOBS_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "report/job_report.h"

struct job_group {
	const char *id;
	struct job_report **reports;
	size_t count, unknown;
	bool is_family;
	struct err why;
};

void job_group_clear(struct job_group *group);

/* Replace 'file' by a page of them, of LIST_PAGE_ROWS lines at most. */
int jobs_page_write(const char *file, const struct job_group *groups, size_t count,
		    struct err *err);

#endif
