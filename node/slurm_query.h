/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_query.h - run jobio-slurm of this program's directory, with a timeout
 *
 * Owner   child_result_free() on success.
 * Errors  -1 and the reason if it could not be run; its own errors: result->status.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_SLURM_QUERY_H
#define JOBIO_NODE_SLURM_QUERY_H

#include "base/child.h"

/* The minimum of its --timeout-ms; with less it is not run. */
#define SLURM_QUERY_LEAST_MS 100U
#define SLURM_QUERY_NO_TIME "no time is left to ask slurmctld (prolog_budget_ms)"

/* Run jobio-slurm --timeout-ms=N WHAT [ABOUT [MORE]]. */
int slurm_query(unsigned int timeout_ms, const char *what, const char *about, const char *more,
		struct child_result *result, struct err *err);

#endif
