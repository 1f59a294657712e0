/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unix_server.h - processes that answer at unix sockets in the folder of a test
 *
 * unix_serve("a/socket", "text") sends this text to each who has asked something,
 * and writes what was asked into "a/socket.asked"; NULL: it listens and says
 * nothing. unix_stop() ends them all. */
#ifndef JOBIO_TESTS_UNIT_UNIX_SERVER_H
#define JOBIO_TESTS_UNIT_UNIX_SERVER_H

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tempdir.h"

static pid_t unix_servers[16];
static size_t unix_server_count;

static void unix_answer(int fd, const char *name, const char *answer)
{
	char asked[1024];
	ssize_t got;
	int peer;

	for (;;) {
		peer = accept(fd, NULL, NULL);
		got = recv(peer, asked, sizeof(asked) - 1, 0);
		asked[got < 0 ? 0 : got] = '\0';
		tempdir_put(name, asked);
		if (answer) {
			send(peer, answer, strlen(answer), MSG_NOSIGNAL);
			close(peer);
		}
	}
}

/* Whoever asks from now on is heard: it listens already. */
static void unix_serve(const char *name, const char *answer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char asked[256];
	pid_t pid;

	snprintf(asked, sizeof(asked), "%s.asked", name);
	tempdir_put(asked, "");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", tempdir_path(name));
	ck_assert(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		  listen(fd, 4) == 0);
	pid = fork();
	if (pid == 0)
		unix_answer(fd, asked, answer);
	close(fd);
	unix_servers[unix_server_count++] = pid;
}

static void unix_stop(void)
{
	while (unix_server_count) {
		kill(unix_servers[--unix_server_count], SIGKILL);
		waitpid(unix_servers[unix_server_count], NULL, 0);
	}
}

#endif
