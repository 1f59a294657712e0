/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the nodes of a running job print: it may be anything. */
#include "lib/look.h"
#include "tests/fuzz/fuzz.h"

FUZZ(look)
{
	char *text = fuzz_text(data, size), *line, *rest = NULL;
	struct looks looks = { 0 };
	size_t i;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		MUST(looks_take(&looks, line) >= 0);
	for (i = 0; i < looks.count; i++) {
		const struct look_node *node = looks.node[i];

		MUST(*node->name && strlen(node->name) < LOOK_NODE_MAX);
		MUST(!i || strcmp(looks.node[i - 1]->name, node->name) < 0);
		MUST(!node->text || strlen(node->text) <= LOOK_TEXT_MAX);
		MUST(node->part_bytes <= LOOK_TEXT_MAX);
	}
	looks_free(&looks);
	free(text);
	return 0;
}
