/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/host.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/sysfs.h"

int host_name(char *name, size_t size)
{
	if (gethostname(name, size) < 0) {
		*name = '\0';
		return -1;
	}
	name[size - 1] = '\0';
	name[strcspn(name, ".")] = '\0';
	return 0;
}

int host_node_name(char *name, size_t size)
{
	const char *given = getenv("SLURMD_NODENAME");

	if (!given || !*given)
		return host_name(name, size);
	snprintf(name, size, "%s", given);
	return 0;
}

void host_boot_id(char *boot_id, size_t size)
{
	if (sysfs_line("/proc/sys/kernel/random/boot_id", boot_id, size) < 0)
		*boot_id = '\0';
}

const char *host_slurm_conf(const char *root)
{
	/* of the Slurm that jobio was configured with, of packages, of slurmd without a file of its
	 * own ("configless"), of Debian until 10, of Slurm's own make install */
	static const char *const usual[] = {
#ifdef JOBIO_SLURM_CONF
		JOBIO_SLURM_CONF,
#endif
		HOST_SLURM_CONF,
		"/run/slurm/conf/slurm.conf",
		"/etc/slurm-llnl/slurm.conf",
		"/usr/local/etc/slurm.conf",
	};
	const char *named = getenv("SLURM_CONF");
	char path[PATH_MAX];
	size_t i;

	if (named && *named && !*root)
		return named;
	for (i = 0; i < ARRAY_SIZE(usual); i++) {
		snprintf(path, sizeof(path), "%s%s", root, usual[i]);
		if (access(path, F_OK) == 0)
			return usual[i];
	}
	return NULL;
}

bool host_is_daemon(const char *comm, const char *daemon)
{
	size_t length = strlen(daemon);

	return !strncmp(comm, daemon, length) && (!comm[length] || !strcmp(comm + length, "-wlm"));
}
