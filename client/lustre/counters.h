/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.h - bytes and operations of a Lustre client, by its own counters
 *
 * Terms   source: one device (client/client_counters.h); bytes requested by applications if it is
 *           llite's.
 *         budget: OSTs are read until half of timeout_ms has passed; the others are
 *           unread sources, and the sum of those read is a lower bound.
 * Owner   as in client/client_counters.h.
 * Errors  NULL or -1, sentence in *err.
 * Runs    prolog and epilog, as root. Files are read by a child with a timeout; if the
 *           kernel denies that (lockdown), by lctl, which uses another interface.
 */
#ifndef JOBIO_CLIENT_LUSTRE_COUNTERS_H
#define JOBIO_CLIENT_LUSTRE_COUNTERS_H

#include "client/lustre/stats.h"

/* Add the statistics of these devices, as printed by lctl, to [counters]; the text is modified. */
int lustre_counters_params(struct client *client, struct client_counters *counters,
			   const struct tree *tree, char *text, struct err *err);

struct client_counters *lustre_counters_read(const struct client *of, struct err *err);

#endif
