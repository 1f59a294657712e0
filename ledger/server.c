/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "link/ledger_link.h"
#include "link/payload.h"
#include "record/alloc.h"

#define BATCH_US 2000 /* a put waits this long to share a commit */
#define BATCH_MAX 256
#define TICK_MS 500

/* One request at a time: the next is read after the reply to the last was sent. */
enum state {
	STATE_READS,   /* receives a frame, or may */
	STATE_QUEUED,  /* 'request' is queued: next_reader() */
	STATE_COMMITS, /* 'answer' waits for the commit */
	STATE_REPLIES  /* the reply is being sent */
};

struct peer {
	TAILQ_ENTRY(peer) entry; /* ordered by 'active', oldest first */
	struct server *server;
	struct bufferevent *bev;
	size_t buffered;   /* bytes received from it in memory */
	size_t out;	   /* bytes of a reply that it has not read */
	size_t frame_size; /* size of the frame being received; 0: none */
	time_t active;	   /* time of connecting, or of the last authentic request */
	time_t frame_since, reply_since;
	enum state state;
	char *request, *answer;
	char nonce[PAYLOAD_NONCE_SIZE]; /* of the request */
	bool is_authenticated;
	uid_t uid; /* user that the reply is encrypted for */
	char host[48], name[80];
};
TAILQ_HEAD(peers, peer);

struct server {
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *tick, *batch, *reads, *turn, *term, *intr;
	struct service *service;
	struct credential_ctx *munge;
	void (*wake)(void *arg);
	void *wake_arg;
	struct peers peers;
	size_t peer_count, buffered, out, waiting;
	size_t peers_max;
	size_t accepted; /* since the last turn of the event loop */
	uid_t last_reader;
	time_t log_minute;
	unsigned int log_lines;
};

static time_t now_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* Log a line about a peer, at most SERVER_LOG_MAX a minute: any peer could fill the log. */
__attribute__((format(printf, 2, 3))) static void log_line(struct server *server,
							   const char *format, ...)
{
	time_t minute = now_mono() / 60;
	va_list args;

	if (minute != server->log_minute) {
		if (server->log_lines > SERVER_LOG_MAX)
			fprintf(stderr,
				"jobio: ledger: peers: %u more lines like these were left out\n",
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

static void count_closed(struct server *server, enum metrics_closed why)
{
	metrics_count(&metrics_of(server)->closed[why]);
}

/* ---- peers --------------------------------------------------------------- */

static void peer_set_buffered(struct peer *peer, size_t bytes)
{
	peer->server->buffered += bytes - peer->buffered;
	peer->buffered = bytes;
}

static void peer_out(struct peer *peer, size_t bytes)
{
	peer->server->out += bytes - peer->out;
	peer->out = bytes;
}

/* Schedule on_reads(). */
static void reads_soon(struct server *server)
{
	struct timeval now = { 0, 0 };

	if (!event_pending(server->reads, EV_TIMEOUT, NULL))
		event_add(server->reads, &now);
}

/* Close a peer. It must not be waiting for a commit, except at the end. */
static void peer_free(struct peer *peer)
{
	struct server *server = peer->server;

	peer_set_buffered(peer, 0);
	peer_out(peer, 0);
	free(peer->request);
	free(peer->answer);
	TAILQ_REMOVE(&server->peers, peer, entry);
	if (server->peer_count-- == server->peers_max && server->accepted < SERVER_ACCEPTS)
		evconnlistener_enable(server->listener);
	if (!server->peer_count)
		event_del(server->tick);
	metrics_set(&metrics_of(server)->peers, server->peer_count);
	bufferevent_free(peer->bev);
	free(peer);
	reads_soon(server);
}

static void peer_set_active(struct peer *peer)
{
	struct server *server = peer->server;

	peer->active = now_mono();
	TAILQ_REMOVE(&server->peers, peer, entry);
	TAILQ_INSERT_TAIL(&server->peers, peer, entry);
}

/* Root, on any node, and the ledger's own user. */
static bool is_trusted(const struct server *server, uid_t uid)
{
	return uid == 0 || uid == server->service->ledger_uid;
}

/* Return the number of this user's authenticated connections. *replies: those with a reply in
 * transit. */
static size_t count_peers(const struct server *server, uid_t uid, size_t *replies)
{
	const struct peer *peer;
	size_t count = 0;

	*replies = 0;
	TAILQ_FOREACH (peer, &server->peers, entry) {
		if (!peer->is_authenticated || peer->uid != uid)
			continue;
		count++;
		*replies += peer->state == STATE_REPLIES;
	}
	return count;
}

/* ---- answers ------------------------------------------------------------- */

/* Encode one reply to all these peers, with the nonces of their requests: one credential for
 * several halves the load on munged. */
static int encode_answer(struct server *server, struct peer *const *group, size_t count,
			 const char *answer, char **credential, struct err *err)
{
	const char *nonces[PAYLOAD_NONCES_MAX] = { NULL };
	char *text;
	size_t i;
	int rc;

	for (i = 0; i < count; i++)
		nonces[i] = group[i]->nonce;
	text = xneed(payload_make(nonces, count, answer));
	rc = credential_encode(server->munge, text, strlen(text), group[0]->uid, credential, err);
	free(text);
	return rc;
}

/* The reply was sent: read the next frame, which may be here already. */
static void peer_drained(struct peer *peer)
{
	if (peer->state != STATE_REPLIES)
		return;
	peer->state = STATE_READS;
	peer->frame_since = now_mono();
	peer_out(peer, 0);
	reads_soon(peer->server);
	bufferevent_enable(peer->bev, EV_READ);
	if (evbuffer_get_length(bufferevent_get_input(peer->bev)))
		bufferevent_trigger(peer->bev, EV_READ, BEV_OPT_DEFER_CALLBACKS);
}

/* Send at once what the kernel accepts, which is nearly always all of it. */
static void peer_send(struct peer *peer, const char *frame, size_t size)
{
	ssize_t sent = send(bufferevent_getfd(peer->bev), frame, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	size_t done = sent > 0 ? (size_t)sent : 0;

	peer->state = STATE_REPLIES;
	peer->reply_since = now_mono();
	if (done == size) {
		peer_drained(peer);
		return;
	}
	peer_out(peer, size - done);
	bufferevent_write(peer->bev, frame + done, size - done);
}

static void send_reply(struct server *server, struct peer *const *group, size_t count,
		       const char *answer)
{
	char *credential = NULL, *frame;
	struct err err;
	uint32_t prefix;
	size_t i, size;

	if (encode_answer(server, group, count, answer, &credential, &err) < 0) {
		for (i = 0; i < count; i++) {
			log_line(server, "peer: '%s': answer: %s", group[i]->name, err.text);
			peer_free(group[i]);
		}
		return;
	}
	size = strlen(credential);
	prefix = htonl((uint32_t)size);
	frame = xcalloc(sizeof(prefix) + size, 1);
	memcpy(mempcpy(frame, &prefix, sizeof(prefix)), credential, size);
	for (i = 0; i < count; i++)
		peer_send(group[i], frame, sizeof(prefix) + size);
	free(frame);
	free(credential);
}

/* Return true if one reply serves both: the same user, the same text. */
static bool has_same_reply(const struct peer *a, const struct peer *b)
{
	return a->uid == b->uid && !strcmp(a->answer, b->answer);
}

/* Send one peer that waits for the commit, and all with the same reply, their reply or an error.
 * Return 0 if none waits. */
static int answer_group(struct server *server, const char *error)
{
	struct peer *peer, *group[PAYLOAD_NONCES_MAX];
	size_t count = 0, i;
	char *answer;

	TAILQ_FOREACH (peer, &server->peers, entry)
		if (peer->state == STATE_COMMITS && count < PAYLOAD_NONCES_MAX &&
		    (!count || has_same_reply(group[0], peer)))
			group[count++] = peer;
	if (!count)
		return 0;
	answer = error ? service_error(error, false) : xstrdup(group[0]->answer);
	for (i = 0; i < count; i++) {
		free(group[i]->answer);
		group[i]->answer = NULL;
		group[i]->state = STATE_REPLIES;
		server->waiting--;
	}
	send_reply(server, group, count, answer);
	free(answer);
	return 1;
}

static void answer_waiting(struct server *server, const char *error)
{
	while (answer_group(server, error))
		;
}

static void batch_soon(struct server *server)
{
	struct timeval soon = { 0, BATCH_US };

	if (server->waiting >= BATCH_MAX)
		soon.tv_usec = 0;
	if (server->waiting >= BATCH_MAX || !event_pending(server->batch, EV_TIMEOUT, NULL))
		event_add(server->batch, &soon);
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
	if (rc == 0 && server->service->has_due_runs)
		server->wake(server->wake_arg);
	server->service->has_due_runs = false;
}

static void on_batch(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	commit(arg);
}

/* Pass the request to the service; reply now, or after the commit. */
static void peer_handle(struct peer *peer, const char *request)
{
	struct server *server = peer->server;
	char *answer = NULL;
	int rc;

	rc = service_handle(server->service, request, strlen(request), peer->uid, time(NULL),
			    &answer);
	if (*server->service->log_text)
		log_line(server, "%s", server->service->log_text);
	*server->service->log_text = 0;
	if (rc > 0 && answer) {
		peer->answer = answer;
		peer->state = STATE_COMMITS;
		server->waiting++;
		batch_soon(server);
		return;
	}
	if (rc < 0) {
		fprintf(stderr, "jobio: ledger: %s\n", answer ? answer : "");
		service_abort(server->service);
		event_del(server->batch);
		answer_waiting(server, "the store failed: see the ledger's log");
	}
	send_reply(server, &peer, 1, answer);
	free(answer);
}

static void peer_reject(struct peer *peer, const char *why)
{
	char *answer = service_error(why, false);

	metrics_count(&metrics_of(peer->server)->refused[METRICS_REFUSED_REQUEST]);
	send_reply(peer->server, &peer, 1, answer);
	free(answer);
}

/* Set the user of the peer, and enforce the limit of connections. */
static int peer_authenticate(struct peer *peer, uid_t uid)
{
	struct server *server = peer->server;
	size_t replies;

	peer->is_authenticated = false;
	if (!is_trusted(server, uid) && count_peers(server, uid, &replies) >= SERVER_USER_PEERS) {
		log_line(server, "peer: '%s': too many connections of user %u: closed", peer->name,
			 (unsigned int)uid);
		count_closed(server, METRICS_CLOSED_USER);
		peer_free(peer);
		return -1;
	}
	peer->is_authenticated = true;
	peer->uid = uid;
	return 0;
}

/* Handle records at once; queue all other requests. */
static void peer_dispatch(struct peer *peer, char *text)
{
	static const char get[] = "{\"op\":\"get\"";
	struct server *server = peer->server;
	char *nonces, *request = payload_parse(text, &nonces);
	size_t size = request ? strlen(request) : 0;

	if (!request || strlen(nonces) >= PAYLOAD_NONCE_SIZE) {
		log_line(server, "peer: '%s': another protocol: closed", peer->name);
		metrics_count(&metrics_of(server)->refused[METRICS_REFUSED_FRAME]);
		peer_free(peer);
		return;
	}
	strcpy(peer->nonce, nonces);
	if (is_trusted(server, peer->uid) &&
	    (size > SERVER_QUERY_MAX || strncmp(request, get, sizeof(get) - 1) != 0)) {
		peer_handle(peer, request);
	} else if (size > SERVER_QUERY_MAX) {
		peer_reject(peer, "the request is too long");
	} else {
		peer->request = xstrdup(request);
		peer->state = STATE_QUEUED;
		reads_soon(server);
	}
}

/* Decode one frame and handle its request. */
static void peer_request(struct peer *peer, const char *credential)
{
	struct server *server = peer->server;
	char *text = NULL;
	struct err err;
	size_t size;
	uid_t uid;

	if (credential_decode(server->munge, credential, &text, &size, &uid, &err) < 0) {
		log_line(server, "peer: '%s': refused: %s", peer->name, err.text);
		metrics_count(&metrics_of(server)->refused[METRICS_REFUSED_CREDENTIAL]);
		peer_free(peer);
		return;
	}
	if (peer_authenticate(peer, uid) == 0) {
		peer_set_active(peer);
		peer_dispatch(peer, text);
	}
	free(text);
}

/* ---- reads --------------------------------------------------------------- */

/* Return true if this request may be handled now. Unread replies fill memory: their bytes are
 * limited in total, their number per user. */
static bool may_read(const struct server *server, const struct peer *peer)
{
	size_t replies;

	if (server->out >= SERVER_OUT_MAX)
		return false;
	if (is_trusted(server, peer->uid))
		return true;
	count_peers(server, peer->uid, &replies);
	return replies < SERVER_USER_ANSWERS;
}

/* Return the peer that has waited longest, but no user twice in a row while others wait. */
static struct peer *next_reader(struct server *server)
{
	struct peer *peer, *found = NULL;
	uid_t refused = (uid_t)-1;

	TAILQ_FOREACH (peer, &server->peers, entry) {
		if (peer->state != STATE_QUEUED || peer->uid == refused)
			continue;
		if (found && peer->uid == server->last_reader)
			continue;
		if (!may_read(server, peer)) {
			refused = peer->uid;
			continue;
		}
		found = peer;
		if (peer->uid != server->last_reader)
			break;
	}
	return found;
}

/* Handle one query for each turn of the event loop, after a pending commit: a record waits for one
 * query at most. */
static void on_reads(evutil_socket_t fd, short what, void *arg)
{
	struct server *server = arg;
	struct peer *peer;
	char *request;

	(void)fd;
	(void)what;
	if (server->waiting)
		commit(server);
	peer = next_reader(server);
	if (!peer)
		return; /* until a reply is read, or a request arrives */
	server->last_reader = peer->uid;
	request = peer->request;
	peer->request = NULL;
	peer_handle(peer, request);
	free(request);
	reads_soon(server);
}

/* ---- frames -------------------------------------------------------------- */

/* Return the next complete frame, NUL-terminated; NULL: incomplete, or (*closed) the peer was
 * closed. */
static char *next_frame(struct peer *peer, bool *closed)
{
	struct evbuffer *in = bufferevent_get_input(peer->bev);
	uint32_t prefix;
	char *text;

	*closed = false;
	if (!peer->frame_size) {
		if (evbuffer_get_length(in) < sizeof(prefix))
			return NULL;
		evbuffer_remove(in, &prefix, sizeof(prefix));
		peer->frame_size = ntohl(prefix);
		if (!peer->frame_size || peer->frame_size > LEDGER_FRAME_MAX) {
			log_line(peer->server, "peer: '%s': a frame of %zu bytes: closed",
				 peer->name, peer->frame_size);
			metrics_count(&metrics_of(peer->server)->refused[METRICS_REFUSED_FRAME]);
			peer_free(peer);
			*closed = true;
			return NULL;
		}
		peer->frame_since = now_mono();
	}
	if (evbuffer_get_length(in) < peer->frame_size)
		return NULL;
	text = xcalloc(peer->frame_size + 1, 1);
	evbuffer_remove(in, text, peer->frame_size);
	peer->frame_size = 0;
	return text;
}

/* Close the peer with the oldest frame of those with buffered bytes. */
static void drop_oldest_frame(struct server *server)
{
	struct peer *peer, *oldest = NULL;

	TAILQ_FOREACH (peer, &server->peers, entry)
		if (peer->state != STATE_COMMITS && peer->buffered &&
		    (!oldest || peer->frame_since < oldest->frame_since))
			oldest = peer;
	if (oldest) {
		log_line(server, "peer: '%s': too many bytes wait: closed", oldest->name);
		count_closed(server, METRICS_CLOSED_MEMORY);
		peer_free(oldest);
	}
}

static void on_read(struct bufferevent *bev, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(bev);
	struct peer *peer = arg;
	struct server *server = peer->server;
	char *frame = NULL;
	bool closed = false;

	if (peer->state == STATE_READS)
		frame = next_frame(peer, &closed);
	else
		bufferevent_disable(bev, EV_READ); /* until the reply was sent */
	if (closed)
		return;
	peer_set_buffered(peer, evbuffer_get_length(in));
	if (frame) {
		peer_request(peer, frame);
		free(frame);
	} else if (server->buffered > SERVER_BYTES_MAX) {
		drop_oldest_frame(server);
	}
}

static void on_drained(struct bufferevent *bev, void *arg)
{
	(void)bev;
	peer_drained(arg);
}

/* End of file is ignored until the reply was sent, and reported again then. */
static void on_event(struct bufferevent *bev, short what, void *arg)
{
	struct peer *peer = arg;

	(void)bev;
	if (what & BEV_EVENT_READING && peer->state != STATE_READS)
		return;
	if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR | BEV_EVENT_TIMEOUT))
		peer_free(peer);
}

static void name_peer(struct peer *peer, struct sockaddr *address, int size)
{
	char host[64] = "?", port[8] = "?";

	if (getnameinfo(address, (socklen_t)size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		strcpy(host, "?");
	snprintf(peer->name, sizeof(peer->name), "%s:%s", host, port);
	snprintf(peer->host, sizeof(peer->host), "%.47s", host);
}

/* Return true if the kernel has unread bytes of the peer. */
static bool has_sent(const struct peer *peer)
{
	int waiting = 0;

	return ioctl(bufferevent_getfd(peer->bev), FIONREAD, &waiting) == 0 && waiting > 0;
}

static bool is_unauthenticated(const struct peer *peer, const char *host)
{
	return !peer->is_authenticated && !strcmp(host, peer->host);
}

/* Limit the unauthenticated connections of an address: close the oldest that has sent nothing, else
 * the oldest that is not fresh. The system call for each is made above the limit only. */
static void limit_unauthenticated(struct server *server, const struct peer *new)
{
	struct peer *peer, *first = NULL, *oldest = NULL;
	size_t count = 0;

	TAILQ_FOREACH (peer, &server->peers, entry)
		count += is_unauthenticated(peer, new->host);
	if (count <= SERVER_UNAUTHENTICATED)
		return;
	TAILQ_FOREACH (peer, &server->peers, entry) {
		if (!is_unauthenticated(peer, new->host))
			continue;
		if (!oldest)
			oldest = peer;
		if (peer != new && !has_sent(peer)) {
			first = peer;
			break;
		}
	}
	if (!first && oldest && now_mono() - oldest->active >= SERVER_FRESH_S)
		first = oldest;
	if (!first)
		return;
	log_line(server, "peer: '%s': %d connections of its address without authentication: closed",
		 first->name, SERVER_UNAUTHENTICATED);
	count_closed(server, METRICS_CLOSED_ROOM);
	peer_free(first);
}

/* Close the peer that has been idle longest, unless it is fresh or waits for a reply. Return 1 if
 * there is room now. */
static int drop_idle(struct server *server)
{
	time_t now = now_mono();
	struct peer *peer;

	TAILQ_FOREACH (peer, &server->peers, entry) {
		if (peer->state == STATE_COMMITS || peer->state == STATE_QUEUED)
			continue;
		if (now - peer->active < SERVER_FRESH_S)
			return 0;
		log_line(server, "peer: '%s': silent for %ld s and others wait: closed", peer->name,
			 (long)(now - peer->active));
		count_closed(server, METRICS_CLOSED_ROOM);
		peer_free(peer);
		return 1;
	}
	return 0;
}

/* Accept peers while there is room, or may be, up to SERVER_ACCEPTS in a turn. */
static void accept_more(struct server *server)
{
	if (server->accepted < SERVER_ACCEPTS &&
	    (server->peer_count < server->peers_max || drop_idle(server)))
		evconnlistener_enable(server->listener);
	else
		evconnlistener_disable(server->listener);
}

/* A reply is written in pieces, and the last one is short: it would wait for the acknowledgement of
 * those before, which the peer's kernel delays by 40 ms. */
static void send_at_once(evutil_socket_t fd)
{
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

/* libevent accepts until the queue is empty, and closes freed peers only after that. */
static void count_accepted(struct server *server)
{
	struct timeval now = { 0, 0 };

	if (++server->accepted == SERVER_ACCEPTS)
		event_add(server->turn, &now);
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
	struct server *server = arg;

	(void)fd;
	(void)what;
	server->accepted = 0;
	accept_more(server);
}

static void peer_add(struct peer *peer)
{
	struct timeval often = { 0, TICK_MS * 1000 };
	struct server *server = peer->server;

	TAILQ_INSERT_TAIL(&server->peers, peer, entry);
	if (!server->peer_count++)
		event_add(server->tick, &often);
	metrics_set(&metrics_of(server)->peers, server->peer_count);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address,
		      int size, void *arg)
{
	struct timeval limit = { SERVER_FRAME_S, 0 };
	struct server *server = arg;
	struct peer *peer;

	(void)listener;
	count_accepted(server);
	if (server->peer_count >= server->peers_max)
		drop_idle(server);
	if (server->peer_count >= server->peers_max) {
		evutil_closesocket(fd);
		return;
	}
	peer = xcalloc(1, sizeof(*peer));
	peer->bev = xneed(bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE));
	send_at_once(fd);
	peer->server = server;
	peer->active = peer->frame_since = now_mono();
	name_peer(peer, address, size);
	peer_add(peer);
	bufferevent_setcb(peer->bev, on_read, on_drained, on_event, peer);
	bufferevent_setwatermark(peer->bev, EV_READ, 0, LEDGER_FRAME_MAX + 4);
	bufferevent_set_timeouts(peer->bev, NULL, &limit);
	bufferevent_enable(peer->bev, EV_READ | EV_WRITE);
	limit_unauthenticated(server, peer);
	accept_more(server);
}

/* No descriptors left: close one peer to accept the next. */
static void on_accept_error(struct evconnlistener *listener, void *arg)
{
	struct timeval later = { 0, TICK_MS * 1000 };
	struct server *server = arg;

	log_line(server, "accept: %s", evutil_socket_error_to_string(EVUTIL_SOCKET_ERROR()));
	if (drop_idle(server))
		return;
	evconnlistener_disable(listener);
	event_add(server->turn, &later);
}

static void close_timed_out(struct server *server)
{
	struct peer *peer, *next;
	time_t now = now_mono();

	for (peer = TAILQ_FIRST(&server->peers); peer; peer = next) {
		next = TAILQ_NEXT(peer, entry);
		if (peer->state == STATE_COMMITS)
			continue;
		if (peer->state == STATE_REPLIES && now - peer->reply_since > SERVER_FRAME_S) {
			log_line(server, "peer: '%s': has not read its answer in %d s: closed",
				 peer->name, SERVER_FRAME_S);
			count_closed(server, METRICS_CLOSED_SLOW);
			peer_free(peer);
		} else if (peer->state == STATE_READS && peer->frame_size &&
			   now - peer->frame_since > SERVER_FRAME_S) {
			log_line(server, "peer: '%s': no whole frame in %d s: closed", peer->name,
				 SERVER_FRAME_S);
			count_closed(server, METRICS_CLOSED_SLOW);
			peer_free(peer);
		} else if (now - peer->active > (peer->is_authenticated || peer->frame_size
							 ? SERVER_IDLE_S
							 : SERVER_AUTH_S)) {
			count_closed(server, METRICS_CLOSED_IDLE);
			peer_free(peer);
		}
	}
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	close_timed_out(arg);
	reads_soon(arg);
	accept_more(arg);
}

/* ---- the server ---------------------------------------------------------- */

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct server *server = arg;

	(void)fd;
	(void)what;
	event_base_loopexit(server->base, NULL);
}

static int listen_on(struct server *server, const struct config_ledger *config, struct err *err)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	const int bytes = SERVER_SOCKET_BYTES;
	struct addrinfo *found;
	evutil_socket_t fd;
	char port[16];

	snprintf(port, sizeof(port), "%u", config->port);
	if (getaddrinfo(config->listen, port, &hints, &found))
		return err_set(err, "[ledger] listen: '%s': not an address", config->listen);
	server->listener = evconnlistener_new_bind(server->base, on_accept, server,
						   LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
							   LEV_OPT_REUSEABLE,
						   4096, found->ai_addr, (int)found->ai_addrlen);
	freeaddrinfo(found);
	if (!server->listener)
		return err_set(err, "listen: '%s:%u': %s", config->listen, config->port,
			       strerror(errno));
	evconnlistener_set_error_cb(server->listener, on_accept_error);
	/* buffers in the kernel for a peer that does not read, or for one that waits: they count to
	 * the unit's memory too; peers inherit the sizes */
	fd = evconnlistener_get_fd(server->listener);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return 0;
}

static void make_events(struct server *server)
{
	server->base = xneed(event_base_new());
	server->batch = xneed(evtimer_new(server->base, on_batch, server));
	server->reads = xneed(evtimer_new(server->base, on_reads, server));
	server->turn = xneed(evtimer_new(server->base, on_turn, server));
	server->tick = xneed(event_new(server->base, -1, EV_PERSIST, on_tick, server));
	server->term = xneed(evsignal_new(server->base, SIGTERM, on_signal, server));
	server->intr = xneed(evsignal_new(server->base, SIGINT, on_signal, server));
	event_add(server->term, NULL);
	event_add(server->intr, NULL);
}

/* Half of the descriptors; the others are for munged, the store, the writer, and connections that
 * libevent has not closed yet. */
static size_t find_peers_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < SERVER_PEERS_MAX)
		return limit.rlim_cur / 2;
	return SERVER_PEERS_MAX;
}

struct server *server_new(const struct config_ledger *config, struct service *service,
			  struct credential_ctx *munge, void (*wake)(void *arg), void *arg,
			  struct err *err)
{
	struct server *server = xcalloc(1, sizeof(*server));

	TAILQ_INIT(&server->peers);
	server->service = service;
	server->munge = munge;
	server->wake = wake;
	server->wake_arg = arg;
	server->peers_max = find_peers_max();
	make_events(server);
	if (listen_on(server, config, err) < 0) {
		server_free(server);
		return NULL;
	}
	return server;
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
	event_free(server->tick);
	event_free(server->batch);
	event_free(server->reads);
	event_free(server->turn);
	event_free(server->term);
	event_free(server->intr);
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
