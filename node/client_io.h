/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client_io.h - I/O of the node's clients during a job, by their own counters
 *
 * RUN/JOB/wire has the counters at the start, and whether no other job was on the node:
 * {"boot_id":"..","alone":true,"clients":{"NAME":"TEXT",..}}. RUN/JOB/others exists if another
 * job started later: each prolog creates it in the folders of the jobs that it finds.
 *
 * Errors  logged, once while the client does not change (client_is_cached()); never a reason
 *           to fail.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_CLIENT_IO_H
#define JOBIO_NODE_CLIENT_IO_H

#include <stdbool.h>

#include "base/config.h"
#include "client/client.h"
#include "record/record.h"

/* Create RUN/JOB/others in the folders of all other jobs. Return true if there are any. Call it
 * under the lock, after RUN/JOB was created: of two jobs, one finds the other. */
bool job_mark_others(uint32_t job_id);
/* Write the counters at the start. [alone]: no other job was on the node, or Slurm keeps others
 * off. */
void client_io_start(const struct record *state, struct client *const clients[], size_t count,
		     bool alone);
/* Write this mount namespace and its mounts to RUN/JOB/mountinfo: slurmstepd may run in another
 * namespace and compares (spank/private_mount.h). Return -1 on failure: private mounts are not
 * detected then. */
int job_write_mounts(uint32_t job_id, struct err *err);
/* Add the difference of the counters to the state, nothing if unknown, and a flag if one of the
 * clients' filesystems was mounted since. Call it before job_undo(), which may restart the
 * client. */
void client_io_read(const struct config *config, struct record *state);

#endif
