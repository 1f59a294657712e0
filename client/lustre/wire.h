/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - what a Lustre client has moved, by its own counters
 *
 * Terms   row: one device (client/wire.h), asked for if it is llite's.
 *         budget: the OSTs are read while half of timeout_ms is there; those that
 *           were not are unread rows, and what the others moved is a lower
 *           bound.
 * Owner   as in client/wire.h.
 * Errors  NULL or -1, sentence in *err.
 * Runs    prolog and epilog, as root. Files are read by a child with a
 *           deadline; where the kernel keeps them from us (lockdown), lctl is
 *           asked, which has another way.
 */
#ifndef JOBIO_CLIENT_LUSTRE_WIRE_H
#define JOBIO_CLIENT_LUSTRE_WIRE_H

#include "client/lustre/stats.h"

/* Into the wire, what lctl printed of the statistics of these devices; the text is
 * cut up. */
int lustre_wire_params(struct client *client, struct wire *wire, const struct tree *tree,
		       char *text, struct err *err);

struct wire *lustre_wire_read(const struct client *of, struct err *err);

#endif
