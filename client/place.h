/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - mountinfo by lines
 *
 * Terms   place: one mount, with its mount point ('target').
 *         seen: of several on one mount point the last, which lies on top.
 * Owner   texts of a struct place are in it.
 * Errors  false: there is none; a line that is not understood is passed over.
 * Runs    as client.h says.
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

/* Into its parts, what is in 'text'. */
bool place_parse(struct place *place);

/* MAJOR:MINOR of the superblock that is seen there; mounts that share it have
 * one. */
bool place_device(const char *mountinfo, const char *target, char device[PLACE_DEVICE_MAX]);

#endif
