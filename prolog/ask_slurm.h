/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask_slurm.h - jobio-slurm beside this program, with a deadline
 *
 * Owner   child_result_free() on success.
 * Errors  -1 and why it could not be run; what it says itself is its status.
 * Runs    prolog, as root; slurmctld is asked once.
 */
#ifndef JOBIO_PROLOG_ASK_SLURM_H
#define JOBIO_PROLOG_ASK_SLURM_H

#include "lib/child.h"

/* With less it is not asked: its --timeout-ms takes no less, and nobody answers. */
#define ASK_SLURM_LEAST_MS 100U
#define ASK_SLURM_NO_TIME "no time is left to ask slurmctld (prolog_budget_ms)"

/* jobio-slurm --timeout-ms=N WHAT ID */
int ask_slurm(unsigned int timeout_ms, const char *what, const char *id,
	      struct child_result *result, struct err *err);

#endif
