/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - name, boot ID and slurm.conf of this host
 *
 * Terms   name: from slurmd, in SLURMD_NODENAME; else the host's name without
 *           the domain.
 *         boot id: a word that the kernel makes at every boot.
 * Owner   the caller provides the buffers; host_slurm_conf() returns a constant
 *           or borrows from the environment.
 * Errors  -1, NULL or "": unknown; no message, because callers continue in
 *           different ways.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_BASE_HOST_H
#define JOBIO_BASE_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Default place of slurm.conf. */
#define HOST_SLURM_CONF "/etc/slurm/slurm.conf"

/* Get the host's name, without the domain; "" unknown. */
int host_name(char *name, size_t size);
/* Get NodeName from slurmd, else the host's name. */
int host_node_name(char *name, size_t size);

/* "" unknown; 64 bytes are enough. */
void host_boot_id(char *boot_id, size_t size);

/* Return SLURM_CONF, else the first of the usual places that exists, that of configure --with-slurm
 * before all others; NULL: none. With a root that is not "", only the usual places below it; the
 * result is without it. */
const char *host_slurm_conf(const char *root);

/* Return true if 'comm' is the process name of Slurm's "slurmd", or another of its daemons. Since
 * 23.11 scontrol reconfigure makes a daemon start its own file again, which is slurmd-wlm on
 * Debian. */
bool host_is_daemon(const char *comm, const char *daemon);

#endif
