/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ready.h - wait until a WEKA container is ready after a command
 *
 * Owner   each of these but weka_mount_of() reads the facts again (facts.h).
 * Errors  -1, sentence in *err.
 * Runs    as in client.h; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_READY_H
#define JOBIO_CLIENT_WEKA_READY_H

#include <stddef.h>

#include "client/type.h"

/* Interval between two queries of a container that changes. */
#define WEKA_POLL_MS 200

/* Return a mount of the container; the only container has all. NULL: none. */
const struct client_mount *weka_mount_of(const struct client *client, const char *container);

/* Wait until it is READY and connected. Return 0, or -1. */
int weka_wait_ready(struct client *client, const char *container, unsigned long long end_ms,
		    size_t *index, struct err *err);

/* Read containers and driver again, with a new budget. Return -1 if there is no such container. */
int weka_wait_state(struct client *client, const char *container, size_t *index);

#endif
