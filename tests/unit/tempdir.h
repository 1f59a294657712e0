/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tempdir.h - a folder of its own for one test
 *
 * tempdir_make() makes one under TMPDIR or /tmp and returns its path (static);
 * tempdir_path("a") is "DIR/a" (static, four at a time);
 * tempdir_put("a", "text") writes a file there and returns its path. Each test
 * runs in a process of its own; tempdir_remove() at its end. */
#ifndef JOBIO_TESTS_UNIT_TEMPDIR_H
#define JOBIO_TESTS_UNIT_TEMPDIR_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/fileio.h"

static char tempdir_name[256];

__attribute__((unused)) static const char *tempdir_make(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(tempdir_name, sizeof(tempdir_name), "%s/jobio-unit-XXXXXX",
		 base ? base : "/tmp");
	ck_assert_msg(mkdtemp(tempdir_name) != NULL, "no temporary folder");
	return tempdir_name;
}

__attribute__((unused)) static const char *tempdir_path(const char *name)
{
	static char paths[4][512];
	static int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", tempdir_name, name);
	return path;
}

__attribute__((unused)) static const char *tempdir_put(const char *name,
						       const char *text)
{
	const char *path = tempdir_path(name);
	FILE *out = fopen(path, "w");

	ck_assert_msg(out && fputs(text, out) >= 0 && fclose(out) == 0,
		      "cannot write %s", path);
	return path;
}

__attribute__((unused)) static void tempdir_remove(void)
{
	struct err err;

	ck_assert_msg(fileio_rmtree(tempdir_name, &err) == 0, "%s", err.text);
}

#endif
