/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/run_results.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "ledger/job_usage.h"
#include "ledger/merge.h"
#include "record/alloc.h"
#include "record/json.h"
#include "record/record.h"

struct run_results {
	struct merge *merge;
	struct job_usage *usage; /* NULL: summary only */
};

struct run_results *run_results_new(bool is_judged)
{
	struct run_results *results = xcalloc(1, sizeof(*results));

	results->merge = merge_new();
	results->usage = is_judged ? job_usage_new() : NULL;
	return results;
}

void run_results_free(struct run_results *results)
{
	if (!results)
		return;
	merge_free(results->merge);
	job_usage_free(results->usage);
	free(results);
}

static void add(struct run_results *results, struct record *record)
{
	merge_add(results->merge, record);
	if (results->usage)
		job_usage_add(results->usage, record);
	else
		record_free(record);
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
	struct advice_list *list;

	merge_summary(results->merge, &result->summary);
	summary_text(&result->summary, result->text);
	result->judged = result->usage = NULL;
	if (!results->usage)
		return;
	list = job_usage_judge(results->usage, run, limits);
	result->judged = advice_text(list, limits);
	result->usage = job_usage_text(results->usage, run, list);
	advice_free(list);
}

void run_result_clear(struct run_result *result)
{
	free(result->judged);
	free(result->usage);
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
