/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - what this host is called, since when it runs, where slurm.conf is
 *
 * Terms   name: as slurmd says it in SLURMD_NODENAME; else the host's name
 *           without the domain.
 *         boot id: a word that the kernel makes anew at every boot.
 * Owner   the caller gives the buffers; host_slurm_conf() returns a constant
 *           or borrows from the environment.
 * Errors  -1, NULL or "": unknown; no sentence, because each reader has its
 *           own way to go on.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_HOST_H
#define JOBIO_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Where slurm.conf is when nothing says otherwise. */
#define HOST_SLURM_CONF "/etc/slurm/slurm.conf"

/* The host's name, without the domain; "" unknown. */
int host_name(char *name, size_t size);
/* NodeName as slurmd told it, else the host's name. */
int host_node_name(char *name, size_t size);

/* "" unknown; 64 bytes are enough. */
void host_boot_id(char *boot_id, size_t size);

/* SLURM_CONF, else the first of the usual places where there is one, that of
 * configure --with-slurm before all others; NULL: there is none. With a root that is not "", only the usual places below it;
 * the answer is without it. */
const char *host_slurm_conf(const char *root);

/* Is this the name of a process that is Slurm's "slurmd", or another daemon of
 * its? Since 23.11 scontrol reconfigure has a daemon start its own file anew, and
 * that is slurmd-wlm on Debian. */
bool host_is_daemon(const char *comm, const char *daemon);

#endif
