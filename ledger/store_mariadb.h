/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_mariadb.h - the ledger's store in MariaDB, for one or several ledgers
 *
 * Owner   as store.h; the configuration is borrowed.
 * Errors  as store_open().
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_STORE_MARIADB_H
#define JOBIO_LEDGER_STORE_MARIADB_H

#include "base/config.h"
#include "base/err.h"

struct store;

struct store *store_mariadb_open(const struct config_ledger *config, struct err *err);

#endif
