/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/mounts.h"

#include <stdlib.h>

#define MINOR_BITS 20

uint32_t mounts_dev(const struct mountinfo_mount *mount)
{
	unsigned long major, minor;
	char *colon, *end;

	if (!mount)
		return 0;
	major = strtoul(mount->device, &colon, 10);
	if (*colon != ':' || major > 0xfff)
		return 0;
	minor = strtoul(colon + 1, &end, 10);
	return *end || minor >= 1UL << MINOR_BITS ? 0 : (uint32_t)(major << MINOR_BITS | minor);
}
