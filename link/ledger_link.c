/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/ledger_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/config_query.h"
#include "link/credential.h"
#include "link/payload.h"
#include "record/alloc.h"

#define ADDRESSES_MAX 8

struct ledger_link {
	struct credential_ctx *munge;
	uid_t ledger_uid;
	unsigned int timeout_ms;
	int fd;
	char name[300]; /* host:port, for messages */
};

struct address {
	socklen_t size;
	struct sockaddr_storage storage;
};

struct endpoint {
	const char *host, *port;
};

/* In a child: a name server that does not reply must not block the caller. */
static int resolve(void *arg)
{
	const struct endpoint *q = arg;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *ai;
	struct address address;
	int n = 0;

	if (getaddrinfo(q->host, q->port, &hints, &list))
		return 1;
	for (ai = list; ai && n < ADDRESSES_MAX; ai = ai->ai_next, n++) {
		memset(&address, 0, sizeof(address));
		if (ai->ai_addrlen > sizeof(address.storage))
			continue;
		address.size = ai->ai_addrlen;
		memcpy(&address.storage, ai->ai_addr, ai->ai_addrlen);
		if (fwrite(&address, sizeof(address), 1, stdout) != 1)
			return 1;
	}
	freeaddrinfo(list);
	return fflush(stdout) ? 1 : 0;
}

/* Wait for 'events' until the deadline. Return 0, or -1 with errno. */
static int wait_for(int fd, short events, unsigned long long deadline_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	unsigned long long now;
	int rc;

	for (;;) {
		now = child_now_ms();
		if (now >= deadline_ms) {
			errno = ETIMEDOUT;
			return -1;
		}
		rc = poll(&p, 1, (int)(deadline_ms - now));
		if (rc > 0)
			return 0;
		if (rc < 0 && errno != EINTR)
			return -1;
	}
}

static int connect_one(const struct address *address, unsigned long long deadline_ms)
{
	int fd, error = 0, one = 1;
	socklen_t size = sizeof(error);

	fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address->storage, address->size) < 0) {
		if (errno != EINPROGRESS || wait_for(fd, POLLOUT, deadline_ms) < 0)
			goto fail;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
			goto fail;
		if (error) {
			errno = error;
			goto fail;
		}
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
fail:
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int connect_any(struct ledger_link *link, const char *host, const char *port,
		       struct err *err)
{
	unsigned long long deadline_ms = child_now_ms() + link->timeout_ms;
	struct endpoint endpoint = { host, port };
	struct child_result result = { 0 };
	struct address address;
	size_t i;
	int rc = -1;

	if (child_call("getaddrinfo", resolve, &endpoint, link->timeout_ms, &result, err) < 0)
		return err_prefix(err, "ledger '%s'", link->name);
	if (result.status || result.out_bytes < sizeof(address)) {
		err_set(err, "ledger '%s': the name of the host is not known", link->name);
		goto out;
	}
	for (i = 0; i + sizeof(address) <= result.out_bytes; i += sizeof(address)) {
		memcpy(&address, result.out + i, sizeof(address));
		link->fd = connect_one(&address, deadline_ms);
		if (link->fd >= 0) {
			rc = 0;
			goto out;
		}
	}
	err_set(err, "ledger '%s': %s", link->name, strerror(errno));
out:
	child_result_free(&result);
	return rc;
}

static int find_user(const char *name, uid_t *uid, struct err *err)
{
	char buffer[16384];
	struct passwd pw, *found = NULL;

	if (getpwnam_r(name, &pw, buffer, sizeof(buffer), &found) || !found)
		return err_set(err, "[ledger] user: '%s': no such user here", name);
	*uid = found->pw_uid;
	return 0;
}

size_t ledger_link_count(const struct config_ledger *config)
{
	char host[CONFIG_WORD_MAX];
	size_t count = 0;

	while (config_word(config->host, count, host))
		count++;
	return count;
}

static int connect_from(struct ledger_link *link, const struct config_ledger *config, size_t *at,
			struct err *err)
{
	size_t tried, count = ledger_link_count(config);
	unsigned int limit_ms = config->send_timeout_ms;
	char host[CONFIG_WORD_MAX], port[16];

	snprintf(port, sizeof(port), "%u", config->port);
	for (tried = 0; tried < count; tried++, ++*at) {
		config_word(config->host, *at % count, host);
		snprintf(link->name, sizeof(link->name), "%s:%s", host, port);
		link->timeout_ms = limit_ms / (unsigned int)count;
		if (connect_any(link, host, port, err) == 0) {
			link->timeout_ms = limit_ms;
			return 0;
		}
	}
	return -1;
}

struct ledger_link *ledger_link_open_from(const struct config_ledger *config, size_t *at,
					  struct err *err)
{
	struct ledger_link *link;

	if (!ledger_link_count(config)) {
		err_set(err, "[ledger] host is not set: records stay where they are");
		return NULL;
	}
	link = xcalloc(1, sizeof(*link));
	link->fd = -1;
	link->munge = credential_ctx_new(config->munge_socket, err);
	if (!link->munge || find_user(config->user, &link->ledger_uid, err) < 0 ||
	    connect_from(link, config, at, err) < 0) {
		ledger_link_close(link);
		return NULL;
	}
	return link;
}

struct ledger_link *ledger_link_open(const struct config_ledger *config, struct err *err)
{
	size_t first = 0;

	return ledger_link_open_from(config, &first, err);
}

void ledger_link_close(struct ledger_link *link)
{
	if (!link)
		return;
	if (link->fd >= 0)
		close(link->fd);
	credential_ctx_free(link->munge);
	free(link);
}

/* Receive or send all bytes: 'events' is POLLIN or POLLOUT. */
static int move_all(struct ledger_link *link, short events, char *at, size_t size,
		    unsigned long long deadline_ms)
{
	ssize_t n;

	while (size) {
		if (wait_for(link->fd, events, deadline_ms) < 0)
			return -1;
		n = events == POLLIN ? recv(link->fd, at, size, 0)
				     : send(link->fd, at, size, MSG_NOSIGNAL);
		if (n == 0 && events == POLLIN) {
			errno = ECONNRESET;
			return -1;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -1;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int send_frame(struct ledger_link *link, const char *credential,
		      unsigned long long deadline_ms, struct err *err)
{
	size_t size = strlen(credential);
	uint32_t prefix = htonl((uint32_t)size);

	if (size > LEDGER_FRAME_MAX)
		return err_set(err, "ledger '%s': a request of %zu bytes is too large", link->name,
			       size);
	if (move_all(link, POLLOUT, (char *)&prefix, sizeof(prefix), deadline_ms) < 0 ||
	    move_all(link, POLLOUT, (char *)credential, size, deadline_ms) < 0)
		return err_set(err, "ledger '%s': send: %s", link->name, strerror(errno));
	return 0;
}

static char *recv_frame(struct ledger_link *link, unsigned long long deadline_ms, struct err *err)
{
	uint32_t prefix;
	size_t size;
	char *text;

	if (move_all(link, POLLIN, (char *)&prefix, sizeof(prefix), deadline_ms) < 0) {
		err_set(err, "ledger '%s': no answer: %s", link->name, strerror(errno));
		return NULL;
	}
	size = ntohl(prefix);
	if (!size || size > LEDGER_FRAME_MAX) {
		err_set(err, "ledger '%s': the answer is not a ledger's", link->name);
		return NULL;
	}
	text = xcalloc(size + 1, 1);
	if (move_all(link, POLLIN, text, size, deadline_ms) < 0) {
		err_set(err, "ledger '%s': no answer: %s", link->name, strerror(errno));
		free(text);
		return NULL;
	}
	return text;
}

/* Move the JSON of an answer to the request with this nonce to the front of the text. */
static int extract_json(struct ledger_link *link, char *text, const char *nonce, struct err *err)
{
	char *nonces, *json = payload_parse(text, &nonces);

	if (!json || !payload_has_nonce(nonces, nonce))
		return err_set(err, "ledger '%s': the answer is not to this request", link->name);
	memmove(text, json, strlen(json) + 1);
	return 0;
}

static int decode_answer(struct ledger_link *link, const char *credential, const char *nonce,
			 char **answer, struct err *err)
{
	char *text;
	size_t size;
	uid_t writer;

	if (credential_decode(link->munge, credential, &text, &size, &writer, err) < 0)
		return err_prefix(err, "ledger '%s': answer", link->name);
	if (writer != 0 && writer != link->ledger_uid) {
		free(text);
		return err_set(err, "ledger '%s': the answer is from uid %u, not from the ledger",
			       link->name, (unsigned int)writer);
	}
	if (extract_json(link, text, nonce, err) < 0) {
		free(text);
		return -1;
	}
	*answer = text;
	return 0;
}

int ledger_link_call(struct ledger_link *link, const char *request, char **answer, struct err *err)
{
	unsigned long long deadline_ms = child_now_ms() + link->timeout_ms;
	char *text = NULL, *credential = NULL, *reply = NULL;
	char nonce[PAYLOAD_NONCE_SIZE];
	const char *const nonces[] = { nonce };
	int rc = -1;

	if (payload_nonce(nonce, err) < 0)
		goto out;
	text = payload_make(nonces, 1, request);
	if (credential_encode(link->munge, text, strlen(text), link->ledger_uid, &credential, err) <
	    0)
		goto out;
	if (send_frame(link, credential, deadline_ms, err) < 0)
		goto out;
	reply = recv_frame(link, deadline_ms, err);
	if (!reply)
		goto out;
	rc = decode_answer(link, reply, nonce, answer, err);
out:
	free(text);
	free(credential);
	free(reply);
	return rc;
}
