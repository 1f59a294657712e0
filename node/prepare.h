/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prepare.h - what jobio-prepare does on a node, step by step
 *
 * The order of the writes is what makes a kill at any step harmless:
 *
 *   1 lock; end a command that a killed helper left running
 *   2 mend and finish what dead jobs left in RUN
 *   3 RUN/JOB, SPOOL/open/JOB.NODE.json, RUN/JOB/start.json  (with the plan)
 *   4 for each change: journal "planned", command, read back, journal "done"
 *   5 RUN/client.NAME.json, RUN/gate, RUN/JOB/start.json again, RUN/JOB/gate
 *   6 RUN/JOB/wire; the kernel's counters begin, last: what comes before is
 *     not the job's
 *
 * Where the site has switched jobio off (config_is_off()) there are 1 to 3 and a
 * gate file that lets all pass.
 *
 * Before 3 nothing has happened; after 3 the epilog finds state and journal;
 * a job without a gate file of its own is judged by RUN/gate.
 *
 * Errors  an exit status, or -1 with a sentence when the fault is ours. What
 *           stops nothing is said at once (node/log.h).
 * Runs    prolog, as root, in a child of jobio-prepare.
 */
#ifndef JOBIO_NODE_PREPARE_H
#define JOBIO_NODE_PREPARE_H

#include "node/visit.h"

int prepare_node(struct visit *visit, struct err *err);

#endif
