/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What many hosts answered to `jobio check --format=json`, a line each: it comes
 * from other hosts, and is shown on a terminal. */
#include "report/check_fold.h"
#include "report/command.h"
#include "tests/fuzz/fuzz.h"

static void check_shown(const char *text)
{
	for (; *text; text++)
		MUST(*text == '\n' || (unsigned char)*text >= 0x20);
}

FUZZ(fold)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	FILE *out = stdout;
	char *shown = NULL;
	size_t length;
	int status;

	if (!in)
		return 0;
	stdout = open_memstream(&shown, &length);
	MUST(stdout);
	status = check_fold(in);
	MUST(fclose(stdout) == 0);
	stdout = out;
	fclose(in);
	MUST(status == COMMAND_OK || status == COMMAND_FAILED ||
	     status == COMMAND_UNSOUND);
	MUST(strstr(shown, " hosts answered, "));
	check_shown(shown);
	free(shown);
	return 0;
}
