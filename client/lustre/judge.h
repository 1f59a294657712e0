/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - what can be wrong with a Lustre client: LU01 ..
 *
 * Terms   rule: see client/rule.h.
 * Owner   constant.
 * Errors  none.
 * Runs    as client/rule.h says.
 */
#ifndef JOBIO_CLIENT_LUSTRE_JUDGE_H
#define JOBIO_CLIENT_LUSTRE_JUDGE_H

#include "client/rule.h"

extern const struct rule lustre_rules[];

#endif
