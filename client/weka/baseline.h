/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.h - the cores that a container had before the first job wanted others
 *
 * Terms   STATE/NAME.baseline, a line each:
 *           CONTAINER LIST    the cores
 *           boot ID           when that was
 *           ours LIST         what a job wanted, the newest last; a few
 *         It holds as long as the container has cores that a job wanted. With any
 *         others somebody else has configured it since, and is right: the site, or
 *         fstab when the node came up again. Of a file that was cut off the whole
 *         lines are believed, and nothing makes it stale.
 * Owner   the file is the client's (state.h); values are copied.
 * Errors  -1, sentence in *err.
 * Runs    as client.h says; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_BASELINE_H
#define JOBIO_CLIENT_WEKA_BASELINE_H

#include "base/cpuset.h"
#include "client/type.h"

/* 1: *cores is the baseline of the container; 0: it is at its baseline. */
int weka_baseline_read(const struct client *client, const char *container, struct cpuset *cores);
/* Before the container gets other cores for a job. */
int weka_baseline_keep(const struct client *client, const char *container,
		       const struct cpuset *old_ids, const struct cpuset *new_ids, struct err *err);
/* The container has these cores, and is back. */
void weka_baseline_settle(const struct client *client, const char *container,
			  const struct cpuset *now);
/* It has these, and somebody else has configured them since. */
void weka_baseline_forget_stale(const struct client *client, const char *container,
				const struct cpuset *now);

#endif
