/* SPDX-License-Identifier: GPL-2.0-or-later */
/* version.h - a Slurm version as one number that can be compared
 *
 * Terms   version: VERSION_OF(22, 5, 8) for 22.05.8. A text without the third
 *           number means the last release of that series ("22.05").
 * Errors  version_parse: -1, the reason in *err, output unchanged.
 * Runs    everywhere; needs libc only.
 */
#ifndef JOBIO_BASE_VERSION_H
#define JOBIO_BASE_VERSION_H

#include "base/err.h"

#define VERSION_OF(major, minor, micro)                                                            \
	(((unsigned int)(major) << 16) | ((unsigned int)(minor) << 8) | (unsigned int)(micro))
#define VERSION_TEXT_MAX 16

/* "22.05", "22.05.8", "24.11.5-1", "26.05.0-0rc1" */
int version_parse(const char *text, unsigned int *version, struct err *err);

/* "22.05.8", or "22.05" if the third number is unknown. */
void version_format(unsigned int version, char text[VERSION_TEXT_MAX]);

#endif
