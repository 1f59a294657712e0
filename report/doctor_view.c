/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/doctor_view.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/fileio.h"

#define SMALL_FILE_MAX (1U << 20)

char *doctor_read(const struct doctor *doctor, const char *path)
{
	char whole[PATH_MAX];
	char *real, *text;

	snprintf(whole, sizeof(whole), "%s%s", doctor->root, path);
	real = realpath(whole, NULL);
	text = real ? fileio_read(real, SMALL_FILE_MAX, NULL, NULL) : NULL;
	free(real);
	return text;
}
