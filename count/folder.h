/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.h - the folders of pins under bpffs/jobio
 *
 * Terms   whole: has the name that it was loaded for, and all of its pins.
 *         "NAME-new" is being filled, "NAME-old" being emptied: taking programs
 *           out of the kernel waits for its grace periods, up to seconds for a
 *           set, and who does it may be killed or have no time left.
 *         end_ms: of child_now_ms(); one pin is taken out even if it is over.
 * Owner   paths are the caller's.
 * Errors  -1, sentence in *err.
 * Runs    jobio-count, under the lock of counters.c.
 */
#ifndef JOBIO_COUNT_FOLDER_H
#define JOBIO_COUNT_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

#define FOLDER_NO_END ULLONG_MAX

bool folder_is_whole(const char *name);

/* Give it the name of one that is being emptied. */
int folder_retire(const char *folder, struct err *err);

/* Take its pins away, then itself. 0: it is gone, or was not there; 1: the time
 * was over before. */
int folder_remove(const char *folder, unsigned long long end_ms, struct err *err);

/* Remove those of 'home' that were retired, as far as there is time. */
void folder_sweep(const char *home, unsigned long long end_ms);

#endif
