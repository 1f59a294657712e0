/* SPDX-License-Identifier: GPL-2.0-or-later */
/* use.h - what one run of a job makes of a site's filesystems, in one line
 *
 * Terms   use: bytes and metadata operations of one run by filesystem, of the
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
 *           No text of a record has a tab or newline (utf8.h). lib/tally.h reads it.
 * Owner   texts are borrowed. Lines are malloc'ed.
 * Errors  none.
 * Runs    ledger.
 */
#ifndef JOBIO_USE_H
#define JOBIO_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/io.h"

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

struct use_fs {
	const char *name, *type; /* type: "" unknown */
	int64_t numbers[USE_NUMBERS];
};

struct use {
	const char *cluster, *user, *profile; /* "" unknown or none */
	int64_t job, uid;
	int64_t ended, nodes, node_s;
	bool is_wide, is_judged;
	int64_t warned, refused;     /* tasks */
	char advice[USE_ADVICE_MAX]; /* "A01 A17" */
	size_t fs_count;
	struct use_fs fs[USE_FS_MAX];
};

/* All unknown, and add those of 'more'. */
void use_numbers_init(int64_t numbers[USE_NUMBERS]);
void use_numbers_add(int64_t numbers[USE_NUMBERS], const int64_t more[USE_NUMBERS]);

/* All unknown or none. */
void use_init(struct use *use);

/* Its line, without an account. */
char *use_text(const struct use *use);
/* The same line with the account that slurmdbd knows. */
char *use_with_account(const char *line, const char *account);

#endif
