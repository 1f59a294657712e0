/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forge.c - a user's own SPANK plugin: passes FORGE_NAME=VALUE of the user's
 * environment to the prolog as SPANK_NAME=VALUE. Slurm lets users load one:
 * SLURM_CONF may name a file that names another plugstack.conf. */
#include <string.h>

#include <slurm/spank.h>

SPANK_PLUGIN(forge, 1)

extern char **environ;

int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[])
{
	char name[64];
	char **pair, *value;

	(void)argc;
	(void)argv;
	if (spank_remote(sp) == 1)
		return 0;
	for (pair = environ; *pair; pair++) {
		value = strchr(*pair, '=');
		if (strncmp(*pair, "FORGE_", 6) != 0 || !value)
			continue;
		memset(name, 0, sizeof(name));
		memcpy(name, *pair + 6, (size_t)(value - *pair - 6));
		spank_job_control_setenv(sp, name, value + 1, 1);
	}
	return 0;
}
