/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "ledger/store.h"
#include "ledger/store_ops.h"

struct store *store_open(const struct config_ledger *config, struct err *err)
{
	if (strcmp(config->store, CONFIG_MARIADB) != 0)
		return store_sqlite_open(config->store, err);
#ifdef HAVE_MARIADB
	return store_mariadb_open(config, err);
#else
	err_set(err,
		"[ledger] store: 'mariadb': this jobio-ledgerd was built without MariaDB (configure --with-mariadb)");
	return NULL;
#endif
}
