/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_probe.h - find out what can be counted
 *
 * Terms   plan: hooks that would be used.
 * Owner   the caller.
 * Errors  -1, the reason in *err: a file that cannot be read.
 * Runs    jobio-count; counters_plan() without privileges.
 */
#ifndef JOBIO_COUNT_COUNTERS_PROBE_H
#define JOBIO_COUNT_COUNTERS_PROBE_H

#include "count/counters.h"
#include "count/hooks.h"

/* Set *state to what is loaded or, without loading or attaching programs, to what a load would
 * find. */
int counters_probe(const struct counters_options *options, struct counters_state *state,
		   struct err *err);

/* The same for another kernel: its type information (BTF) and symbols (/proc/kallsyms, or NULL: all
 * that BTF has) are in these files. Call each() for the hooks of the plan. */
int counters_plan(const struct counters_options *options, const char *btf, const char *kallsyms,
		  void (*each)(const struct hook *hook, void *arg), void *arg,
		  struct counters_state *state, struct err *err);

#endif
