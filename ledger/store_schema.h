/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_schema.h - tables of the store
 *
 * Owner   texts are malloc'ed.
 * Errors  none.
 * Runs    ledger, when a store is opened.
 */
#ifndef JOBIO_LEDGER_STORE_SCHEMA_H
#define JOBIO_LEDGER_STORE_SCHEMA_H

#include <stddef.h>

#include "ledger/store_ops.h"

#define STORE_SCHEMA_VERSION 2

/* Return a statement that creates a table or an index unless it exists; NULL after the last. */
char *store_schema(size_t at, enum store_dialect dialect);

#endif
