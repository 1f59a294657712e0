/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - rules about how a job does its I/O
 *
 * Terms   each answers "is this so?" for one view; when it is, it has filled in
 *           the class of calls, the share and numbers, and may have changed
 *           trust from what its row says.
 * Owner   everything is the caller's.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_CALLS_H
#define JOBIO_ADVICE_CALLS_H

#include <stdbool.h>

#include "advice/terms.h"
#include "advice/view.h"

bool calls_small_reads(const struct view *v, struct advice *a);
bool calls_small_writes(const struct view *v, struct advice *a);
bool calls_direct_small(const struct view *v, struct advice *a);
bool calls_direct_metadata(const struct view *v, struct advice *a);
bool calls_cached_stream(const struct view *v, struct advice *a);
bool calls_few_processes(const struct view *v, struct advice *a);
bool calls_many_synchronous(const struct view *v, struct advice *a);
bool calls_fsync(const struct view *v, struct advice *a);
bool calls_stat(const struct view *v, struct advice *a);
bool calls_lookup(const struct view *v, struct advice *a);
bool calls_open_append(const struct view *v, struct advice *a);
bool calls_tiny_written(const struct view *v, struct advice *a);
bool calls_tiny_read(const struct view *v, struct advice *a);
bool calls_one_folder(const struct view *v, struct advice *a);
bool calls_mapped(const struct view *v, struct advice *a);
bool calls_deleted(const struct view *v, struct advice *a);
bool calls_lustre_buffered(const struct view *v, struct advice *a);
bool calls_nfs_ceiling(const struct view *v, struct advice *a);
bool calls_more_than_asked(const struct view *v, struct advice *a);
bool calls_metadata(const struct view *v, struct advice *a);

/* What timed.c asks, too: opens of files that existed; do fsyncs protect a database; are
 * the files that are opened few, and the files that were made gone again? */
double calls_opened(const struct view *v);
bool calls_is_database(const struct view *v);
bool calls_is_opened_again(const struct view *v);
bool calls_is_gone(const struct view *v);
const char *calls_places(const struct view *v, enum io_number bytes, enum io_number calls);
bool calls_is_cached(const struct view *v, enum io_number calls);
/* Add the numbers of an advice about these. */
void calls_add(const struct view *v, struct advice *a, bool is_read);
void calls_add_syncs(const struct view *v, struct advice *a);
void calls_add_files(const struct view *v, struct advice *a);
void calls_add_files_read(const struct view *v, struct advice *a);
void calls_add_metadata(const struct view *v, struct advice *a);

#endif
