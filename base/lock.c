/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "base/child.h"

#define NAP_MS 5

int lock_wait(int fd, unsigned int timeout_ms)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };
	unsigned long long end_ms = child_now_ms() + timeout_ms;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || child_now_ms() >= end_ms)
			return -1;
		nanosleep(&nap, NULL);
	}
	return 0;
}
