/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NFS that a job has in a namespace of its own */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/nfs/nfs.h"
#include "client/wire.h"
#include "lib/text.h"

#define LINE_TEXT_MAX 8192

/* proc_pid_mountinfo(5): the fifth word; false: it is no such line. */
static bool find_target(char *line, char target[WIRE_FS_MAX])
{
	char *word = NULL, *save = NULL;
	int i;

	if (*line < '0' || *line > '9')
		return false;
	for (i = 0; i < 5; i++)
		word = strtok_r(i ? NULL : line, " ", &save);
	if (!word)
		return false;
	text_unescape_octal(word);
	if (strlen(word) >= WIRE_FS_MAX)
		return false;
	strcpy(target, word);
	return true;
}

int nfs_own(const struct client *client, const char *text, struct wire *wire,
	    struct err *err)
{
	char line[LINE_TEXT_MAX], target[WIRE_FS_MAX];
	struct client_mount at = { .target = target };
	struct nfs_mount mount = { .mount = &at };
	const char *rest = text;
	int rc = 0;

	while (text_next_line(&rest, line, sizeof(line))) {
		if (!find_target(line, target) ||
		    !mounts_word_in(client->section->mounts, target))
			continue;
		mount.has_stats =
			mounts_device(text, target, mount.device) == 0 &&
			nfs_stats_find(text, target, &mount.stats) == 0;
		if (!mount.has_stats)
			rc = 1;
		else if (nfs_add_row(wire, &mount, false, err) < 0)
			return -1;
	}
	return rc;
}
