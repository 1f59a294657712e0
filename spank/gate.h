/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate.h - check the CPUs of a task before it starts
 *
 * Terms   view: CPUs of one task, from the kernel:
 *           allowed  those that it could bind itself to: its cpuset
 *           bound    those that it is bound to now; part of allowed
 *           confined the job has a cpuset of its own: no task can leave it
 *         gate file: written by the prolog (gatefile.h). It has the CPUs of the
 *           client, all hardware threads of a core included, and the policy.
 *         A task passes if 'allowed' has no CPU of the client. If jobs are not
 *           confined, 'bound' is used instead.
 *         Policy enforce refuses a task that could use the client's CPUs if its
 *           job requested io-cores, or bypassed the node's spec set (with
 *           --core-spec=0). A plain job on CPUs that the site gives to all jobs
 *           is reported.
 * Owner   struct gate and gate_view are plain values.
 * Errors  gate_judge: GATE_REFUSE and GATE_REPORT set the message.
 * Runs    gate_open in slurmstepd, root, once a step. The rest in the forked
 *         task, as the user, in task_init: Slurm has put it into its cgroup and
 *         bound it (mgr.c:_fork_all_tasks, task.c:exec_task), its stdout and
 *         stderr are the job's. Earlier hooks see another cpuset.
 */
#ifndef JOBIO_SPANK_GATE_H
#define JOBIO_SPANK_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/err.h"
#include "base/gatefile.h"

struct gate {
	uint32_t job_id;
	bool has_file;	  /* there is a gate file .. */
	bool is_job_file; /* .. of the job's prolog, damaged perhaps */
	struct gatefile file;
};

struct gate_view {
	struct cpuset allowed;
	struct cpuset bound;
	bool is_confined; /* by gate_confined() */
};

enum gate_verdict {
	GATE_PASS,
	GATE_REPORT, /* overlap: a line in slurmd's log */
	GATE_REFUSE
};

/* Read the gate file of the job, else that of the node. Return 1, 0 if there is none, -1 if it
 * cannot be read (then every task passes). */
int gate_open(struct gate *gate, const char *run_dir, uint32_t job_id, struct err *err);

/* Get the CPUs that this process is bound to. */
int gate_bound(struct cpuset *bound);

#define GATE_PROC_CGROUP "/proc/self/cgroup"
#define GATE_CGROUP_ROOT "/sys/fs/cgroup"

/* Return 1 if this process is in a cgroup of the job that has CPUs, 0 if not, -1 if unknown: no
 * file, or the paths are those of a cgroup namespace. Reads PROC_CGROUP and, on v2, cpuset.cpus
 * below CGROUP_ROOT. */
int gate_confined(uint32_t job_id, const char *proc_cgroup, const char *cgroup_root);

/* No system call. 'node' is for the message. */
enum gate_verdict gate_judge(const struct gate *gate, const struct gate_view *view,
			     const char *node, struct err *err);

/* Read this task's CPUs and judge them. STEP_CONFINED is gate_confined() of slurmstepd: a plugin
 * with an earlier task_init (pyxis) may have moved the task to a cgroup namespace. */
enum gate_verdict gate_check(const struct gate *gate, int step_confined, const char *node,
			     struct err *err);

#endif
