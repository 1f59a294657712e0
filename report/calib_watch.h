/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_watch.h - run the jobs of a calibration: submit, watch, collect, end
 *
 * Terms   over: it is no longer in the queue, and what it wrote was read.
 *         stopped: SIGINT, SIGTERM or SIGHUP came: nothing more is started.
 * Owner   what it points to is the caller's.
 * Errors  -1 and a sentence: nothing can be measured. What is wrong with one job
 *           is in its 'why'. Nothing is waited for longer than max_s of the
 *           plan, and never for a job that Slurm will not start.
 * Runs    jobio calibrate; progress goes to standard error.
 */
#ifndef JOBIO_REPORT_CALIB_WATCH_H
#define JOBIO_REPORT_CALIB_WATCH_H

#include <signal.h>

#include "report/calib_data.h"
#include "report/calib_folder.h"
#include "report/calib_slurm.h"

struct calib_watch {
	struct calib_plan *plan;
	struct calib_data *data;
	struct calib_folder *folder;
	struct calib_slurm *slurm;
	const struct config *config;
	volatile sig_atomic_t *is_stopped;
	unsigned long long start_ms;
	int is_progress_open; /* a line of it without its end */
	int has_jobs;	      /* or may have */
};

int calib_watch_submit(struct calib_watch *watch, struct err *err);
int calib_watch_run(struct calib_watch *watch, struct err *err);

/* Ask for jobio's records of all jobs that are whole, and compare. */
void calib_watch_judge(struct calib_watch *watch, char cluster[RECORD_NAME_MAX]);

/* Cancel what is in the queue, wait until it is gone, remove the folder. What
 * stays behind is said. */
int calib_watch_end(struct calib_watch *watch);

#endif
