/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/own_mounts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fileio.h"

#define TABLE_BYTES_MAX (1U << 20)
#define PATH_TEXT_MAX 256

/* "mnt:[4026531841]" */
static bool is_namespace(const char *proc, const char *who,
			 char name[PATH_TEXT_MAX])
{
	char path[PATH_TEXT_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "%.200s/%s/ns/mnt", proc, who);
	length = readlink(path, name, PATH_TEXT_MAX - 1);
	if (length <= 0)
		return false;
	name[length] = '\0';
	return true;
}

static char *table_of(const char *proc, const char *who)
{
	char path[PATH_TEXT_MAX];

	snprintf(path, sizeof(path), "%.200s/%s/mountinfo", proc, who);
	return fileio_read(path, TABLE_BYTES_MAX, NULL, NULL);
}

/* proc_pid_mountinfo(5): ID PARENT MAJOR:MINOR .. - FSTYPE SOURCE SUPER. The
 * words of one line, as lengths behind 'line'. */
struct mount {
	const char *device, *type;
	size_t device_bytes, type_bytes;
};

static bool read_mount(const char *line, struct mount *mount)
{
	size_t length = strcspn(line, "\n"), skip;
	const char *dash = memmem(line, length, " - ", 3);
	int i;

	mount->device = line;
	for (i = 0; i < 2; i++) {
		skip = strcspn(mount->device, " \n");
		if (mount->device[skip] != ' ')
			return false;
		mount->device += skip + 1;
	}
	if (!dash)
		return false;
	mount->device_bytes = strcspn(mount->device, " \n");
	mount->type = dash + 3;
	mount->type_bytes = strcspn(mount->type, " \n");
	return mount->device_bytes && mount->type_bytes;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

static bool has_device(const char *table, const struct mount *wanted)
{
	struct mount one;

	for (; *table; table = next_line(table))
		if (read_mount(table, &one) &&
		    one.device_bytes == wanted->device_bytes &&
		    !memcmp(one.device, wanted->device, one.device_bytes))
			return true;
	return false;
}

static bool has_word(const char *words, const char *word, size_t length)
{
	const char *at = words;

	for (; *at; at += strspn(at, " ")) {
		if (strcspn(at, " ") == length && !memcmp(at, word, length))
			return true;
		at += strcspn(at, " ");
	}
	return false;
}

static void add_type(char types[OWN_MOUNTS_MAX], const struct mount *mount)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t used = strlen(types);

	if (strspn(mount->type, allowed) < mount->type_bytes ||
	    used + mount->type_bytes + 2 > OWN_MOUNTS_MAX ||
	    has_word(types, mount->type, mount->type_bytes))
		return;
	snprintf(types + used, OWN_MOUNTS_MAX - used, "%s%.*s", used ? " " : "",
		 (int)mount->type_bytes, mount->type);
}

int own_mounts_find(const char *proc, char types[OWN_MOUNTS_MAX])
{
	char mine[PATH_TEXT_MAX], nodes[PATH_TEXT_MAX];
	char *tasks_table, *nodes_table;
	struct mount mount;
	const char *line;
	int rc = -1;

	*types = '\0';
	/* where links of process 1 are kept from us, its table may be there */
	if (is_namespace(proc, "self", mine) &&
	    is_namespace(proc, "1", nodes) && !strcmp(mine, nodes))
		return 0;
	tasks_table = table_of(proc, "self");
	nodes_table = table_of(proc, "1");
	for (line = tasks_table; nodes_table && line && *line;
	     line = next_line(line))
		if (read_mount(line, &mount) &&
		    !has_device(nodes_table, &mount))
			add_type(types, &mount);
	if (tasks_table && nodes_table)
		rc = *types != '\0';
	free(tasks_table);
	free(nodes_table);
	return rc;
}
