/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clients.h - the filesystem clients of the node, for one job
 *
 * Terms   A node may have several (`[client home]`, `[client work]`). They are
 *           inspected in sequence, each with an equal share of the remaining time: one
 *           that hangs uses only its own.
 *         owner: the client that gets the job's io-cores: the first with a
 *           core_change other than never. The others keep their cores.
 * Errors  an error of one client is a finding and does not affect the others; -1 only
 *           for errors that stop the prolog.
 * Runs    prolog, under the lock.
 */
#ifndef JOBIO_NODE_CLIENTS_H
#define JOBIO_NODE_CLIENTS_H

#include "node/prepare_context.h"

/* Set ctx->clients to those of jobio.conf for this node. */
void clients_open(struct prepare_context *ctx, const char *state_dir);
/* Inspect the clients; remove one with unreadable mounts from ctx->clients. */
void clients_inspect(struct prepare_context *ctx);

/* Plan the changes, write the plan (RUN/JOB, the state), apply it. */
int clients_change(struct prepare_context *ctx, struct err *err);

/* Add the rules' findings to ctx->findings; cache the inspection for the next job. */
void clients_judge(struct prepare_context *ctx);

/* Return true if any [client] of this node uses the profile's settings, or it has none. */
bool clients_use_profile(const struct prepare_context *ctx);
/* Return true if all settings of the profile are applied. */
bool clients_have_profile(const struct prepare_context *ctx);
/* Return the index of the first client without its settings; client_count: none. */
size_t clients_without_profile(const struct prepare_context *ctx);

#endif
