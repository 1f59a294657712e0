/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lack.h - what the job asked for and does not get on this node
 *
 * Terms   note: one line for the job's output, with the reason; "": it gets all.
 *         met: the client works on the job's io-cores and on no other CPU.
 * Owner   borrows the visit.
 * Errors  none: what is unknown is said to be.
 * Runs    prolog, when the client is as the job will find it.
 */
#ifndef JOBIO_NODE_LACK_H
#define JOBIO_NODE_LACK_H

#include "node/visit.h"

/* Into the state, which says of all that was asked for that it is missing: is the
 * profile applied, are the io-cores met? And the note. */
void lack_describe(struct visit *visit);

#endif
