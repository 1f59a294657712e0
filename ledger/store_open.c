/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "ledger/store.h"
#include "ledger/store_ops.h"

/* Report a file of another schema now. */
static struct store *open_sqlite(const char *path, struct err *err)
{
	struct store *store = store_sqlite_open(path, err);

	if (store && store_try(store, err) < 0) {
		err_prefix(err, "'%s'", path);
		store_close(store);
		return NULL;
	}
	return store;
}

struct store *store_open(const struct config_ledger *config, struct err *err)
{
	if (strcmp(config->store, CONFIG_MARIADB) != 0)
		return open_sqlite(config->store, err);
#ifdef HAVE_MARIADB
	return store_mariadb_open(config, err);
#else
	err_set(err,
		"[ledger] store: 'mariadb': this jobio-ledgerd was built without MariaDB (configure --with-mariadb)");
	return NULL;
#endif
}
