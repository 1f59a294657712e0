/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_source.h - ask the ledger, whose link is opened once
 *
 * Terms   source: job_report.h has it.
 * Owner   answers are malloc'ed.
 * Errors  NULL, the reason in *err. A link that has failed is not tried again:
 *           the reason stays the same.
 * Runs    jobio's commands; any user.
 */
#ifndef JOBIO_REPORT_JOB_SOURCE_H
#define JOBIO_REPORT_JOB_SOURCE_H

#include "lib/err.h"
#include "report/job_report.h"

char *job_source_call(struct job_source *source, const char *request, struct err *err);

/* The cluster whose jobs sacct lists here, or while it lists none this host's: a
 * ledger of several clusters has other jobs of the same number. NULL: nobody
 * knows. */
const char *job_source_cluster(struct job_source *source);

#endif
