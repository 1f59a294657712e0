/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting.h - set parameters of a Lustre client for a job, and restore them
 *
 * They are written without lctl: writing one of the table does not wait for a server.
 *
 * Terms   parameters: an entry of the journal has the devices of one instance that are
 *           of the same kind, have the same values and are given the same, with the
 *           target "work-ffff9a2c41d08000:4711 osc 0-7,9". 4711 is the inode of the
 *           instance's folder: another mount of the filesystem may have the same
 *           address, and is not written.
 * Owner   constant.
 * Errors  as in client/change.h.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_LUSTRE_SETTING_H
#define JOBIO_CLIENT_LUSTRE_SETTING_H

#include "client/change.h"

extern const struct change_kind lustre_parameters;

#endif
