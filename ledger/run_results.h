/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_results.h - results of one run's records: summary, advice, and sums for the site
 *
 * Terms   summary: record/summary.h. judged: the JSON object of advice_text(). site: ledger/site_run.h.
 *           Advice is from the records of at most 2,048 nodes.
 * Owner   run_results_free(), NULL allowed; the texts of a result are malloc'ed:
 *           run_result_clear().
 * Errors  -1, the reason in *err: a text is not a record.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_RUN_RESULTS_H
#define JOBIO_LEDGER_RUN_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/site_run.h"
#include "ledger/store.h"
#include "record/summary.h"

struct run_results;

struct run_result {
	struct summary summary;
	char text[SUMMARY_MAX]; /* the summary */
	char *judged;		/* NULL: not requested */
	struct site_run *site;	/* NULL: not requested */
};

/* is_judged: compute advice and sums too, not only the summary. */
struct run_results *run_results_new(bool is_judged);
void run_results_free(struct run_results *results);
int run_results_add(struct run_results *results, const char *text, size_t size, struct err *err);

void run_results_make(struct run_results *results, const struct store_run *run,
		      const struct config_advice *limits, struct run_result *result);
void run_result_clear(struct run_result *result);

/* Read records from 'in', one a line, those of a job adjacent. Write a line of JSON for each job to
 * 'out': {"job":7,"summary":"..","judged":{..}}. */
int run_results_stream(FILE *in, FILE *out, const struct config_advice *limits, struct err *err);

#endif
