/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/live_view.h"

#include <string.h>

void live_view_write(FILE *out, const struct live_view_sender *from, enum live_view_kind kind,
		     const char *text)
{
	size_t size = strlen(text), at;
	unsigned int part = 1, parts;

	parts = size ? (unsigned int)((size - 1) / LIVE_VIEW_PART_BYTES + 1) : 1;
	for (at = 0; part <= parts; at += LIVE_VIEW_PART_BYTES, part++)
		fprintf(out, LIVE_VIEW_MARK " %c %u %u %u %u %s %.*s\n", (char)kind, from->nodes,
			from->request, part, parts, from->node, (int)LIVE_VIEW_PART_BYTES,
			text + at);
}
