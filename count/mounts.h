/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mounts.h - the kernel's number of the filesystem at a mount point
 *
 * Terms   dev: major << 20 | minor of mountinfo, which is the superblock's own
 *           number; stat(2) gives another one on btrfs.
 * Errors  1 found, 0 not a mount point, -1 with the sentence in *err.
 * Runs    jobio-count.
 */
#ifndef JOBIO_COUNT_MOUNTS_H
#define JOBIO_COUNT_MOUNTS_H

#include <stdint.h>

#include "base/err.h"
#include "base/mountinfo.h"

/* The last mount on 'path' counts: it covers the others. */
int mounts_dev(const char *mountinfo, const char *path, uint32_t *dev, struct err *err);

/* The device of the filesystem with the file 'path'; 0: none. */
uint32_t mounts_dev_below(const struct mountinfo *table, const char *path);

#endif
