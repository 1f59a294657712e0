/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel.h - hooks that a kernel has, by its type information and symbols
 *
 * Terms   symbols: functions that can be traced. BTF also has some that the compiler renamed
 *           or inlined.
 *         trampoline: code by which a function calls programs (fentry, fexit).
 *         preempts: a task can lose its CPU inside a program.
 *         plan: hooks to use, by their index in the table.
 * Owner   kernel_free() what kernel_open() filled.
 * Errors  -1, the reason in *err. Without readable symbols all functions count as traceable.
 * Runs    jobio-count; with files of another kernel without privileges.
 */
#ifndef JOBIO_COUNT_KERNEL_H
#define JOBIO_COUNT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "count/hooks.h"

struct btf;
struct kernel {
	struct btf *btf;
	unsigned short sorted[HOOKS_MAX]; /* hooks by their targets */
	int type[HOOKS_MAX];		  /* BTF id of hooks[i].target; 0: none */
	bool has_symbol[HOOKS_MAX];
	bool preempts, has_trampolines;
	bool has_sessions; /* and uses them: it preempts */
};

/* The reason where has_trampolines is false. */
extern const char kernel_no_trampolines[];

struct plan {
	bool hook[HOOKS_MAX], refused[HOOKS_MAX];
	struct hook as[HOOKS_MAX]; /* the hooks, with the selected programs */
	uint32_t groups;	   /* with at least one hook */
	uint64_t lost;
};

/* Read the files of another kernel, or with NULL those of the running one. */
int kernel_open(struct kernel *kernel, const char *btf, const char *kallsyms, struct err *err);
void kernel_free(struct kernel *kernel);

/* Return the number of arguments of a function, 0 without it. */
unsigned int kernel_arguments(const struct kernel *kernel, const char *name);
/* Return the BTF id of a function, or a negative number. */
int kernel_function(const struct kernel *kernel, const char *name);
/* Return true if it has a member "type.member" of a struct or an enum. */
bool kernel_has(const struct kernel *kernel, const char *what);

/* Select hooks of these groups, without refused ones. */
void kernel_plan(const struct kernel *kernel, uint32_t wanted, struct plan *plan);

#endif
