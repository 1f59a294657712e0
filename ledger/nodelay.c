/* SPDX-License-Identifier: GPL-2.0-or-later */
#undef _FORTIFY_SOURCE /* it defines an inline poll() */
#include "ledger/nodelay.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

static bool is_on;

void nodelay_set(bool on)
{
	is_on = on;
}

static void set(int fd, int option)
{
	int one = 1;

	(void)setsockopt(fd, IPPROTO_TCP, option, &one, sizeof(one));
}

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct timespec limit = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	int error = errno;
	nfds_t i;

	for (i = 0; is_on && i < count; i++) {
		if (fds[i].events & POLLOUT)
			set(fds[i].fd, TCP_NODELAY);
		if (fds[i].events & POLLIN)
			set(fds[i].fd, TCP_QUICKACK);
	}
	errno = error;
	return ppoll(fds, count, timeout_ms < 0 ? NULL : &limit, NULL);
}
