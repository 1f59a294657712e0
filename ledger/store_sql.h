/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_sql.h - run statements on the store, in the SQL that both databases have
 *
 * Terms   statement: a constant text of SQL (SQLite 3.26 and MariaDB 10.5 on) with parameters
 *           ?1, ?2, ..; words that differ are in store_schema.c and store_put.c.
 * Owner   columns are valid until the next row.
 * Errors  -1, the reason in *err.
 * Runs    ledger; files named store_*.c only.
 */
#ifndef JOBIO_LEDGER_STORE_SQL_H
#define JOBIO_LEDGER_STORE_SQL_H

#include <stdint.h>

#include "base/err.h"
#include "ledger/store_ops.h"

/* Run a query that sees all changes of the transaction; then ops->row() and ops->end(). */
int store_query(struct store *store, const char *sql, const struct value *values, struct err *err);

/* Fetch the only row: 1, 0 if there is none, -1. Call ops->end() after it. */
int store_query_one(struct store *store, const char *sql, const struct value *values,
		    struct err *err);

/* Set [ids] to the first column of each row, at most 'max'. Return their number or -1. */
int store_list_ids(struct store *store, const char *sql, const struct value *values, int64_t *ids,
		   int max, struct err *err);

/* Run a statement in the open transaction, or in its own. Return rows changed, or -1. */
int store_change(struct store *store, const char *sql, const struct value *values, struct err *err);

#endif
