/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - buffer for one error message
 *
 * Terms   message: "what: 'value': why; what to do", no newline, no room name
 *           in front (main() and plugin.c add "jobio: <room>: ").
 * Owner   the caller, usually on its stack; nothing to free. NULL is allowed
 *           everywhere: the message is then dropped.
 * Errors  none; a message that does not fit is cut at ERR_MAX - 1 bytes.
 *           Control characters in it become '?', so that text from a hostile
 *           environment cannot forge log lines.
 * Runs    everywhere.
 */
#ifndef JOBIO_BASE_ERR_H
#define JOBIO_BASE_ERR_H

#define ERR_MAX 512

struct err {
	char text[ERR_MAX];
};

/* Replace the message. Returns -1, so that callers may return err_set(...). */
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "prefix: " in front of the message. Returns -1. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
