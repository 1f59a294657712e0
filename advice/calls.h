/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - rules about how a job does its I/O
 *
 * Terms   each answers "is this so?" for one view; when it is, it has filled in
 *           what was seen, why it matters and the value, and may have changed
 *           trust and cure from what its row says.
 * Owner   everything is the caller's.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_CALLS_H
#define JOBIO_ADVICE_CALLS_H

#include <stdbool.h>

#include "advice/terms.h"
#include "advice/view.h"

/* What to do about a search path, in Python or the linker: A10, and A09 where the same
 * names are asked for again and again. */
#define CALLS_SEARCH_CURE                                                                          \
	"unset PYTHONPATH LD_LIBRARY_PATH where they are not needed, or run "                      \
	"from one image: apptainer exec, python -m zipapp"

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

#endif
