/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_read.h - counters of a job, as series of a record
 *
 * Terms   source: "bpf" for each filesystem, "exit" for all files.
 * Owner   the caller.
 * Errors  -1, the reason in *err. A job that is not counted is no error: the tier is NONE, and
 *           the reason in the state.
 * Runs    jobio-count, as root, for the epilog and live views.
 */
#ifndef JOBIO_COUNT_COUNTERS_READ_H
#define JOBIO_COUNT_COUNTERS_READ_H

#include "count/counters.h"
#include "record/record.h"

/* Add the counters of a job and their quality flags to a record, filesystems first, by name. */
int counters_read(const struct counters_options *options, uint32_t job, struct record *record,
		  struct counters_state *state, struct err *err);

#endif
