/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_answer.h - what the ledger answers about a job, into its report
 *
 * Terms   answer: "{"ok":true,..,"records":[{..},{..}],..}" as JSON, or a value of a
 *           longer one; 'text' is what all of it was read from.
 * Errors  -1; the reason in *err where there is one.
 * Runs    jobio report.
 */
#ifndef JOBIO_REPORT_JOB_ANSWER_H
#define JOBIO_REPORT_JOB_ANSWER_H

#include "lib/err.h"
#include "report/job_report.h"

struct json;

/* Add its records; those of later versions are left out. */
void job_answer_records(struct job_report *r, const struct json *answer, const char *text);

/* What an answer that is not ok says; -1. */
int job_answer_refused(const struct json *answer, struct err *err);

/* All but the records. */
int job_answer_head(struct job_report *r, const struct json *answer, struct err *err);

#endif
