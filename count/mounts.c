/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "count/mounts.h"
#include "record/alloc.h"

#define MINOR_BITS 20

/* "36 35 98:0 /root /mount ...": 1 if a mount on 'path', or with 'below' on a folder above it,
 * is the last of those with the longest path: *length, 0 before the first. */
static int read_line(char *line, const char *path, bool below, size_t *length, uint32_t *dev)
{
	char *field[5], *rest = line, *colon, *end;
	unsigned long major, minor;
	size_t n;
	int i;

	for (i = 0; i < 5; i++) {
		field[i] = strtok_r(rest, " ", &rest);
		if (!field[i])
			return 0;
	}
	text_unescape_octal(field[4]);
	n = strcmp(field[4], "/") ? strlen(field[4]) : 0;
	if (below ? n + 1 < *length || strncmp(field[4], path, n) != 0 ||
			    (path[n] && path[n] != '/')
		  : strcmp(field[4], path) != 0)
		return 0;
	major = strtoul(field[2], &colon, 10);
	if (*colon != ':' || major > 0xfff)
		return 0;
	minor = strtoul(colon + 1, &end, 10);
	if (*end || minor >= 1UL << MINOR_BITS)
		return 0;
	*dev = (uint32_t)(major << MINOR_BITS | minor);
	*length = n + 1;
	return 1;
}

int mounts_dev(const char *mountinfo, const char *path, uint32_t *dev, struct err *err)
{
	FILE *file = fopen(mountinfo, "re");
	char *line = NULL;
	size_t room = 0, length = 0;
	int found = 0;

	if (!file)
		return err_set(err, "mounts: '%s': %s", mountinfo, strerror(errno));
	while (getline(&line, &room, file) > 0)
		found |= read_line(line, path, false, &length, dev);
	free(line);
	if (ferror(file)) {
		fclose(file);
		return err_set(err, "mounts: '%s': cannot read it", mountinfo);
	}
	fclose(file);
	return found;
}

uint32_t mounts_dev_below(const char *table, const char *path)
{
	char *copy = xstrdup(table), *rest = copy, *line;
	size_t length = 0;
	uint32_t dev = 0;

	while ((line = strtok_r(NULL, "\n", &rest)))
		read_line(line, path, true, &length, &dev);
	free(copy);
	return dev;
}
