/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.h - bytes and operations of WEKA's client, by its own counters
 *
 * They are read from container.sock, a unix socket of each container: HTTP POST of
 * JSON-RPC 2.0, method fetch_local_stats. WEKA does not document it; source: weka-operator
 * (internal/node_agent/node_agent.go: WekaJSONRPCService.Call, WekaStat). So it takes one
 * second at most, and anything unexpected makes the number unknown.
 *
 * Terms   source: one process of the client for one filesystem (client/client_counters.h).
 *         socket: 'stats_socket' of jobio.conf; '*' is replaced by the name of the
 *           container, by each existing one if 'container' is not set.
 * Owner   as in client/client_counters.h.
 * Errors  NULL or -1, sentence in *err, outputs untouched.
 * Runs    prolog and epilog, as root. Sockets of other users than root are not used.
 *           Replies are checked as if hostile.
 */
#ifndef JOBIO_CLIENT_WEKA_COUNTERS_H
#define JOBIO_CLIENT_WEKA_COUNTERS_H

#include <stddef.h>

#include "client/client_counters.h"
#include "client/type.h"

#define WEKA_COUNTERS_BYTES_MAX (1U << 20) /* of a reply */
#define WEKA_COUNTERS_MS_MAX 1000U

/* Add the sources in a reply: 'text' is all that was received, 'socket' the path of the socket. */
int weka_counters_add(struct client_counters *counters, const char *socket, const char *text,
		      size_t size_bytes, struct err *err);
/* Return 1 if the reply is complete by its Content-Length, 0 if it may be at the end of the stream,
 * -1 if it cannot become so. */
int weka_counters_is_whole(const char *text, size_t size_bytes);

/* Query every socket. Return NULL with errno ENOENT if there is none. */
struct client_counters *weka_counters_read(const struct client *client, struct err *err);

#endif
