/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_timeline.h - when a job read and wrote, as a line of text and as JSON
 *
 * Terms   run: from the first start of a node to the last end.
 * Owner   the JSON is the caller's.
 * Errors  none; those of 'out' stay in it.
 * Runs    job_io.c, job_json.c.
 */
#ifndef JOBIO_REPORT_JOB_TIMELINE_H
#define JOBIO_REPORT_JOB_TIMELINE_H

#include <stdio.h>

#include "report/job_report.h"

struct json;

/* The whole run, with a blank where nothing was moved; nothing without rows. */
void job_print_timeline(FILE *out, const struct job_report *report, const struct timeline *line);
/* From the summary: "3 bursts"; nothing where it has no shape. */
void job_print_shape(FILE *out, const struct summary *summary);

/* A list: one object for each filesystem, added up over the nodes; NULL where not
 * all records are there. */
void job_timelines_json(struct json *top, const struct job_report *report);

#endif
