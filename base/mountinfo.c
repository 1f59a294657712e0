/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mountinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/text.h"

#define TABLE_BYTES_MAX (16U << 20)

/* Parse ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG..] - FSTYPE SOURCE SUPER_OPTIONS. */
static bool parse(char *line, struct mountinfo_mount *mount)
{
	char *tail = strstr(line, " - "), *root, *target, *source;

	if (!tail)
		return false;
	tail[1] = '\0';
	tail += 3;
	mount->id = strsep(&line, " ");
	mount->parent = strsep(&line, " ");
	mount->device = strsep(&line, " ");
	mount->root = root = strsep(&line, " ");
	mount->target = target = strsep(&line, " ");
	mount->options = strsep(&line, " ");
	mount->tags = line;
	mount->fstype = strsep(&tail, " ");
	mount->source = source = strsep(&tail, " ");
	mount->super_options = tail;
	if (!line || !tail)
		return false;
	text_unescape_octal(root);
	text_unescape_octal(target);
	text_unescape_octal(source);
	return true;
}

struct mountinfo *mountinfo_read(const char *path, struct err *err)
{
	struct mountinfo *table = calloc(1, sizeof(*table));
	char *rest, *line;
	size_t lines = 1;

	if (!table)
		goto no_memory;
	table->text = rest = fileio_read(path, TABLE_BYTES_MAX, NULL, err);
	if (!rest) {
		free(table);
		return NULL;
	}
	for (line = rest; (line = strchr(line, '\n')); line++)
		lines++;
	table->mount = calloc(lines, sizeof(*table->mount));
	if (!table->mount)
		goto no_memory;
	while ((line = strsep(&rest, "\n")))
		table->count += parse(line, &table->mount[table->count]);
	return table;
no_memory:
	mountinfo_free(table);
	err_set(err, "cannot read '%s': out of memory", path);
	errno = ENOMEM;
	return NULL;
}

void mountinfo_free(struct mountinfo *table)
{
	if (!table)
		return;
	free(table->mount);
	free(table->text);
	free(table);
}

const struct mountinfo_mount *mountinfo_on(const struct mountinfo *table, const char *target)
{
	size_t i;

	for (i = table->count; i > 0; i--)
		if (!strcmp(table->mount[i - 1].target, target))
			return &table->mount[i - 1];
	return NULL;
}

const struct mountinfo_mount *mountinfo_above(const struct mountinfo *table, const char *path)
{
	const struct mountinfo_mount *mount = table->mount, *found = NULL;
	size_t length, longest = 0;

	for (; mount < table->mount + table->count; mount++) {
		length = strcmp(mount->target, "/") ? strlen(mount->target) : 0;
		if (length < longest || strncmp(mount->target, path, length) != 0 ||
		    (path[length] && path[length] != '/'))
			continue;
		longest = length;
		found = mount;
	}
	return found;
}

bool mountinfo_has_device(const struct mountinfo *table, const char *device)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (!strcmp(table->mount[i].device, device))
			return true;
	return false;
}
