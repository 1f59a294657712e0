/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - sums over the jobs of a site
 *
 * Terms   sum: over the jobs of one filesystem, user, account, profile or code of
 *           advice. Jobs with node-wide numbers are counted, and add no
 *           bytes. node_s: seconds of nodes.
 *         peak: the most that one node read, or wrote, in a second, and its job:
 *           of two jobs with the same peak the older one.
 *         warned: jobs with tasks that could run on a client's CPUs, and ran.
 *         use: bytes and metadata operations of one run by filesystem, of the
 *           job only; its user, number of nodes and time; its advice; tasks that
 *           the gate warned about.
 *         wide: the only numbers are node-wide, and so of other jobs too: none
 *           of them is in the use.
 *         judged: there was enough to judge for advice.
 *         numbers: the quantities of io.h in use_numbers; META_CALLS are the
 *           operations of all kinds, PEAK_READ the larger of both peaks.
 *         Of more than USE_FS_MAX filesystems the rest has the name
 *           USE_FS_REST, and so has one of a longer name than USE_NAME_MAX;
 *           counters of all files have USE_FS_ALL.
 *         line: below 64 KiB. Fields end with a tab: version, cluster, user, account,
 *           profile, job, uid, ended, nodes, node_s, is_wide + 2 * is_judged, warned,
 *           refused, advice. A filesystem begins with a newline: name, type, numbers.
 *           No text of a record has a tab or newline (utf8.h). usage.c writes it.
 *         A report adds up what tally_json() prints of many parts (report/site.py).
 * Owner   tally_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger (one part in each answer).
 */
#ifndef JOBIO_LEDGER_TALLY_H
#define JOBIO_LEDGER_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "record/io.h"

struct json;
struct tally;

#define USE_UNKNOWN IO_UNKNOWN
#define USE_LINE_VERSION "1"
#define USE_FS_MAX 16
#define USE_NAME_MAX 1024 /* and that of a type, with the final 0 */
#define USE_FS_REST "(others)"
#define USE_FS_ALL "(all files)"
#define USE_ADVICE_MAX 256

/* In the order of a line; new ones are appended. */
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
#define USE_FIRST USE_READ_US /* each line has those before it */
extern const enum io_number use_numbers[USE_NUMBERS];

/* Set all to unknown; add those of 'more'. */
void use_numbers_init(int64_t numbers[USE_NUMBERS]);
void use_numbers_add(int64_t numbers[USE_NUMBERS], const int64_t more[USE_NUMBERS]);

#define TALLY_JOBS_MAX 1000 /* the latest that the gate warned or refused */

struct tally *tally_new(void);
void tally_free(struct tally *tally);

/* Add a line; one of another version adds nothing. */
void tally_add(struct tally *tally, const char *line);

/* Return the approximate size of its JSON: texts with quotes take more. */
size_t tally_bytes(const struct tally *tally);
/* Write a member "tally" of 'top'; call once, when all is added. */
void tally_json(struct tally *tally, struct json *top);

#endif
