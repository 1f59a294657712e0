/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_load.h - load and unload the BPF programs
 *
 * Terms   Both take seconds. In the prolog and epilog a separate process does it, which goes
 *           on after its parent.
 * Owner   the caller.
 * Errors  -1, the reason in *err: a lock that could not be taken, pins that stay.
 * Runs    jobio-count, without the lock of the home folder.
 */
#ifndef JOBIO_COUNT_COUNTERS_LOAD_H
#define JOBIO_COUNT_COUNTERS_LOAD_H

#include "count/counters.h"

/* Load the programs of these options unless they are loaded; unload those of other options or
 * versions without a job. */
int counters_load(const struct counters_options *options, struct counters_state *state,
		  struct err *err);

/* Return true if the programs are neither loaded nor refused; else a refusal is in *state. */
bool counters_is_to_load(const struct counters_options *options, struct counters_state *state);

/* Call counters_load() in a separate process. Return 1 if it has ended, 0 if it goes on after
 * wait_ms, -1 if it cannot be started. */
int counters_load_async(const struct counters_options *options);

/* Unload renamed sets of programs (pins_forget()) in a separate process. */
void counters_unload_async(const struct counters_options *options);

/* Unload all programs, of any version. */
int counters_unload(const struct counters_options *options, struct err *err);

#endif
