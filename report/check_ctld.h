/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_ctld.h - does slurmctld run with what slurm.conf says?
 *
 * Runs    jobio check, on login hosts and on slurmctld's; never on nodes, which
 *           would ask by the hundred. Adds findings, see doctor_view.h.
 */
#ifndef JOBIO_REPORT_CHECK_CTLD_H
#define JOBIO_REPORT_CHECK_CTLD_H

#include "report/doctor_view.h"

void check_ctld(const struct doctor *doctor);

#endif
