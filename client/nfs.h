/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs.h - the NFS client of the kernel, a row of the table in client.c
 *
 * All that is read are /proc/self/mountinfo and mountstats: never a statfs(2)
 * nor a stat(2) of a mount, which wait for its server as long as it takes.
 *
 * Terms   superblock: MAJOR:MINOR of mountinfo. Mounts that share one show the
 *           same counters in mountstats; they are counted once.
 *         server bytes: what READ and WRITE moved, without headers; what
 *           programs asked for is more (page cache) or less (read-ahead).
 * Owner   constant.
 * Errors  as in client.h.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_NFS_H
#define JOBIO_CLIENT_NFS_H

#include "client/type.h"

extern const struct client_type_ops nfs_type;

#endif
