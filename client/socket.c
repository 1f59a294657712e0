/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/child.h"

static int time_left(unsigned long long end_ms)
{
	unsigned long long now = child_now_ms();

	return now >= end_ms ? 0 : (int)(end_ms - now);
}

/* Connect, non-blocking. Return -1 with errno ENOENT if nothing listens. The path is looked up
 * once, and may be longer than a socket's address. */
static int connect_to(const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int at, fd = -1, saved;
	struct stat st;

	at = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0) {
		saved = errno;
		err_set(err, "'%s': %s", path, strerror(saved));
		errno = saved;
		return -1;
	}
	saved = EPERM;
	if (fstat(at, &st) < 0 || !S_ISSOCK(st.st_mode) ||
	    (st.st_uid != 0 && st.st_uid != geteuid())) {
		err_set(err, "'%s': not a socket of root", path);
		goto out;
	}
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", at);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		goto out;
	saved = errno == ECONNREFUSED ? ENOENT : errno;
	err_set(err, "'%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	fd = -1;
out:
	close(at);
	errno = saved;
	return fd;
}

static int receive(const struct socket_question *q, int fd, char *text, size_t *size_bytes,
		   struct err *err)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	ssize_t got;
	int left;

	while (*size_bytes < q->answer_max) {
		left = time_left(q->end_ms);
		if (!left || poll(&wait, 1, left) == 0) {
			err_set(err, "no answer in time");
			errno = ETIMEDOUT;
			return -1;
		}
		got = recv(fd, text + *size_bytes, q->answer_max - *size_bytes, 0);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return err_set(err, "%s", strerror(errno));
		*size_bytes += (size_t)got;
		if (!got || q->is_whole(text, *size_bytes) != 0)
			return 0;
	}
	errno = E2BIG;
	return err_set(err, "the answer is larger than %zu bytes", q->answer_max);
}

static long listener(int fd)
{
	struct ucred peer = { .pid = 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return 0;
	return (long)peer.pid;
}

int socket_query(const struct socket_question *question, char *answer, size_t *size_bytes,
		 long *pid, struct err *err)
{
	const struct socket_question *q = question;
	int fd = connect_to(q->path, err), rc = 0, saved;

	if (fd < 0)
		return -1;
	*size_bytes = 0;
	if (pid)
		*pid = listener(fd);
	if (send(fd, q->text, q->size_bytes, MSG_NOSIGNAL) != (ssize_t)q->size_bytes)
		rc = err_set(err, "cannot send: %s", strerror(errno));
	else
		rc = receive(q, fd, answer, size_bytes, err);
	saved = errno;
	if (rc < 0)
		err_prefix(err, "'%s'", q->path);
	close(fd);
	errno = saved;
	return rc;
}
