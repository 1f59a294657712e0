/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node list: an accepted list has as many names as were counted, all of them
 * valid. */
#include <string.h>

#include "ledger/nodes.h"
#include "record/record.h"
#include "tests/fuzz/fuzz.h"

FUZZ(nodes)
{
	char *list = fuzz_text(data, size);
	struct err err;
	struct nodes *nodes = nodes_expand(list, &err);
	size_t i;

	if (nodes) {
		MUST(nodes->count && nodes->count <= NODES_MAX);
		for (i = 0; i < nodes->count; i++) {
			MUST(*nodes->names[i]);
			MUST(strlen(nodes->names[i]) < RECORD_NAME_MAX);
			MUST(!strpbrk(nodes->names[i], "[], \n"));
		}
	}
	nodes_free(nodes);
	free(list);
	return 0;
}
