/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.h - merge the records of a run: its summary and its advice
 *
 * Terms   brief, text: of run_json.h; brief begins with "judged", the object of advice_text().
 *           A text that is too long, or of one node, is not stored: jobio-ask makes it from
 *           the records.
 *         site: ledger/site_run.h.
 * Owner   runs: run_free(); site_run_free().
 * Errors  NULL or -1, the reason in *err. Records that cannot be read are counted in
 *           left_out; *why: the reason of the last one.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_MERGE_H
#define JOBIO_LEDGER_MERGE_H

#include <stdio.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/site_run.h"
#include "ledger/store.h"
#include "record/run.h"

#define MERGE_BRIEF_MAX (60U * 1024)
#define MERGE_TEXT_MAX (440U * 1024)

/* Merge the records in the store; NULL: the store failed. */
struct run *merge_load(struct store *store, int64_t id, struct err *why, struct err *err);

/* Set summary, brief and text of a row; and *site, unless it is NULL. */
void merge_describe(const struct run *run, const struct config_advice *limits,
		    struct store_row *row, struct site_run **site);

/* Read records from 'in', one a line, those of a job adjacent. Write a line of JSON for each job to
 * 'out': {"job":7,"summary":"..", and brief}. */
int merge_stream(FILE *in, FILE *out, const struct config_advice *limits, struct err *err);

#endif
