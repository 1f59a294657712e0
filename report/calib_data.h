/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_data.h - what a calibration measured: by fio, and by jobio itself
 *
 * Terms   run: one answer of fio (--output-format=json), of one shape.
 *         cell: all runs of one shape under one setting.
 *         moved: bytes and calls that a job's runs moved together; 'aio_' is
 *           the part of them that went through libaio.
 *         told: the same as jobio's record of the job has it, on the files of
 *           the directory; RECORD_UNKNOWN: it does not say.
 *         why: what is wrong with a job; "": nothing. A job that did not have
 *           what it asked for, or whose runs are not all there, is in no cell.
 *           One whose record disagrees is.
 * Owner   calib_data_free(); the plan is borrowed.
 * Errors  -1 and a sentence.
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_CALIB_DATA_H
#define JOBIO_REPORT_CALIB_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/record.h"
#include "report/calib_plan.h"
#include "report/job_report.h"
#include "report/samples.h"

struct calib_run {
	int64_t bytes, calls, ms;
	double latency_us; /* of one call; 0: fio does not say */
};

/* What fio wrote: notes may stand in front of its JSON. */
int calib_run_parse(const char *text, bool is_write, struct calib_run *run, struct err *err);

struct calib_cell {
	struct samples Bps, iops, latency_us;
	size_t short_runs; /* shorter than a second */
};

struct calib_moved {
	int64_t read_bytes, read_calls, write_bytes, write_calls;
};

struct calib_job {
	char id[16]; /* "": it was not submitted */
	char node[RECORD_NAME_MAX];
	char fstype[32], mount[256]; /* of the folder, as the node has it; "" */
	struct calib_run *runs;	     /* by shape */
	bool *has_run;
	size_t run_count; /* that are there */
	struct calib_moved moved, aio, told;
	char source[RECORD_WORD_MAX]; /* of told; "": none */
	uint32_t flags;
	char why[ERR_MAX];
	bool is_judged, is_lacking, disagrees;
};

struct calib_data {
	const struct calib_plan *plan;
	struct calib_job *jobs;	  /* by turn */
	struct calib_cell *cells; /* by setting and shape */
};

void calib_data_init(struct calib_data *data, const struct calib_plan *plan);
void calib_data_free(struct calib_data *data);

/* Take what fio wrote of one run of a job; 'name': of the shape, or layout. */
int calib_data_take(struct calib_data *data, size_t job, const char *name, const char *text,
		    struct err *err);

/* Compare a job with its report, about the files in 'folder'. What is wrong is in
 * job->why. */
void calib_job_judge(struct calib_job *job, const struct calib_plan *plan,
		     const struct calib_setting *setting, const struct job_report *report,
		     const char *folder);

/* Fill the cells from the jobs that have nothing wrong but their record. Returns
 * how many jobs that are. */
/* Has it all runs, and got what it asked for? */
bool calib_data_is_whole(const struct calib_data *data, size_t job);
size_t calib_data_count(struct calib_data *data);

struct calib_cell *calib_data_cell(const struct calib_data *data, size_t setting, size_t shape);

#endif
