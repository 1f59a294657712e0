/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/run_results.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "ledger/merge.h"
#include "record/alloc.h"
#include "record/json.h"
#include "record/record.h"

#define RECORDS_MAX 2048 /* for advice */

struct run_results {
	struct merge *merge;
	struct site_run *site; /* NULL: summary only */
	struct record **records;
	size_t count, left_out;
};

struct run_results *run_results_new(bool is_judged)
{
	struct run_results *results = xcalloc(1, sizeof(*results));

	results->merge = merge_new();
	results->site = is_judged ? site_run_new() : NULL;
	return results;
}

void run_results_free(struct run_results *results)
{
	size_t i;

	if (!results)
		return;
	for (i = 0; i < results->count; i++)
		record_free(results->records[i]);
	free(results->records);
	merge_free(results->merge);
	site_run_free(results->site);
	free(results);
}

static void add(struct run_results *results, struct record *record)
{
	merge_add(results->merge, record);
	if (results->site)
		site_run_add(results->site, record);
	if (!results->site || results->count == RECORDS_MAX) {
		results->left_out++;
		record_free(record);
		return;
	}
	results->records = xmore(results->records, results->count, sizeof(*results->records));
	results->records[results->count++] = record;
}

int run_results_add(struct run_results *results, const char *text, size_t size, struct err *err)
{
	struct record *record = record_parse(text, size, err);

	if (!record)
		return -1;
	add(results, record);
	return 0;
}

void run_results_make(struct run_results *results, const struct store_run *run,
		      const struct config_advice *limits, struct run_result *result)
{
	bool is_whole = !results->left_out && run->nodes_expected >= 0 &&
			(int64_t)results->count >= run->nodes_expected;
	struct advice_list *list;

	merge_summary(results->merge, &result->summary);
	summary_text(&result->summary, result->text);
	result->judged = NULL;
	result->site = results->site;
	if (!results->site)
		return;
	results->site = NULL;
	list = advice_new(results->records, results->count, is_whole, limits);
	result->judged = advice_text(list, limits);
	site_run_set_advice(result->site, list);
	advice_free(list);
}

void run_result_clear(struct run_result *result)
{
	free(result->judged);
	site_run_free(result->site);
}

/* ---- a stream of jobs -------------------------------------------------------------- */

static void print_job(struct run_results *results, struct store_run *run, FILE *out,
		      const struct config_advice *limits)
{
	struct run_result result;

	merge_summary(results->merge, &result.summary);
	run->nodes_expected = result.summary.nodes_expected;
	run_results_make(results, run, limits, &result);
	fprintf(out, "{\"job\":%u,\"summary\":\"%s\",\"judged\":%s}\n", run->job, result.text,
		result.judged);
	run_result_clear(&result);
}

int run_results_stream(FILE *in, FILE *out, const struct config_advice *limits, struct err *err)
{
	struct store_run run = { .cluster = (char *)"" };
	struct run_results *results = NULL;
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
		if (results && run.job != record->job) {
			print_job(results, &run, out, limits);
			run_results_free(results);
			results = NULL;
		}
		results = results ? results : run_results_new(true);
		run.job = record->job;
		add(results, record);
	}
	if (results)
		print_job(results, &run, out, limits);
	rc = 0;
out:
	run_results_free(results);
	free(line);
	return rc;
}
