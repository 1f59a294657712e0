/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/sums.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "ledger/merge.h"
#include "ledger/usage.h"
#include "record/alloc.h"
#include "record/json.h"
#include "record/record.h"

struct sums {
	struct merge *merge;
	struct usage *usage; /* NULL: summary only */
};

struct sums *sums_new(bool is_judged)
{
	struct sums *sums = xcalloc(1, sizeof(*sums));

	sums->merge = merge_new();
	sums->usage = is_judged ? usage_new() : NULL;
	return sums;
}

void sums_free(struct sums *sums)
{
	if (!sums)
		return;
	merge_free(sums->merge);
	usage_free(sums->usage);
	free(sums);
}

static void add(struct sums *sums, struct record *record)
{
	merge_add(sums->merge, record);
	if (sums->usage)
		usage_add(sums->usage, record);
	else
		record_free(record);
}

int sums_add(struct sums *sums, const char *text, size_t size, struct err *err)
{
	struct record *record = record_parse(text, size, err);

	if (!record)
		return -1;
	add(sums, record);
	return 0;
}

void sums_make(struct sums *sums, const struct store_run *run, const struct config_advice *limits,
	       struct sums_result *result)
{
	struct advice_list *list;

	merge_summary(sums->merge, &result->summary);
	summary_text(&result->summary, result->text);
	result->judged = result->use = NULL;
	if (!sums->usage)
		return;
	list = usage_judge(sums->usage, run, limits);
	result->judged = advice_text(list, limits);
	result->use = usage_text(sums->usage, run, list);
	advice_free(list);
}

void sums_clear(struct sums_result *result)
{
	free(result->judged);
	free(result->use);
}

/* ---- a stream of jobs -------------------------------------------------------------- */

static void print_job(struct sums *sums, struct store_run *run, FILE *out,
		      const struct config_advice *limits)
{
	struct sums_result result;

	merge_summary(sums->merge, &result.summary);
	run->nodes_expected = result.summary.nodes_expected;
	sums_make(sums, run, limits, &result);
	fprintf(out, "{\"job\":%u,\"summary\":\"%s\",\"judged\":%s}\n", run->job, result.text,
		result.judged);
	sums_clear(&result);
}

int sums_stream(FILE *in, FILE *out, const struct config_advice *limits, struct err *err)
{
	struct store_run run = { .cluster = (char *)"" };
	struct sums *sums = NULL;
	struct record *record;
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	int rc = -1;

	while ((size = getline(&line, &room, in)) > 0) {
		size -= line[size - 1] == '\n';
		record = record_parse(line, (size_t)size, err);
		if (!record)
			goto out;
		if (sums && run.job != record->job) {
			print_job(sums, &run, out, limits);
			sums_free(sums);
			sums = NULL;
		}
		sums = sums ? sums : sums_new(true);
		run.job = record->job;
		add(sums, record);
	}
	if (sums)
		print_job(sums, &run, out, limits);
	rc = 0;
out:
	sums_free(sums);
	free(line);
	return rc;
}
