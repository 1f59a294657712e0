/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - mountinfo by lines
 *
 * Terms   place: one mount, with its mount point ('target').
 *         seen: of several on one mount point the last, which is on top.
 * Owner   pointers of a struct place are into its text.
 * Errors  false: there is none; lines that are not understood are skipped.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_PLACE_H
#define JOBIO_CLIENT_PLACE_H

#include <stdbool.h>

#define PLACE_TEXT_MAX 8192
#define PLACE_DEVICE_MAX 24

struct place {
	char text[PLACE_TEXT_MAX];
	const char *id, *parent, *device, *target, *fstype;
	const char *tags; /* "rw,relatime shared:29 master:1 ", options first */
};

/* Split the line in 'text'. */
bool place_parse(struct place *place);

/* Get MAJOR:MINOR of the superblock on top of a mount point; mounts of the same superblock have the
 * same. */
bool place_device(const char *mountinfo, const char *target, char device[PLACE_DEVICE_MAX]);

#endif
