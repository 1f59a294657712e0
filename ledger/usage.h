/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - compute the use of a run (ledger/tally.h) from the records of its nodes
 *
 * Terms   numbers of a node: those of scope job of its best source, by filesystem;
 *           counters of all files only if there are none of a filesystem.
 *         advice: judged by the records of at most USAGE_RECORDS nodes.
 * Owner   usage_free(), NULL allowed; it owns the records. Lines are malloc'ed.
 * Errors  none.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_USAGE_H
#define JOBIO_LEDGER_USAGE_H

#include "advice/advice.h"
#include "base/config.h"
#include "ledger/store.h"
#include "record/record.h"

#define USAGE_RECORDS 2048

struct usage;

struct usage *usage_new(void);
void usage_free(struct usage *usage);

/* The record then belongs to [usage]. */
void usage_add(struct usage *usage, struct record *record);

struct advice_list *usage_judge(const struct usage *usage, const struct store_run *run,
				const struct config_advice *limits);
/* Return the line (ledger/tally.h), without an account. */
char *usage_text(const struct usage *usage, const struct store_run *run,
		 const struct advice_list *list);
/* Return the line with the account from slurmdbd. */
char *usage_with_account(const char *line, const char *account);

#endif
