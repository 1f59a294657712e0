/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_slurm.h - slurm.conf, cgroup.conf and plugstack.conf
 *
 * Runs    jobio check; adds findings, see doctor_view.h.
 */
#ifndef JOBIO_REPORT_DOCTOR_SLURM_H
#define JOBIO_REPORT_DOCTOR_SLURM_H

#include "report/doctor_view.h"

void doctor_slurm(const struct doctor *doctor);

#endif
