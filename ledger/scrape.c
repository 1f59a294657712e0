/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/scrape.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/fileio.h"

struct client {
	TAILQ_ENTRY(client) entry; /* the oldest first */
	struct scrape *scrape;
	struct bufferevent *bev;
	struct event *deadline;
	bool is_answered;
};
TAILQ_HEAD(clients, client);

struct scrape {
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *file_timer;
	const char *file;
	char *(*make)(void *arg, struct err *err);
	void *arg;
	char *text; /* made at 'made' */
	time_t made;
	struct err why; /* text is NULL */
	int file_fails;
	struct clients clients;
	unsigned int count;
};

/* Borrowed; NULL: scrape->why. */
static const char *current(struct scrape *scrape)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (scrape->text && scrape->made == now.tv_sec)
		return scrape->text;
	free(scrape->text);
	scrape->text = scrape->make(scrape->arg, &scrape->why);
	scrape->made = now.tv_sec;
	return scrape->text;
}

/* ---- HTTP ---------------------------------------------------------------- */

static void client_free(struct client *client)
{
	struct scrape *scrape = client->scrape;

	TAILQ_REMOVE(&scrape->clients, client, entry);
	scrape->count--;
	event_free(client->deadline);
	bufferevent_free(client->bev);
	free(client);
}

static void answer(struct client *client, const char *status,
		   const char *headers, const char *body, bool is_head)
{
	struct evbuffer *out = bufferevent_get_output(client->bev);

	client->is_answered = true;
	evbuffer_add_printf(out,
			    "HTTP/1.1 %s\r\n"
			    "Content-Type: text/plain; version=0.0.4; "
			    "charset=utf-8\r\n"
			    "Content-Length: %zu\r\n"
			    "%sConnection: close\r\n\r\n",
			    status, strlen(body), headers);
	if (!is_head)
		evbuffer_add(out, body, strlen(body));
}

/* 'line' is "METHOD TARGET VERSION". */
static void judge(struct client *client, char *line)
{
	char *target = strchr(line, ' '), *version, *query;
	const char *text;
	bool is_head;

	version = target ? strchr(target + 1, ' ') : NULL;
	if (!version || strncmp(version, " HTTP/1.", 8) != 0) {
		answer(client, "400 Bad Request", "", "not HTTP/1\n", 0);
		return;
	}
	*target++ = *version = 0;
	query = strchr(target, '?');
	if (query)
		*query = 0;
	is_head = !strcmp(line, "HEAD");
	if (!is_head && strcmp(line, "GET") != 0)
		answer(client, "405 Method Not Allowed", "Allow: GET, HEAD\r\n",
		       "only GET and HEAD\n", 0);
	else if (strcmp(target, "/metrics") != 0)
		answer(client, "404 Not Found", "", "only /metrics\n", is_head);
	else if ((text = current(client->scrape)))
		answer(client, "200 OK", "", text, is_head);
	else
		answer(client, "500 Internal Server Error", "",
		       client->scrape->why.text, is_head);
}

static void on_request(struct bufferevent *bev, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(bev);
	struct client *client = arg;
	struct evbuffer_ptr end;
	char *line;

	if (client->is_answered) {
		evbuffer_drain(in, evbuffer_get_length(in));
		return;
	}
	end = evbuffer_search(in, "\r\n\r\n", 4, NULL);
	if (end.pos < 0) {
		if (evbuffer_get_length(in) >= SCRAPE_REQUEST_MAX)
			answer(client, "431 Request Header Fields Too Large",
			       "", "too long\n", 0);
		return;
	}
	line = evbuffer_readln(in, NULL, EVBUFFER_EOL_CRLF);
	if (line)
		judge(client, line);
	else
		client_free(client);
	free(line);
}

static void on_sent(struct bufferevent *bev, void *arg)
{
	struct client *client = arg;

	(void)bev;
	if (client->is_answered)
		client_free(client);
}

static void on_end(struct bufferevent *bev, short what, void *arg)
{
	(void)bev;
	(void)what;
	client_free(arg);
}

static void on_deadline(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	client_free(arg);
}

static void on_client(struct evconnlistener *listener, evutil_socket_t fd,
		      struct sockaddr *address, int size, void *arg)
{
	struct timeval limit = { SCRAPE_LIMIT_S, 0 };
	struct scrape *scrape = arg;
	struct client *client;

	(void)listener;
	(void)address;
	(void)size;
	if (scrape->count >= SCRAPE_PEERS_MAX)
		client_free(TAILQ_FIRST(&scrape->clients));
	client = calloc(1, sizeof(*client));
	if (client)
		client->bev = bufferevent_socket_new(scrape->base, fd,
						     BEV_OPT_CLOSE_ON_FREE);
	if (client && client->bev)
		client->deadline =
			evtimer_new(scrape->base, on_deadline, client);
	if (!client || !client->deadline) {
		if (client && client->bev)
			bufferevent_free(client->bev);
		else
			evutil_closesocket(fd);
		free(client);
		return;
	}
	client->scrape = scrape;
	TAILQ_INSERT_TAIL(&scrape->clients, client, entry);
	scrape->count++;
	event_add(client->deadline, &limit);
	bufferevent_setcb(client->bev, on_request, on_sent, on_end, client);
	bufferevent_setwatermark(client->bev, EV_READ, 0, SCRAPE_REQUEST_MAX);
	bufferevent_enable(client->bev, EV_READ | EV_WRITE);
}

/* No descriptor left: those of the clients here are the first to go. */
static void on_no_client(struct evconnlistener *listener, void *arg)
{
	struct scrape *scrape = arg;

	(void)listener;
	if (scrape->count)
		client_free(TAILQ_FIRST(&scrape->clients));
}

static int listen_on(struct scrape *scrape, const char *where, struct err *err)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				  .ai_socktype = SOCK_STREAM };
	char host[CONFIG_ADDRESS_MAX], port[8];
	struct addrinfo *found;
	unsigned int number;

	if (config_listen_parse(where, host, &number) < 0)
		return err_set(err,
			       "[ledger] metrics_listen: '%s': not an "
			       "address",
			       where);
	snprintf(port, sizeof(port), "%u", number);
	if (getaddrinfo(host, port, &hints, &found))
		return err_set(err,
			       "[ledger] metrics_listen: '%s': not an "
			       "address",
			       where);
	scrape->listener = evconnlistener_new_bind(
		scrape->base, on_client, scrape,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
			LEV_OPT_REUSEABLE,
		64, found->ai_addr, (int)found->ai_addrlen);
	freeaddrinfo(found);
	if (!scrape->listener)
		return err_set(err, "metrics_listen: '%s': %s", where,
			       strerror(errno));
	evconnlistener_set_error_cb(scrape->listener, on_no_client);
	return 0;
}

/* ---- the file ------------------------------------------------------------ */

static void write_file(struct scrape *scrape)
{
	const char *text = current(scrape);
	struct err err = scrape->why;
	int fails;

	fails = !text || fileio_write_volatile(scrape->file, text, strlen(text),
					       0644, &err) < 0;
	if (fails && !scrape->file_fails)
		fprintf(stderr, "jobio: ledger: metrics_file: %s\n", err.text);
	if (!fails && scrape->file_fails)
		fprintf(stderr,
			"jobio: ledger: metrics_file: '%s': works "
			"again\n",
			scrape->file);
	scrape->file_fails = fails;
}

static void on_file(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	write_file(arg);
}

static int start_file(struct scrape *scrape)
{
	struct timeval often = { SCRAPE_FILE_S, 0 };

	scrape->file_timer =
		event_new(scrape->base, -1, EV_PERSIST, on_file, scrape);
	if (!scrape->file_timer || event_add(scrape->file_timer, &often) < 0)
		return -1;
	write_file(scrape);
	return 0;
}

/* ---- all ----------------------------------------------------------------- */

struct scrape *scrape_new(const struct config_ledger *config,
			  struct event_base *base,
			  char *(*text)(void *arg, struct err *err), void *arg,
			  struct err *err)
{
	struct scrape *scrape = calloc(1, sizeof(*scrape));

	if (!scrape) {
		err_set(err, "metrics: out of memory");
		return NULL;
	}
	TAILQ_INIT(&scrape->clients);
	scrape->base = base;
	scrape->make = text;
	scrape->arg = arg;
	scrape->file = config->metrics_file;
	if (*config->metrics_listen &&
	    listen_on(scrape, config->metrics_listen, err) < 0)
		goto fail;
	if (*config->metrics_file && start_file(scrape) < 0) {
		err_set(err, "metrics: out of memory");
		goto fail;
	}
	return scrape;
fail:
	scrape_free(scrape);
	return NULL;
}

void scrape_free(struct scrape *scrape)
{
	if (!scrape)
		return;
	while (!TAILQ_EMPTY(&scrape->clients))
		client_free(TAILQ_FIRST(&scrape->clients));
	if (scrape->listener)
		evconnlistener_free(scrape->listener);
	if (scrape->file_timer)
		event_free(scrape->file_timer);
	free(scrape->text);
	free(scrape);
}
