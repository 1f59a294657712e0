/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sums.h - results of one run's records: summary, advice, and use
 *
 * Terms   summary: record/summary.h. judged: the JSON object of advice_text(). use: a line of
 *           ledger/tally.h, without an account.
 * Owner   sums_free(), NULL allowed; the texts of a result are malloc'ed: sums_clear().
 * Errors  -1, the reason in *err: a text is not a record.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_SUMS_H
#define JOBIO_LEDGER_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/store.h"
#include "record/summary.h"

struct sums;

struct sums_result {
	struct summary summary;
	char text[SUMMARY_MAX]; /* the summary */
	char *judged, *use;	/* NULL: not requested */
};

/* is_judged: compute advice and use too, not only the summary. */
struct sums *sums_new(bool is_judged);
void sums_free(struct sums *sums);
int sums_add(struct sums *sums, const char *text, size_t size, struct err *err);

void sums_make(struct sums *sums, const struct store_run *run, const struct config_advice *limits,
	       struct sums_result *result);
void sums_clear(struct sums_result *result);

/* Read records from 'in', one a line, those of a job adjacent. Write a line of JSON for each job to
 * 'out': {"job":7,"summary":"..","judged":{..}}. */
int sums_stream(FILE *in, FILE *out, const struct config_advice *limits, struct err *err);

#endif
