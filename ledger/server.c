/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>

#include "lib/ledger_link.h"

#define BATCH_US 2000 /* how long a put waits for others to commit with */
#define BATCH_MAX 256

struct peer {
	TAILQ_ENTRY(peer) entry; /* by 'active', the oldest first */
	struct server *server;
	struct bufferevent *bev;
	size_t held;   /* bytes of its that wait in memory */
	size_t wanted; /* of the frame that is coming; 0: none */
	time_t active; /* came, or last asked something that could be opened */
	time_t frame_since;
	int is_full;  /* of answers that it has not read */
	char *answer; /* waits for the commit */
	uid_t uid;    /* who gets it */
	char name[80];
};
TAILQ_HEAD(peers, peer);

struct server {
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *tick, *batch, *term, *intr;
	struct service *service;
	struct seal *seal;
	void (*wake)(void *arg);
	void *wake_arg;
	struct peers peers;
	size_t peer_count, held, waiting;
	time_t log_minute;
	unsigned int log_lines;
};

static time_t now_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* About peers, so anybody who can connect could fill the log. */
__attribute__((format(printf, 2, 3))) static void say(struct server *server,
						      const char *format, ...)
{
	time_t minute = now_mono() / 60;
	va_list args;

	if (minute != server->log_minute) {
		if (server->log_lines > SERVER_LOG_MAX)
			fprintf(stderr,
				"jobio: ledger: peers: %u more lines like "
				"these were left out\n",
				server->log_lines - SERVER_LOG_MAX);
		server->log_minute = minute;
		server->log_lines = 0;
	}
	if (++server->log_lines > SERVER_LOG_MAX)
		return;
	fprintf(stderr, "jobio: ledger: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static struct metrics *metrics_of(struct server *server)
{
	return server->service->metrics;
}

static void hang_up(struct server *server, enum metrics_closed why)
{
	metrics_count(&metrics_of(server)->closed[why]);
}

/* ---- peers --------------------------------------------------------------- */

static void peer_hold(struct peer *peer, size_t bytes)
{
	peer->server->held += bytes - peer->held;
	peer->held = bytes;
}

static void peer_free(struct peer *peer)
{
	struct server *server = peer->server;

	peer_hold(peer, 0);
	if (peer->answer)
		server->waiting--;
	free(peer->answer);
	TAILQ_REMOVE(&server->peers, peer, entry);
	if (server->peer_count-- == SERVER_PEERS_MAX)
		evconnlistener_enable(server->listener);
	metrics_set(&metrics_of(server)->peers, server->peer_count);
	bufferevent_free(peer->bev);
	free(peer);
}

static void peer_touch(struct peer *peer)
{
	struct server *server = peer->server;

	peer->active = now_mono();
	TAILQ_REMOVE(&server->peers, peer, entry);
	TAILQ_INSERT_TAIL(&server->peers, peer, entry);
}

/* An answer as it goes out. Peers that wait for the same commit are told the
 * same, so it is sealed once for all of them: half of what the ledger wants of
 * munged. An answer does not say what it answers, and whoever reads it takes a
 * credential that it has seen before (seal.h): one of its own is no better. */
struct sealed {
	char *answer, *credential;
	uid_t uid;
};

static void sealed_free(struct sealed *sealed)
{
	free(sealed->answer);
	free(sealed->credential);
	memset(sealed, 0, sizeof(*sealed));
}

/* Have *sealed hold this answer for this reader. */
static int sealed_make(struct sealed *sealed, struct seal *seal,
		       const char *answer, uid_t uid, struct err *err)
{
	if (answer && sealed->credential && sealed->uid == uid &&
	    !strcmp(sealed->answer, answer))
		return 0;
	sealed_free(sealed);
	sealed->uid = uid;
	sealed->answer = answer ? strdup(answer) : NULL;
	if (!sealed->answer)
		return err_set(err, "out of memory");
	return seal_close(seal, answer, strlen(answer), uid,
			  &sealed->credential, err);
}

/* 0, or -1: the peer is gone. */
static int peer_send(struct peer *peer, const char *answer,
		     struct sealed *sealed)
{
	struct server *server = peer->server;
	struct err err;
	uint32_t prefix;
	size_t size;

	if (sealed_make(sealed, server->seal, answer, peer->uid, &err) < 0) {
		say(server, "peer: '%s': answer: %s", peer->name, err.text);
		peer_free(peer);
		return -1;
	}
	size = strlen(sealed->credential);
	prefix = htonl((uint32_t)size);
	bufferevent_write(peer->bev, &prefix, sizeof(prefix));
	bufferevent_write(peer->bev, sealed->credential, size);
	if (evbuffer_get_length(bufferevent_get_output(peer->bev)) >
	    LEDGER_FRAME_MAX)
		peer->is_full = 1; /* asks, but does not read: on_drained() */
	return 0;
}

static int peer_answer(struct peer *peer, const char *answer)
{
	struct sealed sealed = { 0 };
	int rc = peer_send(peer, answer, &sealed);

	sealed_free(&sealed);
	return rc;
}

static void batch_soon(struct server *server)
{
	struct timeval soon = { 0, BATCH_US };

	if (server->waiting >= BATCH_MAX)
		soon.tv_usec = 0;
	if (server->waiting >= BATCH_MAX ||
	    !event_pending(server->batch, EV_TIMEOUT, NULL))
		event_add(server->batch, &soon);
}

/* Answer all who wait for the commit, with what they asked for or an error. */
static void answer_waiting(struct server *server, const char *error)
{
	struct sealed sealed = { 0 };
	struct peer *peer, *next;
	char *answer;

	for (peer = TAILQ_FIRST(&server->peers); peer; peer = next) {
		next = TAILQ_NEXT(peer, entry);
		if (!peer->answer)
			continue;
		answer = error ? service_error(error, 0) : peer->answer;
		if (error)
			free(peer->answer);
		peer->answer = NULL;
		server->waiting--;
		if (peer_send(peer, answer, &sealed) == 0)
			bufferevent_enable(peer->bev, EV_READ);
		free(answer);
	}
	sealed_free(&sealed);
	/* Frames that came meanwhile are in the buffers already. Reading one
	 * may close peers, so begin anew until nobody has a whole frame. */
	for (peer = TAILQ_FIRST(&server->peers); peer; peer = next) {
		next = TAILQ_NEXT(peer, entry);
		if (!peer->answer &&
		    evbuffer_get_length(bufferevent_get_input(peer->bev)))
			bufferevent_trigger(peer->bev, EV_READ,
					    BEV_OPT_DEFER_CALLBACKS);
	}
}

static void commit(struct server *server)
{
	struct err err = { "" };
	int rc;

	event_del(server->batch);
	rc = service_commit(server->service, &err);
	if (rc < 0)
		fprintf(stderr, "jobio: ledger: %s\n", err.text);
	answer_waiting(server, rc < 0 ? err.text : NULL);
	if (rc == 0 && server->service->has_news)
		server->wake(server->wake_arg);
	server->service->has_news = 0;
}

static void on_batch(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	commit(arg);
}

/* One frame: open, ask the service, answer now or after the commit. */
static void peer_request(struct peer *peer, const char *credential)
{
	struct server *server = peer->server;
	char *request = NULL, *answer = NULL;
	struct err err;
	size_t size;
	int rc;

	if (seal_open(server->seal, credential, &request, &size, &peer->uid,
		      &err) < 0) {
		say(server, "peer: '%s': refused: %s", peer->name, err.text);
		metrics_count(
			&metrics_of(server)->refused[METRICS_REFUSED_SEAL]);
		peer_free(peer);
		return;
	}
	peer_touch(peer);
	rc = service_handle(server->service, request, size, peer->uid,
			    time(NULL), &answer);
	free(request);
	if (rc > 0 && answer) {
		peer->answer = answer;
		server->waiting++;
		bufferevent_disable(peer->bev, EV_READ);
		batch_soon(server);
		return;
	}
	if (rc < 0) {
		fprintf(stderr, "jobio: ledger: %s\n", answer ? answer : "");
		service_abort(server->service);
		event_del(server->batch);
		answer_waiting(server,
			       "the store failed: see the ledger's log");
	}
	peer_answer(peer, answer);
	free(answer);
}

/* The next whole frame, NUL-terminated; NULL: not here yet, or (*closed) the
 * peer is gone. */
static char *next_frame(struct peer *peer, int *closed)
{
	struct evbuffer *in = bufferevent_get_input(peer->bev);
	uint32_t prefix;
	char *text;

	*closed = 0;
	if (!peer->wanted) {
		if (evbuffer_get_length(in) < sizeof(prefix))
			return NULL;
		evbuffer_remove(in, &prefix, sizeof(prefix));
		peer->wanted = ntohl(prefix);
		if (!peer->wanted || peer->wanted > LEDGER_FRAME_MAX) {
			say(peer->server,
			    "peer: '%s': a frame of %zu bytes: closed",
			    peer->name, peer->wanted);
			metrics_count(
				&metrics_of(peer->server)
					 ->refused[METRICS_REFUSED_FRAME]);
			peer_free(peer);
			*closed = 1;
			return NULL;
		}
		peer->frame_since = now_mono();
	}
	if (evbuffer_get_length(in) < peer->wanted)
		return NULL;
	text = malloc(peer->wanted + 1);
	if (!text) {
		peer_free(peer);
		*closed = 1;
		return NULL;
	}
	evbuffer_remove(in, text, peer->wanted);
	text[peer->wanted] = 0;
	peer->wanted = 0;
	return text;
}

/* Close the peer whose frame is the longest under way, or the one that holds
 * most when no frame is. */
static void make_room(struct server *server)
{
	struct peer *peer, *worst = NULL;

	TAILQ_FOREACH (peer, &server->peers, entry)
		if (!peer->answer && peer->held &&
		    (!worst || peer->frame_since < worst->frame_since))
			worst = peer;
	if (worst) {
		say(server, "peer: '%s': too many bytes wait: closed",
		    worst->name);
		hang_up(server, METRICS_CLOSED_MEMORY);
		peer_free(worst);
	}
}

static void read_more(struct peer *peer)
{
	struct server *server = peer->server;
	struct evbuffer *in = bufferevent_get_input(peer->bev);
	int closed;
	char *frame;

	if (peer->answer || peer->is_full)
		return;
	frame = next_frame(peer, &closed);
	if (closed)
		return;
	peer_hold(peer, evbuffer_get_length(in));
	if (!frame) {
		if (server->held > SERVER_BYTES_MAX)
			make_room(server);
		return;
	}
	if (evbuffer_get_length(in))
		bufferevent_trigger(peer->bev, EV_READ,
				    BEV_OPT_DEFER_CALLBACKS);
	peer_request(peer, frame);
	free(frame);
}

static void on_read(struct bufferevent *bev, void *arg)
{
	struct peer *peer = arg;

	(void)bev;
	read_more(peer);
}

static void on_drained(struct bufferevent *bev, void *arg)
{
	struct peer *peer = arg;

	if (!peer->is_full)
		return;
	peer->is_full = 0;
	if (evbuffer_get_length(bufferevent_get_input(bev)))
		bufferevent_trigger(bev, EV_READ, BEV_OPT_DEFER_CALLBACKS);
}

static void on_event(struct bufferevent *bev, short what, void *arg)
{
	(void)bev;
	if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT))
		peer_free(arg);
}

static void name_peer(struct peer *peer, struct sockaddr *address, int size)
{
	char host[64] = "?", port[8] = "?";

	if (getnameinfo(address, (socklen_t)size, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		strcpy(host, "?");
	snprintf(peer->name, sizeof(peer->name), "%s:%s", host, port);
}

/* The peer that has asked nothing for longest, unless it is still fresh or
 * waits for us. 1: there is room now. */
static int drop_oldest(struct server *server)
{
	time_t now = now_mono();
	struct peer *peer;

	TAILQ_FOREACH (peer, &server->peers, entry) {
		if (peer->answer)
			continue;
		if (now - peer->active < SERVER_FRESH_S)
			return 0;
		say(server,
		    "peer: '%s': silent for %ld s and others wait: "
		    "closed",
		    peer->name, (long)(now - peer->active));
		hang_up(server, METRICS_CLOSED_ROOM);
		peer_free(peer);
		return 1;
	}
	return 0;
}

/* Take new peers while there is room for them, or may be. */
static void accept_more(struct server *server)
{
	if (server->peer_count < SERVER_PEERS_MAX || drop_oldest(server))
		evconnlistener_enable(server->listener);
	else
		evconnlistener_disable(server->listener);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd,
		      struct sockaddr *address, int size, void *arg)
{
	struct timeval limit = { SERVER_FRAME_S, 0 };
	struct server *server = arg;
	struct peer *peer;

	(void)listener;
	if (server->peer_count >= SERVER_PEERS_MAX)
		drop_oldest(server);
	peer = server->peer_count < SERVER_PEERS_MAX ? calloc(1, sizeof(*peer))
						     : NULL;
	if (peer)
		peer->bev = bufferevent_socket_new(server->base, fd,
						   BEV_OPT_CLOSE_ON_FREE);
	if (!peer || !peer->bev) {
		free(peer);
		evutil_closesocket(fd);
		return;
	}
	peer->server = server;
	peer->active = peer->frame_since = now_mono();
	name_peer(peer, address, size);
	TAILQ_INSERT_TAIL(&server->peers, peer, entry);
	server->peer_count++;
	metrics_set(&metrics_of(server)->peers, server->peer_count);
	bufferevent_setcb(peer->bev, on_read, on_drained, on_event, peer);
	bufferevent_setwatermark(peer->bev, EV_READ, 0, LEDGER_FRAME_MAX + 4);
	bufferevent_set_timeouts(peer->bev, NULL, &limit);
	bufferevent_enable(peer->bev, EV_READ | EV_WRITE);
	accept_more(server);
}

/* No descriptors left: let one go, so that the next one can be taken. */
static void on_accept_error(struct evconnlistener *listener, void *arg)
{
	say(arg, "accept: %s",
	    evutil_socket_error_to_string(EVUTIL_SOCKET_ERROR()));
	if (!drop_oldest(arg))
		evconnlistener_disable(listener); /* until on_tick() */
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct server *server = arg;
	struct peer *peer, *next;
	time_t now = now_mono();

	(void)fd;
	(void)what;
	for (peer = TAILQ_FIRST(&server->peers); peer; peer = next) {
		next = TAILQ_NEXT(peer, entry);
		if (peer->answer)
			continue;
		if (peer->wanted && now - peer->frame_since > SERVER_FRAME_S) {
			say(server,
			    "peer: '%s': no whole frame in %d s: closed",
			    peer->name, SERVER_FRAME_S);
			hang_up(server, METRICS_CLOSED_SLOW);
			peer_free(peer);
		} else if (now - peer->active > SERVER_IDLE_S) {
			hang_up(server, METRICS_CLOSED_IDLE);
			peer_free(peer);
		}
	}
	accept_more(server);
}

/* ---- the server ---------------------------------------------------------- */

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct server *server = arg;

	(void)fd;
	(void)what;
	event_base_loopexit(server->base, NULL);
}

static int listen_on(struct server *server, const struct config_ledger *config,
		     struct err *err)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char port[16];

	snprintf(port, sizeof(port), "%u", config->port);
	if (getaddrinfo(config->listen, port, &hints, &found))
		return err_set(err, "[ledger] listen: '%s': not an address",
			       config->listen);
	server->listener = evconnlistener_new_bind(
		server->base, on_accept, server,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
			LEV_OPT_REUSEABLE,
		4096, found->ai_addr, (int)found->ai_addrlen);
	freeaddrinfo(found);
	if (!server->listener)
		return err_set(err, "listen: '%s:%u': %s", config->listen,
			       config->port, strerror(errno));
	evconnlistener_set_error_cb(server->listener, on_accept_error);
	return 0;
}

static int make_events(struct server *server)
{
	struct timeval second = { 1, 0 };

	server->batch = evtimer_new(server->base, on_batch, server);
	server->tick = event_new(server->base, -1, EV_PERSIST, on_tick, server);
	server->term = evsignal_new(server->base, SIGTERM, on_signal, server);
	server->intr = evsignal_new(server->base, SIGINT, on_signal, server);
	if (!server->batch || !server->tick || !server->term || !server->intr)
		return -1;
	event_add(server->tick, &second);
	event_add(server->term, NULL);
	event_add(server->intr, NULL);
	return 0;
}

struct server *server_new(const struct config_ledger *config,
			  struct service *service, struct seal *seal,
			  void (*wake)(void *arg), void *arg, struct err *err)
{
	struct server *server = calloc(1, sizeof(*server));

	if (!server) {
		err_set(err, "server: out of memory");
		return NULL;
	}
	TAILQ_INIT(&server->peers);
	server->service = service;
	server->seal = seal;
	server->wake = wake;
	server->wake_arg = arg;
	server->base = event_base_new();
	if (!server->base || make_events(server) < 0) {
		err_set(err, "server: out of memory");
		server_free(server);
		return NULL;
	}
	if (listen_on(server, config, err) < 0) {
		server_free(server);
		return NULL;
	}
	return server;
}

static void free_event(struct event *event)
{
	if (event)
		event_free(event);
}

void server_free(struct server *server)
{
	struct peer *peer;

	if (!server)
		return;
	while ((peer = TAILQ_FIRST(&server->peers)))
		peer_free(peer);
	if (server->listener)
		evconnlistener_free(server->listener);
	free_event(server->tick);
	free_event(server->batch);
	free_event(server->term);
	free_event(server->intr);
	if (server->base)
		event_base_free(server->base);
	free(server);
}

struct event_base *server_base(struct server *server)
{
	return server->base;
}

int server_run(struct server *server, struct err *err)
{
	if (event_base_dispatch(server->base) < 0)
		return err_set(err, "server: the event loop failed");
	commit(server);
	return 0;
}
