/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - access patterns of a job, and rules without times of calls (see timed.h)
 *
 * Terms   a rule returns true if it applies to the view. It has then added numbers and set
 *           the class of calls and the part of its time at stake (without a class: the
 *           share of the job); it may have changed confidence from the default in rules.c.
 * Owner   everything belongs to the caller.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_CALLS_H
#define JOBIO_ADVICE_CALLS_H

#include <stdbool.h>

#include "advice/types.h"
#include "advice/view.h"

bool calls_direct_small(const struct view *v, struct advice *a);
bool calls_direct_metadata(const struct view *v, struct advice *a);
bool calls_cached_stream(const struct view *v, struct advice *a);
bool calls_one_folder(const struct view *v, struct advice *a);
bool calls_lustre_buffered(const struct view *v, struct advice *a);
bool calls_nfs_ceiling(const struct view *v, struct advice *a);
bool calls_overfetch(const struct view *v, struct advice *a);

/* Patterns, also used by timed.c. Opens of files that existed. */
double calls_opened(const struct view *v);
/* Lookup misses that no operation explains. */
double calls_misses(const struct view *v);
bool calls_is_database(const struct view *v);
bool calls_is_opened_again(const struct view *v);
bool calls_is_temporary(const struct view *v);
bool calls_is_replaced(const struct view *v);
bool calls_is_mapped(const struct view *v);
/* Share of the client's metadata requests that revalidate cached names; 0: none. */
double calls_revalidated(const struct view *v);
bool calls_is_spill(const struct view *v);
const char *calls_order(const struct view *v, enum io_number bytes, enum io_number calls);
bool calls_is_cached(const struct view *v, enum io_number calls);
/* Add the numbers of an advice about the calls in the function's name. */
void calls_add(const struct view *v, struct advice *a, bool is_read);
void calls_add_syncs(const struct view *v, struct advice *a);
void calls_add_files(const struct view *v, struct advice *a);
void calls_add_files_read(const struct view *v, struct advice *a);
void calls_add_metadata(const struct view *v, struct advice *a);

#endif
