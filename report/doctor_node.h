/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_node.h - the node line against the machine and the client
 *
 * Runs    jobio check; adds findings, see doctor_view.h.
 */
#ifndef JOBIO_REPORT_DOCTOR_NODE_H
#define JOBIO_REPORT_DOCTOR_NODE_H

#include "report/doctor_view.h"

/* Sets has_node, state and mem_spec_limit_mb. */
void doctor_find_node(struct doctor *doctor);
void doctor_node(const struct doctor *doctor);

#endif
