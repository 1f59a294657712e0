/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - what the jobs of a site did together
 *
 * Terms   sum: over the jobs of one filesystem, user, account, profile or code of
 *           advice. Jobs whose numbers are node-wide are counted, and add no
 *           bytes. node_s: seconds of nodes.
 *         peak: the most that one node read, or wrote, in a second, and whose job it
 *           was: of two jobs with the same peak the older one.
 *         warned: jobs whose tasks could run on a client's CPUs, and ran: with
 *           gate = enforce these would have been refused.
 *         A report adds up what tally_json() says of many parts (report/site.py).
 * Owner   tally_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger (a part each answer).
 */
#ifndef JOBIO_TALLY_H
#define JOBIO_TALLY_H

#include <stddef.h>

struct json;
struct tally;

#define TALLY_JOBS_MAX 1000 /* of those that the gate warned or refused: the last */

struct tally *tally_new(void);
void tally_free(struct tally *tally);

/* A line of use_text(). One of another version adds nothing. */
void tally_add(struct tally *tally, const char *line);

/* Bytes of its JSON, about: texts that hold quotes take more. */
size_t tally_bytes(const struct tally *tally);
/* As a member "tally" of 'top'; once, when all is added. */
void tally_json(struct tally *tally, struct json *top);

#endif
