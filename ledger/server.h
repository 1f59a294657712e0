/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - the ledger's TCP server: many peers, none of which can hurt it
 *
 * Terms   peer: one TCP connection. It sends frames (lib/ledger_link.h), one
 *           at a time: the next is read when the answer to the last has gone.
 *         Bounds: SERVER_PEERS_MAX connections (the one that has asked nothing
 *           for longest, SERVER_FRESH_S at least, makes room for a new one;
 *           until there is such a one new ones wait in the kernel's queue, so
 *           that ten thousand nodes may come at once), SERVER_BYTES_MAX held
 *           for all of them (the oldest unfinished frame goes first),
 *           SERVER_OUT_MAX of answers that nobody has read yet, then questions
 *           wait; SERVER_FRAME_S for a frame and for an answer, SERVER_IDLE_S
 *           between frames.
 *         A connection has SERVER_HELLO_S to say who it is; of an address
 *           SERVER_STRANGERS may not have said so yet, the next one takes the
 *           place of the first. After SERVER_ACCEPTS new ones all others are
 *           looked at. Half of the descriptors are not for connections.
 *         Users who are not trusted (service.h) have SERVER_USER_PEERS
 *           connections that have asked something, SERVER_USER_ANSWERS answers
 *           on their way and SERVER_ASK_MAX bytes for a question; users take
 *           turns. Records go first: one waits for one question at most. Those
 *           that arrive together are committed together and answered after the
 *           commit.
 * Owner   struct server; the service stays the caller's.
 * Errors  of peers are logged, at most SERVER_LOG_MAX lines a minute.
 * Runs    ledger, one thread, until SIGTERM or SIGINT.
 */
#ifndef JOBIO_LEDGER_SERVER_H
#define JOBIO_LEDGER_SERVER_H

#include "lib/config.h"
#include "lib/err.h"
#include "lib/ledger_link.h"
#include "lib/seal.h"
#include "ledger/service.h"

#define SERVER_PEERS_MAX 1024
#define SERVER_BYTES_MAX (64U << 20)
#define SERVER_OUT_MAX (32U << 20)
#define SERVER_SOCKET_BYTES (64U << 10)
#define SERVER_USER_PEERS 64
#define SERVER_USER_ANSWERS 4
#define SERVER_ASK_MAX LEDGER_ASK_MAX
#define SERVER_HELLO_S 10
#define SERVER_STRANGERS 192
#define SERVER_ACCEPTS 64
#define SERVER_FRAME_S 30
#define SERVER_IDLE_S 120
#define SERVER_FRESH_S 2
#define SERVER_LOG_MAX 60

struct server;
struct event_base;

/* 'wake' is called when the writer has something to do. */
struct server *server_new(const struct config_ledger *config, struct service *service,
			  struct seal *seal, void (*wake)(void *arg), void *arg, struct err *err);
void server_free(struct server *server);

/* libevent's loop, for other events of the same process. */
struct event_base *server_base(struct server *server);

/* Returns after a signal, what was being committed is committed. */
int server_run(struct server *server, struct err *err);

#endif
