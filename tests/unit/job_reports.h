/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_reports.h - reports that have a name only, and how many of them nobody has
 * freed; in the place of report/job_report.c */
#ifndef JOBIO_TESTS_UNIT_JOB_REPORTS_H
#define JOBIO_TESTS_UNIT_JOB_REPORTS_H

#include <stdlib.h>
#include <string.h>

#include "report/job_report.h"

static size_t job_reports;

static struct job_report *job_report_named(const char *id)
{
	struct job_report *r = calloc(1, sizeof(*r));

	r->id = strdup(id);
	job_reports++;
	return r;
}

void job_report_free(struct job_report *report)
{
	if (!report)
		return;
	job_reports--;
	free(report->id);
	free(report);
}

#endif
