/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>

#include <linux/magic.h>

#include "base/fileio.h"
#include "base/rundir.h"
#include "count/hooks.h"

#define FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"

const char counters_ftrace_off[] =
	"kernel.ftrace_enabled=0: the kernel does not run BPF programs of functions";

void counters_options_init(struct counters_options *options)
{
	memset(options, 0, sizeof(*options));
	options->bpffs = COUNTERS_BPFFS;
	options->run_dir = RUNDIR_RUN;
	options->mountinfo = "/proc/self/mountinfo";
	options->cgroup_dir = "/sys/fs/cgroup";
	options->lock_ms = 30000; /* callers have shorter timeouts */
	options->wait_ms = UINT_MAX;
}

/* As src/interfaces/cgroup.c:autodetect_cgroup_version() of Slurm. */
int counters_cgroup(const struct counters_options *options)
{
	struct statfs fs;

	if (options->cgroup)
		return options->cgroup;
	return statfs(options->cgroup_dir, &fs) < 0 || fs.f_type == CGROUP2_SUPER_MAGIC ? 2 : 1;
}

uint32_t counters_groups(const struct counters_options *options)
{
	uint32_t all = (1U << COUNT_GROUP_COUNT) - 1;

	return options->latency ? all : all & ~COUNT_GROUP(LATENCY);
}

void counters_state_init(const struct counters_options *options, struct counters_state *state)
{
	memset(state, 0, sizeof(*state));
	state->cgroup = counters_cgroup(options);
}

void counters_set_lost(struct counters_state *state)
{
	char text[ERR_MAX / 2];

	hooks_text(state->lost, text, sizeof(text));
	if (*text)
		err_set(&state->reason, "BPF programs: this kernel does not count: %s", text);
}

enum counters_tier counters_tier(uint32_t groups)
{
	if (groups & COUNT_GROUP(RW))
		return COUNTERS_BPF;
	return groups & COUNT_GROUP(EXIT) ? COUNTERS_EXIT : COUNTERS_NONE;
}

const char *counters_tier_name(enum counters_tier tier)
{
	static const char *const names[] = { "none", "exit", "bpf" };

	return names[tier];
}

bool counters_is_ftrace_off(void)
{
	char *text = fileio_read(FTRACE_ENABLED, 16, NULL, NULL);
	bool off = text && text[0] == '0';

	free(text);
	return off;
}
