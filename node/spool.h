/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spool.h - room for one more record in the spool
 *
 * Terms   full: it has spool_max_records records (jobio.conf(5)). One user's jobs have
 *           at most half of them, so that one user cannot fill the spool.
 * Owner   nothing is kept.
 * Errors  0 there is room; 1 the record is lost, reason in *err.
 * Runs    epilog and prolog, root. Reads the records only when the spool is half
 *         full.
 */
#ifndef JOBIO_NODE_SPOOL_H
#define JOBIO_NODE_SPOOL_H

#include "base/config.h"
#include "base/err.h"
#include "record/record.h"

/* Check for room for [record], which will be written to [path]. */
int spool_check_room(const struct record *record, const char *path, struct err *err);

/* Set *err to the message for a lost record. Return 1. */
int spool_set_lost(const char *path, const char *why, struct err *err);

#endif
