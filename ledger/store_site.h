/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_site.h - sums of a site in the store
 *
 * Terms   run_sums: table, a row for each filesystem of a run, and one for the whole run unless
 *           it used exactly one filesystem. user, account, profile and advice are NULL in a row
 *           for one of several filesystems, fs in that for the whole run: a row counts for each
 *           of these columns that is not NULL.
 *         day_sums: table, the sums of run_sums of one day (UTC, by the end of the run) by
 *           filesystem, user, account, profile and advice. It is valid while number and digests
 *           (stamp) of the day's rows in run_sums are those of its row of kind 0; so it is not
 *           valid after any change of the day, and the writer makes it again.
 *         position: in the order of run_sums: runs that ended before ended_s, and of those that
 *           ended in this second the ones up to 'run'.
 *         peak: most bytes a second of one node, and the older of two jobs with the same.
 *         Sums above 2^53 are rounded by SQLite.
 * Owner   everything belongs to the caller.
 * Errors  -1, the reason in *err.
 * Runs    ledger. Functions that change the store need no transaction.
 */
#ifndef JOBIO_LEDGER_STORE_SITE_H
#define JOBIO_LEDGER_STORE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ledger/site_run.h"
#include "ledger/store_ops.h"

#define SITE_GATE_MAX 1000 /* the latest jobs that the gate warned or refused */
#define SITE_DAY_S 86400

/* Store what a run adds, in place of what it added before. */
int store_site_put(struct store *store, const struct store_row *row, const struct site_run *sums,
		   const char *account, struct err *err);

/* Make day_sums of at most 'max' days before 'before_s' that are not valid. Return their number. */
int store_site_roll_up(struct store *store, int64_t before_s, int max, struct err *err);

struct site_position {
	int64_t ended_s, run;
};

/* Part of a period: days of day_sums, or rows of run_sums of one day. */
struct site_part {
	struct site_position from, to; /* after from, up to to */
	bool is_days;
};

/* Set part->to to the end of the first part after part->from: at most 'days' days if they are
 * whole and valid, else about 'rows' rows. */
int store_site_part(struct store *store, struct site_part *part, int64_t until_s, int64_t days,
		    int64_t rows, struct err *err);

struct json;

/* Add members to 'top': "columns", their names; "sums", the values of all rows one after the
 * other; "gate", jobs that were warned or refused, the latest first. */
int store_site_read(struct store *store, const struct site_part *part, struct json *top,
		    struct err *err);

#endif
