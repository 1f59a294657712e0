/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gpfs.h - IBM Storage Scale's client, an entry of the table in client.c
 *
 * Owner   constant.
 * Errors  as in client.h.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_GPFS_GPFS_H
#define JOBIO_CLIENT_GPFS_GPFS_H

#include "client/type.h"

extern const struct client_type_ops gpfs_type;

#endif
