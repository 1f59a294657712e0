/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node's record on its way to slurmdbd's SystemComment: record_parse(), run,
 * summary; and into a report. Lines of the input are records of one run. */
#include "base/utf8.h"
#include "record/record.h"
#include "record/run_json.h"
#include "record/summary.h"
#include "tests/fuzz/fuzz.h"

#define RECORDS_MAX 64

static void check_clean(const char *text)
{
	unsigned int code = 0;
	size_t size = text ? strlen(text) : 0, n;

	for (; size; text += n, size -= n) {
		n = utf8_character(text, size, &code);
		MUST(n && !utf8_is_hidden(code));
	}
}

/* A record that was parsed is the same after writing and parsing it again. */
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

static void check_summary(const char *text)
{
	MUST(strlen(text) < SUMMARY_MAX);
	MUST(strspn(text,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=._:;,@% -") ==
	     strlen(text));
}

/* Add the output of jobio-count to a record. */
static void check_counters(const char *text, size_t size)
{
	struct record *record = record_new();
	struct err err = { "" };
	char *written;

	MUST(record);
	strcpy(record->cluster, "c");
	strcpy(record->node, "n1");
	record->job = 7;
	if (record_counters_add(record, text, size, &err) < 0)
		MUST(*err.text);
	written = record_text(record, &err);
	MUST(written);
	free(written);
	record_free(record);
}

/* Set [text] to the summary of these records, added from one end or the other. */
static void merge(struct record *const *records, size_t count, int is_backward, char *text)
{
	struct json *top = json_new_object(), *json;
	const struct record *record;
	struct run *run = run_new();
	char *line;
	size_t i;

	for (i = 0; i < count; i++) {
		record = records[is_backward ? count - 1 - i : i];
		line = record_text(record, NULL);
		json = json_parse(line);
		run_add(run, record, json);
		json_free(json);
		free(line);
	}
	run_finish(run);
	summary_text(run, text);
	run_json_add_brief(top, run);
	run_json_add_text(top, run);
	run_json_add_timelines(top, run);
	json_free(top);
	run_free(run);
}

/* Parse a record, and give it the name of another node than those before. */
static struct record *take(const char *line, size_t length, size_t at)
{
	struct err err;
	struct record *record = record_parse(line, length, &err);

	if (!record) {
		check_clean(err.text);
		return NULL;
	}
	check_clean(record->user);
	check_clean(record->refused);
	check_clean(record->findings.count ? record->findings.list[0].text : NULL);
	check_again(record);
	snprintf(record->node, sizeof(record->node), "n%zu", at);
	return record;
}

FUZZ(record)
{
	char *text = fuzz_text(data, size), *line = text, *end = text + size;
	struct record *records[RECORDS_MAX];
	char first[SUMMARY_MAX], second[SUMMARY_MAX];
	size_t count = 0;

	while (line < end && count < RECORDS_MAX) {
		size_t length = strcspn(line, "\n");

		records[count] = take(line, length, count);
		count += records[count] != NULL;
		line += length + 1;
	}
	merge(records, count, 0, first);
	merge(records, count, 1, second);
	check_summary(first);
	MUST(!strcmp(first, second));
	while (count-- > 0)
		record_free(records[count]);
	check_counters(text, size);
	free(text);
	return 0;
}
