/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.h - check the job's request against this node's jobio.conf
 *
 * Terms   A request was checked on the submit host. An invalid one was forged, and
 *           is dropped.
 *         mismatch: the request is valid, but jobio.conf of this node does not allow
 *           it: the submit host has another file, or it was changed while the job was
 *           pending. The job runs without the part that is not allowed.
 * Errors  none: finding W58.
 * Runs    prolog, before the lock.
 */
#ifndef JOBIO_NODE_POLICY_H
#define JOBIO_NODE_POLICY_H

#include "node/prepare_context.h"

/* Set ctx->requested to the job's request, ctx->request to its allowed part. */
void policy_apply(struct prepare_context *ctx);

#endif
