/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - what every build of counters.h has, with BPF or without */
#include <limits.h>
#include <string.h>

#include "base/rundir.h"
#include "count/counters.h"
#include "count/hooks.h"

void counters_options_init(struct counters_options *options)
{
	memset(options, 0, sizeof(*options));
	options->bpffs = COUNTERS_BPFFS;
	options->run_dir = RUNDIR_RUN;
	options->mountinfo = "/proc/self/mountinfo";
	options->cgroup_dir = "/sys/fs/cgroup";
	options->lock_ms = 30000; /* the caller's deadline ends it sooner */
	options->wait_ms = UINT_MAX;
}

uint64_t counters_flags(const struct count_info *info, bool has_mount)
{
	if (!has_mount)
		return RECORD_FLAG(ALL_FILES) | RECORD_FLAG(AIO_MISSING) |
		       RECORD_FLAG(MMAP_MISSING) | RECORD_FLAG(COPIES_TWICE) |
		       (info->cgroup_v1 ? RECORD_FLAG(INCLUDES_STEPD) : 0);
	return hooks_lost_flags(info->lost);
}

const char *counters_tier_name(enum counters_tier tier)
{
	static const char *const names[] = { "none", "exit", "bpf" };

	return names[tier];
}
