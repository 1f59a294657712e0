/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate.h - may this task start on this node?
 *
 * Terms   view: what one task may use, as the kernel has it:
 *           allowed  the CPUs that it could bind itself to: its cpuset
 *           bound    the CPUs that it is bound to now; part of allowed
 *           confined the job has a cpuset of its own: no task can leave it
 *         gate file: what the prolog found out (gatefile.h). It says who owns
 *           which CPUs, all hardware threads of a core included, and the policy.
 *         A task passes when 'allowed' holds no CPU of the client. Where jobs
 *           are not confined, 'bound' is all that there is to judge by.
 *         Policy enforce refuses a task that could use the client's CPUs if its
 *           job asked for io-cores, or went around the node's spec set (with
 *           --core-spec=0). A plain job on CPUs that the site gives to all jobs
 *           is reported.
 * Owner   struct gate and gate_view are plain values.
 * Errors  gate_judge: GATE_REFUSE and GATE_REPORT set the sentence.
 * Runs    gate_open in slurmstepd, root, once a step. The rest in the forked
 *         task, as the user, in task_init: Slurm has put it into its cgroup and
 *         bound it (mgr.c:_fork_all_tasks, task.c:exec_task), its stdout and
 *         stderr are the job's. Earlier hooks see another cpuset.
 */
#ifndef JOBIO_SPANK_GATE_H
#define JOBIO_SPANK_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cpuset.h"
#include "lib/err.h"
#include "lib/gatefile.h"

struct gate {
	uint32_t job_id;
	bool is_known; /* there is a gate file .. */
	bool is_own;   /* .. that the job's prolog left, damaged perhaps */
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

/* Read the gate file of the job, else that of the node. 1 there is one, 0 there
 * is none, -1 it cannot be read (then nothing is known: every task passes). */
int gate_open(struct gate *gate, const char *run_dir, uint32_t job_id, struct err *err);

/* The CPUs that this process is bound to. */
int gate_bound(struct cpuset *bound);

#define GATE_PROC_CGROUP "/proc/self/cgroup"
#define GATE_CGROUP_ROOT "/sys/fs/cgroup"

/* Is this process in a cgroup of the job that has CPUs? 1 yes, 0 no, -1 not known: no file, or
 * the paths are those of a cgroup namespace. Reads PROC_CGROUP and, on v2, cpuset.cpus below
 * CGROUP_ROOT. */
int gate_confined(uint32_t job_id, const char *proc_cgroup, const char *cgroup_root);

/* No system call. 'node' is for the sentence. */
enum gate_verdict gate_judge(const struct gate *gate, const struct gate_view *view,
			     const char *node, struct err *err);

/* Read this task's CPUs and judge them. STEP_CONFINED is gate_confined() of slurmstepd: plugins
 * whose task_init comes first (pyxis) may have moved the task to a cgroup namespace. */
enum gate_verdict gate_check(const struct gate *gate, int step_confined, const char *node,
			     struct err *err);

#endif
