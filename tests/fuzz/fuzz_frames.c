/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection to the ledger: frames, MUNGE credentials, requests. The server is
 * the real one; munged is replaced: a credential that starts with 'r' is root's,
 * with 'u' a user's, and any other is forged. The input is the data from the
 * network; '\377' is replaced by a length prefix for the bytes up to the next
 * '\377'. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* its static functions are called */
#include "base/config_load.h"
#include "ledger/server.c"
#include "tests/fuzz/fuzz.h"

struct credential_ctx {
	int unused;
};

int credential_encode(struct credential_ctx *munge, const void *data, size_t size, uid_t reader,
		      char **credential, struct err *err)
{
	(void)munge;
	(void)reader;
	(void)err;
	*credential = fuzz_text(data, size);
	return 0;
}

int credential_decode(struct credential_ctx *munge, const char *credential, char **data,
		      size_t *size, uid_t *writer, struct err *err)
{
	(void)munge;
	if (*credential != 'r' && *credential != 'u')
		return err_set(err, "forged");
	*writer = *credential == 'r' ? 0 : 1000;
	*data = strdup(credential + 1);
	MUST(*data);
	*size = strlen(*data);
	return 0;
}

static void nothing(void *arg)
{
	(void)arg;
}

static struct server *made_server(void)
{
	static struct config_ledger config = { .grace_s = 300, .port = 0 };
	static struct config_advice advice;
	static struct metrics metrics;
	static struct service service = {
		.config = &config, .advice = &advice, .ledger_uid = 500, .metrics = &metrics
	};
	static struct credential_ctx munge;
	struct server *server;
	struct err err = { "" };

	config_advice_init(&advice);
	config.listen = (char *)"127.0.0.1";
	config.store = strdup(fuzz_file("ledger.db", ""));
	MUST(config.store && unlink(config.store) == 0);
	service.store = store_open(&config, &err);
	MUST(service.store);
	server = server_new(&config, &service, &munge, nothing, NULL, &err);
	MUST(server);
	/* no log lines about peers: they would hide libFuzzer's output */
	server->log_lines = SERVER_LOG_MAX + 1;
	return server;
}

/* Add length prefixes: random bytes rarely contain a right one. */
static size_t make_wire(const uint8_t *data, size_t size, uint8_t *wire)
{
	size_t used = 0, at = 0, length;
	const uint8_t *end;

	while (at < size) {
		if (data[at] != 0xff) {
			wire[used++] = data[at++];
			continue;
		}
		at++;
		end = memchr(data + at, 0xff, size - at);
		length = end ? (size_t)(end - data) - at : size - at;
		wire[used++] = (uint8_t)(length >> 24);
		wire[used++] = (uint8_t)(length >> 16);
		wire[used++] = (uint8_t)(length >> 8);
		wire[used++] = (uint8_t)length;
		memcpy(wire + used, data + at, length);
		used += length;
		at += length;
	}
	return used;
}

static void turn(struct server *server, int fd)
{
	char answer[65536];
	int i;

	for (i = 0; i < 64; i++) {
		server->log_minute = now_mono() / 60;
		server->log_lines = SERVER_LOG_MAX + 1;
		event_base_loop(server->base, EVLOOP_NONBLOCK);
		if (server->waiting)
			commit(server);
		while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
}

static void check_empty(struct server *server)
{
	MUST(server->peer_count == 0 && TAILQ_EMPTY(&server->peers));
	MUST(server->buffered == 0 && server->out == 0 && server->waiting == 0);
	MUST(!server->service->in_batch);
}

static void forget_all(struct server *server)
{
	struct err err;

	/* empty the store: each input starts in the same state */
	MUST(store_purge(server->service->store, INT64_C(1) << 40, 0, 1000000, &err) >= 0);
}

FUZZ(frames)
{
	static struct server *server;
	struct sockaddr_storage address = { .ss_family = AF_UNIX };
	uint8_t *wire;
	size_t length;
	int fds[2];

	if (size > 65536)
		return 0;
	if (!server)
		server = made_server();
	wire = malloc(5 * size + 1);
	MUST(wire);
	length = make_wire(data, size, wire);
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
	on_accept(server->listener, fds[0], (struct sockaddr *)&address, sizeof(address), server);
	if (length)
		MUST(send(fds[1], wire, length, MSG_NOSIGNAL) >= 0);
	turn(server, fds[1]);
	close(fds[1]);
	turn(server, -1);
	while (!TAILQ_EMPTY(&server->peers)) /* peers with an incomplete frame */
		peer_free(TAILQ_FIRST(&server->peers));
	check_empty(server);
	forget_all(server);
	free(wire);
	return 0;
}
