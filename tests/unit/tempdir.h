/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tempdir.h - a temporary folder for one test
 *
 * tempdir_make() creates one under TMPDIR or /tmp and returns its path (static);
 * tempdir_path("a") returns "DIR/a" (static, four buffers in turn);
 * tempdir_put("a/b", "text") writes a file, creates its parent folders and returns its
 * path; tempdir_command() writes an executable file; tempdir_expect() compares a file's text.
 * Each test runs in a process of its own and calls tempdir_remove() at its end. */
#ifndef JOBIO_TESTS_UNIT_TEMPDIR_H
#define JOBIO_TESTS_UNIT_TEMPDIR_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fileio.h"

static char tempdir_name[256];

__attribute__((unused)) static const char *tempdir_make(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(tempdir_name, sizeof(tempdir_name), "%s/jobio-unit-XXXXXX", base ? base : "/tmp");
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

__attribute__((unused)) static const char *tempdir_put(const char *name, const char *text)
{
	const char *path = tempdir_path(name);
	char above[512];
	FILE *out;
	size_t i;

	for (i = strlen(tempdir_name) + 1; path[i]; i++)
		if (path[i] == '/') {
			snprintf(above, sizeof(above), "%.*s", (int)i, path);
			mkdir(above, 0700);
		}
	out = fopen(path, "w");
	ck_assert_msg(out && fputs(text, out) >= 0 && fclose(out) == 0, "cannot write %s", path);
	return path;
}

/* Write a script, with each %s replaced by the folder; 'path' gets its path. */
__attribute__((unused)) static char *tempdir_command(const char *name, const char *script,
						     char path[600])
{
	char text[3000];

	snprintf(text, sizeof(text), script, tempdir_name);
	snprintf(path, 600, "%s", tempdir_put(name, text));
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

/* Fail unless the file has this text; a missing file counts as "". */
__attribute__((unused)) static void tempdir_expect(const char *name, const char *text)
{
	char *is = fileio_read(tempdir_path(name), 10000, NULL, NULL);

	ck_assert_str_eq(is ? is : "", text);
	free(is);
}

__attribute__((unused)) static void tempdir_remove(void)
{
	struct err err;

	ck_assert_msg(fileio_rmtree(tempdir_name, &err) == 0, "%s", err.text);
}

#endif
