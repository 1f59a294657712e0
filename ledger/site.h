/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.h - sums over all jobs of a period, one page at a time
 *
 * Terms   request: {"op":"site","since":S,"until":E,"after":[ENDED,RUN]?}: runs that
 *           ended from second S to before E, after the one in "after".
 *         answer: {"ok":true,"tally":{..},"rows":N,"next":[ENDED,RUN]?}:
 *           the tally (ledger/site_totals.h) of one page of runs: SITE_ROWS, or as many as
 *           take SITE_BYTES; "next" if there may be more.
 * Owner   the answer is malloc'ed.
 * Errors  NULL, the reason in *err.
 * Runs    ledger, the server process: other requests wait for one page.
 */
#ifndef JOBIO_LEDGER_SITE_H
#define JOBIO_LEDGER_SITE_H

#include "ledger/store.h"

#define SITE_ROWS 40000
#define SITE_BYTES 300000 /* with those of another run they fit into a frame */

struct json;

char *site_answer(struct store *store, struct json *request, struct err *err);

#endif
