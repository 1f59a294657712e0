/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountinfo.h - parser of /proc/PID/mountinfo, proc_pid_mountinfo(5)
 *
 * Terms   device: MAJOR:MINOR of the superblock, which all of its mounts have; stat(2) may
 *           return another one (btrfs).
 *         tags: "shared:29 master:1 ", each with a blank; "": none.
 * Owner   mountinfo_free(), NULL allowed. Fields are parts of the table, with \040 decoded
 *           in root, target and source.
 * Errors  NULL, sentence in *err, errno kept. Lines that are not mounts are skipped.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_BASE_MOUNTINFO_H
#define JOBIO_BASE_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct mountinfo_mount {
	const char *id, *parent, *device, *root, *target, *options, *tags;
	const char *fstype, *source, *super_options;
};

struct mountinfo {
	size_t count;
	struct mountinfo_mount *mount;
	char *text;
};

struct mountinfo *mountinfo_read(const char *path, struct err *err);
void mountinfo_free(struct mountinfo *table);

/* Return the last mount on a mount point, which covers the others; NULL: none. */
const struct mountinfo_mount *mountinfo_on(const struct mountinfo *table, const char *target);
/* Return the mount with the file 'path': the last one on the longest mount point above it. */
const struct mountinfo_mount *mountinfo_above(const struct mountinfo *table, const char *path);
bool mountinfo_has_device(const struct mountinfo *table, const char *device);

#endif
