/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_view.h - a report of a job that runs, from what its nodes have answered
 *
 * Terms   blind: a node whose kernel counts nothing of the job before its processes
 *           end (jobio-count: tier exit or none). What it has is left out: half of
 *           a number is no number.
 *         A node that answered before and is silent now is shown as it was.
 * Owner   job_report_free(); 'slurm' and 'look' are borrowed, and must outlive it.
 * Errors  none.
 * Runs    jobio report --live. Answers are checked as records are; those of
 *           another job are none.
 */
#ifndef JOBIO_REPORT_LIVE_VIEW_H
#define JOBIO_REPORT_LIVE_VIEW_H

#include <stdint.h>

#include "lib/look.h"
#include "report/job_report.h"

struct job_report *live_view_new(const char *id, uint32_t job, const struct sacct_row *slurm,
				 const struct looks *looks, unsigned int ask,
				 struct job_look *look);

#endif
