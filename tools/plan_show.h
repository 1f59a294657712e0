/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_show.h - print the plan as JSON
 *
 * Errors  -1, the reason in *err; doubtful or impossible choices are findings.
 * Runs    jobio plan.
 */
#ifndef JOBIO_TOOLS_PLAN_SHOW_H
#define JOBIO_TOOLS_PLAN_SHOW_H

#include "tools/plan.h"

void plan_show(const struct plan *plan);

#endif
