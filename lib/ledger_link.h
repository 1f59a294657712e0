/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_link.h - ask the ledger over TCP, with a deadline for everything
 *
 * Terms   frame: 4 bytes, big-endian, that say how many bytes follow, at most
 *           LEDGER_FRAME_MAX; then a MUNGE credential (seal.h). What is sealed
 *           is one JSON object in an envelope (envelope.h):
 *             {"op":"put","record":{..}}            by uid 0
 *             {"op":"get","job":"7"|"5_1"|"7+1","restart":N?,
 *              "after":"n7"?}   (the records of the nodes behind it)
 *             {"op":"list","jobs":[7,8,..],"brief":true?}
 *               (records without timelines and histograms; with "head":true
 *               none of a run that has been judged, but their time)
 *             {"op":"family","job":"5"}
 *             get, list and family: with "cluster":"c", of its jobs alone
 *             {"op":"site","since":S,"until":E,"after":[..]?}  (ledger/site.h)
 *             {"op":"ping"}     answered with "version" and "time", seconds
 *           answered with {"ok":true,..} or {"ok":false,"error":"sentence"},
 *           and "bad_record":true when a record can never be accepted.
 *           Requests are sealed for the ledger's user, answers for the asker.
 *           A connection takes any number of frames, one after the other.
 * Owner   the link is the caller's; answers are malloc'ed.
 * Errors  NULL or -1, a sentence with host and port in *err. A link that has
 *           failed once is only good for ledger_link_close().
 *         An answer that was not sealed by the ledger's user or root is an
 *         error: nobody else can say that a record is safe. So is an answer to
 *         another request: one that somebody saved up to send it again.
 * Runs    jobio-send (root), jobio report and check (any user).
 */
#ifndef JOBIO_LEDGER_LINK_H
#define JOBIO_LEDGER_LINK_H

#include <stddef.h>

#include "lib/config.h"
#include "lib/err.h"

#define LEDGER_FRAME_MAX (1U << 20)
/* What fits into a frame once it is sealed: base64 adds a third. */
#define LEDGER_PAYLOAD_MAX (700U * 1024)
/* Of a question of somebody who is neither root nor the ledger's user. */
#define LEDGER_ASK_MAX 4096U

struct ledger_link;

/* To the first ledger of host= that can be reached; each has its part of the
 * time. */
struct ledger_link *ledger_link_open(const struct config_ledger *config, struct err *err);
/* Beginning with number *at, which becomes that of the one reached: counts on. */
struct ledger_link *ledger_link_open_from(const struct config_ledger *config, size_t *at,
					  struct err *err);
/* How many there are. */
size_t ledger_link_count(const struct config_ledger *config);
void ledger_link_close(struct ledger_link *link);

/* Send one JSON object and wait for the answer, a NUL-terminated text. */
int ledger_link_call(struct ledger_link *link, const char *request, char **answer, struct err *err);

#endif
