/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.h - what the visit knows, written into the record
 *
 * Errors  none: a record says less when memory is short.
 * Runs    prolog; writes nothing but visit->state.
 */
#ifndef JOBIO_NODE_DESCRIBE_H
#define JOBIO_NODE_DESCRIBE_H

#include "node/visit.h"

void describe_request(struct visit *visit);
/* The client and its mounts, in the order of visit->clients. */
void describe_client(struct visit *visit, size_t index);
/* The client's CPUs, which a change may have moved. */
void describe_client_cpus(struct visit *visit, size_t index);
void describe_plan(struct visit *visit, size_t index, const struct client_plan *plan);

#endif
