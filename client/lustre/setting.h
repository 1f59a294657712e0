/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting.h - parameters of a Lustre client, set for a job and put back
 *
 * They are written by ourselves, without lctl: storing one of the table waits
 * for no server.
 *
 * Terms   parameters: of the devices of one instance that are of one kind, have
 *           the same values and get the same: one entry of the journal, with the
 *           target "work-ffff9a2c41d08000:4711 osc 0-7,9". 4711 is the inode of
 *           the instance's folder: the address alone may come again when the
 *           filesystem is mounted anew, and such a mount is not written.
 *         jobid: what the node tells the servers of whose I/O it is, target
 *           "node": jobid_name the site's template with the job's number for %j,
 *           jobid_var nodelocal. For jobs that have the node alone, where the site
 *           has jobid= or the profile says "jobid", which is %j without jobid=.
 * Owner   constant.
 * Errors  as in client/change.h.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_LUSTRE_SETTING_H
#define JOBIO_CLIENT_LUSTRE_SETTING_H

#include "client/change.h"

extern const struct change_kind lustre_parameters, lustre_jobid;

#endif
