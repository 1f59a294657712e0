/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.h - expand a Slurm node list
 *
 * Terms   node list: "c[1-3,7],login1", as in SLURM_JOB_NODELIST.
 * Owner   struct nodes belongs to the caller: nodes_free(), NULL allowed. The
 *           names are sorted (strcmp) and unique.
 * Errors  NULL, the reason in *err. A list that is not in Slurm's format, has more
 *           than NODES_MAX names or one longer than a record may hold is refused
 *           before it is expanded.
 * Runs    ledger; libslurm does the expansion.
 */
#ifndef JOBIO_LEDGER_NODES_H
#define JOBIO_LEDGER_NODES_H

#include <stddef.h>

#include "base/err.h"

#define NODES_MAX 65536

struct nodes {
	char **names;
	size_t count;
};

struct nodes *nodes_expand(const char *list, struct err *err);
void nodes_free(struct nodes *nodes);

#endif
