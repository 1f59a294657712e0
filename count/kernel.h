/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel.h - what a kernel's type information and symbols say of the hooks
 *
 * Terms   symbols: names of functions that the kernel has for the tracer. Type
 *           information also names some that the compiler renamed or inlined.
 *         trampoline: how a function calls programs (fentry, fexit).
 *         preempts: a task of this kernel can lose its CPU inside of a program.
 * Owner   kernel_free() what kernel_open() filled.
 * Errors  -1, the reason in *err. Symbols that cannot be read: all are there.
 * Runs    jobio-count; on another kernel's files without privileges.
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
	int type[HOOKS_MAX];		  /* of hooks[i].target; 0: there is none */
	bool has_symbol[HOOKS_MAX];
	bool preempts, has_trampolines;
	bool has_sessions; /* and they are to be used */
};

/* The reason where has_trampolines is false. */
extern const char kernel_no_trampolines[];

/* A plan: hooks by their place in the table. */
struct plan {
	bool hook[HOOKS_MAX], refused[HOOKS_MAX];
	struct hook as[HOOKS_MAX]; /* those of 'hook', with the program that is taken */
	uint32_t groups;	   /* those of which something is counted */
	uint64_t lost;
};

/* NULL for the running kernel. */
int kernel_open(struct kernel *kernel, const char *btf, const char *kallsyms, struct err *err);
void kernel_free(struct kernel *kernel);

/* How many arguments a function has, 0 when there is none; the type number of a
 * function, or a negative number. */
unsigned int kernel_arguments(const struct kernel *kernel, const char *name);
int kernel_function(const struct kernel *kernel, const char *name);
/* "type.member", of a struct or an enum */
bool kernel_has(const struct kernel *kernel, const char *what);

/* Choose the hooks of these groups, without those that are marked refused. */
void kernel_plan(const struct kernel *kernel, uint32_t wanted, struct plan *plan);

#endif
