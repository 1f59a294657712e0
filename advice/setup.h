/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - rules about cores, nodes and the client's settings
 *
 * Terms   as calls.h.
 * Owner   everything belongs to the caller.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_SETUP_H
#define JOBIO_ADVICE_SETUP_H

#include <stdbool.h>

#include "advice/types.h"
#include "advice/view.h"

bool setup_no_profile(const struct view *v, struct advice *a);
bool setup_cores_unmet(const struct view *v, struct advice *a);
bool setup_core_bytes(const struct view *v, struct advice *a);
bool setup_core_calls(const struct view *v, struct advice *a);
bool setup_cores_idle(const struct view *v, struct advice *a);
bool setup_one_core(const struct view *v, struct advice *a);
bool setup_one_node(const struct view *v, struct advice *a);
bool setup_imbalance(const struct view *v, struct advice *a);
bool setup_slow_node(const struct view *v, struct advice *a);
bool setup_resent(const struct view *v, struct advice *a);

#endif
