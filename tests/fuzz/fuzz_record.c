/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a node says, on its way into the field of slurmdbd: record_parse(),
 * merge, summary. Lines of the input are records of one run. */
#include <string.h>

#include "ledger/merge.h"
#include "lib/record.h"
#include "lib/utf8.h"
#include "tests/fuzz/fuzz.h"

static void check_clean(const char *text)
{
	unsigned int code = 0;
	size_t size = text ? strlen(text) : 0, n;

	for (; size; text += n, size -= n) {
		n = utf8_character(text, size, &code);
		MUST(n && !utf8_is_hidden(code));
	}
}

/* What was read can be written, and is the same when it is read again. */
static void check_again(const struct record *record)
{
	struct err err;
	char *first = record_text(record, &err), *second;
	struct record *again;

	MUST(first);
	again = record_parse(first, strlen(first), &err);
	MUST(again || strlen(first) > RECORD_TEXT_MAX);
	if (again) {
		second = record_text(again, &err);
		MUST(second && !strcmp(first, second));
		free(second);
	}
	free(first);
	record_free(again);
}

static void check_summary(struct merge *merge)
{
	struct summary summary, again;
	char text[SUMMARY_MAX], second[SUMMARY_MAX];
	struct err err;

	merge_summary(merge, &summary);
	summary_text(&summary, text);
	MUST(strlen(text) < SUMMARY_MAX);
	MUST(strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			  "0123456789+/=._:;,@% -") == strlen(text));
	MUST(summary_parse(text, &again, &err) == 0);
	summary_text(&again, second);
	MUST(!strcmp(text, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *line = text, *end = text + size;
	struct merge *merge = merge_new();
	struct summary summary;
	struct err err;

	MUST(merge);
	while (line < end) {
		size_t length = strcspn(line, "\n");
		struct record *record = record_parse(line, length, &err);

		if (record) {
			check_clean(record->user);
			check_clean(record->refused);
			check_clean(record->finding_count
					    ? record->findings[0].text
					    : NULL);
			check_again(record);
			MUST(merge_add(merge, record,
				       merge_digest(line, length)) == 0);
		} else {
			check_clean(err.text);
		}
		record_free(record);
		line += length + 1;
	}
	check_summary(merge);
	merge_free(merge);
	summary_parse(text, &summary, &err);
	free(text);
	return 0;
}
