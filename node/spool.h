/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spool.h - room for one more record in the spool
 *
 * Terms   full: spool_max_records wait there (jobio.conf(5)). One user's jobs
 *           have at most half of them: nobody fills the spool for all others.
 * Owner   nothing is kept.
 * Errors  0 there is room; 1 the record is lost, *err says why.
 * Runs    epilog and prolog, root. Reads the records only when the spool is half
 *         full.
 */
#ifndef JOBIO_NODE_SPOOL_H
#define JOBIO_NODE_SPOOL_H

#include "base/config.h"
#include "base/err.h"
#include "record/record.h"

/* For this record, which will be at 'path'. */
int spool_check_room(const struct config *config, const struct record *record, const char *path,
		     struct err *err);

/* The sentence about a record that is lost; always 1. */
int spool_say_lost(const char *path, const char *why, struct err *err);

#endif
