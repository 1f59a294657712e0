/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask_slurm.h - jobio-slurm beside this program, with a deadline
 *
 * Owner   child_result_free() on success.
 * Errors  -1 and why it could not be run; what it says itself is its status.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_ASK_SLURM_H
#define JOBIO_NODE_ASK_SLURM_H

#include "base/child.h"

/* With less it is not asked: its --timeout-ms takes no less, and nobody answers. */
#define ASK_SLURM_LEAST_MS 100U
#define ASK_SLURM_NO_TIME "no time is left to ask slurmctld (prolog_budget_ms)"

/* jobio-slurm --timeout-ms=N WHAT ABOUT [MORE] */
int ask_slurm(unsigned int timeout_ms, const char *what, const char *about, const char *more,
	      struct child_result *result, struct err *err);

#endif
