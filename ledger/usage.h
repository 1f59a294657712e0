/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usage.h - make the use of a run (lib/tally.h) from the records of its nodes
 *
 * Terms   the numbers of a node: those of scope job of its best source, by
 *           filesystem; what is counted of all files only where no filesystem
 *           is told.
 *         advice: judged by the records of at most USAGE_RECORDS nodes.
 * Owner   usage_free(), NULL allowed; it keeps the records. Lines are
 *           malloc'ed.
 * Errors  none.
 * Runs    ledger,.
 */
#ifndef JOBIO_LEDGER_USAGE_H
#define JOBIO_LEDGER_USAGE_H

#include "advice/advice.h"
#include "lib/config.h"
#include "lib/record.h"
#include "ledger/store.h"

#define USAGE_RECORDS 2048

struct usage;

struct usage *usage_new(void);
void usage_free(struct usage *usage);

/* Takes the record. */
void usage_add(struct usage *usage, struct record *record);

struct advice_list *usage_judge(const struct usage *usage, const struct store_run *run,
				const struct config_advice *limits);
/* The line (lib/tally.h), without an account. */
char *usage_text(const struct usage *usage, const struct store_run *run,
		 const struct advice_list *list);
/* The same line with the account that slurmdbd knows. */
char *usage_with_account(const char *line, const char *account);

#endif
