/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.h - options and state of counting in the kernel
 *
 * Terms   tier: the best source that this kernel allows:
 *           COUNTERS_BPF   per job and filesystem: all kinds of I/O, metadata operations,
 *                          sizes (jobio.bpf.c);
 *           COUNTERS_EXIT  per job, all files together, added up when a process exits;
 *                          without aio, io_uring and mapped files;
 *           COUNTERS_NONE  no programs; only slurmstepd's own totals are left.
 *         group: programs for one kind of I/O (layout.h). A group that the kernel refuses
 *           does not change the tier.
 *         pins: programs and maps stay in the kernel without a process, pinned below
 *           BPFFS/jobio (pins.h).
 * Owner   struct counters_state has no pointers.
 * Errors  none here. A kernel without BPF is no error of any function in count/: tier and
 *           reason of the state describe it.
 * Runs    jobio-count, as root, in the root mount namespace.
 */
#ifndef JOBIO_COUNT_COUNTERS_H
#define JOBIO_COUNT_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "count/layout.h"

#define COUNTERS_BPFFS "/sys/fs/bpf"

enum counters_tier {
	COUNTERS_NONE,
	COUNTERS_EXIT,
	COUNTERS_BPF
};

struct counters_options {
	const char *bpffs;	/* where bpffs is mounted */
	const char *run_dir;	/* has the last refusal of the kernel, until the next boot */
	const char *mountinfo;	/* "/proc/self/mountinfo" */
	const char *cgroup_dir; /* "/sys/fs/cgroup" */
	bool latency;		/* with times of calls */
	int cgroup;		/* 1 or 2; 0: as slurmd selects it */
	unsigned int lock_ms;
	bool again;	      /* load: try what was refused before, too */
	unsigned int wait_ms; /* start: timeout for a load */
};

struct counters_state {
	enum counters_tier tier;
	bool loaded;	 /* the programs are pinned */
	bool loading;	 /* a process is loading them */
	uint32_t groups; /* COUNT_GROUP() bits */
	uint64_t lost;	 /* bits of enum hook_loss: not counted */
	uint64_t skips;	 /* probe: losses of programs that a preemptible kernel may skip */
	int cgroup;
	unsigned int slots;
	char pins[256];
	struct err reason; /* for a lower tier or missing groups; "" */
};

/* Set the defaults. */
void counters_options_init(struct counters_options *options);

/* Return the version of cgroups that slurmd uses. */
int counters_cgroup(const struct counters_options *options);

/* Return the groups of programs that these options load. */
uint32_t counters_groups(const struct counters_options *options);

void counters_state_init(const struct counters_options *options, struct counters_state *state);

/* Set the reason to what is not counted; not if there is nothing. */
void counters_set_lost(struct counters_state *state);

enum counters_tier counters_tier(uint32_t groups);
const char *counters_tier_name(enum counters_tier tier);

/* Reason: the kernel does not run programs of functions. */
extern const char counters_ftrace_off[];
bool counters_is_ftrace_off(void);

#endif
