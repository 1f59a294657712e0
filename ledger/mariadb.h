/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mariadb.h - connection to MariaDB, with timeouts and reconnects
 *
 * Terms   value: store_ops.h; texts are escaped here only.
 *         away: no server of storage_host is reachable or ready (a Galera node
 *           without its cluster is not), or one did not reply within
 *           MARIADB_LIMIT_S. The next attempt is after 1, 2, 4, ..
 *           MARIADB_RETRY_MAX_S; until then every call fails at once.
 *         clash: another connection used the same rows. The transaction was
 *           rolled back and may be repeated: deadlock (1213; with Galera at the
 *           commit too), lock wait timeout (1205), the same new row (1062), a row
 *           changed since it was read (1020).
 * Owner   struct mariadb; rows are valid until the next call.
 * Errors  -1 and a message that begins with "store: MariaDB". A connection that
 *           failed is closed, and its transaction is lost.
 * Runs    ledger. No call takes longer than the time limits of all servers of
 *           storage_host. The password is read from its file at each connect.
 */
#ifndef JOBIO_LEDGER_MARIADB_H
#define JOBIO_LEDGER_MARIADB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/store_ops.h"

#define MARIADB_CONNECT_S 3
#define MARIADB_LIMIT_S 5
#define MARIADB_LOCK_S 2 /* to wait for a row lock */
#define MARIADB_RETRY_MAX_S 30

struct mariadb;

struct mariadb *mariadb_new(const struct config_ledger *config);
void mariadb_free(struct mariadb *db);

/* Connect unless connected; 'on_connect' is called on each new connection. */
typedef int (*mariadb_on_connect)(void *arg, struct err *err);
int mariadb_ready(struct mariadb *db, mariadb_on_connect on_connect, void *arg, struct err *err);

/* Kind of the last failure. */
bool mariadb_is_unavailable(const struct mariadb *db);
bool mariadb_is_clash(const struct mariadb *db);
bool mariadb_is_missing(const struct mariadb *db); /* no such table */

/* Return the statement with its values, malloc'ed; NULL: not connected. */
char *mariadb_text(struct mariadb *db, const char *sql, const struct value *values, size_t *size,
		   struct err *err);

/* Return rows changed, or -1. *id (may be NULL): of the new row. */
int64_t mariadb_run(struct mariadb *db, const char *text, size_t size, int64_t *id,
		    struct err *err);

/* Run a query, then fetch one row after the other: 1, 0 at their end, -1. The next query may be run
 * before the end: the remaining rows are dropped. */
int mariadb_query(struct mariadb *db, const char *sql, const struct value *values, struct err *err);
int mariadb_row(struct mariadb *db, struct err *err);
void mariadb_end(struct mariadb *db);

/* Columns of the row, as in store_ops.h. Texts end with a NUL. */
int64_t mariadb_number(const struct mariadb *db, int column);
double mariadb_real(const struct mariadb *db, int column);
const char *mariadb_column(const struct mariadb *db, int column, size_t *size);

#endif
