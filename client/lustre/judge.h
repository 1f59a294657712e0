/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - rules about a Lustre client: LU01 ..
 *
 * Terms   rule: see client/rule.h.
 * Owner   constant.
 * Errors  none.
 * Runs    as in client/rule.h.
 */
#ifndef JOBIO_CLIENT_LUSTRE_JUDGE_H
#define JOBIO_CLIENT_LUSTRE_JUDGE_H

#include "client/rule.h"

extern const struct rule lustre_rules[];

#endif
