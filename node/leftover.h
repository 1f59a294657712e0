/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftover.h - what dead jobs left behind on the node
 *
 * Errors  -1: the folder cannot be cleared, and stays for the next prolog. What
 *           others left is said.
 * Runs    prolog, under the lock, before anything is changed for the job; and
 *           --recover.
 */
#ifndef JOBIO_NODE_LEFTOVER_H
#define JOBIO_NODE_LEFTOVER_H

#include "node/visit.h"

/* Of every other job: what its prolog or epilog did not finish. */
void leftover_mend(struct visit *visit);
/* Of a run of the same job that no epilog has finished (requeued after a crash),
 * or of this very prolog, run a second time. */
int leftover_clear_own(struct visit *visit, struct err *err);

/* Finish a job that is dead: its changes are put back, and its record is made, or
 * there is nothing to make one of. */
int leftover_finish(struct visit *visit, uint32_t job_id, struct err *err);

#endif
