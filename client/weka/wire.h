/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - what WEKA's client has moved, by its own counters
 *
 * They come from container.sock, a unix socket of each container: HTTP POST of
 * JSON-RPC 2.0, method fetch_local_stats. WEKA does not document it; known from
 * weka-operator (internal/node_agent/node_agent.go: WekaJSONRPCService.Call,
 * WekaStat). So it is cheap or it is nothing: one second at most, and whatever
 * looks otherwise than expected is no number at all.
 *
 * Terms   row: one process of the client for one filesystem (client/wire.h).
 *         socket: 'stats_socket' of jobio.conf; '*' stands for the name of the
 *           container, every one that is there when 'container' is not set.
 * Owner   as in client/wire.h.
 * Errors  NULL or -1, sentence in *err, outputs untouched.
 * Runs    prolog and epilog, as root. A socket that does not belong to us
 *           (root) is not asked. What it answers is checked as if hostile.
 */
#ifndef JOBIO_CLIENT_WEKA_WIRE_H
#define JOBIO_CLIENT_WEKA_WIRE_H

#include <stddef.h>

#include "client/type.h"
#include "client/wire.h"

#define WEKA_WIRE_BYTES_MAX (1U << 20) /* of an answer */
#define WEKA_WIRE_MS_MAX 1000U

/* Add the rows of an answer: 'text' is the whole of what the server sent,
 * 'socket' the path that it came from. */
int weka_wire_add(struct wire *wire, const char *socket, const char *text, size_t size_bytes,
		  struct err *err);
/* Is it whole, by its Content-Length? 1, 0 (perhaps at the end of the stream),
 * -1 it never will be. */
int weka_wire_is_whole(const char *text, size_t size_bytes);

/* Ask every socket. NULL and errno ENOENT: there is none. */
struct wire *weka_wire_read(const struct client *client, struct err *err);

#endif
