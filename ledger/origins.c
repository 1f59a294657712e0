/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/origins.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/merge.h"

#define PROBES 8

struct origin {
	uint64_t name; /* of cluster and node; 0: free */
	char address[ORIGIN_SIZE];
};

struct origins {
	struct origin list[ORIGINS_MAX];
};

struct origins *origins_new(void)
{
	return calloc(1, sizeof(struct origins));
}

void origins_free(struct origins *origins)
{
	free(origins);
}

bool origins_moved(struct origins *origins, const char *cluster,
		   const char *node, const char *address,
		   char before[ORIGIN_SIZE])
{
	uint64_t name = merge_digest(cluster, strlen(cluster)) * 31 +
			merge_digest(node, strlen(node));
	struct origin *origin, *found = NULL;
	size_t i;
	bool moved;

	name = name ? name : 1;
	for (i = 0; i < PROBES; i++) {
		origin = &origins->list[(name + i) % ORIGINS_MAX];
		if (origin->name == name) {
			found = origin;
			break;
		}
		if (!found && !origin->name)
			found = origin;
	}
	if (!found)
		found = &origins->list[name % ORIGINS_MAX];
	moved = found->name == name && strcmp(found->address, address) != 0;
	if (moved)
		strcpy(before, found->address);
	found->name = name;
	snprintf(found->address, sizeof(found->address), "%s", address);
	return moved;
}
