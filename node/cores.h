/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cores.h - which cores Slurm withholds from the job
 *
 * Errors  none: what is not known, or not reserved, is a finding.
 * Runs    prolog, under the lock.
 */
#ifndef JOBIO_NODE_CORES_H
#define JOBIO_NODE_CORES_H

#include "node/visit.h"

/* Sets want.has_io_cores, want.io_cpus, want.mem_spec_limit_mb, abs_cores and
 * spec_cpus; what Slurm does not reserve for the job is left out of its request.
 * slurmctld is asked once per change of slurm.conf, for a job with io-cores or with
 * gate = enforce. */
void cores_find(struct visit *visit);

#endif
