/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mounts.h - device number of a mounted filesystem
 *
 * Terms   dev: major << 20 | minor in mountinfo, that of the superblock; stat(2) has another
 *           one on btrfs.
 * Owner   the caller.
 * Errors  none.
 * Runs    jobio-count.
 */
#ifndef JOBIO_COUNT_MOUNTS_H
#define JOBIO_COUNT_MOUNTS_H

#include <stdint.h>

#include "base/mountinfo.h"

/* Return the device of a mount; 0 for NULL and for numbers that are too large. */
uint32_t mounts_dev(const struct mountinfo_mount *mount);

#endif
