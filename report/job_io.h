/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_io.h - what a job read and wrote, as text
 *
 * Terms   seconds: how long the job ran, 0 unknown.
 * Owner   job_bytes() and job_count() return 'out', of 16 bytes, or a constant.
 * Errors  none; those of 'out' stay in it.
 * Runs    job_text.c, job_family.c.
 */
#ifndef JOBIO_REPORT_JOB_IO_H
#define JOBIO_REPORT_JOB_IO_H

#include <stdint.h>
#include <stdio.h>

#include "report/job_report.h"

/* "1.21GiB", "3.4M"; negative: "unknown". */
const char *job_bytes(int64_t number, char *out);
const char *job_count(int64_t number, char *out);

/* Microseconds as "4.2ms". */
const char *job_spent(int64_t us, char *out);
/* What the best source of a record says of the job, added; 'when' is spoilt where
 * one of its lines that moved something has no timeline. */
void job_io_add(struct io *sum, struct timeline *when, const struct record *record);
/* Of a timeline's rows those that have some of it. */
double job_active_seconds(const struct timeline *line, enum timeline_lane lane);
/* The bins of a histogram that are not empty; false: none. */
bool job_find_bins(const int64_t *hist, int *first, int *last, int64_t *most);
/* Where a bin begins. */
void job_bin_text(int bin, bool is_time, char out[16]);

/* "; not given: profile, io-cores"; nothing when it got all. */
void job_print_lacks(FILE *out, const char *before, uint32_t lacks);
/* Two lines: what was read, what was written. */
void job_print_short(FILE *out, const struct job_report *report);
/* From the records: numbers, rates, peaks, metadata and histograms. */
void job_print_io(FILE *out, const struct job_report *report, double seconds);
/* From the summary, where there are no records or not all of them. */
void job_print_totals(FILE *out, const struct summary *summary);

#endif
