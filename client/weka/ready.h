/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ready.h - a WEKA container after an order, until it serves again
 *
 * Owner   the facts are read anew by each of these but weka_mount_of() (facts.h).
 * Errors  -1, sentence in *err.
 * Runs    as client.h says; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_READY_H
#define JOBIO_CLIENT_WEKA_READY_H

#include <stddef.h>

#include "client/type.h"

/* Between two looks at a container that changes. */
#define WEKA_POLL_MS 200

/* A mount that the container serves; the only container serves all. NULL: none. */
const struct client_mount *weka_mount_of(const struct client *client, const char *container);

/* 0: it is READY and connected. */
int weka_wait_ready(struct client *client, const char *container, unsigned long long end_ms,
		    size_t *index, struct err *err);

/* Read containers and driver anew, with a fresh budget. -1: there is no such container. */
int weka_look_again(struct client *client, const char *container, size_t *index);

#endif
