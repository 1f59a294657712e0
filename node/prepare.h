/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prepare.h - the steps of jobio-prepare for a job
 *
 * Because of the order of the writes a kill at any step is harmless:
 *
 *   1 lock; end a command that a killed helper left running
 *   2 undo the changes of finished jobs in RUN, and finish them
 *   3 RUN/JOB, SPOOL/open/JOB.NODE.json, RUN/JOB/start.json  (with the plan)
 *   4 for each change: journal "planned", command, read back, journal "done"
 *   5 RUN/client.NAME.json, RUN/gate, RUN/JOB/start.json again, RUN/JOB/gate
 *   6 RUN/JOB/wire; start of the kernel's counters, last: I/O before it is not the
 *     job's
 *
 * If jobio is disabled (config_is_off()), only 1 to 3 are done, and a gate file is
 * written that lets all tasks pass.
 *
 * Before 3 nothing is changed for the job; after 3 the epilog finds state and journal.
 * For a job without a gate file the plugin reads RUN/gate.
 *
 * Errors  an exit status, or -1 with a sentence for an error of jobio. Errors that do
 *           not stop the prolog are logged at once (node/log.h).
 * Runs    prolog, as root, in a child of jobio-prepare.
 */
#ifndef JOBIO_NODE_PREPARE_H
#define JOBIO_NODE_PREPARE_H

#include "node/prepare_context.h"

int prepare_node(struct prepare_context *ctx, struct err *err);

#endif
