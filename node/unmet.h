/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unmet.h - parts of the request that the job does not get on this node
 *
 * Terms   note: one line for the job's output, with the reason; "": it gets all.
 *         met: the client runs on the job's io-cores and on no other CPU.
 * Owner   borrows the context.
 * Errors  none: cores_met is -1 if unknown.
 * Runs    prolog, after all changes of the client for the job.
 */
#ifndef JOBIO_NODE_UNMET_H
#define JOBIO_NODE_UNMET_H

#include "node/prepare_context.h"

/* Set profile_applied and cores_met in the state, which has every request as not applied, and the
 * note. */
void unmet_describe(struct prepare_context *ctx);

#endif
