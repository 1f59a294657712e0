/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.h - find a job's processes in slurmd's cgroups
 *
 * Terms   A folder of a job is "job_7", or Slurm's SLUID of the run (26.05). v2: in
 *           slurmstepd's scope below the root or one slice (cgroup_v2.c). v1: in
 *           slurm or slurm_NODE, uid_U of freezer (proctrack, which every job has) or
 *           cpuset (confinement). Not deeper: there users can create folders.
 *         It has processes as long as the job has, also if its slurmstepd was
 *         killed. A folder that was not removed is empty.
 * Owner   plain values.
 * Errors  none: a folder that cannot be read counts as empty.
 * Runs    prolog; reads /sys only.
 */
#ifndef JOBIO_NODE_CGROUP_H
#define JOBIO_NODE_CGROUP_H

#include <stdbool.h>

/* "job_7" and a SLUID; either may be "". */
struct cgroup_names {
	char job[24], sluid[24];
};

/* Return true if a cgroup with one of these names has processes. */
bool cgroup_has_job(const struct cgroup_names *names);

#endif
