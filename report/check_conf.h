/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_conf.h - jobio.conf as a whole: who may write it, and what in it cannot
 * work although each line is right
 *
 * Runs    jobio check; adds findings (J04 and later), see doctor_view.h.
 */
#ifndef JOBIO_REPORT_CHECK_CONF_H
#define JOBIO_REPORT_CHECK_CONF_H

#include "report/doctor_view.h"

/* Needs doctor->config; slurm.conf and the node as far as they are known. */
void check_conf(const struct doctor *doctor);

#endif
