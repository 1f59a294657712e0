/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <check.h>

#include "ledger/store.h"
#include "tests/unit/runner.h"

START_TEST(a_ledger_built_without_mariadb_says_so)
{
	struct config_ledger config = { .store = (char *)CONFIG_MARIADB };
	struct err err;

	ck_assert_ptr_null(store_open(&config, &err));
	ck_assert_str_eq(
		err.text,
		"[ledger] store: 'mariadb': this jobio-ledgerd was built without MariaDB (configure --with-mariadb)");
}
END_TEST

UNIT_MAIN("sqlite only", a_ledger_built_without_mariadb_says_so)
