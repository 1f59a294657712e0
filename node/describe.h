/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.h - write request, machine, clients and plan into the record
 *
 * Errors  none.
 * Runs    prolog; writes nothing but the state.
 */
#ifndef JOBIO_NODE_DESCRIBE_H
#define JOBIO_NODE_DESCRIBE_H

#include "node/prepare_context.h"

void describe_request(struct prepare_context *ctx);
/* Add the client and its mounts; call it in the order of the clients. */
void describe_client(struct record *state, const struct client *client);
/* Update the CPUs of the client that was added as number [index], after changes. */
void describe_client_cpus(struct record *state, size_t index, const struct client *client);

#endif
