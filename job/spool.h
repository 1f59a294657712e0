/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spool.h - room for one more record in a spool that may be full
 *
 * Terms   full: spool_max_records wait there (jobio.conf(5)).
 *         the one with most: the user whose jobs have most of them. While he
 *           has more than the newcomer's user would have, his newest record
 *           makes room: nobody fills the spool for all others. Otherwise, as
 *           when all are one user's, the newcomer is refused.
 * Owner   nothing is kept.
 * Errors  spool_make_room(): 0 there was room; 1 the newcomer may be written,
 *           and *err names the record that was removed for it; -1 it is
 *           refused, *err says so.
 * Runs    epilog and prolog, root. Reads the records only when it is full.
 */
#ifndef JOBIO_JOB_SPOOL_H
#define JOBIO_JOB_SPOOL_H

#include "lib/config.h"
#include "lib/err.h"
#include "lib/record.h"

/* For this record, which will be at 'path'. */
int spool_make_room(const struct config *config, const struct record *record,
		    const char *path, struct err *err);

/* The sentence about a record that is lost; always 1. */
int spool_say_lost(const char *path, const char *why, struct err *err);

#endif
