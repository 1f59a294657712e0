/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_view.h - what every form of a report says of a job in the same words
 *
 * Terms   first, last: seconds since 1970 by the nodes' clocks, or by Slurm's
 *           where there are no records; < 0 unknown. seconds: 0 unknown.
 *           apart: by which clocks of nodes differ (run.h).
 * Owner   texts are the report's, or in 'out', of JOB_ELAPSED bytes.
 * Errors  none.
 * Runs    jobio's commands.
 */
#ifndef JOBIO_REPORT_JOB_VIEW_H
#define JOBIO_REPORT_JOB_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "report/job_report.h"
#include "report/tone.h"

#define JOB_ELAPSED 32

struct job_time {
	double first, last, seconds, apart;
};

/* "2026-11-15 12:30:05", here; "?": no such time. */
const char *job_clock(double when, char out[JOB_ELAPSED]);
/* NULL is "". */
bool job_is_same_text(const char *a, const char *b);
/* Two struct record_change. */
bool job_is_same_change(const void *one, const void *other);
/* Have all its nodes reported, and is none left out? */
bool job_is_whole(const struct job_report *report);
struct job_time job_time_of(const struct job_report *report);

/* "1-02:03:04", "00:00:28", as Slurm writes it */
const char *job_elapsed(double seconds, char *out);

/* "" unknown */
const char *job_user_of(const struct job_report *report);
int64_t job_nodes_of(const struct job_report *report); /* RECORD_UNKNOWN */

/* Is what sacct says of the run that is shown, not of a newer one? */
bool job_is_of_slurm(const struct job_report *report);
/* Had all nodes of the run ended before the one began, or waits to, of which sacct
 * speaks? Of a run without records nobody knows, and then: no. */
bool job_is_before_slurm(const struct job_report *report);

enum tone job_state_tone(const char *state);

#endif
