/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - bytes and operations of WEKA's client, by its own counters
 *
 * They are read from container.sock, a unix socket of each container: HTTP POST of
 * JSON-RPC 2.0, method fetch_local_stats. WEKA does not document it; source: weka-operator
 * (internal/node_agent/node_agent.go: WekaJSONRPCService.Call, WekaStat). So it takes one
 * second at most, and anything unexpected makes the number unknown.
 *
 * Terms   row: one process of the client for one filesystem (client/wire.h).
 *         socket: 'stats_socket' of jobio.conf; '*' is replaced by the name of the
 *           container, by each existing one if 'container' is not set.
 * Owner   as in client/wire.h.
 * Errors  NULL or -1, sentence in *err, outputs untouched.
 * Runs    prolog and epilog, as root. Sockets of other users than root are not used.
 *           Replies are checked as if hostile.
 */
#ifndef JOBIO_CLIENT_WEKA_WIRE_H
#define JOBIO_CLIENT_WEKA_WIRE_H

#include <stddef.h>

#include "client/type.h"
#include "client/wire.h"

#define WEKA_WIRE_BYTES_MAX (1U << 20) /* of a reply */
#define WEKA_WIRE_MS_MAX 1000U

/* Add the rows of a reply: 'text' is all that was received, 'socket' the path of the socket. */
int weka_wire_add(struct wire *wire, const char *socket, const char *text, size_t size_bytes,
		  struct err *err);
/* Return 1 if the reply is complete by its Content-Length, 0 if it may be at the end of the stream,
 * -1 if it cannot become so. */
int weka_wire_is_whole(const char *text, size_t size_bytes);

/* Query every socket. Return NULL with errno ENOENT if there is none. */
struct wire *weka_wire_read(const struct client *client, struct err *err);

#endif
