/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - bytes and operations of a Lustre client, by its own counters
 *
 * Terms   row: one device (client/wire.h); bytes requested by applications if it is
 *           llite's.
 *         budget: OSTs are read until half of timeout_ms has passed; the others are
 *           unread rows, and the sum of those read is a lower bound.
 * Owner   as in client/wire.h.
 * Errors  NULL or -1, sentence in *err.
 * Runs    prolog and epilog, as root. Files are read by a child with a timeout; if the
 *           kernel denies that (lockdown), by lctl, which uses another interface.
 */
#ifndef JOBIO_CLIENT_LUSTRE_WIRE_H
#define JOBIO_CLIENT_LUSTRE_WIRE_H

#include "client/lustre/stats.h"

/* Add the statistics of these devices, as printed by lctl, to [wire]; the text is modified. */
int lustre_wire_params(struct client *client, struct wire *wire, const struct tree *tree,
		       char *text, struct err *err);

struct wire *lustre_wire_read(const struct client *of, struct err *err);

#endif
