/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.h - what all jobs of some days did, a page of them at a time
 *
 * Terms   request: {"op":"site","since":S,"until":E,"after":[ENDED,RUN]?}: runs that
 *           ended from second S to before E, behind the one of "after".
 *         answer: {"ok":true,"tally":{..},"rows":N,"next":[ENDED,RUN]?}:
 *           the tally (lib/tally.h) of as many runs as are added up in one go,
 *           SITE_ROWS, or those whose sums take SITE_BYTES; "next" where there may
 *           be more.
 * Owner   the answer is malloc'ed.
 * Errors  NULL, the sentence in *err.
 * Runs    ledger, the server process: so long others wait.
 */
#ifndef JOBIO_LEDGER_SITE_H
#define JOBIO_LEDGER_SITE_H

#include "ledger/store.h"

#define SITE_ROWS 40000
#define SITE_BYTES 300000 /* with another run's they fit into a frame */

struct json;

char *site_answer(struct store *store, struct json *request, struct err *err);

#endif
