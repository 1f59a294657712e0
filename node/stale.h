/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stale.h - clean up after finished jobs
 *
 * Errors  -1: the folder cannot be cleared, and stays for the next prolog; of other
 *           jobs this is logged.
 * Runs    prolog, under the lock, before anything is changed for the job; and
 *           --recover.
 */
#ifndef JOBIO_NODE_STALE_H
#define JOBIO_NODE_STALE_H

#include "node/prepare_context.h"

/* Undo the changes of, and finish, every other job with an interrupted prolog or epilog. */
void stale_finish_all(struct prepare_context *ctx);
/* Clear the folder of an earlier run of this job without an epilog (requeued after a crash), or of
 * this prolog, if it is repeated. */
int stale_clear_own(struct prepare_context *ctx, struct err *err);

/* Finish a job that is not alive: restore its settings and write its record, if its user is
 * known. */
int stale_finish(struct prepare_context *ctx, uint32_t job_id, struct err *err);

#endif
