/* SPDX-License-Identifier: GPL-2.0-or-later */
/* affinity.h - where the work of a client runs that has no core of its own
 *
 * The work of a client in the kernel, or in one process, is done by workqueues,
 * kernel threads, interrupts of the network card, threads of a daemon. While a
 * job with io-cores has the node alone they run on the cores that Slurm withholds
 * from it (core_change=affinity), and are put back after it.
 *
 * Terms   way: a kind of such things, and a kind of change: "workqueue",
 *           "thread", "interrupt", "process".
 *         item: one of them: the name of a workqueue, "PID:NAME" of a kernel
 *           thread, a blank of whose name is '_', the number of an interrupt,
 *           "PID.TICKS" of a daemon, all of whose threads move together.
 *         A change has the way as what, what was asked for as target
 *           ("interrupts of ib0"), and as values items with their CPUs, as
 *           many and in the same order ("nfsiod=0-15 rpciod=0-15"); where they are
 *           more than a record's text holds, there are several changes.
 *         Left out: items that are on these CPUs already, that the kernel does
 *           not let move, or that are not there on this node.
 * Owner   constant.
 * Errors  findings, as in change.h, with the codes of struct affinity.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_AFFINITY_H
#define JOBIO_CLIENT_AFFINITY_H

#include "client/affinity_way.h"
#include "client/change.h"

extern const struct change_kind affinity_workqueue, affinity_thread, affinity_interrupt,
	affinity_process;

#endif
