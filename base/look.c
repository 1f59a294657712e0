/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/look.h"

#include <string.h>

void look_put(FILE *out, const struct look_from *from, enum look_kind kind, const char *text)
{
	size_t size = strlen(text), at;
	unsigned int part = 1, parts;

	parts = size ? (unsigned int)((size - 1) / LOOK_PART_BYTES + 1) : 1;
	for (at = 0; part <= parts; at += LOOK_PART_BYTES, part++)
		fprintf(out, LOOK_MARK " %c %u %u %u %u %s %.*s\n", (char)kind, from->nodes,
			from->ask, part, parts, from->node, (int)LOOK_PART_BYTES, text + at);
}
