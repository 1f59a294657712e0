/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.h - the kernel counts what a job reads and writes
 *
 * Terms   tier: the best that this kernel allows, found out by trying:
 *           COUNTERS_BPF   per job and mount, every kind of I/O, metadata
 *                          operations, sizes (jobio.bpf.c);
 *           COUNTERS_EXIT  per job, all files together, added up when a process
 *                          ends; neither aio, io_uring nor mapped files;
 *           COUNTERS_NONE  nothing: slurmstepd's own difference is all there is.
 *         group: programs that are there together or not at all (layout.h); a
 *           group that the kernel refuses costs its columns, not the tier.
 *         pins: programs and counters live in the kernel, held by names under
 *           bpffs/jobio/; no process of ours stays. The folder's name says what
 *           is in it: another object or other options get another folder, and
 *           one that no job uses any more is taken away.
 *         sluid: Slurm's name for one run of a job, "sEKNKTV3WPV500"; since
 *           26.05 the job's cgroup bears it (SLURM_JOB_SLUID of the prolog).
 * Owner   the caller; struct counters_state holds no pointers.
 * Errors  -1 is for what the caller got wrong (job 0, no SLUID) and for a lock
 *           that could not be taken. A kernel that refuses, or a path that is no
 *           mount point, is not an error: tier and reason say it. One starts, reads or
 *           stops at a time: flock on bpffs/jobio.
 * Runs    jobio-count, as root, in the root mount namespace; never in the
 *           plugin. Loading happens once after boot: 1.5 to 4 s.
 */
#ifndef JOBIO_COUNT_COUNTERS_H
#define JOBIO_COUNT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

#define COUNTERS_BPFFS "/sys/fs/bpf"

enum counters_tier {
	COUNTERS_NONE,
	COUNTERS_EXIT,
	COUNTERS_BPF
};

struct counters_options {
	const char *bpffs;	/* where bpffs is mounted */
	const char *run_dir;	/* remembers a refusal until the next boot */
	const char *mountinfo;	/* "/proc/self/mountinfo" */
	const char *cgroup_dir; /* "/sys/fs/cgroup" */
	bool latency;		/* how long calls take, too */
	int cgroup;		/* 1 or 2; 0: as slurmd decides it */
	unsigned int lock_ms;
	bool again;	      /* load: also what was refused since the boot */
	unsigned int wait_ms; /* start: how long for programs that are being loaded */
};

struct counters_state {
	enum counters_tier tier;
	bool loaded;	 /* pinned; false after a mere trial */
	bool loading;	 /* a process that goes on loads them */
	uint32_t groups; /* COUNT_GROUP() bits */
	uint64_t lost;	 /* what is not counted (hooks.h) */
	uint64_t skips;	 /* probe: what a kernel that preempts itself may leave out */
	int cgroup;
	unsigned int slots, slots_used;
	char pins[256];
	char reason[ERR_MAX]; /* why not a better tier, or not all groups; "" */
};

/* The settings that fit a node. */
void counters_options_init(struct counters_options *options);

/* What would counters_start() find? Loads nothing that stays, and attaches nothing. */
int counters_probe(const struct counters_options *options, struct counters_state *state,
		   struct err *err);

/* What would be found on another kernel, whose type information (BTF) and symbols
 * (/proc/kallsyms, or NULL: those that BTF names) are in these files. Calls each() for
 * the hooks that would be used (hooks.h). -1: a file that cannot be read. */
struct hook;
int counters_plan(const struct counters_options *options, const char *btf, const char *kallsyms,
		  void (*each)(const struct hook *hook, void *arg), void *arg,
		  struct counters_state *state, struct err *err);

/* Load the programs of these options, if they are not there, and take out those of others that
 * no job uses. */
int counters_load(const struct counters_options *options, struct counters_state *state,
		  struct err *err);

/* Begin to count for a job, from zero, on the filesystems of these mount
 * points. Programs that are not there are loaded first; where this takes longer than wait_ms,
 * it goes on without the job, which is not counted. sluid may be NULL. */
int counters_start(const struct counters_options *options, uint32_t job, const char *sluid,
		   char *const mounts[], size_t mount_count, struct counters_state *state,
		   struct err *err);

/* Add the job's counters (source "bpf" per mount, "exit" for all files) and
 * their quality flags to a record. No counters: adds nothing, tier NONE. */
int counters_read(const struct counters_options *options, uint32_t job, struct record *record,
		  struct counters_state *state, struct err *err);

/* Forget a job; no such job is success. */
int counters_stop(const struct counters_options *options, uint32_t job, struct err *err);

/* Call each(job, mount, arg) for every entry; mount "" stands for all files. */
int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg), void *arg,
		    struct counters_state *state, struct err *err);

/* Take everything out of the kernel. */
int counters_unload(const struct counters_options *options, struct err *err);

/* What the numbers of the best source do not hold, or hold too often. Programs
 * that count each filesystem are no help where none was named. */
struct count_info;
uint64_t counters_flags(const struct count_info *info, bool has_mount);

const char *counters_tier_name(enum counters_tier tier);

#endif
