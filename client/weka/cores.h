/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cores.h - change the cores that a running WEKA client polls on
 *
 * Terms   A change has what "cores", as target a container, as values the core ids as a
 *           list ("1-2").
 *         baseline: the cores of the container before jobio's first change; stored in
 *           the client's state_dir, across reboots, until the container has them again.
 *         lazily: the cores stay after the job. The next job with the same ones
 *           costs nothing; for one that may run on them the baseline is restored first,
 *           if core_change allows it.
 *         An interrupted change by core_method=mount is completed by mounting what is
 *           missing, with the old cores if the container is gone (remount.h).
 * Errors  findings, as in change.h.
 * Runs    as in client.h; for weka.c only.
 */
#ifndef JOBIO_CLIENT_WEKA_CORES_H
#define JOBIO_CLIENT_WEKA_CORES_H

#include "client/change.h"

extern const struct change_kind weka_cores;

/* Return the command that gives the client these cores; caller frees. */
char *weka_cores_command(const struct client_placement *placement);

#endif
