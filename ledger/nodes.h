/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.h - the names in a Slurm node list
 *
 * Terms   node list: "c[1-3,7],login1", as in SLURM_JOB_NODELIST.
 * Owner   struct nodes belongs to the caller: nodes_free(), NULL allowed. The
 *           names are sorted (strcmp) and appear once.
 * Errors  NULL or -1, the reason in *err. A list that is not written as Slurm
 *           writes them, of more than NODES_MAX names or with one longer than a
 *           record may hold, is refused before it is expanded.
 * Runs    ledger; libslurm expands, so that names mean what Slurm means.
 */
#ifndef JOBIO_LEDGER_NODES_H
#define JOBIO_LEDGER_NODES_H

#include <stddef.h>

#include "lib/err.h"

#define NODES_MAX 65536

struct nodes {
	char **names;
	size_t count;
};

struct nodes *nodes_expand(const char *list, struct err *err);
void nodes_free(struct nodes *nodes);

#endif
