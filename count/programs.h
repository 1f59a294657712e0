/* SPDX-License-Identifier: GPL-2.0-or-later */
/* programs.h - load the programs of jobio.bpf.c into the kernel
 *
 * Terms   object: jobio.bpf.elf, which is part of this program.
 *         wanted, loaded: groups of programs, as bits (layout.h).
 *         folder: on bpffs, for pins: maps with names of programs_map_names, and a link
 *           PROGRAMS_LINK NAME for each attached program.
 * Owner   the kernel keeps what is pinned; all else is released.
 * Errors  -1: not even the smallest set could be loaded, the reason in *err. *err is also set if
 *           a part was refused. A folder is complete or does not exist.
 * Runs    jobio-count, under the lock of loading.
 */
#ifndef JOBIO_COUNT_PROGRAMS_H
#define JOBIO_COUNT_PROGRAMS_H

#include <stdint.h>

#include "base/err.h"
#include "count/layout.h"

#define PROGRAMS_LINK "link_"

enum programs_map {
	MAP_SLOTS,
	MAP_JOBS,
	MAP_NAMES,
	MAP_DEVS,
	MAP_PATHS,
	MAP_INFO,
	MAP_DATA,
	MAPS
};
extern const char *const programs_map_names[MAPS];

/* Return a hash of the object, for names of folders. */
uint64_t programs_hash(void);

/* Load all groups of 'wanted' that the kernel accepts, and pin them in a new folder. */
int programs_load(const char *folder, uint32_t wanted, int cgroup, struct err *err);

#endif
