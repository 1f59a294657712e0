/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters_probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <linux/bpf.h>

#include "count/counters_load.h"
#include "count/kernel.h"
#include "count/pins.h"

#define ATTACH_RAW_TP 23 /* BPF_TRACE_RAW_TP and BPF_TRACE_FENTRY, since Linux 5.5 */
#define ATTACH_FENTRY 24
#define PROGRAM_TRACING 26 /* BPF_PROG_TYPE_TRACING */

/* Load a program that reads kernel memory, without attaching it. Return 0 or a negative errno. */
static int try_program(const struct btf *btf, const char *name, uint32_t kind, uint32_t attach)
{
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int id = btf__find_by_name_kind(btf, name, kind), fd;
	union bpf_attr attr;

	if (id <= 0)
		return 0;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = PROGRAM_TRACING;
	attr.expected_attach_type = attach;
	attr.attach_btf_id = (uint32_t)id;
	attr.insns = (uint64_t)(uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uint64_t)(uintptr_t) "GPL";
	fd = (int)syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void try_kernel(const struct kernel *kernel, struct counters_state *state)
{
	int rc = try_program(kernel->btf, "vfs_read", BTF_KIND_FUNC, ATTACH_FENTRY);

	if (!rc)
		return;
	state->groups &= COUNT_GROUP(EXIT);
	err_set(&state->reason, "BPF programs: the kernel refuses them: %s", strerror(-rc));
	if (try_program(kernel->btf, "btf_trace_sched_process_exit", BTF_KIND_TYPEDEF,
			ATTACH_RAW_TP) < 0)
		state->groups = 0;
}

/* Set the losses of programs that a preemptible kernel may skip. */
static void set_skips(const struct kernel *kernel, const struct plan *plan,
		      struct counters_state *state)
{
	size_t i;

	for (i = 0; kernel->preempts && i < hook_count; i++)
		if (plan->hook[i] && plan->as[i].type <= HOOK_FEXIT &&
		    !(kernel->has_sessions && hooks[i].loss == LOSS_AIO_DONE))
			state->skips |= UINT64_C(1) << hooks[i].loss;
}

int counters_plan(const struct counters_options *options, const char *btf, const char *kallsyms,
		  void (*each)(const struct hook *hook, void *arg), void *arg,
		  struct counters_state *state, struct err *err)
{
	struct plan plan = { .lost = 0 };
	struct kernel kernel;
	size_t i;

	if (kernel_open(&kernel, btf, kallsyms, err) < 0)
		return -1;
	kernel_plan(&kernel, counters_groups(options), &plan);
	for (i = 0; each && i < hook_count; i++)
		if (plan.hook[i])
			each(&plan.as[i], arg);
	set_skips(&kernel, &plan, state);
	if (!state->loaded) {
		state->groups = plan.groups;
		state->lost = plan.lost;
	}
	counters_set_lost(state);
	if (!kernel.has_trampolines)
		err_set(&state->reason, "%s", kernel_no_trampolines);
	else if (!btf && !(state->loaded && state->groups & COUNT_GROUP(RW)))
		try_kernel(&kernel, state);
	state->tier = counters_tier(state->groups);
	kernel_free(&kernel);
	return 0;
}

int counters_probe(const struct counters_options *options, struct counters_state *state,
		   struct err *err)
{
	struct pins pins;

	(void)err;
	counters_state_init(options, state);
	if (!pins_have_bpffs(options, &state->reason))
		return 0;
	if (pins_get(options, &pins, state))
		pins_close(&pins);
	state->reason.text[0] = '\0';
	if (state->loaded || counters_is_to_load(options, state) || !*state->reason.text)
		counters_plan(options, NULL, NULL, NULL, NULL, state,
			      state->loaded ? NULL : &state->reason);
	if (!counters_is_ftrace_off())
		return 0;
	state->groups &= state->loaded ? COUNT_GROUP(EXIT) : 0;
	state->tier = counters_tier(state->groups);
	err_set(&state->reason, "%s", counters_ftrace_off);
	return 0;
}
