/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_slurm.h - the jobs of one calibration in Slurm's queue
 *
 * Terms   name: of all its jobs, and of no others: with --dependency=singleton
 *           Slurm runs one of them at a time, in the order of submission, and
 *           what has to be cancelled is known by it.
 *         hopeless: a reason for waiting that does not end by itself.
 * Owner   plain values; 'extra' is borrowed.
 * Errors  -1 and a sentence that begins with the name of Slurm's command. errno
 *           ETIMEDOUT or EPROTO of a submission: there may be a job.
 * Runs    jobio calibrate. Every call has a deadline.
 */
#ifndef JOBIO_REPORT_CALIB_SLURM_H
#define JOBIO_REPORT_CALIB_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "report/calib_plan.h"

#define CALIB_ID 16

struct calib_slurm {
	char name[64];
	const char *folder, *script, *fio;
	char *const *extra; /* for sbatch; NULL-terminated */
};

int calib_slurm_submit(const struct calib_slurm *slurm, const struct calib_setting *setting,
		       size_t number, unsigned int limit_s, char id[CALIB_ID], struct err *err);

struct calib_queued {
	char id[CALIB_ID], state[24], reason[64], node[256];
};

/* What is in the queue: how many, or -1; *list is the caller's to free. */
int calib_slurm_queue(const struct calib_slurm *slurm, struct calib_queued **list, struct err *err);

bool calib_slurm_is_hopeless(const struct calib_queued *job);

/* One of them; id NULL: all. */
int calib_slurm_cancel(const struct calib_slurm *slurm, const char *id, struct err *err);

#endif
