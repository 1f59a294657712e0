/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_sqlite.h - the ledger's store in an SQLite file, for one ledger
 *
 * Owner   as store.h.
 * Errors  NULL, the reason in *err. An empty file, or a -wal without its file, is refused.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_STORE_SQLITE_H
#define JOBIO_LEDGER_STORE_SQLITE_H

#include "base/err.h"

struct store;

struct store *store_sqlite_open(const char *path, struct err *err);

#endif
