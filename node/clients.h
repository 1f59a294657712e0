/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clients.h - the filesystem clients of the node, for one job
 *
 * Terms   A node may have several (`[client home]`, `[client work]`). They are
 *           looked at one after the other, each with an equal share of the time
 *           that is left: one that hangs uses up its own.
 *         owner: the client that the job's io-cores belong to: the first with a
 *           core_change other than never. The others keep the cores they have.
 * Errors  what is wrong with one is a finding, and holds up no other; -1 only
 *           for what stops the prolog.
 * Runs    prolog, under the lock.
 */
#ifndef JOBIO_NODE_CLIENTS_H
#define JOBIO_NODE_CLIENTS_H

#include "node/visit.h"

/* Those of jobio.conf for this node, into visit->clients. */
void clients_open(struct visit *visit, const char *state_dir);
/* One whose mounts cannot be read is left out from here on. */
void clients_inspect(struct visit *visit);

/* Plan, write down what is planned (RUN/JOB, the state), and make it. */
int clients_change(struct visit *visit, struct err *err);

/* Findings, into visit->findings; what was asked is kept for the next job. */
void clients_judge(struct visit *visit);

/* Does any [client] of this node look at what the job's profile sets? Of a
 * profile that sets nothing: yes. */
bool clients_take_profile(const struct visit *visit);
/* Does all stand that it sets? */
bool clients_have_profile(const struct visit *visit);
/* The first of visit->clients where it does not; client_count: none. */
size_t clients_without_profile(const struct visit *visit);

#endif
