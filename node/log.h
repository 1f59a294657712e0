/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.h - how prolog and epilog talk: to stderr and to syslog
 *
 * Terms   slurmd keeps the standard error of a script only when it fails;
 *           syslog gets the same line, "jobio: ROOM: ...".
 * Errors  none: a mute log never stops anything.
 * Runs    in prolog and epilog: main() logs why it failed, other functions of node/
 *           what went wrong and stopped nothing. Libraries return sentences.
 */
#ifndef JOBIO_NODE_LOG_H
#define JOBIO_NODE_LOG_H

#include <stdint.h>

/* Before the first line; job_id 0: none. */
void log_open(const char *room, uint32_t job_id);
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
