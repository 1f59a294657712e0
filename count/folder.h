/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.h - the folders of pins under bpffs/jobio
 *
 * Terms   whole: has the name that it was loaded for, and all of its pins.
 *         "NAME-new" is being filled, "NAME-old" being emptied: taking programs
 *           out of the kernel waits for its grace periods, up to seconds for a
 *           set, and who does it may be killed.
 * Owner   paths are the caller's.
 * Errors  -1, sentence in *err.
 * Runs    jobio-count, under the lock of counters.c.
 */
#ifndef JOBIO_COUNT_FOLDER_H
#define JOBIO_COUNT_FOLDER_H

#include <stdbool.h>

#include "base/err.h"

bool folder_is_whole(const char *name);

/* Give it the name of one that is being emptied. */
int folder_retire(const char *folder, struct err *err);

/* Take its pins away, then itself; one that is not there is success. */
int folder_remove(const char *folder, struct err *err);

/* Call fn (may be NULL) for those of 'home' that were retired: their number. */
int folder_each_old(const char *home, int (*fn)(const char *folder, struct err *err));

#endif
