/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/utsname.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/fileio.h"

#define FILE_MAX 65536

/* ---- type information ------------------------------------------------------ */

static const struct btf_type *resolve(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static const struct btf_type *prototype(const struct btf *btf, int id)
{
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

int kernel_function(const struct kernel *kernel, const char *name)
{
	return btf__find_by_name_kind(kernel->btf, name, BTF_KIND_FUNC);
}

unsigned int kernel_arguments(const struct kernel *kernel, const char *name)
{
	const struct btf_type *t = prototype(kernel->btf, kernel_function(kernel, name));

	return t ? btf_vlen(t) : 0;
}

static bool has_word(const struct btf *btf, const struct btf_type *t, const char *word)
{
	unsigned int i;
	uint32_t name;

	for (i = 0; i < btf_vlen(t); i++) {
		name = btf_is_enum(t) ? btf_enum(t)[i].name_off : btf_members(t)[i].name_off;
		if (!strcmp(btf__name_by_offset(btf, name), word))
			return true;
		/* an unnamed struct or union */
		if (!btf_is_enum(t) && !*btf__name_by_offset(btf, name) &&
		    has_word(btf, resolve(btf, btf_members(t)[i].type), word))
			return true;
	}
	return false;
}

/* "type.member", of a struct or an enum */
static bool has_member(const struct btf *btf, const char *what)
{
	const char *dot = strchr(what, '.');
	char type[64];
	int id;

	snprintf(type, sizeof(type), "%.*s", (int)(dot - what), what);
	id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	if (id < 0)
		id = btf__find_by_name_kind(btf, type, BTF_KIND_ENUM);
	return id > 0 && has_word(btf, btf__type_by_id(btf, id), dot + 1);
}

bool kernel_has(const struct kernel *kernel, const char *what)
{
	return has_member(kernel->btf, what);
}

/* The verifier does not accept an empty struct as argument. */
static bool has_empty_argument(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_type *argument;
	unsigned int i;

	for (i = 0; i < btf_vlen(t); i++) {
		argument = resolve(btf, btf_params(t)[i].type);
		if (argument && btf_is_composite(argument) && !argument->size)
			return true;
	}
	return false;
}

/* ---- symbols --------------------------------------------------------------- */

static int by_target(const void *a, const void *b)
{
	return strcmp(hooks[*(const unsigned short *)a].target,
		      hooks[*(const unsigned short *)b].target);
}

static void sort_hooks(struct kernel *kernel)
{
	unsigned short i;

	for (i = 0; i < hook_count; i++)
		kernel->sorted[i] = i;
	qsort(kernel->sorted, hook_count, sizeof(kernel->sorted[0]), by_target);
}

/* Return the first hook with this target in 'sorted'; *n: their number. */
static const unsigned short *hooks_named(const struct kernel *kernel, const char *name, size_t *n)
{
	size_t low = 0, high = hook_count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (strcmp(hooks[kernel->sorted[middle]].target, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (high < hook_count && !strcmp(hooks[kernel->sorted[high]].target, name))
		high++;
	*n = high - low;
	return kernel->sorted + low;
}

/* Get BTF ids of all targets in one walk: libbpf walks once for each name. */
static void read_types(struct kernel *kernel)
{
	static const char trace[] = "btf_trace_";
	const unsigned short *named;
	const struct btf_type *t;
	const char *name;
	bool is_trace;
	size_t n;
	int id;

	for (id = 1; (t = btf__type_by_id(kernel->btf, (uint32_t)id)); id++) {
		is_trace = btf_is_typedef(t);
		if (!is_trace && !btf_is_func(t))
			continue;
		name = btf__name_by_offset(kernel->btf, t->name_off);
		if (is_trace && strncmp(name, trace, sizeof(trace) - 1) != 0)
			continue;
		named = hooks_named(kernel, is_trace ? name + sizeof(trace) - 1 : name, &n);
		while (n--)
			if ((hooks[named[n]].type == HOOK_TRACEPOINT) == is_trace)
				kernel->type[named[n]] = id;
	}
}

static void mark_symbol(struct kernel *kernel, const char *name)
{
	const unsigned short *named;
	size_t n;

	named = hooks_named(kernel, name, &n);
	while (n--)
		kernel->has_symbol[named[n]] = true;
}

/* Read lines "ffffffff81000000 T name" up to the functions of modules. */
static void read_symbols(struct kernel *kernel, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t room = 0, count = 0;
	char *line = NULL, *type;

	while (f && getline(&line, &room, f) > 0) {
		type = strchr(line, ' ');
		if (!type || strlen(type) < 4 || strchr(type, '\t'))
			break;
		type[strcspn(type, "\n")] = '\0';
		if (strchr("tTwW", type[1]))
			mark_symbol(kernel, type + 3);
		count++;
	}
	free(line);
	if (f)
		fclose(f);
	if (!count)
		memset(kernel->has_symbol, 1, sizeof(kernel->has_symbol));
}

/* ---- the plan -------------------------------------------------------------- */

static bool has_target(const struct kernel *kernel, const struct hook *hook)
{
	return kernel->type[hook - hooks] > 0;
}

/* Has it fprobe sessions, which run with preemption disabled (6.14)? */
static bool has_sessions(const struct kernel *kernel)
{
	return kernel_function(kernel, "bpf_session_is_return") > 0 &&
	       kernel_function(kernel, "bpf_session_cookie") > 0 &&
	       kernel_function(kernel, "bpf_rdonly_cast") > 0 &&
	       btf__find_by_name_kind(kernel->btf, "fprobe_hlist", BTF_KIND_STRUCT) > 0;
}

static bool hook_fits(const struct kernel *kernel, const struct hook *hook)
{
	const struct btf_type *t;

	if (!has_target(kernel, hook))
		return false;
	if (hook->type == HOOK_TRACEPOINT)
		return true;
	t = prototype(kernel->btf, kernel->type[hook - hooks]);
	if (!t || !kernel->has_symbol[hook - hooks] ||
	    (hook->args != ANY_ARGS && (int)btf_vlen(t) != hook->args))
		return false;
	if (hook->type >= HOOK_MULTI)
		return kernel->has_sessions;
	if (hook->what && kernel->has_sessions)
		return true;
	return hook->type == HOOK_KPROBE || !has_empty_argument(kernel->btf, t);
}

/* Return the number of hooks of one way, from 'first' on. */
static size_t way_length(size_t first)
{
	size_t n = 1;

	while (first + n < hook_count && hooks[first + n].loss == hooks[first].loss &&
	       hooks[first + n].way == hooks[first].way)
		n++;
	return n;
}

static bool way_fits(const struct kernel *kernel, const struct plan *plan, size_t first)
{
	size_t i, n = way_length(first);

	for (i = first; i < first + n; i++)
		if (plan->refused[i] || !hook_fits(kernel, &hooks[i]))
			return false;
	return true;
}

/* Has the kernel a function of any hook of the loss? */
static bool has_any(const struct kernel *kernel, enum hook_loss loss)
{
	size_t i;

	for (i = 0; i < hook_count; i++)
		if (hooks[i].loss == loss && has_target(kernel, &hooks[i]) &&
		    (hooks[i].type < HOOK_MULTI || kernel->has_sessions))
			return true;
	return false;
}

static bool select_way(const struct kernel *kernel, struct plan *plan, enum hook_loss loss)
{
	size_t i, n;

	for (i = 0; i < hook_count; i += way_length(i)) {
		if (hooks[i].loss != loss || !way_fits(kernel, plan, i))
			continue;
		for (n = way_length(i); n; n--)
			plan->hook[i + n - 1] = true;
		return true;
	}
	return false;
}

/* Combine what all selected hooks of a function do. */
static uint32_t what_at(const struct plan *plan, const char *target)
{
	uint32_t what = 0;
	size_t i;

	for (i = 0; i < hook_count; i++)
		if (plan->hook[i] && !strcmp(hooks[i].target, target))
			what |= hooks[i].what;
	return what;
}

static void select_program(const struct kernel *kernel, const struct plan *plan, struct hook *as)
{
	if (!kernel->has_sessions || !as->what)
		return;
	as->what = what_at(plan, as->target);
	as->type = COUNT_WHAT_ENDS(as->what) ? HOOK_SESSION : HOOK_MULTI;
	as->program = as->type == HOOK_SESSION ? "any_session" : "any_begins";
}

void kernel_plan(const struct kernel *kernel, uint32_t wanted, struct plan *plan)
{
	const char *needs;
	unsigned int i;

	memset(plan->hook, 0, sizeof(plan->hook));
	plan->groups = 0;
	plan->lost = 0;
	for (i = 0; i < HOOK_LOSS_COUNT; i++) {
		if (!(hook_group(i) & wanted))
			continue;
		needs = hook_needs(i);
		if (!kernel->has_trampolines && hook_group(i) != COUNT_GROUP(EXIT))
			plan->lost |= UINT64_C(1) << i;
		else if ((!needs || has_member(kernel->btf, needs)) && select_way(kernel, plan, i))
			plan->groups |= hook_group(i);
		else if (!hook_is_newer(i) || has_any(kernel, i))
			plan->lost |= UINT64_C(1) << i;
	}
	for (i = 0; i < hook_count; i++) {
		plan->as[i] = hooks[i];
		if (plan->hook[i])
			select_program(kernel, plan, &plan->as[i]);
	}
}

/* ---- open ------------------------------------------------------------------ */

static bool file_has(const char *path, const char *word)
{
	char *text = fileio_read(path, FILE_MAX, NULL, NULL);
	bool found = text && strstr(text, word);

	free(text);
	return found;
}

/* Kernels with several modes have preempt=full on their command line or, if it was selected later,
 * in debugfs, which may not be mounted; others have PREEMPT_RT or PREEMPT in their version. */
static bool has_preempt_full(void)
{
	struct utsname self;

	if (uname(&self) < 0)
		return false;
	return file_has("/proc/cmdline", "preempt=full") ||
	       file_has("/sys/kernel/debug/sched/preempt", "(full)") ||
	       strstr(self.version, "PREEMPT_RT") || strstr(self.version, "PREEMPT ");
}

const char kernel_no_trampolines[] =
	"BPF programs: this arm64 kernel has no trampolines (no register_ftrace_direct): only totals of processes are counted";

int kernel_open(struct kernel *kernel, const char *btf, const char *kallsyms, struct err *err)
{
	long rc;

	libbpf_set_print(NULL);
	memset(kernel, 0, sizeof(*kernel));
	kernel->btf = btf ? btf__parse(btf, NULL) : libbpf_find_kernel_btf();
	rc = libbpf_get_error(kernel->btf);
	if (rc || !kernel->btf) {
		kernel->btf = NULL;
		if (btf)
			return err_set(err, "BTF: '%s': %s", btf,
				       rc <= -LIBBPF_ERRNO__LIBELF || !rc ? "no type information"
									  : strerror((int)-rc));
		return err_set(
			err,
			"BPF programs: the kernel has no type information (/sys/kernel/btf/vmlinux)");
	}
	sort_hooks(kernel);
	read_types(kernel);
	if (kallsyms || !btf)
		read_symbols(kernel, kallsyms ? kallsyms : "/proc/kallsyms");
	else
		memset(kernel->has_symbol, 1, sizeof(kernel->has_symbol));
	/* arm64 needs direct calls of ftrace for them: 6.4 (bpf_trampoline.c: register_fentry()) */
	kernel->has_trampolines = !has_member(kernel->btf, "pt_regs.pstate") ||
				  kernel_function(kernel, "register_ftrace_direct") > 0;
	/* 7.1 preempts tasks by a timer, also within the kernel */
	kernel->preempts =
		has_member(kernel->btf, "rq.hrtick_sched") || (!btf && has_preempt_full());
	kernel->has_sessions = kernel->preempts && has_sessions(kernel);
	return 0;
}

void kernel_free(struct kernel *kernel)
{
	btf__free(kernel->btf);
	kernel->btf = NULL;
}
