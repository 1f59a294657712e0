/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.h - write request, machine, clients and plan into the record
 *
 * Errors  none.
 * Runs    prolog; writes nothing but ctx->state.
 */
#ifndef JOBIO_NODE_DESCRIBE_H
#define JOBIO_NODE_DESCRIBE_H

#include "node/prepare_context.h"

void describe_request(struct prepare_context *ctx);
/* Add the client and its mounts; call it in the order of ctx->clients. */
void describe_client(struct prepare_context *ctx, size_t index);
/* Update the client's CPUs, after changes. */
void describe_client_cpus(struct prepare_context *ctx, size_t index);

#endif
