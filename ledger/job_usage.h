/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_usage.h - compute the usage of a run (ledger/site_totals.h) from the records of its nodes
 *
 * Terms   numbers of a node: those of scope job of its best source, by filesystem;
 *           counters of all files only if there are none of a filesystem.
 *         advice: judged by the records of at most JOB_USAGE_RECORDS nodes.
 * Owner   job_usage_free(), NULL allowed; it owns the records. Lines are malloc'ed.
 * Errors  none.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_JOB_USAGE_H
#define JOBIO_LEDGER_JOB_USAGE_H

#include "advice/advice.h"
#include "base/config.h"
#include "ledger/store.h"
#include "record/record.h"

#define JOB_USAGE_RECORDS 2048

struct job_usage;

struct job_usage *job_usage_new(void);
void job_usage_free(struct job_usage *usage);

/* The record then belongs to [usage]. */
void job_usage_add(struct job_usage *usage, struct record *record);

struct advice_list *job_usage_judge(const struct job_usage *usage, const struct store_run *run,
				    const struct config_advice *limits);
/* Return the line (ledger/site_totals.h), without an account. */
char *job_usage_text(const struct job_usage *usage, const struct store_run *run,
		     const struct advice_list *list);
/* Return the line with the account from slurmdbd. */
char *job_usage_with_account(const char *line, const char *account);

#endif
