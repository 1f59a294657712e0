/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_row.h - what a row of sacct tells of a job
 *
 * Terms   row: sacct.h.
 * Owner   job_report_free(); the rows are borrowed.
 * Errors  NULL, the reason in *err.
 * Runs    jobio report; any user.
 */
#ifndef JOBIO_REPORT_JOB_ROW_H
#define JOBIO_REPORT_JOB_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "report/job_report.h"
#include "report/sacct.h"

/* Of any row, as far as it tells. */
struct job_report *job_row_listed(const struct sacct_row *row);

/* Of the job with this id; *is_early: it is yet to end. */
struct job_report *job_row_find(const struct job_source *source, const char *id, bool *is_early,
				struct err *err);

/* As job_report_family(). */
size_t job_row_family(const struct sacct_rows *rows, const char *id, char (*ids)[JOB_ID_SIZE],
		      size_t max);

#endif
