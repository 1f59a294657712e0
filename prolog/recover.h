/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover.h - put back what dead jobs left, before slurmd starts
 *
 * Errors  0, or -1 with a sentence when the fault is ours. What stops nothing
 *           is said at once (job/log.h).
 * Runs    jobio-prepare --recover, as root: at boot, or by hand.
 */
#ifndef JOBIO_PROLOG_RECOVER_H
#define JOBIO_PROLOG_RECOVER_H

#include "prolog/visit.h"

int recover_node(struct visit *visit, struct err *err);

#endif
