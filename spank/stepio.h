/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stepio.h - what the tasks of one step read and wrote on this node
 *
 * Terms   The kernel adds a process' counters to its parent's when the parent
 *           has waited for it (exit.c:wait_task_zombie): the difference of
 *           slurmstepd's own /proc/self/io over a step is the I/O of all its
 *           tasks and their children, on any filesystem, sockets and pipes
 *           included, plus slurmstepd's own. Not in it: children that outlive
 *           their parents (orphans), io_uring, mmap.
 *         slurmstepd's own: its threads forward what the tasks read from stdin
 *           and print, twice a byte: out of a pipe, into a socket. A thread that
 *           lives has counters of its own (/proc/self/task/TID/io); they are
 *           taken off. One that has ended cannot be told from a task: so the
 *           counters are read while the threads that forward still live, when
 *           a task has been waited for (task_exit; mgr.c joins them later).
 *         Which run of the job it is nobody can say here: S_SLURM_RESTART_COUNT
 *           is 0 in every version, and SLURM_RESTART_COUNT is the user's where
 *           slurmctld has not set it, inherited by jobs that jobs submit.
 *         Where the tasks could run: the CPUs that they were bound to when they
 *           started, of all of them (OS CPUs).
 *         read_bytes is rchar, write_bytes wchar, calls syscr and syscw.
 * Owner   struct stepio is a plain value.
 * Errors  -1 and the sentence; a step that cannot be counted still runs.
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

#include "lib/cpuset.h"
#include "lib/err.h"

#define STEPIO_NONE UINT32_MAX /* an id or number that is not known */

/* Their keys in the step's file, as a record has them (lib/io.h). */
enum stepio_counter {
	STEPIO_READ_BYTES,
	STEPIO_WRITE_BYTES,
	STEPIO_READ_CALLS,
	STEPIO_WRITE_CALLS,
	STEPIO_COUNTERS
};

struct stepio {
	uint64_t all[STEPIO_COUNTERS]; /* the process and what it has waited for */
	uint64_t own[STEPIO_COUNTERS]; /* of that, its living threads' */
	time_t time;
	bool has_own; /* false: 'own' is unknown */
};

struct stepio_label {
	uint32_t job_id;
	uint32_t step_id;
	uint32_t uid;	       /* STEPIO_NONE: unknown */
	uint32_t array_job_id; /* STEPIO_NONE: not of an array */
	uint32_t array_task_id;
	const char *refused; /* what the gate said to its tasks; NULL: they
			      * started */
	const char *warned;  /* what it said, and let them start; NULL: nothing */
	uint32_t refused_tasks, warned_tasks;
	const struct cpuset *cpus;  /* what its tasks were bound to; NULL or
				    * empty: unknown */
	const char *private_mounts; /* private_mount.h; NULL or "": none */
	bool is_guess;		    /* jobio.conf was unreadable: RUN is the default */
};

/* The counters now; 'proc' is "/proc/self". */
int stepio_read(struct stepio *io, const char *proc, struct err *err);

/* Leave RUN/JOB/steps/STEP behind, one line of JSON, for the epilog, the
 * refusal included: the epilog knows only what the prolog thought. Makes the
 * job's folders when the prolog did not, but never RUN itself: 0 without a
 * file when that is missing (no jobio on this node). With 'is_guess' it makes no
 * folder either: an epilog without jobio.conf would leave it there. */
int stepio_write(const struct stepio *from, const struct stepio *to,
		 const struct stepio_label *label, const char *run_dir, struct err *err);

#endif
