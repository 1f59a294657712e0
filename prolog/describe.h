/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe.h - what the visit knows, written into the record
 *
 * Errors  none: a record says less when memory is short.
 * Runs    prolog; writes nothing but visit->state.
 */
#ifndef JOBIO_PROLOG_DESCRIBE_H
#define JOBIO_PROLOG_DESCRIBE_H

#include "prolog/visit.h"

void describe_request(struct visit *visit);
/* The client and its mounts; nothing without one. */
void describe_client(struct visit *visit);
/* Whether the profile is there; after the changes. */
void describe_profile(struct visit *visit);
/* The client's CPUs, which a change may have moved. */
void describe_client_cpus(struct visit *visit);
void describe_plan(struct visit *visit, const struct client_plan *plan);

#endif
