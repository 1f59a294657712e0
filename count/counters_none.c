/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_none.c - the contract of counters.h in a build without libbpf */
#include <stdio.h>
#include <string.h>

#include "count/counters.h"

static int nothing(struct counters_state *state)
{
	memset(state, 0, sizeof(*state));
	snprintf(state->reason, sizeof(state->reason),
		 "counters: this jobio was built without BPF");
	return 0;
}

int counters_probe(const struct counters_options *options, struct counters_state *state,
		   struct err *err)
{
	(void)options;
	(void)err;
	return nothing(state);
}

int counters_plan(const struct counters_options *options, const char *btf, const char *kallsyms,
		  void (*each)(const struct hook *hook, void *arg), void *arg,
		  struct counters_state *state, struct err *err)
{
	(void)options;
	(void)btf;
	(void)kallsyms;
	(void)each;
	(void)arg;
	(void)err;
	return nothing(state);
}

int counters_load(const struct counters_options *options, struct counters_state *state,
		  struct err *err)
{
	(void)options;
	(void)err;
	return nothing(state);
}

int counters_start(const struct counters_options *options, uint32_t job, const char *sluid,
		   char *const mounts[], size_t mount_count, struct counters_state *state,
		   struct err *err)
{
	(void)options;
	(void)job;
	(void)sluid;
	(void)mounts;
	(void)mount_count;
	(void)err;
	return nothing(state);
}

int counters_read(const struct counters_options *options, uint32_t job, struct record *record,
		  struct counters_state *state, struct err *err)
{
	(void)options;
	(void)job;
	(void)record;
	(void)err;
	return nothing(state);
}

int counters_stop(const struct counters_options *options, uint32_t job, struct err *err)
{
	(void)options;
	(void)job;
	(void)err;
	return 0;
}

int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg), void *arg,
		    struct counters_state *state, struct err *err)
{
	(void)options;
	(void)each;
	(void)arg;
	(void)err;
	return nothing(state);
}

int counters_unload(const struct counters_options *options, struct err *err)
{
	(void)options;
	(void)err;
	return 0;
}
