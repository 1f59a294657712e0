/* SPDX-License-Identifier: GPL-2.0-or-later */
/* released.h - SPOOL/released: the last runs that were finished
 *
 * An epilog that runs twice, even across a reboot, must not write a second, empty record.
 * The file has a line "JOB RESTART START" for each run, "-" if unknown. While SPOOL cannot be
 * written they are in RUN/released.
 *
 * Errors  none: without the file no run was finished.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_RELEASED_H
#define JOBIO_NODE_RELEASED_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

/* One run of a job; RECORD_UNKNOWN if Slurm does not report the value. */
struct job_run {
	uint32_t job_id;
	int64_t restart;
	int64_t start; /* by slurmctld's clock */
};

/* Any run of the job. */
#define JOB_RUN_ANY(id)                                                                            \
	{                                                                                          \
		(id), RECORD_UNKNOWN, RECORD_UNKNOWN                                               \
	}

void job_add_released(const struct job_run *run);
bool job_was_released(const struct job_run *run);
/* Remove all runs of the job from the list. */
void job_remove_released(uint32_t job_id);

#endif
