/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmconfig.h - advice about the settings of the node's mmfsd
 *
 * mmchconfig is a command of the cluster: each call changes and distributes the cluster's
 * configuration. So a profile is advice only: a finding has the difference and the
 * command for the administrator.
 *
 * Terms   yes and no are 1 and 0.
 * Owner   constant.
 * Errors  findings, as in change.h. Nothing is planned, made or undone.
 * Runs    as in client.h; for gpfs.c only.
 */
#ifndef JOBIO_CLIENT_GPFS_MMCONFIG_H
#define JOBIO_CLIENT_GPFS_MMCONFIG_H

#include "client/change.h"

extern const struct change_kind gpfs_mmconfig;

#endif
