/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/kept.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	char *key, *answer;
	uint64_t used;
};

struct kept {
	struct slot slots[KEPT_MAX];
	uint64_t clock;
};

struct kept *kept_new(void)
{
	return calloc(1, sizeof(struct kept));
}

static void slot_clear(struct slot *slot)
{
	free(slot->key);
	free(slot->answer);
	memset(slot, 0, sizeof(*slot));
}

void kept_free(struct kept *kept)
{
	size_t i;

	for (i = 0; kept && i < KEPT_MAX; i++)
		slot_clear(&kept->slots[i]);
	free(kept);
}

const char *kept_find(struct kept *kept, const char *key)
{
	size_t i;

	for (i = 0; kept && i < KEPT_MAX; i++) {
		struct slot *slot = &kept->slots[i];

		if (slot->key && !strcmp(slot->key, key)) {
			slot->used = ++kept->clock;
			return slot->answer;
		}
	}
	return NULL;
}

void kept_add(struct kept *kept, const char *key, const char *answer)
{
	struct slot *oldest, *slot;

	if (!kept)
		return;
	oldest = kept->slots;
	for (slot = kept->slots; slot < kept->slots + KEPT_MAX; slot++)
		if (slot->used < oldest->used)
			oldest = slot;
	slot_clear(oldest);
	oldest->key = strdup(key);
	oldest->answer = strdup(answer);
	oldest->used = ++kept->clock;
	if (!oldest->key || !oldest->answer)
		slot_clear(oldest);
}
