/* SPDX-License-Identifier: GPL-2.0-or-later */
/* affinity.h - CPU affinity of a client without cores of its own
 *
 * Workqueues, kernel threads, interrupts of the NIC or threads of a daemon do the work of
 * such a client. While a job with io-cores has the node exclusively they are bound to the
 * cores that Slurm withholds from it (core_change=affinity), and restored after it.
 *
 * Terms   way: a back end, and a kind of change: "workqueue", "thread", "interrupt",
 *           "process".
 *         item: one of its kind: the name of a workqueue, "PID:NAME" of a kernel thread,
 *           with '_' for blanks in NAME, the number of an interrupt, "PID.TICKS" of a
 *           daemon, all threads of which are moved together.
 *         A change has the way as what, the request as target ("interrupts of ib0"), and
 *           as values items with their CPUs, as many and in the same order
 *           ("nfsiod=0-15 rpciod=0-15"); if they exceed the size of a record's text,
 *           there are several changes.
 *         Skipped: items that are on these CPUs already, that the kernel does not allow
 *           to be moved, or that do not exist on this node.
 * Owner   constant.
 * Errors  findings, as in change.h, with the codes of struct affinity.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_AFFINITY_H
#define JOBIO_CLIENT_AFFINITY_H

#include "client/affinity_backend.h"
#include "client/change.h"

extern const struct change_kind affinity_workqueue, affinity_thread, affinity_interrupt,
	affinity_process;

#endif
