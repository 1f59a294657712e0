/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_state.h - incomplete record of a job on this node
 *
 * Terms   state: the record (record.h), written in two places before the first change:
 *           RUN/JOB/start.json, quick to read, and SPOOL/open/JOB.NODE.json, which
 *           survives a reboot.
 *         ended: the state is a complete record without its final name, or was written
 *           as a record while a setting could not be restored.
 * Owner   the caller: record_free().
 * Errors  -1 or NULL, sentence in *err.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_JOB_STATE_H
#define JOBIO_NODE_JOB_STATE_H

#include "node/job.h"

/* Return the time of day, in seconds since 1970. */
double job_now(void);
/* Return a new state of [job], which starts now. [cluster]: of jobio.conf; "": the job's. */
struct record *job_state_new(const struct job *job, const char *cluster);
/* Set the end of the run to now. If the clock was set during the run, compute the end from the
 * kernel's CLOCK_BOOTTIME, or leave it unknown after a reboot; RECORD_FLAG(CLOCK_SET). */
void job_state_end(struct record *state);
/* Return true if the state is ended: its counters are complete, nothing is read any more. */
bool job_state_is_ended(const struct record *state);

/* Write the state to both places, or to RUN only. */
int job_state_write(const struct record *state, struct err *err);
int job_state_update(const struct record *state, struct err *err);
/* Read the state from RUN, else from SPOOL. Return NULL with errno: ENOENT, there is none; EBADMSG,
 * it is damaged or of another job; else see fileio_may_be_there(). */
struct record *job_state_read(uint32_t job_id, const char *node);
/* The same from a file. */
struct record *job_state_load(const char *path);

#endif
