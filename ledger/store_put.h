/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_put.h - find the run of a record, and store both
 *
 * Terms   locked: runs of the jobs of this transaction, read once; they are written by
 *           store_flush().
 * Owner   the store owns the locked runs.
 * Errors  -1, the reason in *err: also a clash with another ledger (mariadb.h).
 * Runs    ledger; called by store.c and the databases' files only.
 */
#ifndef JOBIO_LEDGER_STORE_PUT_H
#define JOBIO_LEDGER_STORE_PUT_H

#include "base/err.h"
#include "ledger/store_ops.h"
#include "record/record.h"

/* Columns of a row, for store_read_row(). */
#define STORE_ROW_COLUMNS                                                                          \
	"id, version, cluster, job, uid, restart, array_job, array_task, het_job, het_offset, first, last, nodelist, nodes_seen, nodes_expected, dirty, tries, next_try, written, summary, error, brief"
#define STORE_ROW_COLUMN_COUNT 22
void store_read_row(struct store *store, struct store_row *row);

/* As store_put(), without a journal. */
int store_put_record(struct store *store, const struct record *record, const char *text,
		     size_t size, const struct store_times *times, int64_t *due, struct err *err);

/* Write the locked runs that have changed. */
int store_flush(struct store *store, struct err *err);
/* Forget them: after a commit, a rollback, or a statement that may have changed them. */
void store_forget(struct store *store);

#endif
