/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finish.h - write a job's record to the spool and remove its folder
 *
 * Each step can be interrupted and repeated: write the record to the open copy, add the run
 * to SPOOL/released, rename the copy. So a run in SPOOL/released has a record or a complete
 * open copy; any other run has its state.
 *
 * Errors  0, -1, or 1 with *err if the record is lost, because the disk, the spool or the
 *           user's half of it (spool.h) is full.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_FINISH_H
#define JOBIO_NODE_FINISH_H

#include "base/err.h"
#include "record/record.h"

/* Write the record and keep the job's folder: a setting is still to be restored. */
int job_store_record(const struct record *state, struct err *err);
/* Write the record; remove its open copy and the job's folder, also if the record is lost.
 * [start]: of struct job_run. */
int job_finish(const struct record *state, int64_t start, struct err *err);

#endif
