/* SPDX-License-Identifier: GPL-2.0-or-later */
/* samples.h - outputs of clients, written for the tests (tests/samples)
 *
 * sample_read("weka/x.json") is the text of a file there; the caller frees it. */
#ifndef JOBIO_TESTS_UNIT_SAMPLES_H
#define JOBIO_TESTS_UNIT_SAMPLES_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/fileio.h"

static char *sample_read(const char *name)
{
	char path[4096], *text;
	struct err err;

	snprintf(path, sizeof(path), SRCDIR "/tests/samples/%s", name);
	text = fileio_read(path, 1U << 20, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

#endif
