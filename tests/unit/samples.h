/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - recorded output of clients (tests/samples)
 *
 * sample_read("weka/x.json") returns the text of that file; the caller frees it.
 * sample_kept("report/x.golden", text) fails unless the file has that text;
 * JOBIO_UPDATE=1 rewrites the file, and the difference is reviewed. */
#ifndef JOBIO_TESTS_UNIT_SAMPLES_H
#define JOBIO_TESTS_UNIT_SAMPLES_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"

__attribute__((unused)) static char *sample_read(const char *name)
{
	char path[4096], *text;
	struct err err;

	snprintf(path, sizeof(path), SRCDIR "/tests/samples/%s", name);
	text = fileio_read(path, 1U << 20, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

__attribute__((unused)) static void sample_kept(const char *name, const char *text)
{
	const char *update = getenv("JOBIO_UPDATE");
	char path[4096], *kept;
	FILE *out;

	if (update && !strcmp(update, "1")) {
		snprintf(path, sizeof(path), SRCDIR "/tests/samples/%s", name);
		out = fopen(path, "w");
		ck_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
	}
	kept = sample_read(name);
	ck_assert_msg(!strcmp(kept, text), "%s is another:\n%s", name, text);
	free(kept);
}

#endif
