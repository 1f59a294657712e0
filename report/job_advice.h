/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_advice.h - what to change about a job, as text and as JSON
 *
 * Terms   at most five lines of text, unless all are wanted.
 * Owner   the array is the caller's: json_object_put().
 * Errors  none; those of 'out' stay in it. NULL: there are no records.
 * Runs    jobio report.
 */
#ifndef JOBIO_REPORT_JOB_ADVICE_H
#define JOBIO_REPORT_JOB_ADVICE_H

#include <stdio.h>

#include "report/job_report.h"

struct json_object;

void job_print_advice(FILE *out, const struct job_report *report);
struct json_object *job_advice_json(const struct job_report *report);

#endif
