/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ready.h - wait until a WEKA container is ready after a command
 *
 * Owner   each of these but weka_mount_of() reads the facts again (facts.h).
 * Errors  NULL, sentence in *err.
 * Runs    as in client.h; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_READY_H
#define JOBIO_CLIENT_WEKA_READY_H

#include "client/type.h"

struct weka_unit;

/* Interval between two queries of a container that changes. */
#define WEKA_POLL_MS 200

/* Return a mount of the container; the only container has all. NULL: none. */
const struct client_mount *weka_mount_of(const struct client *client, const char *container);

/* Wait until it is READY and connected. Return the container; NULL: it is not. */
const struct weka_unit *weka_wait_ready(struct client *client, const char *container,
					unsigned long long end_ms, struct err *err);

/* Read containers and driver again, with a new budget. Return the container; NULL: none. */
const struct weka_unit *weka_wait_state(struct client *client, const char *container);

#endif
