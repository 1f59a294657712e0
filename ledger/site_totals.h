/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_totals.h - sums over the jobs of a site
 *
 * Terms   sum: over the jobs of one filesystem, user, account, profile or code of
 *           advice. Jobs with node-wide numbers are counted, and add no
 *           bytes. node_s: seconds of nodes.
 *         peak: the most that one node read, or wrote, in a second, and its job:
 *           of two jobs with the same peak the older one.
 *         warned: jobs with tasks that could run on a client's CPUs, and ran.
 *         usage: bytes and metadata operations of one run by filesystem, of the
 *           job only; its user, number of nodes and time; its advice; tasks that
 *           the gate warned about.
 *         wide: the only numbers are node-wide, and so of other jobs too: none
 *           of them is in the usage.
 *         judged: there was enough to judge for advice.
 *         numbers: the quantities of io.h in usage_numbers; META_CALLS are the
 *           operations of all kinds, PEAK_READ the larger of both peaks.
 *         Of more than USAGE_FS_MAX filesystems the rest has the name
 *           USAGE_FS_REST, and so has one of a longer name than USAGE_NAME_MAX;
 *           counters of all files have USAGE_FS_ALL.
 *         line: below 64 KiB. Fields end with a tab: version, cluster, user, account,
 *           profile, job, uid, ended, nodes, node_s, is_wide + 2 * is_judged, warned,
 *           refused, advice. A filesystem begins with a newline: name, type, numbers.
 *           No text of a record has a tab or newline (utf8.h). job_usage.c writes it.
 *         A report adds up what site_totals_json() prints of many parts (report/site.py).
 * Owner   site_totals_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger (one part in each answer).
 */
#ifndef JOBIO_LEDGER_SITE_TOTALS_H
#define JOBIO_LEDGER_SITE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "record/io.h"

struct json;
struct site_totals;

#define USAGE_UNKNOWN IO_UNKNOWN
#define USAGE_LINE_VERSION "1"
#define USAGE_FS_MAX 16
#define USAGE_NAME_MAX 1024 /* and that of a type, with the final 0 */
#define USAGE_FS_REST "(others)"
#define USAGE_FS_ALL "(all files)"
#define USAGE_ADVICE_MAX 256

/* In the order of a line; new ones are appended. */
#define USAGE_TIME(class) X(class##_US)
#define USAGE_QUANTITIES                                                                           \
	X(READ_BYTES)                                                                              \
	X(WRITE_BYTES)                                                                             \
	X(META_CALLS)                                                                              \
	X(PEAK_READ)                                                                               \
	IO_TIMES(USAGE_TIME)                                                                       \
	X(THREAD_US)

enum usage_number {
#define X(id) USAGE_##id,
	USAGE_QUANTITIES USAGE_NUMBERS
#undef X
};
#define USAGE_FIRST USAGE_READ_US /* each line has those before it */
extern const enum io_number usage_numbers[USAGE_NUMBERS];

/* Set all to unknown; add those of 'more'. */
void usage_numbers_init(int64_t numbers[USAGE_NUMBERS]);
void usage_numbers_add(int64_t numbers[USAGE_NUMBERS], const int64_t more[USAGE_NUMBERS]);

#define SITE_TOTALS_JOBS_MAX 1000 /* the latest that the gate warned or refused */

struct site_totals *site_totals_new(void);
void site_totals_free(struct site_totals *totals);

/* Add a line; one of another version adds nothing. */
void site_totals_add(struct site_totals *totals, const char *line);

/* Return the approximate size of its JSON: texts with quotes take more. */
size_t site_totals_bytes(const struct site_totals *totals);
/* Write a member "tally" of 'top'; call once, when all is added. */
void site_totals_json(struct site_totals *totals, struct json *top);

#endif
