/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - rules about a WEKA client, W01 ..
 *
 * Owner   constant.
 * Errors  none.
 * Runs    as in client.h; see rule.h.
 */
#ifndef JOBIO_CLIENT_WEKA_JUDGE_H
#define JOBIO_CLIENT_WEKA_JUDGE_H

#include "client/rule.h"

extern const struct rule weka_rules[];

#endif
