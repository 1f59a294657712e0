/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fio prints, notes in front of it included. */
#include "report/calib_data.h"
#include "tests/fuzz/fuzz.h"

FUZZ(fio)
{
	char *text = fuzz_text(data, size);
	int is_write;

	for (is_write = 0; is_write < 2; is_write++) {
		struct calib_run run = { .bytes = -7 };
		struct err err = { "" };

		if (calib_run_parse(text, is_write, &run, &err) == 0)
			MUST(run.bytes > 0 && run.calls > 0 && run.ms > 0);
		else
			MUST(*err.text && run.bytes == -7);
	}
	free(text);
	return 0;
}
