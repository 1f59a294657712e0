/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_link.h - requests to the ledger over TCP, all with timeouts
 *
 * Terms   frame: 4 bytes, big-endian, the number of bytes that follow, at most
 *           LEDGER_FRAME_MAX; then a MUNGE credential (credential.h). Its payload
 *           (payload.h) has one JSON object:
 *             {"op":"put","record":{..}}            by uid 0
 *             {"op":"get","job":"7"|"5_1"|"7+1","restart":N?,"form":"slim"?,
 *              "after":"n7"?}   (the records of the nodes after it)
 *             {"op":"list","jobs":[7,8,..],"brief":true?,"form":"slim"?}
 *               (slim: brief and text of record/run_json.h instead of records, unless they
 *               are too long or of one node; brief: the former only)
 *             {"op":"family","job":"5"}
 *             get, list and family: with "cluster":"c", of its jobs only
 *             {"op":"site","since":S,"until":E,"after":[..]?}  (ledger/site.h)
 *             {"op":"ping"}     answered with "version" and "time", seconds
 *           answered with {"ok":true,..} or {"ok":false,"error":"message"},
 *           and "bad_record":true if a record can never be accepted.
 *           Credentials of requests are for the ledger's user, those of answers
 *           for the requester. A connection takes any number of frames, one
 *           after the other.
 * Owner   the link belongs to the caller; answers are malloc'ed.
 * Errors  NULL or -1, a message with host and port in *err. A link that has
 *           failed once can only be closed.
 *         An answer with a credential of another user than the ledger's or root
 *         is an error: only these can confirm that a record is safe. So is an
 *         answer to another request, which may be a replay.
 * Runs    jobio-send (root), jobio report and check (any user).
 */
#ifndef JOBIO_LINK_LEDGER_LINK_H
#define JOBIO_LINK_LEDGER_LINK_H

#include <stddef.h>

#include "base/config.h"
#include "base/err.h"

#define LEDGER_FRAME_MAX (1U << 20)
/* Largest payload that fits into a frame: base64 adds a third. */
#define LEDGER_PAYLOAD_MAX (700U * 1024)
/* Largest query of a user other than root and the ledger's user. */
#define LEDGER_QUERY_MAX 4096U

struct ledger_link;

/* Connect to the first ledger of host= that can be reached; each has its part of the time. */
struct ledger_link *ledger_link_open(const struct config_ledger *config, struct err *err);
/* Start with ledger number *at, which is advanced to the one that was reached. */
struct ledger_link *ledger_link_open_from(const struct config_ledger *config, size_t *at,
					  struct err *err);
/* Return the number of ledgers. */
size_t ledger_link_count(const struct config_ledger *config);
void ledger_link_close(struct ledger_link *link);

/* Send one JSON object and wait for the answer, a NUL-terminated text. */
int ledger_link_call(struct ledger_link *link, const char *request, char **answer, struct err *err);

#endif
