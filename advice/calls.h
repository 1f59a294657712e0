/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - what a job does, and rules beside the times of its calls (timed.h)
 *
 * Terms   each answers "is this so?" for one view; when it is, it has filled in
 *           numbers, the class of calls and which part of its time is at stake (of no
 *           class: the share), and may have changed trust from what its row says.
 * Owner   everything is the caller's.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_CALLS_H
#define JOBIO_ADVICE_CALLS_H

#include <stdbool.h>

#include "advice/terms.h"
#include "advice/view.h"

bool calls_direct_small(const struct view *v, struct advice *a);
bool calls_direct_metadata(const struct view *v, struct advice *a);
bool calls_cached_stream(const struct view *v, struct advice *a);
bool calls_one_folder(const struct view *v, struct advice *a);
bool calls_lustre_buffered(const struct view *v, struct advice *a);
bool calls_nfs_ceiling(const struct view *v, struct advice *a);
bool calls_more_than_asked(const struct view *v, struct advice *a);

/* What timed.c asks, too: opens of files that existed; do fsyncs protect a database; are
 * the files that are opened few, and the files that were made gone again, or the same anew? */
double calls_opened(const struct view *v);
/* Lookups that no operation explains. */
double calls_misses(const struct view *v);
bool calls_is_database(const struct view *v);
bool calls_is_opened_again(const struct view *v);
bool calls_is_gone(const struct view *v);
bool calls_is_replaced(const struct view *v);
bool calls_is_mapped(const struct view *v);
/* Which part of the client's requests for names were for what it knew; 0: none. */
double calls_asked_again(const struct view *v);
bool calls_is_spill(const struct view *v);
const char *calls_places(const struct view *v, enum io_number bytes, enum io_number calls);
bool calls_is_cached(const struct view *v, enum io_number calls);
/* Add the numbers of an advice about these. */
void calls_add(const struct view *v, struct advice *a, bool is_read);
void calls_add_syncs(const struct view *v, struct advice *a);
void calls_add_files(const struct view *v, struct advice *a);
void calls_add_files_read(const struct view *v, struct advice *a);
void calls_add_metadata(const struct view *v, struct advice *a);

#endif
