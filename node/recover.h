/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover.h - restore settings of finished jobs, before slurmd starts
 *
 * Terms   left: the folder of a job without slurmstepd and processes in its cgroup,
 *           unchanged for ten minutes, or with a record that was written while a setting
 *           could not be restored. It is not finished if slurmctld reports that the job
 *           holds this node.
 *
 * Errors  0, or -1 with a sentence for an error of jobio. Others are logged at once
 *           (node/log.h).
 * Runs    jobio-prepare --recover, as root: at boot, or by hand.
 */
#ifndef JOBIO_NODE_RECOVER_H
#define JOBIO_NODE_RECOVER_H

#include "node/prepare_context.h"

int recover_node(struct prepare_context *ctx, struct err *err);
/* Load the programs that count I/O, if jobio is enabled on this node. */
int recover_load(struct prepare_context *ctx, struct err *err);
/* Print a line for each folder: its job ID and "left", or "lives" if it is not left. */
int recover_list(struct prepare_context *ctx, struct err *err);

#endif
