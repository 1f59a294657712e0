/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nic.h - network interfaces (NICs) of a client
 *
 * Terms   serves: use of the NIC: mount points, an LNet address, a container; several
 *           are joined by ",".
 * Owner   struct client_nics is a plain value.
 * Errors  none: what does not fit is left out.
 * Runs    everywhere; for client/ only.
 */
#ifndef JOBIO_CLIENT_NIC_H
#define JOBIO_CLIENT_NIC_H

#include "client/types.h"

/* Add a NIC, or add to 'serves' of an existing one. */
void nic_add(struct client_nics *nics, const char *name, int numa_node, const char *serves);

#endif
