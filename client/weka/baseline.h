/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.h - the cores of a container before the first job's change
 *
 * Terms   STATE/NAME.baseline, a line each:
 *           CONTAINER LIST    the cores
 *           boot ID           boot of the change
 *           ours LIST         the cores for a job, the newest last; a few
 *         It is valid as long as the container has cores that were set for a job. If it
 *         has others, or the node was rebooted and they are not kept, they were
 *         configured since: by the site, or by fstab. Of a truncated file the complete
 *         lines are used, and it never becomes stale.
 * Owner   the file is the client's (state.h); values are copied.
 * Errors  -1, sentence in *err.
 * Runs    as in client.h; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_BASELINE_H
#define JOBIO_CLIENT_WEKA_BASELINE_H

#include "base/cpuset.h"
#include "client/type.h"

/* Get the baseline of the container in *cores. Return 1, or 0 if none is known: it is at its
 * baseline. */
int weka_baseline_read(const struct client *client, const char *container, struct cpuset *cores);
/* Store the baseline, before the container is given other cores for a job. */
int weka_baseline_store(const struct client *client, const char *container,
			const struct cpuset *old_ids, const struct cpuset *new_ids,
			struct err *err);
/* Remove the baseline if the container has these cores and they are its baseline. */
void weka_baseline_settle(const struct client *client, const char *container,
			  const struct cpuset *now);
/* Remove the baseline if these cores of the container were configured since. */
void weka_baseline_forget_stale(const struct client *client, const char *container,
				const struct cpuset *now);

#endif
