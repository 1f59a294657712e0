/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weka_cores.h - which cores a running WEKA client polls on, changed and kept
 *
 * Terms   A change has what "cores", as target a container, as values the core
 *           ids as a list ("1-2").
 *         baseline: the cores that the container had before jobio's first
 *           change; remembered in the client's state_dir, across reboots, until
 *           the container is back there.
 *         lazily: the cores stay after the job. The next job that wants the
 *           same ones costs nothing; one that may run on them gets the
 *           baseline back first, if core_change allows it.
 *         A change by core_method=mount that was cut off is finished by
 *           mounting what is missing, with the old cores where the container
 *           is gone (weka_mount.h).
 * Errors  findings, as in weka.h.
 * Runs    as client.h says; for weka_change.c only.
 */
#ifndef JOBIO_CLIENT_WEKA_CORES_H
#define JOBIO_CLIENT_WEKA_CORES_H

#include "client/weka.h"

int weka_cores_plan(struct client *client, const struct client_want *want,
		    struct client_plan *plan, struct findings *findings,
		    struct err *err);
enum weka_made weka_cores_make(struct client *client,
			       const struct journal_change *change,
			       struct findings *findings);
enum weka_undone weka_cores_undo(struct client *client,
				 const struct journal_change *change,
				 struct findings *findings);

#endif
