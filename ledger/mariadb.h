/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mariadb.h - a connection to MariaDB, which may be away, hang or break
 *
 * Terms   value: store_ops.h; texts are escaped here and nowhere else.
 *         away: no server of storage_host can be reached, or none is ready (a
 *           node of Galera without its cluster); or one that did not answer
 *           within MARIADB_LIMIT_S. The next try is made after 1, 2, 4, ..
 *           MARIADB_RETRY_MAX_S; until then everything fails at once.
 *         clash: somebody else was at the same rows. The transaction is gone
 *           and may be made again: deadlock (1213: with Galera at the commit
 *           too), waited too long for a row (1205), the same new row (1062), a row
 *           that has changed meanwhile (1020).
 * Owner   struct mariadb; rows are good until the next call.
 * Errors  -1 and a sentence that begins "store: MariaDB". A connection that
 *           failed is closed, and what it had begun is gone.
 * Runs    ledger. Nothing here takes longer than the limits of all servers of
 *           storage_host. The password is read from its file at each connect.
 */
#ifndef JOBIO_LEDGER_MARIADB_H
#define JOBIO_LEDGER_MARIADB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/err.h"
#include "ledger/store_ops.h"

#define MARIADB_CONNECT_S 3
#define MARIADB_LIMIT_S 5
#define MARIADB_LOCK_S 2 /* to wait for a row */
#define MARIADB_RETRY_MAX_S 30

struct mariadb;

struct mariadb *mariadb_new(const struct config_ledger *config);
void mariadb_free(struct mariadb *db);

/* Connect, unless that is done; 'greet' is called on each new connection. */
typedef int (*mariadb_greet)(void *arg, struct err *err);
int mariadb_ready(struct mariadb *db, mariadb_greet greet, void *arg, struct err *err);

/* What the last failure was. */
bool mariadb_is_away(const struct mariadb *db);
bool mariadb_is_clash(const struct mariadb *db);
bool mariadb_is_missing(const struct mariadb *db); /* no such table */

/* The statement with its values, malloc'ed; NULL: not connected. */
char *mariadb_text(struct mariadb *db, const char *sql, const struct value *values, size_t *size,
		   struct err *err);

/* Rows changed, or -1. *id: of the row made; may be NULL. */
int64_t mariadb_run(struct mariadb *db, const char *text, size_t size, int64_t *id,
		    struct err *err);

/* Ask, then take one row after the other: 1, 0 at their end, -1. To ask the
 * next thing before the end is reached is fine: the rest is dropped. */
int mariadb_ask(struct mariadb *db, const char *sql, const struct value *values, struct err *err);
int mariadb_row(struct mariadb *db, struct err *err);
void mariadb_end(struct mariadb *db);

/* Columns of the row, as store_ops.h has them. Texts end with a 0. */
int64_t mariadb_number(const struct mariadb *db, int column);
double mariadb_real(const struct mariadb *db, int column);
const char *mariadb_column(const struct mariadb *db, int column, size_t *size);

#endif
