/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/own_mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "lib/text.h"

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

bool own_mounts_none(const char *proc)
{
	char mine[PATH_TEXT_MAX], nodes[PATH_TEXT_MAX];

	return is_namespace(proc, "self", mine) &&
	       is_namespace(proc, "1", nodes) && !strcmp(mine, nodes);
}

char *own_mounts_table(const char *proc, const char *who)
{
	char path[PATH_TEXT_MAX];

	snprintf(path, sizeof(path), "%.200s/%s/mountinfo", proc, who);
	return fileio_read(path, OWN_TABLE_BYTES_MAX, NULL, NULL);
}

/* proc_pid_mountinfo(5): ID PARENT MAJOR:MINOR ROOT TARGET .. - FSTYPE SOURCE
 * SUPER */
static bool read_mount(const char *line, struct own_mount *mount)
{
	size_t length = strcspn(line, "\n"), bytes[5] = { 0 };
	const char *dash = memmem(line, length, " - ", 3);
	const char *word[5], *at = line;
	int i;

	for (i = 0; i < 5; i++) {
		word[i] = at;
		bytes[i] = strcspn(at, " \n");
		at += bytes[i];
		if (*at != ' ')
			return false;
		at++;
	}
	if (!dash)
		return false;
	mount->line = line;
	mount->line_bytes = length;
	mount->device = word[2];
	mount->device_bytes = bytes[2];
	mount->target = word[4];
	mount->target_bytes = bytes[4];
	mount->type = dash + 3;
	mount->type_bytes = strcspn(mount->type, " \n");
	return mount->device_bytes && mount->type_bytes;
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

static void add_type(char types[OWN_MOUNTS_MAX], const struct own_mount *mount)
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

bool own_mounts_next(const char **table, struct own_mount *mount)
{
	const char *line;

	while (**table) {
		line = *table;
		*table = text_behind_line(line);
		if (read_mount(line, mount))
			return true;
	}
	return false;
}

bool own_mounts_is_own(const char *nodes, const struct own_mount *mount)
{
	struct own_mount one;

	while (own_mounts_next(&nodes, &one))
		if (one.device_bytes == mount->device_bytes &&
		    !memcmp(one.device, mount->device, one.device_bytes))
			return false;
	return true;
}

void own_mounts_types(const char *table, const char *nodes,
		      char types[OWN_MOUNTS_MAX])
{
	struct own_mount mount;

	while (own_mounts_next(&table, &mount))
		if (own_mounts_is_own(nodes, &mount))
			add_type(types, &mount);
}
