/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuset.h - a set of numbers of CPUs or cores, and its text form
 *
 * Terms   list: "0-3,8,10-11", ascending, as the kernel, Slurm and taskset
 *           print it; the empty set is "".
 *         The variable's name has the kind of members: os_cpus, abs_cores.
 *         Range of members: 0 .. CPUSET_MAX - 1.
 * Owner   struct cpuset is a plain value: copy it, keep it on the stack.
 *         cpuset_format() returns malloc'ed text that the caller frees.
 * Errors  -1 and the reason in *err, output unchanged; -1 from a search means
 *           "no such member".
 * Runs    everywhere, also in the plugin: needs libc only.
 */
#ifndef JOBIO_BASE_CPUSET_H
#define JOBIO_BASE_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CPUSET_MAX 8192

struct cpuset {
	uint64_t word[CPUSET_MAX / 64];
};

/* Strict: only digits, '-' and ','; ranges ascending, no empty part, no
 * blanks; members may repeat and come in any order. "" is the empty set.
 * One newline at the end is allowed, as the kernel's files have it. */
int cpuset_parse(struct cpuset *set, const char *list, struct err *err);

/* A mask, "ff,ffffffff", as in workqueues and irqbalance: hexadecimal, the last digit CPUs 0 to 3,
 * a comma in front of each 32 CPUs or nowhere. Strict as above, but there is at least one digit. */
int cpuset_parse_mask(struct cpuset *set, const char *mask, struct err *err);

/* Return the list as malloc'ed text; NULL when out of memory. */
char *cpuset_format(const struct cpuset *set);

void cpuset_zero(struct cpuset *set);
void cpuset_add(struct cpuset *set, unsigned int member); /* beyond: ignored */
void cpuset_del(struct cpuset *set, unsigned int member);
bool cpuset_has(const struct cpuset *set, unsigned int member);
bool cpuset_is_empty(const struct cpuset *set);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
bool cpuset_intersects(const struct cpuset *a, const struct cpuset *b);
bool cpuset_is_subset(const struct cpuset *part, const struct cpuset *whole);
unsigned int cpuset_count(const struct cpuset *set);

/* Return the smallest member >= from, or -1. */
int cpuset_next(const struct cpuset *set, unsigned int from);

/* a &= b, a |= b, a &= ~b */
void cpuset_and(struct cpuset *a, const struct cpuset *b);
void cpuset_or(struct cpuset *a, const struct cpuset *b);
void cpuset_andnot(struct cpuset *a, const struct cpuset *b);

#define cpuset_for_each(member, set)                                                               \
	for ((member) = cpuset_next((set), 0); (member) >= 0;                                      \
	     (member) = cpuset_next((set), (unsigned int)(member) + 1))

#endif
