/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.h - write request, machine, clients and plan into the record
 *
 * Errors  none.
 * Runs    prolog; writes nothing but visit->state.
 */
#ifndef JOBIO_NODE_DESCRIBE_H
#define JOBIO_NODE_DESCRIBE_H

#include "node/visit.h"

void describe_request(struct visit *visit);
/* Add the client and its mounts; call it in the order of visit->clients. */
void describe_client(struct visit *visit, size_t index);
/* Update the client's CPUs, after changes. */
void describe_client_cpus(struct visit *visit, size_t index);
void describe_plan(struct visit *visit, size_t index, const struct client_plan *plan);

#endif
