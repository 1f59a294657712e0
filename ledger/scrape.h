/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scrape.h - serve the metrics: over HTTP, and in a file
 *
 * Terms   listen: "9632", "192.0.2.1:9632" or "[::1]:9632"; without an address
 *           the loopback one. Anybody who can connect may read; there is
 *           nothing about jobs or users in it.
 *         file: rewritten every SCRAPE_FILE_S for node_exporter's textfile
 *           collector (a name that ends in .prom).
 *         Bounds: SCRAPE_PEERS_MAX connections (the oldest makes room for a new
 *           one), SCRAPE_REQUEST_MAX bytes a request, SCRAPE_LIMIT_S from the
 *           first byte to the last; the text is made once a second at most.
 *         Not libevent's evhttp: it has no bound for connections (2.1).
 * Owner   struct scrape; base and config stay the caller's.
 * Errors  of peers are theirs. A file that cannot be written is logged when
 *           that begins and when it ends.
 * Runs    ledger, in the server's event loop.
 */
#ifndef JOBIO_LEDGER_SCRAPE_H
#define JOBIO_LEDGER_SCRAPE_H

#include "lib/config.h"
#include "lib/err.h"

#define SCRAPE_PEERS_MAX 16
#define SCRAPE_REQUEST_MAX 4096
#define SCRAPE_LIMIT_S 5
#define SCRAPE_FILE_S 15

struct scrape;
struct event_base;

/* 'text' makes the metrics: malloc'ed, or NULL and *err. */
struct scrape *scrape_new(const struct config_ledger *config,
			  struct event_base *base,
			  char *(*text)(void *arg, struct err *err), void *arg,
			  struct err *err);
void scrape_free(struct scrape *scrape);

#endif
