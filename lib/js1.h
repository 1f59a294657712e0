/* SPDX-License-Identifier: GPL-2.0-or-later */
/* js1.h - our summary inside what jobstats keeps in AdminComment
 *
 * Terms   JS1: what Princeton's jobstats writes there some seconds after a job:
 *           "JS1:" and base64 of gzip of one JSON object; "JS1:Short" and
 *           "JS1:None" say that it has nothing to tell.
 *         our key: "jobio":"jobio/1 ..", the last one of that object. Readers
 *           of JS1 look for the keys they know. Text before or after the
 *           payload, or a field without JS1, makes some of them give up.
 *         to merge: to put our key there. What jobstats wrote stays, byte for
 *           byte. The payload ends in a zero byte where base64 would need no
 *           padding: then readers may stop at "=" and others may append, as
 *           far as the readers' Python ends base64 there (3.13.5 does not).
 * Owner   *merged is malloc'ed.
 * Errors  "no" is the answer for all that is not a whole, undamaged JS1, the
 *           reason in *why. Never logs.
 * Runs    ledger (writer) and report; anything may stand in the field.
 */
#ifndef JOBIO_JS1_H
#define JOBIO_JS1_H

#include <stddef.h>

#include "lib/err.h"

/* slurmdbd cuts off what is longer than 65,535 bytes and does not say so
 * (as_mysql_job.c: a column of type text, sql_mode not strict). */
#define JS1_MAX 60000

/* 1: *merged is what the field should hold; 0: it holds that already; -1: not
 * a JS1 that may be changed. 'comment' may be NULL. */
int js1_merge(const char *comment, const char *summary, char **merged,
	      struct err *why);

/* The summary that was merged into a JS1: 1 found, 0 there is none. */
int js1_find(const char *comment, char *summary, size_t room);

#endif
