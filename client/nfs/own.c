/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NFS that a job has in a namespace of its own */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/nfs/nfs.h"
#include "client/wire.h"
#include "lib/text.h"

int nfs_own(const struct client *client, const char *text, struct wire *wire,
	    struct err *err)
{
	struct client_mount at = { 0 };
	struct place place;
	struct nfs_mount mount = { .mount = &at };
	const char *rest = text;
	int rc = 0;

	while (text_next_line(&rest, place.text, sizeof(place.text))) {
		if (!place_parse(&place) ||
		    strlen(place.target) >= WIRE_FS_MAX ||
		    !mounts_word_in(client->section->mounts, place.target))
			continue;
		at.target = (char *)place.target;
		mount.has_stats =
			place_device(text, at.target, mount.device) &&
			nfs_stats_find(text, at.target, &mount.stats) == 0;
		if (!mount.has_stats)
			rc = 1;
		else if (nfs_add_row(wire, &mount, false, err) < 0)
			return -1;
	}
	return rc;
}
