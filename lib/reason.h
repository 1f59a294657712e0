/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reason.h - why a node is drained, in one line that Slurm can keep
 *
 * Terms   reason: "jobio:W08 SENTENCE; cure: CURE", at most REASON_MAX - 1
 *           bytes, what does not fit is cut at its end.
 *         safe characters: letters, digits, the blank and +/=._:;,@()<>#-
 *           Never a quote: slurmctld hands the reason to the database as
 *           reason='%s' (as_mysql_cluster.c:as_mysql_node_down, 22.05 to
 *           26.05), into a column of 255 bytes (tinytext).
 * Owner   the caller gives the buffer, of REASON_MAX bytes.
 * Errors  none; a question is answered with yes or no.
 * Runs    prolog makes reasons, ledger checks them. libc only.
 */
#ifndef JOBIO_REASON_H
#define JOBIO_REASON_H

#include <stdbool.h>

#define REASON_MAX 241

/* 'cure' may be "" or NULL. Quotes are left out, other bytes become '.'. */
void reason_make(char *reason, const char *code, const char *text,
		 const char *cure);

/* Is this such a text, as it may be shown to Slurm? */
bool reason_is_valid(const char *reason);

#endif
