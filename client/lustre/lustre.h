/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lustre.h - the Lustre client, an entry of the table in client/client.c
 *
 * Terms   as in the other headers of this folder.
 * Owner   constant.
 * Errors  as in client/client.h.
 * Runs    as in client/client.h.
 */
#ifndef JOBIO_CLIENT_LUSTRE_LUSTRE_H
#define JOBIO_CLIENT_LUSTRE_LUSTRE_H

#include "client/type.h"

extern const struct client_type_ops lustre_type;

#endif
