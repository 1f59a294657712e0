/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - rules about a Storage Scale client, and their cures
 *
 * Owner   constant.
 * Errors  none.
 * Runs    as in client.h; for gpfs.c only.
 */
#ifndef JOBIO_CLIENT_GPFS_JUDGE_H
#define JOBIO_CLIENT_GPFS_JUDGE_H

#include "client/rule.h"

extern const struct rule gpfs_rules[];

/* Judge a job at its end; mmfsd is queried only if a rule needs it. */
void gpfs_judge_work(struct client *client, const struct client_work *work);

#endif
