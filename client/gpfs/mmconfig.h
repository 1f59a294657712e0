/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmconfig.h - settings of the node's mmfsd for a job
 *
 * mmchconfig is a command of the cluster: it changes and spreads the cluster's
 * configuration, one call at a time. So it is run for one node, for a change
 * that lasts until mmfsd ends (-I), only where the site says so, and in no more
 * places at once than the site says, counted by locks on bytes of one file that
 * all nodes share. Otherwise, and for what takes a restart of mmfsd, a profile is
 * advice: a finding.
 *
 * Terms   a change has what "mmconfig", as target "mmfsd", as values words
 *           ("maxMBpS=24000,fsyncIsGlobal=0"); yes and no are 1 and 0.
 * Owner   constant.
 * Errors  findings, as in change.h.
 * Runs    as client.h says; for gpfs.c only.
 */
#ifndef JOBIO_CLIENT_GPFS_MMCONFIG_H
#define JOBIO_CLIENT_GPFS_MMCONFIG_H

#include "client/change.h"

extern const struct change_kind gpfs_mmconfig;

#endif
