/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stepio.h - I/O of the tasks of one step on this node
 *
 * Terms   The kernel adds a process' counters to its parent's when the parent
 *           has waited for it (exit.c:wait_task_zombie): the difference of
 *           slurmstepd's own /proc/self/io over a step is the I/O of all its
 *           tasks and their children, on any filesystem, sockets and pipes
 *           included, plus slurmstepd's own. Not in it: children that outlive
 *           their parents (orphans), io_uring, mmap.
 *         slurmstepd's own: its threads forward the tasks' stdin and output,
 *           twice a byte: out of a pipe, into a socket. A running thread has
 *           counters of its own (/proc/self/task/TID/io), which are
 *           subtracted. One that has ended looks like a task: so the counters
 *           are read while the forwarding threads still run, when a task has
 *           been waited for (task_exit; mgr.c joins them later).
 *         The run of the job is unknown here: S_SLURM_RESTART_COUNT is 0 in
 *           every version, and SLURM_RESTART_COUNT is the user's unless
 *           slurmctld has set it, inherited by jobs that jobs submit.
 *         cpus: OS CPUs that the tasks were bound to when they started, of all
 *           of them.
 *         read_bytes is rchar, write_bytes wchar, calls syscr and syscw.
 * Owner   struct stepio is a plain value.
 * Errors  -1, the reason in *err; a step that cannot be counted still runs.
 * Runs    slurmstepd, root, once at the start and once at the end of a step.
 *         The extern step is left out: it has no tasks of the job (adopted
 *         processes are not its children), and under PrologFlags=RunInJob its
 *         slurmstepd runs the prolog.
 */
#ifndef JOBIO_SPANK_STEPIO_H
#define JOBIO_SPANK_STEPIO_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/cpuset.h"
#include "base/err.h"

#define STEPIO_NONE UINT32_MAX /* unknown ID or number */

/* Keys in the step's file are those of a record (record/io.h). */
enum stepio_counter {
	STEPIO_READ_BYTES,
	STEPIO_WRITE_BYTES,
	STEPIO_READ_CALLS,
	STEPIO_WRITE_CALLS,
	STEPIO_COUNTERS
};

struct stepio {
	uint64_t all[STEPIO_COUNTERS]; /* the process and the children it has waited for */
	uint64_t own[STEPIO_COUNTERS]; /* of that, its running threads' */
	time_t time;
	bool has_own; /* false: 'own' is unknown */
};

struct stepio_label {
	uint32_t job_id;
	uint32_t step_id;
	uint32_t uid;	       /* STEPIO_NONE: unknown */
	uint32_t array_job_id; /* STEPIO_NONE: not of an array */
	uint32_t array_task_id;
	const char *refused; /* message of the gate; NULL: its tasks started */
	const char *warned;  /* warning of the gate; NULL: none */
	uint32_t refused_tasks, warned_tasks;
	const struct cpuset *cpus;  /* that its tasks were bound to; NULL, empty: unknown */
	const char *private_mounts; /* private_mount.h; NULL or "": none */
	bool is_default_dir;	    /* jobio.conf was unreadable: RUN is the default */
};

/* Read the counters; 'proc' is "/proc/self". */
int stepio_read(struct stepio *io, const char *proc, struct err *err);

/* Write RUN/JOB/steps/STEP for the epilog, one line of JSON, with a refusal, which is stored
 * nowhere else. Creates the job's folders if the prolog did not, but never RUN itself: returns 0
 * without a file if that is missing (no jobio on this node). With 'is_default_dir' it creates no
 * folder either: an epilog without jobio.conf would not remove it. */
int stepio_write(const struct stepio *from, const struct stepio *to,
		 const struct stepio_label *label, const char *run_dir, struct err *err);

#endif
