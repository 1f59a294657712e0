/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log.h - log of prolog and epilog, to stderr and syslog
 *
 * Terms   slurmd logs the standard error of a script only if it fails; syslog gets
 *           the same line, "jobio: ROOM: ...".
 * Errors  none: errors of the log are ignored.
 * Runs    in prolog and epilog: main() logs the reason of a failure, other functions of
 *           node/ errors that stop nothing. Libraries return messages.
 */
#ifndef JOBIO_NODE_LOG_H
#define JOBIO_NODE_LOG_H

#include <stdint.h>

#include "record/finding.h"

/* Call it before the first line. [job_id] 0: none. */
void log_open(const char *room, uint32_t job_id);
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_finding(const struct finding *finding);

#endif
