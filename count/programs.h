/* SPDX-License-Identifier: GPL-2.0-or-later */
/* programs.h - get the programs of jobio.bpf.c into the kernel
 *
 * Terms   object: jobio.bpf.o, which is part of this program.
 *         wanted, loaded: groups of programs, as bits (layout.h).
 *         folder: where links and maps are pinned: maps "slots", "jobs",
 *           "names", "info", "data", and a link for each program.
 * Owner   the kernel owns what is pinned; nothing else stays.
 * Errors  -1: not even the smallest set could be loaded. The sentence says what
 *           the kernel refused; it is also set when it refused only a part.
 *           A folder exists whole or not at all.
 * Runs    jobio-count, under the lock of counters.c.
 */
#ifndef JOBIO_COUNT_PROGRAMS_H
#define JOBIO_COUNT_PROGRAMS_H

#include <stdint.h>

#include "base/err.h"
#include "count/layout.h"

/* 64 bits of the object's contents, for the folder's name. */
uint64_t programs_hash(void);

/* Load as many groups of 'wanted' as the kernel takes and pin them in a new
 * folder; with folder NULL only try. *info gets what was loaded. */
int programs_load(const char *folder, uint32_t wanted, int cgroup, struct count_info *info,
		  struct err *err);

#endif
