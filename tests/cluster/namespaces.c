/* SPDX-License-Identifier: GPL-2.0-or-later */
/* namespaces.c - a SPANK plugin that moves each task into a user, mount and cgroup namespace of its
 * own in slurm_spank_task_init, as pyxis 0.24 does (pyxis_slurmstepd.c), if the job has
 * NAMESPACES in its environment. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/spank.h>

SPANK_PLUGIN(namespaces, 1)

int slurm_spank_task_init(spank_t sp, int argc, char *argv[])
{
	char wanted[8] = "";

	(void)argc;
	(void)argv;
	if (spank_getenv(sp, "NAMESPACES", wanted, sizeof(wanted)) != ESPANK_SUCCESS)
		return 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWCGROUP) < 0) {
		perror("namespaces: unshare");
		_Exit(77);
	}
	return 0;
}
