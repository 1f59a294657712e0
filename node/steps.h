/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.h - counters of slurmstepd: RUN/JOB/steps/STEP, one JSON object a file
 *
 * Errors  an unreadable file is logged, and a flag of the record.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_STEPS_H
#define JOBIO_NODE_STEPS_H

#include "node/job.h"

/* Build the state from the counters of the steps, for a job without a state; [here] has node and
 * cluster, as job_state_new(). Return NULL with errno: ENOENT, no step has the user's ID, or the cluster is unknown;
 * else see fileio_may_be_there(). */
struct record *job_state_of_steps(uint32_t job_id, const struct job *here, const char *cluster);
/* Add the counters of the steps, the array IDs, the gate's messages and the job's CPUs to the
 * state. Flags describe the best source: those of the steps are set if there is no better one. */
void job_add_steps(struct record *state);

#endif
