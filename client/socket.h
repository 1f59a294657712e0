/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket.h - put a question to a unix socket of a client, with a deadline
 *
 * Terms   whole: said of what came so far: 1 all of it is there, 0 perhaps more
 *           will come, -1 it will never be right; the end of the stream ends
 *           the answer, too.
 * Owner   the caller has the room for the answer.
 * Errors  -1, sentence in *err, errno: ENOENT nobody is there, ETIMEDOUT no
 *           answer in time, EPERM the socket is not root's, or other.
 * Runs    as client.h says. A socket that belongs to neither root nor us is not
 *           asked.
 */
#ifndef JOBIO_CLIENT_SOCKET_H
#define JOBIO_CLIENT_SOCKET_H

#include <stddef.h>

#include "base/err.h"

struct socket_question {
	const char *path;
	const char *text; /* a new socket has room for it */
	size_t size_bytes;
	size_t answer_max;
	int (*is_whole)(const char *text, size_t size_bytes);
	unsigned long long end_ms; /* on child_now_ms()'s clock */
};

/* 'answer' has room for answer_max bytes. *pid, which may be NULL: of the
 * process that listens, 0 where that is not known. */
int socket_ask(const struct socket_question *question, char *answer, size_t *size_bytes, long *pid,
	       struct err *err);

#endif
