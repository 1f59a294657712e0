/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - mountinfo by lines: what lies on what
 *
 * Terms   place: one mount, with its mount point ('target').
 *         seen: of several on one mount point the last, which lies on top.
 * Owner   texts of a struct place are in it.
 * Errors  false: there is none; a line that is not understood is passed over.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_NFS_PLACE_H
#define JOBIO_CLIENT_NFS_PLACE_H

#include <stdbool.h>

#define PLACE_TEXT_MAX 8192

struct place {
	unsigned long id, parent;
	char text[PLACE_TEXT_MAX];
	const char *device, *root, *target, *fstype, *source;
};

struct place_search {
	const char *target, *source; /* NULL: any */
	unsigned long id, parent;    /* 0: any */
	bool below;		     /* not on the target, but below it */
};

/* The last that fits. */
bool place_find(const char *mountinfo, const struct place_search *search,
		struct place *place);

#endif
