/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find mounts of the client in other mount namespaces, where umount(8) on the node has no
 * effect. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/mountinfo.h"
#include "client/weka/checks.h"
#include "client/weka/facts.h"
#include "record/alloc.h"

#define CGROUP_BYTES_MAX (64U << 10)

/* Return true if a mount of the table is in the peer group of the tag ":N". */
static bool is_shared(const struct mountinfo *table, const char *tag)
{
	const char *word = xasprintf("shared%.*s ", (int)strcspn(tag, " "), tag);
	size_t i;

	for (i = 0; i < table->count; i++)
		if (strstr(table->mount[i].tags, word))
			return true;
	return false;
}

/* Return true if umount(2) is propagated to the mount: it is, to the same place on peers and slaves
 * of the parent mount, mount_namespaces(7). A peer or slave may be of a subfolder only. */
static bool is_reached(const struct mountinfo *ours, const char *target,
		       const struct mountinfo *theirs, const struct mountinfo_mount *copy)
{
	const struct mountinfo_mount *parent = theirs->mount, *end = parent + theirs->count;
	const char *below = copy->target, *tag;

	while (parent < end && strcmp(parent->id, copy->parent) != 0)
		parent++;
	if (parent == end)
		return false;
	below += strnlen(below, strlen(parent->target));
	target += strlen(target) - strnlen(below, strlen(target));
	for (tag = parent->tags; (tag = strchr(tag, ':')); tag++)
		if (is_shared(ours, tag))
			return !strcmp(target, below);
	return false;
}

static bool has_copy(const struct mountinfo *ours, const char *target,
		     const struct mountinfo *theirs)
{
	const struct mountinfo_mount *on = mountinfo_on(ours, target), *copy = theirs->mount;

	for (; on && copy < theirs->mount + theirs->count; copy++)
		if (!strcmp(copy->device, on->device) && !is_reached(ours, target, theirs, copy))
			return true;
	return false;
}

/* Return true for a process of a job: it has ended before a core changes. */
static bool is_of_job(const char *process)
{
	char *cgroup = fileio_read(xasprintf("%s/cgroup", process), CGROUP_BYTES_MAX, NULL, NULL);

	return cgroup && (strstr(cgroup, "slurmstepd.scope/") || strstr(cgroup, "/job_"));
}

/* Print the first copy found. Runs in a child, which frees nothing. */
static int print_copies(void *arg)
{
	const struct client *client = arg;
	const struct client_mount *mount = client->common.mounts;
	struct mountinfo *ours = NULL, *table;
	char *seen = xstrdup(""), *process;
	glob_t links = { 0 };
	int unread = 0;
	size_t i, j;

	glob(xasprintf("%s/[0-9s]*/ns/mnt", client->section->process_dir), 0, NULL, &links);
	for (i = links.gl_pathc; i-- > 0 && (ours || !unread);) { /* "self" is the last */
		char space[64] = "";

		process = links.gl_pathv[i];
		if (readlink(process, space, sizeof(space) - 1) > 0 && strstr(seen, space))
			continue;
		process[strlen(process) - strlen("/ns/mnt")] = '\0';
		table = *space ? mountinfo_read(xasprintf("%s/mountinfo", process), NULL) : NULL;
		if (!table) {
			unread |= errno != ENOENT; /* unless it has ended */
			continue;
		}
		if (!ours)
			ours = table;
		seen = xasprintf("%s %s", seen, space);
		for (j = 0; ours != table && j < client->common.mount_count; j++)
			if (has_copy(ours, mount[j].target, table) && !is_of_job(process))
				return printf("'%s' in the mount namespace of process %s",
					      mount[j].target, strrchr(process, '/') + 1) < 0;
	}
	return unread;
}

void weka_read_copies(struct client *client)
{
	if (client->section->core_method == CORE_METHOD_MOUNT &&
	    client->section->core_change != CORE_CHANGE_NEVER)
		query_function(client, &weka_of(client)->copies, client->section->process_dir,
			       print_copies, client);
}

void weka_check_copies(const struct judge *judge)
{
	const struct query *copies = &weka_of(judge->client)->copies;
	const char *text = copies->answer == QUERY_ANSWERED ? copies->text : copies->why;

	if (*text)
		rule_report(
			judge,
			"copies of the client's mounts that umount does not reach (core_method=mount may leave the old cores): %.300s",
			text);
}
