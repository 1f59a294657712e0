/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_slurmd.h - the CPUs that slurmd itself sees
 *
 * Runs    jobio check; adds findings, see doctor_view.h.
 */
#ifndef JOBIO_REPORT_DOCTOR_SLURMD_H
#define JOBIO_REPORT_DOCTOR_SLURMD_H

#include "report/doctor_view.h"

/* The node's name that the running slurmd was given (-N), which its host need not
 * have; false: none runs here, or it goes by the host's. Reads doctor->root only. */
bool doctor_slurmd_name(const struct doctor *doctor, char *name, size_t room);

/* 'spec': the OS CPUs that Slurm withholds from every job. */
void doctor_slurmd(const struct doctor *doctor, const struct cpuset *spec);

#endif
