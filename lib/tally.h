/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - what the jobs of a site did together
 *
 * Terms   sum: over the jobs of one filesystem, user, account, profile or code of
 *           advice. Jobs whose numbers are node-wide are counted, and add no
 *           bytes. node_s: seconds of nodes.
 *         peak: the most that one node read, or wrote, in a second, and whose job it
 *           was: of two jobs with the same peak the older one.
 *         warned: jobs whose tasks could run on a client's CPUs, and ran.
 *         use: bytes and metadata operations of one run by filesystem, of the
 *           job alone; who ran it, on how many nodes for how long; which advice
 *           it got; tasks that the gate warned of.
 *         wide: the only numbers are node-wide, and so of other jobs too: none
 *           of them is in the use.
 *         judged: there was enough to judge for advice.
 *         numbers: of the quantities of io.h those of use_numbers; META_CALLS are the
 *           operations of all kinds, PEAK_READ what is more of both peaks.
 *         Of more than USE_FS_MAX filesystems the rest has the name
 *           USE_FS_REST, and so has one of a longer name than USE_NAME_MAX; what
 *           is counted of all files has USE_FS_ALL.
 *         line: below 64 KiB. Fields end with a tab: version, cluster, user, account,
 *           profile, job, uid, ended, nodes, node_s, is_wide + 2 * is_judged, warned,
 *           refused, advice. A filesystem begins with a newline: name, type, numbers.
 *           No text of a record has a tab or newline (utf8.h). usage.c writes it.
 *         A report adds up what tally_json() says of many parts (report/site.py).
 * Owner   tally_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger (a part each answer).
 */
#ifndef JOBIO_TALLY_H
#define JOBIO_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/io.h"

struct json;
struct tally;

#define USE_UNKNOWN IO_UNKNOWN
#define USE_LINE_VERSION "1"
#define USE_FS_MAX 16
#define USE_NAME_MAX 1024 /* and that of a type, with the final 0 */
#define USE_FS_REST "(others)"
#define USE_FS_ALL "(all files)"
#define USE_ADVICE_MAX 256

/* In the order in which a line has them; what is new stands behind. */
#define USE_TIME(class) X(class##_US)
#define USE_QUANTITIES                                                                             \
	X(READ_BYTES)                                                                              \
	X(WRITE_BYTES)                                                                             \
	X(META_CALLS)                                                                              \
	X(PEAK_READ)                                                                               \
	IO_TIMES(USE_TIME)                                                                         \
	X(THREAD_US)

enum use_number {
#define X(id) USE_##id,
	USE_QUANTITIES USE_NUMBERS
#undef X
};
#define USE_FIRST USE_READ_US /* each line has those before */
extern const enum io_number use_numbers[USE_NUMBERS];

/* All unknown, and add those of 'more'. */
void use_numbers_init(int64_t numbers[USE_NUMBERS]);
void use_numbers_add(int64_t numbers[USE_NUMBERS], const int64_t more[USE_NUMBERS]);

#define TALLY_JOBS_MAX 1000 /* of those that the gate warned or refused: the last */

struct tally *tally_new(void);
void tally_free(struct tally *tally);

/* A line; one of another version adds nothing. */
void tally_add(struct tally *tally, const char *line);

/* Bytes of its JSON, about: texts that hold quotes take more. */
size_t tally_bytes(const struct tally *tally);
/* As a member "tally" of 'top'; once, when all is added. */
void tally_json(struct tally *tally, struct json *top);

#endif
