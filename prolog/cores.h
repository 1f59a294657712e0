/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cores.h - which cores Slurm withholds from the job
 *
 * Errors  none: what is not known is a finding, what is wrong a refusal.
 * Runs    prolog, under the lock.
 */
#ifndef JOBIO_PROLOG_CORES_H
#define JOBIO_PROLOG_CORES_H

#include "prolog/visit.h"

/* Slurm's own word about the job against the request, which a user can forge. */
void cores_check(struct visit *visit);
/* Sets want.has_io_cores, want.io_cpus, want.mem_spec_limit_mb and abs_cores.
 * For a job with io-cores slurmctld is asked once per change of slurm.conf; for
 * others never. */
void cores_find(struct visit *visit);

#endif
