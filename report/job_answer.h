/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_answer.h - what the ledger answers about a job, into its report
 *
 * Terms   answer: "{"ok":true,..,"records":[{..},{..}],..}", or the part of a longer
 *           one. The records are long, and are parsed once, by themselves; the
 *           head has all the rest.
 * Owner   job_answer_close(); 'records' and 'end' are in the text that was
 *           opened.
 * Errors  -1; the reason in *err where there is one.
 * Runs    jobio report.
 */
#ifndef JOBIO_REPORT_JOB_ANSWER_H
#define JOBIO_REPORT_JOB_ANSWER_H

#include <stddef.h>

#include "lib/err.h"
#include "report/job_report.h"

struct json_object;

struct job_answer {
	struct json_object *head;
	const char *records, *end; /* "[{..},{..}]"; NULL: none */
};

/* Of 'size' bytes of a longer text; *a all zero before. */
int job_answer_open(struct job_answer *a, const char *text, size_t size);
void job_answer_close(struct job_answer *a);

/* Add its records; those of later versions are left out. */
void job_answer_records(struct job_report *r, const struct job_answer *a);

/* What an answer that is not ok says; -1. */
int job_answer_refused(struct json_object *top, struct err *err);

/* All but the records. */
int job_answer_head(struct job_report *r, struct json_object *top, struct err *err);

#endif
