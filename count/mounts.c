/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "count/mounts.h"

#define MINOR_BITS 20

/* Return 1, or 0 if there is no such mount or its number is too large. */
static int parse_dev(const struct mountinfo_mount *mount, uint32_t *dev)
{
	unsigned long major, minor;
	char *colon, *end;

	if (!mount)
		return 0;
	major = strtoul(mount->device, &colon, 10);
	if (*colon != ':' || major > 0xfff)
		return 0;
	minor = strtoul(colon + 1, &end, 10);
	if (*end || minor >= 1UL << MINOR_BITS)
		return 0;
	*dev = (uint32_t)(major << MINOR_BITS | minor);
	return 1;
}

int mounts_dev(const char *mountinfo, const char *path, uint32_t *dev, struct err *err)
{
	struct mountinfo *table = mountinfo_read(mountinfo, err);
	int found;

	if (!table)
		return err_prefix(err, "mounts");
	found = parse_dev(mountinfo_on(table, path), dev);
	mountinfo_free(table);
	return found;
}

uint32_t mounts_dev_below(const struct mountinfo *table, const char *path)
{
	uint32_t dev;

	return parse_dev(mountinfo_above(table, path), &dev) ? dev : 0;
}
