/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_cloud.h - are nodes taken away with records on their disk?
 *
 * Terms   of a cloud: State=CLOUD in slurm.conf, so that its machine, and what is
 *           on its disk, is there only while Slurm wants it.
 *         soon: SuspendProgram comes as a job has ended (PowerDownOnIdle), or within
 *           a minute (SuspendTime).
 * Runs    jobio check, on such a node and on slurmctld's host; adds finding J15, see
 *           doctor_view.h. Of several nodes in one line the first is looked at.
 */
#ifndef JOBIO_REPORT_CHECK_CLOUD_H
#define JOBIO_REPORT_CHECK_CLOUD_H

#include "report/doctor_view.h"

/* Needs doctor->config; slurm.conf as far as it is known. */
void check_cloud(const struct doctor *doctor);

#endif
