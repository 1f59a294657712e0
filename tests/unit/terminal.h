/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.h - a terminal as stdout
 *
 * terminal_make(columns) makes one of this width, that knows colours, and returns its
 * other end; terminal_read() ends it, and has all that was printed, without carriage
 * returns. Each test runs in a process of its own, and says nothing to its stdout. */
#ifndef JOBIO_TESTS_UNIT_TERMINAL_H
#define JOBIO_TESTS_UNIT_TERMINAL_H

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int terminal_make(unsigned short columns)
{
	struct winsize size = { .ws_row = 25, .ws_col = columns };
	int host = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), user;

	ck_assert(host >= 0 && grantpt(host) == 0 && unlockpt(host) == 0);
	user = open(ptsname(host), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert(user >= 0 && ioctl(user, TIOCSWINSZ, &size) == 0);
	ck_assert(dup2(user, STDOUT_FILENO) == STDOUT_FILENO);
	close(user);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	return host;
}

__attribute__((unused)) static void terminal_read(int host, char *text, size_t room)
{
	char *at = text, *to = text;
	ssize_t got;

	/* nobody writes to it any more: what is left, and then an error */
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
	while ((got = read(host, at, room - 1 - (size_t)(at - text))) > 0)
		at += got;
	*at = '\0';
	for (at = text; *at; at++)
		if (*at != '\r')
			*to++ = *at;
	*to = '\0';
	close(host);
}

#endif
