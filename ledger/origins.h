/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origins.h - from which address each node's records come
 *
 * Terms   origin: the peer's address, as text, when a node's last record came.
 *           No name is looked up: a name server must not hold the ledger, and
 *           nodes have more addresses than it knows.
 * Owner   struct origins: origins_free(), NULL allowed; ORIGINS_MAX nodes, then
 *           some are forgotten. A restart forgets all.
 * Errors  none.
 * Runs    ledger, the server process.
 */
#ifndef JOBIO_LEDGER_ORIGINS_H
#define JOBIO_LEDGER_ORIGINS_H

#include <stdbool.h>

#define ORIGINS_MAX 16384
#define ORIGIN_SIZE 48 /* INET6_ADDRSTRLEN and more */

struct origins;

struct origins *origins_new(void);
void origins_free(struct origins *origins);

/* Remember where it came from: 1 when the node's last record came from
 * elsewhere, and *before is that address; else 0. */
bool origins_moved(struct origins *origins, const char *cluster,
		   const char *node, const char *address,
		   char before[ORIGIN_SIZE]);

#endif
