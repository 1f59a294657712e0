/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h - which jobs have processes on this node, as slurmd's cgroups say
 *
 * Terms   A folder of a job is "job_7", or Slurm's SLUID of the run (26.05): in
 *           slurmstepd's scope below the root or one slice of v2
 *           (cgroup_v2.c), in slurm, or slurm_NODE, and uid_U of the hierarchies of v1 that a job
 *           always has (proctrack's freezer) or that confine it (cpuset). Not
 *           deeper: users have folders of their own there.
 *         It is there for as long as a process of the job, whether a slurmstepd
 *         watches it or was killed. A folder that nobody removed is empty.
 * Owner   plain values.
 * Errors  none: what cannot be read is nobody's.
 * Runs    prolog; reads /sys only.
 */
#ifndef JOBIO_NODE_CGROUP_H
#define JOBIO_NODE_CGROUP_H

#include <stdbool.h>

/* "job_7" and a SLUID; either may be "". */
struct cgroup_names {
	char job[24], sluid[24];
};

bool cgroup_has_job(const struct cgroup_names *names);

#endif
