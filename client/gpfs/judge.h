/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h - what can be wrong with a Storage Scale client, and the cures
 *
 * Owner   constant.
 * Errors  none.
 * Runs    as client.h says; for gpfs.c only.
 */
#ifndef JOBIO_CLIENT_GPFS_JUDGE_H
#define JOBIO_CLIENT_GPFS_JUDGE_H

#include "client/rule.h"

extern const struct rule gpfs_rules[];

/* At a job's end: mmfsd is asked only where the answer matters. */
void gpfs_judge_work(struct client *client, const struct client_work *work,
		     struct findings *findings);

#endif
