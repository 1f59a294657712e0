/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.h - sums over all jobs of a period, one page at a time
 *
 * Terms   request: {"op":"site","since":S,"until":E,"after":[ENDED,RUN]?}: runs that
 *           ended from second S to before E, after the one in "after".
 *         answer: {"ok":true,"columns":[..],"sums":[..],"gate":[..],"next":[ENDED,RUN]?}:
 *           columns of the sums, their values row by row (store_site.h), jobs that the gate
 *           warned or refused, and a position if there is more: a page has the sums of
 *           SITE_DAYS, or of about SITE_ROWS rows, and less than SITE_BYTES.
 * Owner   the answer is malloc'ed.
 * Errors  NULL, the reason in *err.
 * Runs    ledger, the server process: other requests wait for one page.
 */
#ifndef JOBIO_LEDGER_SITE_H
#define JOBIO_LEDGER_SITE_H

#include "base/err.h"

#define SITE_DAYS 31
#define SITE_ROWS 20000
#define SITE_BYTES 600000

struct json;
struct store;

char *site_answer(struct store *store, struct json *request, struct err *err);

#endif
