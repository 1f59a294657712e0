/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_choose.h - cores for the client
 *
 * Errors  -1, the reason in *err; doubtful or impossible choices are findings.
 * Runs    jobio plan.
 */
#ifndef JOBIO_TOOLS_PLAN_CHOOSE_H
#define JOBIO_TOOLS_PLAN_CHOOSE_H

#include "tools/plan.h"

/* Choose 'cores', with the reason. */
void plan_choose(struct plan *plan);
/* Use those that were given. */
int plan_use_fixed(struct plan *plan, struct err *err);

#endif
