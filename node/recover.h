/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover.h - put back what dead jobs left, before slurmd starts
 *
 * Terms   left: the folder of a job without a slurmstepd and without a process in
 *           its cgroup, in which nothing has changed for ten minutes, or whose record was made
 *           while something could not be put back. Where
 *           slurmctld answers, and says that the job holds this node, it is not
 *           finished all the same.
 *
 * Errors  0, or -1 with a sentence when the fault is ours. What stops nothing
 *           is said at once (node/log.h).
 * Runs    jobio-prepare --recover, as root: at boot, or by hand.
 */
#ifndef JOBIO_NODE_RECOVER_H
#define JOBIO_NODE_RECOVER_H

#include "node/visit.h"

int recover_node(struct visit *visit, struct err *err);
/* Load what counts I/O in the kernel, where jobio is in use on this node. */
int recover_load(struct visit *visit, struct err *err);
/* On standard output, a line for each folder: "JOB left" or "JOB lives". */
int recover_list(struct visit *visit, struct err *err);

#endif
