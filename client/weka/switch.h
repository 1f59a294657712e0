/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch.h - orders to a WEKA container to run on other cores, and the wait for it
 *
 * Terms   The way is core_method of jobio.conf: `weka local resources`, a remount
 *           (5.x), or everything away and mounted anew (remount.h).
 *         staged, stable: parse.h. Nothing stays staged, or the next restart of
 *           the container would take it.
 * Owner   the facts are read anew by each of these (facts.h).
 * Errors  -1, sentence in *err.
 * Runs    as client.h says; for the parts of the WEKA client only. Order and wait
 *           share one deadline, ready_timeout_ms.
 */
#ifndef JOBIO_CLIENT_WEKA_SWITCH_H
#define JOBIO_CLIENT_WEKA_SWITCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpuset.h"
#include "client/rule.h"
#include "client/type.h"

/* What a switch says beside its error. */
struct switch_report {
	struct findings *findings;
	bool busy; /* nothing was wrong but that a mount is in use */
};

/* "1,2,3": single ids, no ranges; caller frees. NULL: out of memory. */
char *weka_ids_text(const struct cpuset *ids);

/* 0: the container runs on these cores, READY and connected. */
int weka_switch_cores(struct client *client, const char *container, const struct cpuset *ids,
		      struct switch_report *report, struct err *err);
/* After a switch that went wrong. 0: the container runs with its old cores. */
int weka_switch_back(struct client *client, const char *container, const struct cpuset *old_ids,
		     struct err *err);
/* Of one that was cut off half-way. 0: all is mounted and nothing staged, the
 * container *index is READY on whatever cores it has. */
int weka_switch_finish(struct client *client, const char *container, const struct cpuset *old_ids,
		       size_t *index, struct err *err);

#endif
