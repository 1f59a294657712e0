/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_print.h - how a report looks: as text, as JSON, as CSV
 *
 * Terms   each form is a file of its name: job_text.c, job_json.c, job_csv.c,
 *           job_family.c.
 * Errors  none; those of 'out' stay in it.
 * Runs    jobio report; text is in the user's locale.
 */
#ifndef JOBIO_REPORT_JOB_PRINT_H
#define JOBIO_REPORT_JOB_PRINT_H

#include <stdio.h>

#include "report/job_report.h"

struct json;

/* Several tasks of an array or components of job 'id': their sum, and a line
 * each; nothing is known of 'unknown' more. */
void job_print_family(const char *id, struct job_report *const *reports, size_t count,
		      size_t unknown, FILE *out);
/* Their numbers, added up; node-wide where one's are. */
void job_family_sum(struct job_report *const *reports, size_t count, struct summary *sum);
void job_print_text(const struct job_report *report, FILE *out);
/* The sums of a summary, as the ledger answers them; the caller's. */
void job_totals_json(struct json *top, const struct summary *summary);
void job_print_json(const struct job_report *report, FILE *out);
void job_print_csv_head(FILE *out);
/* With a comma: in quotes; nothing of what is negative. */
void job_csv_text(FILE *out, const char *text);
void job_csv_number(FILE *out, int64_t number);
void job_print_csv(const struct job_report *report, FILE *out);

#endif
