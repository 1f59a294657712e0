/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - the statistics of a Lustre client's devices, a file each
 *
 * Two levels, read in one pass. llite counts the bytes of read(2) and write(2), page
 * cache included, but since 2.14 no asynchronous direct I/O and no mapped files
 * (lustre/llite/file.c:ll_file_io_generic()). osc, and mdc for data on an MDT, count all
 * that is sent over the network (osc/osc_request.c:osc_build_rpc()).
 *
 * Terms   id: of a source (client/client_counters.h). It has the epoch: start_time of the
 *           statistics, which changes when they are cleared; before 2.15, which has no
 *           start_time, the inode of the instance's folder.
 *         damaged: a line is not as obdclass/lprocfs_counters.c writes it; users other
 *           than root get such lines from lctl. Then the whole file is ignored.
 *         omitted counters are 0, saturated ones (2^63 - 1) unknown, and so are times
 *           with a negative minimum: a clock was set. Sums of squares are ignored: they
 *           overflow on any busy client.
 * Owner   plain values.
 * Errors  -1: damaged.
 * Runs    printed by a child with a timeout.
 */
#ifndef JOBIO_CLIENT_LUSTRE_STATS_H
#define JOBIO_CLIENT_LUSTRE_STATS_H

#include "client/client_counters.h"
#include "client/lustre/tree.h"

/* Counters of one file of statistics. */
struct lustre_stats {
	char epoch[40]; /* "" unknown */
	int64_t count[CLIENT_IO_NUMBERS];
};
int lustre_stats_parse(const char *text, enum tree_kind kind, struct lustre_stats *stats);

/* Return the time of this node's last eviction by its server, from the history of a device (file
 * "state"), in seconds since 1970; 0: none listed. */
int64_t lustre_eviction_parse(const char *state);

void lustre_stats_id(const struct client *client, const struct tree_device *device,
		     const struct lustre_stats *stats, char id[CLIENT_SOURCE_ID_MAX]);
/* Return the first mount of the device's filesystem; "": none. */
const char *lustre_stats_mount(const struct client *client, const struct tree_device *device);

/* Return the ID of the only process, parent or group that an llite counts; 0: it counts all; -1:
 * unknown. */
long lustre_stats_tracked(const struct config_client *section, const struct tree_device *device);

/* Print a line for each device, as parsed by counters.c: "row ID N N .. FS", and with [evictions],
 * for the end of a job, of some "evicted SECONDS TARGET"; all numbers of OSTs after 'enough_ms' are
 * unknown, and the ID has no epoch; "damaged", "denied" and "missing DEVICE". */
void lustre_stats_print(const struct client *client, const struct tree *tree, bool evictions,
			unsigned long long enough_ms);

#endif
