/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch.h - move a WEKA container to other cores, and wait for it
 *
 * Terms   The method is core_method of jobio.conf: `weka local resources`, a remount
 *           (5.x), or unmounting and mounting all (remount.h).
 *         staged, stable: parse.h. Nothing stays staged, or the next restart of the
 *           container would apply it.
 * Owner   each of these reads the facts again (facts.h).
 * Errors  -1, sentence in *err.
 * Runs    as in client.h; for the parts of the WEKA client only. Command and wait
 *           share one timeout, ready_timeout_ms.
 */
#ifndef JOBIO_CLIENT_WEKA_SWITCH_H
#define JOBIO_CLIENT_WEKA_SWITCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpuset.h"
#include "client/rule.h"
#include "client/type.h"

struct weka_unit;

/* Return "1,2,3": single ids, no ranges; caller frees. */
char *weka_ids_text(const struct cpuset *ids);

/* Move the container to these cores. Return 0 once it runs on them, READY and connected; -1, *busy:
 * it failed only because a mount is in use. */
int weka_switch_cores(struct client *client, const char *container, const struct cpuset *ids,
		      bool *busy, struct err *err);
/* Go back after a switch that failed. Return 0 once the container runs on its old cores. */
int weka_switch_back(struct client *client, const char *container, const struct cpuset *old_ids,
		     struct err *err);
/* Complete an interrupted switch. Return the container once all is mounted, nothing is staged, and
 * it is READY on any cores; else NULL. */
const struct weka_unit *weka_switch_finish(struct client *client, const char *container,
					   const struct cpuset *old_ids, struct err *err);

#endif
