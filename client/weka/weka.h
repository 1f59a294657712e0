/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weka.h - the WEKA client, an entry of the table in client.c
 *
 * Owner   constant.
 * Errors  as in client.h.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_WEKA_WEKA_H
#define JOBIO_CLIENT_WEKA_WEKA_H

#include "client/type.h"

extern const struct client_type_ops weka_type;

#endif
