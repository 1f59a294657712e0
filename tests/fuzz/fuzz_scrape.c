/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection of somebody who reads the metrics, or says he does. The input is
 * what comes over the wire; where it has '\377' the loop turns first. */
#include <sys/socket.h>
#include <unistd.h>

/* its static functions are what is tried */
#include "ledger/scrape.c"
#include "tests/fuzz/fuzz.h"

#define METRICS "jobio_records 1\n"

static char *made(void *arg, struct err *err)
{
	(void)arg;
	(void)err;
	return strdup(METRICS);
}

static void take(struct scrape *scrape, int fd, char *answer, size_t room,
		 size_t *used)
{
	ssize_t got;
	int i;

	for (i = 0; i < 8; i++) {
		event_base_loop(scrape->base, EVLOOP_NONBLOCK);
		while (*used < room &&
		       (got = recv(fd, answer + *used, room - *used,
				   MSG_DONTWAIT)) > 0)
			*used += (size_t)got;
	}
}

/* Whatever was asked: nothing, or one whole answer. */
static void check_answer(const char *answer)
{
	const char *body = strstr(answer, "\r\n\r\n");
	const char *length = strstr(answer, "Content-Length: ");
	bool is_ok = !strncmp(answer, "HTTP/1.1 200 ", 13);

	if (!*answer)
		return;
	MUST(is_ok || !strncmp(answer, "HTTP/1.1 4", 10));
	MUST(body && length && length < body);
	body += 4;
	MUST(!*body || strlen(body) == strtoul(length + 16, NULL, 10));
	MUST(!is_ok || !*body || !strcmp(body, METRICS));
	MUST(is_ok || !strstr(body, "jobio_records"));
}

static void send_all(struct scrape *scrape, int fd, const uint8_t *data,
		     size_t size, char *answer, size_t room)
{
	const uint8_t *end;
	size_t part, used = 0;

	while (size) {
		end = memchr(data, 0xff, size);
		part = end ? (size_t)(end - data) : size;
		if (part)
			send(fd, data, part, MSG_NOSIGNAL | MSG_DONTWAIT);
		take(scrape, fd, answer, room, &used);
		part += end != NULL;
		data += part;
		size -= part;
	}
	answer[used] = '\0';
}

FUZZ(scrape)
{
	static struct scrape scrape;
	char answer[8192];
	int fds[2], i;

	if (size > 65536)
		return 0;
	if (!scrape.base) {
		scrape.base = event_base_new();
		MUST(scrape.base);
		TAILQ_INIT(&scrape.clients);
		scrape.make = made;
	}
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
	on_client(NULL, fds[0], NULL, 0, &scrape);
	MUST(scrape.count == 1);
	send_all(&scrape, fds[1], data, size, answer, sizeof(answer) - 1);
	check_answer(answer);
	close(fds[1]);
	for (i = 0; i < 8; i++)
		event_base_loop(scrape.base, EVLOOP_NONBLOCK);
	MUST(scrape.count == 0 && TAILQ_EMPTY(&scrape.clients));
	return 0;
}
