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

#include "node/visit.h"

/* Set visit->clients to those of jobio.conf for this node. */
void clients_open(struct visit *visit, const char *state_dir);
/* Inspect the clients; remove one with unreadable mounts from visit->clients. */
void clients_inspect(struct visit *visit);

/* Plan the changes, write the plan (RUN/JOB, the state), apply it. */
int clients_change(struct visit *visit, struct err *err);

/* Add the rules' findings to visit->findings; cache the inspection for the next job. */
void clients_judge(struct visit *visit);

/* Return true if any [client] of this node uses the profile's settings, or it has none. */
bool clients_take_profile(const struct visit *visit);
/* Return true if all settings of the profile are applied. */
bool clients_have_profile(const struct visit *visit);
/* Return the index of the first client without its settings; client_count: none. */
size_t clients_without_profile(const struct visit *visit);

#endif
