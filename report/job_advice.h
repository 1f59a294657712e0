/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_advice.h - what to change about a job, as text and as JSON
 *
 * Terms   at most five lines of text, unless all are wanted.
 * Owner   the array is the caller's: json_free().
 * Errors  none; those of 'out' stay in it. NULL: there are no records.
 * Runs    jobio report.
 */
#ifndef JOBIO_REPORT_JOB_ADVICE_H
#define JOBIO_REPORT_JOB_ADVICE_H

#include <stdio.h>

#include "advice/terms.h"
#include "report/job_report.h"

struct json;

/* jobio.conf of a command that judges jobs, and what its rules compare with: of it and
 * of its calibration; where that cannot be read, which is said in the name of the
 * command, without it. A host
 * without one in the usual place is no error: '*config' is NULL then, for 'why'.
 * COMMAND_OK, or the command's exit status: it has been said. */
int job_advice_config(struct config **config, struct config_advice *limits, const char *conf,
		      const char *command, struct err *why);

/* All of it, advice_free(); NULL: without records, or it is not wanted. */
struct advice_list *job_advice_of(const struct job_report *report);
/* The most valuable one, in '*first'; false: there is none, or too little to
 * judge. */
bool job_advice_first(const struct job_report *report, struct advice *first);
/* "A01 A17", the most valuable first. */
void job_advice_codes(FILE *out, const struct job_report *report);
void job_print_advice(FILE *out, const struct job_report *report);
void job_advice_json(struct json *top, const struct job_report *report);

#endif
