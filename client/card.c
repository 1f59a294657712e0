/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/card.h"

#include <stdio.h>
#include <string.h>

static struct client_card *card_named(struct client_cards *cards, const char *name)
{
	size_t i;

	for (i = 0; i < cards->count; i++)
		if (!strcmp(cards->card[i].name, name))
			return &cards->card[i];
	return NULL;
}

void card_add(struct client_cards *cards, const char *name, int numa_node, const char *serves)
{
	struct client_card *card = card_named(cards, name);
	size_t used;

	if (!card) {
		if (cards->count == CLIENT_CARDS_MAX || !*name ||
		    strlen(name) >= sizeof(card->name))
			return;
		card = &cards->card[cards->count++];
		memset(card, 0, sizeof(*card));
		strcpy(card->name, name);
		card->numa_node = numa_node;
	}
	used = strlen(card->serves);
	if (used + strlen(serves) + 2 <= sizeof(card->serves))
		snprintf(card->serves + used, sizeof(card->serves) - used, "%s%s", used ? "," : "",
			 serves);
}
