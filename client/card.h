/* SPDX-License-Identifier: GPL-2.0-or-later */
/* card.h - network interfaces (NICs) of a client
 *
 * Terms   serves: use of the card: mount points, an LNet address, a container; several
 *           are joined by ",".
 * Owner   struct client_cards is a plain value.
 * Errors  none: what does not fit is left out.
 * Runs    everywhere; for client/ only.
 */
#ifndef JOBIO_CLIENT_CARD_H
#define JOBIO_CLIENT_CARD_H

#include "client/terms.h"

/* Add a card, or add to 'serves' of an existing one. */
void card_add(struct client_cards *cards, const char *name, int numa_node, const char *serves);

#endif
