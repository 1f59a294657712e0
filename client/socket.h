/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket.h - query a unix socket of a client, with a timeout
 *
 * Terms   whole: 1 the reply is complete, 0 more may follow, -1 it is invalid; the end of
 *           the stream ends the reply, too.
 * Owner   the caller provides the buffer of the reply.
 * Errors  -1, sentence in *err, errno: ENOENT nothing listens, ETIMEDOUT no reply in
 *           time, EPERM the socket is not root's, or other.
 * Runs    as in client.h. Sockets of users other than root and our own are refused.
 */
#ifndef JOBIO_CLIENT_SOCKET_H
#define JOBIO_CLIENT_SOCKET_H

#include <stddef.h>

#include "base/err.h"

struct socket_question {
	const char *path;
	const char *text; /* fits into the buffer of a new socket */
	size_t size_bytes;
	size_t answer_max;
	int (*is_whole)(const char *text, size_t size_bytes);
	unsigned long long end_ms; /* on child_now_ms()'s clock */
};

/* Send the query. 'answer' has room for answer_max bytes. Set *pid, which may be NULL, to the
 * process that listens, 0: unknown. */
int socket_query(const struct socket_question *question, char *answer, size_t *size_bytes,
		 long *pid, struct err *err);

#endif
