/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftover.h - clean up after finished jobs
 *
 * Errors  -1: the folder cannot be cleared, and stays for the next prolog; of other
 *           jobs this is logged.
 * Runs    prolog, under the lock, before anything is changed for the job; and
 *           --recover.
 */
#ifndef JOBIO_NODE_LEFTOVER_H
#define JOBIO_NODE_LEFTOVER_H

#include "node/visit.h"

/* Mend and finish every other job with an interrupted prolog or epilog. */
void leftover_mend(struct visit *visit);
/* Clear the folder of an earlier run of this job without an epilog (requeued after a crash), or of
 * this prolog, if it is repeated. */
int leftover_clear_own(struct visit *visit, struct err *err);

/* Finish a job that is not alive: restore its settings and write its record, if its user is
 * known. */
int leftover_finish(struct visit *visit, uint32_t job_id, struct err *err);

#endif
