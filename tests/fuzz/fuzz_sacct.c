/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sacct prints: names and comments of jobs may hold anything. '~' is the
 * mark, which nobody can know. */
#include "lib/summary.h"
#include "lib/utf8.h"
#include "report/sacct.h"
#include "tests/fuzz/fuzz.h"

static void must_be_clean(const char *text)
{
	char copy[4096];

	if (strlen(text) >= sizeof(copy))
		return;
	utf8_clean(copy, sizeof(copy), text, strlen(text));
	MUST(!strcmp(copy, text));
}

FUZZ(sacct)
{
	struct sacct_rows *rows = sacct_parse(fuzz_text(data, size), "~", NULL);
	size_t i;

	for (i = 0; rows && i < rows->count; i++) {
		const struct sacct_row *row = &rows->row[i];

		must_be_clean(row->name);
		must_be_clean(row->user);
		must_be_clean(row->state);
		must_be_clean(row->id);
		MUST(row->start >= -1 && row->nodes >= -1);
		MUST(!row->summary || strlen(row->summary) < SUMMARY_MAX);
		MUST(sacct_find(rows, row->id) != NULL);
		sacct_is_early(row->state);
		sacct_is_state(row->state, row->name);
	}
	sacct_free(rows);
	return 0;
}
