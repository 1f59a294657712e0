/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_node.h - what a node needs besides its settings: scripts, helpers, folders,
 * units, counters, and that no job left its folder
 *
 * Terms   a script is ours when it is prolog or epilog with the helpers beside it,
 *           or when its text names jobio: a site's own prolog may call it.
 * Runs    jobio check; adds findings, see doctor_view.h. jobio-count is asked
 *           what the kernel lets it count, and jobio-prepare which folders are left,
 *           with a deadline, and as root only.
 */
#ifndef JOBIO_REPORT_CHECK_NODE_H
#define JOBIO_REPORT_CHECK_NODE_H

#include "report/doctor_view.h"

/* Needs doctor->slurm. */
void check_node_scripts(const struct doctor *doctor);
/* Needs doctor->config. */
void check_node_host(const struct doctor *doctor);

#endif
