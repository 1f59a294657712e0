/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts of the client in other mount namespaces, which umount(8) on the node does not reach */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "client/place.h"
#include "client/weka/checks.h"
#include "client/weka/facts.h"
#include "record/alloc.h"

#define TABLE_BYTES_MAX (4U << 20)

/* The last line with this target, or with this id, which only one has. */
static bool find(const char *table, const char *target, const char *id, struct place *place)
{
	const char *line = table, *last = NULL;

	for (; text_next_line(&table, place->text, sizeof(place->text)); line = table)
		if (place_parse(place) &&
		    (id ? !strcmp(place->id, id) : !strcmp(place->target, target)))
			last = line;
	return last && text_next_line(&last, place->text, sizeof(place->text)) &&
	       place_parse(place);
}

struct at {
	struct place mount, parent;
};

static bool find_parent(const char *table, struct at *at)
{
	return find(table, NULL, at->mount.parent, &at->parent);
}

/* Where it is mounted, as a path of its parent's filesystem */
static char *path_in(const struct at *at)
{
	const char *root = at->parent.root, *below = at->parent.target;

	return xasprintf("%s%s", strcmp(root, "/") ? root : "",
			 at->mount.target +
				 strnlen(at->mount.target, strcmp(below, "/") ? strlen(below) : 0));
}

/* umount(2) is propagated to the same place on the parent's peers and slaves:
 * mount_namespaces(7). */
static bool is_reached(const struct at *ours, const struct at *copy)
{
	const char *group = strstr(ours->parent.tags, "shared:");
	char tag[24];

	if (!group)
		return false;
	group += strlen("shared");
	snprintf(tag, sizeof(tag), "%.*s ", (int)strcspn(group, " "), group);
	return strstr(copy->parent.tags, tag) && !strcmp(path_in(ours), path_in(copy));
}

static bool has_copy(const char *table, const char *theirs, const char *target)
{
	struct at ours, copy;
	const char *rest = theirs;

	if (!find(table, target, NULL, &ours.mount) || !find_parent(table, &ours))
		return false;
	while (text_next_line(&rest, copy.mount.text, sizeof(copy.mount.text)))
		if (place_parse(&copy.mount) && !strcmp(copy.mount.device, ours.mount.device) &&
		    !(find_parent(theirs, &copy) && is_reached(&ours, &copy)))
			return true;
	return false;
}

/* Tasks of jobs have ended before a core changes. */
static bool is_of_job(const char *process)
{
	const char *cgroup =
		fileio_read(xasprintf("%s/cgroup", process), TABLE_BYTES_MAX, NULL, NULL);

	return cgroup && (strstr(cgroup, "slurmstepd.scope/") || strstr(cgroup, "/job_"));
}

static bool print_copy(const struct client *client, const char *ours, const char *theirs,
		       const char *process)
{
	const struct client_mount *mount = client->common.mounts;
	size_t left = client->common.mount_count;
	char comm[64] = "?";

	for (; left && !has_copy(ours, theirs, mount->target); mount++)
		left--;
	if (!left || is_of_job(process))
		return false;
	sysfs_line(xasprintf("%s/comm", process), comm, sizeof(comm));
	printf("'%s' in the mount namespace of process %s (%s)", mount->target,
	       strrchr(process, '/') + 1, comm);
	return true;
}

/* The first copy that is found; 1: nothing is found, and not all could be read. In a child,
 * which frees nothing. */
static int print_copies(void *arg)
{
	const struct client *client = arg;
	const char *dir = client->section->process_dir;
	char *seen = xstrdup(""), *ours = NULL, *table, *process, space[64];
	int unread = 0;
	glob_t links = { 0 };
	ssize_t length;
	size_t i;

	glob(xasprintf("%s/self/ns/mnt", dir), 0, NULL, &links);
	if (links.gl_pathc)
		glob(xasprintf("%s/[0-9]*/ns/mnt", dir), GLOB_APPEND, NULL, &links);
	for (i = 0; i < links.gl_pathc; i++) {
		process = links.gl_pathv[i];
		length = readlink(process, space, sizeof(space) - 1);
		space[length > 0 ? length : 0] = '\0';
		if (length > 0 && strstr(seen, space))
			continue;
		process[strlen(process) - strlen("/ns/mnt")] = '\0';
		table = length < 0 ? NULL
				   : fileio_read(xasprintf("%s/mountinfo", process),
						 TABLE_BYTES_MAX, NULL, NULL);
		if (!table) /* unless it has ended */
			unread |= errno != ENOENT && errno != ESRCH && errno != EINVAL;
		else if (!i)
			ours = table;
		else if (!ours || print_copy(client, ours, table, process))
			return !ours;
		if (table)
			seen = xasprintf("%s %s", seen, space);
	}
	return unread;
}

void weka_read_copies(struct client *client)
{
	if (client->section->core_method == CORE_METHOD_MOUNT &&
	    client->section->core_change != CORE_CHANGE_NEVER)
		ask_function(client, &weka_of(client)->copies, client->section->process_dir,
			     print_copies, client);
}

void weka_check_copies(const struct judge *judge, const struct rule *rule)
{
	const struct ask *copies = &weka_of(judge->client)->copies;

	if (copies->answer == ASK_ANSWERED && *copies->text)
		rule_say(
			judge, rule,
			"umount does not reach %s: core_method=mount may leave the client its old cores",
			copies->text);
	else if (copies->answer != ASK_ANSWERED && copies->answer != ASK_NOT_ASKED)
		rule_say(
			judge, rule,
			"it is not known whether another mount namespace has a mount of the client, which core_method=mount would not reach: %.200s",
			copies->why);
}
