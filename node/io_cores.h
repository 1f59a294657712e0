/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_cores.h - cores that Slurm withholds from the job
 *
 * Errors  none: cores that are unknown or not reserved are a finding.
 * Runs    prolog, under the lock.
 */
#ifndef JOBIO_NODE_IO_CORES_H
#define JOBIO_NODE_IO_CORES_H

#include "node/prepare_context.h"

/* Set desired.has_io_cores, desired.io_cpus, desired.mem_spec_limit_mb, abs_cores and spec_cpus; drop the
 * request's io-cores if Slurm does not reserve them. slurmctld is queried once per change of
 * slurm.conf, for a job with io-cores or with gate = enforce. */
void io_cores_find(struct prepare_context *ctx);

#endif
