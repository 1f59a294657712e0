/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_host.h - kernel parameters, modules, and what the kernel does
 *
 * Runs    jobio check; adds findings, see doctor_view.h.
 */
#ifndef JOBIO_REPORT_DOCTOR_HOST_H
#define JOBIO_REPORT_DOCTOR_HOST_H

#include "report/doctor_view.h"

void doctor_host(const struct doctor *doctor);

#endif
