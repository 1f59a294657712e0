/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cores.h - which cores a running WEKA client polls on, changed and kept
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
 *           is gone (remount.h).
 * Errors  findings, as in change.h.
 * Runs    as client.h says; for weka.c only.
 */
#ifndef JOBIO_CLIENT_WEKA_CORES_H
#define JOBIO_CLIENT_WEKA_CORES_H

#include "client/change.h"

extern const struct change_kind weka_cores;

/* What an administrator types to give the client these cores; caller frees. NULL: out of memory. */
char *weka_cores_command(const struct client_place *place);

#endif
