/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_run.h - what one run adds to the sums of a site
 *
 * Terms   numbers: of the job only (scope job), from the best source of each node, by
 *           filesystem; counters of all files only if there are none of a filesystem. META_CALLS
 *           is the number of operations of all kinds, peak the most that one node read, or
 *           wrote, in a second.
 *         wide: the only counters of a node are node-wide, and so of other jobs too: they are
 *           not used.
 *         judged: there was enough to judge for advice.
 *         Of more than SITE_FS_MAX filesystems the rest has the name SITE_FS_REST, and so has
 *           one of a longer name than SITE_NAME_MAX; counters of all files have SITE_FS_ALL.
 * Owner   site_run_free(), NULL allowed.
 * Errors  none.
 * Runs    ledger, the writer.
 */
#ifndef JOBIO_LEDGER_SITE_RUN_H
#define JOBIO_LEDGER_SITE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/advice.h"
#include "record/run.h"

#define SITE_FS_MAX 16
#define SITE_NAME_MAX 1024 /* and that of a type, with the final 0 */
#define SITE_FS_REST "(others)"
#define SITE_FS_ALL "(all files)"
#define SITE_ADVICE_MAX 256

/* Numbers of a filesystem: id in record/io.h, and column in the store. */
#define SITE_QUANTITIES(X)                                                                         \
	X(READ_BYTES, read_bytes)                                                                  \
	X(WRITE_BYTES, write_bytes)                                                                \
	X(META_CALLS, meta)                                                                        \
	X(READ_US, read_us)                                                                        \
	X(WRITE_US, write_us)                                                                      \
	X(META_US, meta_us)                                                                        \
	X(SYNC_US, sync_us)                                                                        \
	X(CLOSE_US, close_us)                                                                      \
	X(MAPPED_US, mapped_us)                                                                    \
	X(ASYNC_US, async_us)                                                                      \
	X(THREAD_US, thread_us)

/* Columns of the store that are added up: counts, then the quantities. */
#define SITE_COUNTS(X)                                                                             \
	X(JOBS, jobs)                                                                              \
	X(NODE_S, node_s)                                                                          \
	X(NODE_WIDE, node_wide)                                                                    \
	X(JUDGED, judged)                                                                          \
	X(WARNED_JOBS, warned_jobs)                                                                \
	X(WARNED_TASKS, warned_tasks)                                                              \
	X(REFUSED_JOBS, refused_jobs)                                                              \
	X(REFUSED_TASKS, refused_tasks)
#define SITE_SUMS(X) SITE_COUNTS(X) SITE_QUANTITIES(X)

enum site_number {
#define X(id, column) SITE_##id,
	SITE_QUANTITIES(X) SITE_NUMBERS
#undef X
};

struct site_fs {
	char *name, *type; /* NULL: unknown, or not of one filesystem */
	int64_t numbers[SITE_NUMBERS], peak;
};

struct site_run {
	char user[RECORD_NAME_MAX], profile[RECORD_NAME_MAX];
	char advice[SITE_ADVICE_MAX]; /* codes, each once: "A01 A17" */
	int64_t node_s, warned, refused;
	bool is_wide, is_judged;
	struct site_fs fs[SITE_FS_MAX];
	size_t fs_count;
};

/* Add the numbers of another filesystem; unknown ones are skipped. */
void site_fs_init(struct site_fs *fs);
void site_fs_add(struct site_fs *fs, const struct site_fs *more);

struct site_run *site_run_new(const struct run *run, const struct advice_list *list);
void site_run_free(struct site_run *site);

#endif
