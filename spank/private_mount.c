/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/private_mount.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mountinfo.h"

#define NAMESPACE_MAX 64

static void add_type(char types[PRIVATE_TYPES_MAX], const char *type)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	char all[PRIVATE_TYPES_MAX + 2], word[PRIVATE_TYPES_MAX + 2];
	size_t used = strlen(types), length = strlen(type);

	if (used + length + 2 > PRIVATE_TYPES_MAX || strspn(type, allowed) < length)
		return;
	snprintf(all, sizeof(all), " %s ", types);
	snprintf(word, sizeof(word), " %s ", type);
	if (!strstr(all, word))
		sprintf(types + used, "%s%s", used ? " " : "", type);
}

static bool read_namespace(const char *pid, char name[NAMESPACE_MAX])
{
	char path[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	length = readlink(path, name, NAMESPACE_MAX - 1);
	name[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* Bytes read here count as the step's: read the first line only, as most tasks are in the namespace
 * of the node. */
static bool read_note(const char *note, char name[NAMESPACE_MAX])
{
	int fd = open(note, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return false;
	size = read(fd, name, NAMESPACE_MAX - 1);
	close(fd);
	name[size > 0 ? size : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	return *name;
}

static struct mountinfo *table_of(const char *pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	return mountinfo_read(path, NULL);
}

static void compare(const struct mountinfo *table, const struct mountinfo *before,
		    const struct mountinfo *now, char types[PRIVATE_TYPES_MAX])
{
	const struct mountinfo_mount *mount = table->mount;

	for (; mount < table->mount + table->count; mount++)
		if (!mountinfo_has_device(before, mount->device) &&
		    !(now && mountinfo_has_device(now, mount->device)))
			add_type(types, mount->fstype);
}

/* Mounts made on the node since the prolog (autofs) are in the table of process 1, unless that one
 * is the job's (a PID namespace) or slurmd has a mount namespace of its own. */
void private_mount_types(const char *note, char types[PRIVATE_TYPES_MAX])
{
	char own_ns[NAMESPACE_MAX], node_ns[NAMESPACE_MAX], init_ns[NAMESPACE_MAX];
	struct mountinfo *table, *before, *now = NULL;

	if (!read_namespace("self", own_ns) || !read_note(note, node_ns) ||
	    !strcmp(own_ns, node_ns))
		return;
	table = table_of("self");
	before = mountinfo_read(note, NULL);
	if (read_namespace("1", init_ns) && !strcmp(init_ns, node_ns))
		now = table_of("1");
	if (table && before)
		compare(table, before, now, types);
	mountinfo_free(table);
	mountinfo_free(before);
	mountinfo_free(now);
}
