/* SPDX-License-Identifier: GPL-2.0-or-later */
/* records.h - a report that a test makes up, of a job with some records
 *
 * records_take() adds a node's record to 'report', records_end() frees them all.
 * The rest of 'report' is the test's; 'limits' and 'slurm' are there for it. */
#ifndef JOBIO_TESTS_UNIT_RECORDS_H
#define JOBIO_TESTS_UNIT_RECORDS_H

#include <check.h>
#include <string.h>

#include "report/job_report.h"

#define RECORDS_MAX 410

static struct record *records[RECORDS_MAX];
static struct job_report report;
static struct config_advice limits;
static struct sacct_row slurm; /* of which a test makes use */

static void records_take(const char *text)
{
	struct err err = { "" };

	ck_assert_uint_lt(report.record_count, RECORDS_MAX);
	records[report.record_count] = record_parse(text, strlen(text), &err);
	ck_assert_msg(records[report.record_count] != NULL, "%s: %s", text, err.text);
	report.records = records;
	report.record_count++;
}

static void records_end(void)
{
	while (report.record_count)
		record_free(records[--report.record_count]);
}

/* Of a histogram: its first 60 numbers. */
#define ZEROS_10 "0,0,0,0,0,0,0,0,0,0,"
#define ZEROS_60 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10

/* One of a record's changes. */
#define CHANGE(target, restored, made)                                                             \
	"{\"client\":\"a\",\"what\":\"mount-option\",\"target\":\"" target                         \
	"\",\"old\":\"x\",\"new\":\"y\",\"restored\":" restored ",\"made\":" made "}"

#endif
