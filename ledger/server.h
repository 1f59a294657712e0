/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - the ledger's TCP server, with limits on what peers can use
 *
 * Terms   peer: one TCP connection. It sends frames (link/ledger_link.h), one
 *           at a time: the next is read after the reply to the last was sent.
 *         Limits: SERVER_PEERS_MAX connections (a new one replaces the one that
 *           has been idle longest, SERVER_FRESH_S at least; if there is none,
 *           it waits in the kernel's queue, so that ten thousand nodes may
 *           connect at once), SERVER_BYTES_MAX buffered for all of them (the
 *           oldest incomplete frame is dropped first), SERVER_OUT_MAX of unread
 *           replies, above which queries wait; SERVER_FRAME_S for a frame and
 *           for a reply, SERVER_IDLE_S between frames.
 *         A connection must authenticate within SERVER_AUTH_S; an address may
 *           have SERVER_UNAUTHENTICATED that have not, the next one replaces the
 *           first. After SERVER_ACCEPTS new ones all others are served. Half of
 *           the descriptors are not for connections.
 *         Users that are not trusted (service.h) have SERVER_USER_PEERS
 *           authenticated connections, SERVER_USER_ANSWERS replies in transit
 *           and SERVER_QUERY_MAX bytes for a query; users take turns. Records
 *           have priority: one waits for one query at most. Those that arrive
 *           together are committed together, and acknowledged after that.
 * Owner   struct server; the service belongs to the caller.
 * Errors  of peers are logged, at most SERVER_LOG_MAX lines a minute.
 * Runs    ledger, one thread, until SIGTERM or SIGINT.
 */
#ifndef JOBIO_LEDGER_SERVER_H
#define JOBIO_LEDGER_SERVER_H

#include "base/config.h"
#include "base/err.h"
#include "ledger/service.h"
#include "link/credential.h"
#include "link/ledger_link.h"

#define SERVER_PEERS_MAX 1024
#define SERVER_BYTES_MAX (64U << 20)
#define SERVER_OUT_MAX (32U << 20)
#define SERVER_SOCKET_BYTES (64U << 10)
#define SERVER_USER_PEERS 64
#define SERVER_USER_ANSWERS 4
#define SERVER_QUERY_MAX LEDGER_QUERY_MAX
#define SERVER_AUTH_S 10
#define SERVER_UNAUTHENTICATED 192
#define SERVER_ACCEPTS 64
#define SERVER_FRAME_S 30
#define SERVER_IDLE_S 120
#define SERVER_FRESH_S 2
#define SERVER_LOG_MAX 60

struct server;
struct event_base;

/* 'wake' is called when there is work for the writer. */
struct server *server_new(const struct config_ledger *config, struct service *service,
			  struct credential_ctx *munge, void (*wake)(void *arg), void *arg,
			  struct err *err);
void server_free(struct server *server);

/* libevent's loop, for other events of the same process. */
struct event_base *server_base(struct server *server);

/* Run until a signal arrives; the open batch is committed before the return. */
int server_run(struct server *server, struct err *err);

#endif
