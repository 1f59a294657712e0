/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - what a Lustre client has moved, by its own counters
 *
 * Two levels, read in one pass. llite counts what read(2) and write(2) asked
 * for, page cache included, but since 2.14 no asynchronous direct I/O, no mapped
 * files (lustre/llite/file.c:ll_file_io_generic()). osc, and mdc for data that
 * lies on an MDT, count what went over the network, all of it
 * (osc/osc_request.c:osc_build_rpc()).
 *
 * Terms   row: one device (client/wire.h), asked for if it is llite's. Its id
 *           has the epoch: start_time of its statistics, which is another one
 *           when somebody clears them; before 2.15, when there is none, the
 *           inode of the instance's folder.
 *         budget: the OSTs are read while half of timeout_ms is there; those that
 *           were not are unread rows, and what the others moved is a lower
 *           bound.
 *         damaged: a line that is not as obdclass/lprocfs_counters.c writes it,
 *           which is what others than root get from lctl. Then nothing of the
 *           file is believed.
 *         omitted counters are 0, saturated ones (2^63 - 1) unknown, and so are
 *           times with one below 0: a clock was set. Sums of squares begin at 0
 *           again on any busy client, and nobody reads them.
 * Owner   as in client/wire.h.
 * Errors  NULL or -1, sentence in *err.
 * Runs    prolog and epilog, as root. Files are read by a child with a
 *           deadline; where the kernel keeps them from us (lockdown), lctl is
 *           asked, which has another way.
 */
#ifndef JOBIO_CLIENT_LUSTRE_WIRE_H
#define JOBIO_CLIENT_LUSTRE_WIRE_H

#include "client/lustre/tree.h"
#include "client/wire.h"

/* What one file of statistics says. -1: it is damaged. */
struct lustre_stats {
	char epoch[40]; /* "" unknown */
	int64_t count[WIRE_KINDS];
};
int lustre_stats_parse(const char *text, enum tree_kind kind,
		       struct lustre_stats *stats);

/* When its server last evicted this node, by the history of a device (file
 * "state"): seconds since 1970; 0: not that it says. */
int64_t lustre_eviction_parse(const char *state);

/* Into the wire, what lctl printed of the statistics of these devices; the text is
 * cut up. */
int lustre_wire_params(struct client *client, struct wire *wire,
		       const struct tree *tree, char *text, struct err *err);

struct wire *lustre_wire_read(const struct client *of, struct err *err);

#endif
