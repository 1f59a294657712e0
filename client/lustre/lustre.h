/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lustre.h - the Lustre client, a row of the table in client/client.c
 *
 * Terms   as in the headers beside this one.
 * Owner   constant.
 * Errors  as in client/client.h.
 * Runs    as client/client.h says.
 */
#ifndef JOBIO_CLIENT_LUSTRE_LUSTRE_H
#define JOBIO_CLIENT_LUSTRE_LUSTRE_H

#include "client/type.h"

extern const struct client_type_ops lustre_type;

#endif
