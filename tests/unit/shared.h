/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shared.h - recorded data that lies beside the source tree
 *
 * shared_read("fixtures/weka/x.json") is the text of a file there; the caller
 * frees it. A missing one fails the test and says where it was looked for. */
#ifndef JOBIO_TESTS_UNIT_SHARED_H
#define JOBIO_TESTS_UNIT_SHARED_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/fileio.h"

static char *shared_read(const char *name)
{
	const char *shared = getenv("JOBIO_SHARED");
	char path[4096], *text;
	struct err err;

	snprintf(path, sizeof(path), "%s/%s",
		 shared ? shared : SRCDIR "/../shared", name);
	text = fileio_read(path, 1U << 20, NULL, &err);
	ck_assert_msg(text != NULL,
		      "%s: recorded data is needed beside the source tree (or "
		      "set JOBIO_SHARED)",
		      err.text);
	return text;
}

#endif
