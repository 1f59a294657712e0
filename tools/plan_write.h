/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_write.h - the cores as OS CPUs, as Slurm's cores and as a spec set
 *
 * Errors  -1, the reason in *err; doubtful or impossible choices are findings.
 * Runs    jobio plan.
 */
#ifndef JOBIO_TOOLS_PLAN_WRITE_H
#define JOBIO_TOOLS_PLAN_WRITE_H

#include "tools/plan.h"

int plan_write(struct plan *plan, struct err *err);
/* Return the client type that the cores are planned for. */
const char *plan_type(const struct plan *plan);

#endif
