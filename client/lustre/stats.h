/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - the statistics of a Lustre client's devices, a file each
 *
 * Two levels, read in one pass. llite counts what read(2) and write(2) asked
 * for, page cache included, but since 2.14 no asynchronous direct I/O, no mapped
 * files (lustre/llite/file.c:ll_file_io_generic()). osc, and mdc for data that
 * lies on an MDT, count what went over the network, all of it
 * (osc/osc_request.c:osc_build_rpc()).
 *
 * Terms   id: of a row (client/wire.h). It has the epoch: start_time of the
 *           statistics, which is another one when somebody clears them; before
 *           2.15, when there is none, the inode of the instance's folder.
 *         damaged: a line that is not as obdclass/lprocfs_counters.c writes it,
 *           which is what others than root get from lctl. Then nothing of the
 *           file is believed.
 *         omitted counters are 0, saturated ones (2^63 - 1) unknown, and so are
 *           times with one below 0: a clock was set. Sums of squares begin at 0
 *           again on any busy client, and nobody reads them.
 * Owner   plain values.
 * Errors  -1: damaged.
 * Runs    printed by a child with a deadline.
 */
#ifndef JOBIO_CLIENT_LUSTRE_STATS_H
#define JOBIO_CLIENT_LUSTRE_STATS_H

#include "client/lustre/tree.h"
#include "client/wire.h"

/* What one file of statistics says. */
struct lustre_stats {
	char epoch[40]; /* "" unknown */
	int64_t count[WIRE_NUMBERS];
};
int lustre_stats_parse(const char *text, enum tree_kind kind, struct lustre_stats *stats);

/* When its server last evicted this node, by the history of a device (file
 * "state"): seconds since 1970; 0: not that it says. */
int64_t lustre_eviction_parse(const char *state);

void lustre_stats_id(const struct client *client, const struct tree_device *device,
		     const struct lustre_stats *stats, char id[WIRE_ID_MAX]);
/* The first mount of the device's filesystem; "": none. */
const char *lustre_stats_mount(const struct client *client, const struct tree_device *device);

/* Which process, parent or group an llite counts alone; 0: none; -1 unknown. */
long lustre_stats_tracked(const struct config_client *section, const struct tree_device *device);

/* A line for each device, as wire.c takes it: "row ID N N .. FS", and with
 * 'evictions', which only a job's end tells, of some "evicted SECONDS WHO"; "unread
 * ID FS" of the OSTs that come after 'enough_ms'; "damaged", "denied" and "missing
 * DEVICE". */
void lustre_stats_print(const struct client *client, const struct tree *tree, bool evictions,
			unsigned long long enough_ms);

#endif
