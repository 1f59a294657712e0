/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lack.h - parts of the request that the job does not get on this node
 *
 * Terms   note: one line for the job's output, with the reason; "": it gets all.
 *         met: the client runs on the job's io-cores and on no other CPU.
 * Owner   borrows the visit.
 * Errors  none: cores_met is -1 if unknown.
 * Runs    prolog, after all changes of the client for the job.
 */
#ifndef JOBIO_NODE_LACK_H
#define JOBIO_NODE_LACK_H

#include "node/visit.h"

/* Set profile_applied and cores_met in the state, which has every request as not applied, and the
 * note. */
void lack_describe(struct visit *visit);

#endif
