/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cores.h - cores that Slurm withholds from the job
 *
 * Errors  none: cores that are unknown or not reserved are a finding.
 * Runs    prolog, under the lock.
 */
#ifndef JOBIO_NODE_CORES_H
#define JOBIO_NODE_CORES_H

#include "node/visit.h"

/* Set want.has_io_cores, want.io_cpus, want.mem_spec_limit_mb, abs_cores and spec_cpus; drop the
 * request's io-cores if Slurm does not reserve them. slurmctld is queried once per change of
 * slurm.conf, for a job with io-cores or with gate = enforce. */
void cores_find(struct visit *visit);

#endif
