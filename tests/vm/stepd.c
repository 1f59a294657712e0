/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stepd PLUGIN CONF JOB STEP NAMESPACE COMMAND... - a slurmstepd with one plugin
 *
 * Runs COMMAND as the only task of a step, in the mount namespace of the file NAMESPACE,
 * and calls the plugin as Slurm does (mgr.c): init and init_post_opt,
 * task_init_privileged in the namespace, task_post_fork, task_exit, exit. Without the
 * gate. Exit status: that of COMMAND. */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/stepd.h"

static void *plugin;

static void call(const char *name, int argc, char *argv[])
{
	int (*fn)(spank_t, int, char *[]);

	*(void **)&fn = dlsym(plugin, name);
	if (fn)
		fn(NULL, argc, argv);
}

static void be_task(const char *namespace, char *command[])
{
	int fd = open(namespace, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNS) < 0) {
		perror(namespace);
		_exit(126);
	}
	call("slurm_spank_task_init_privileged", 0, NULL);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char *argv[])
{
	char conf[512], *arguments[] = { conf };
	int status = 0;

	if (argc < 7) {
		fprintf(stderr, "usage: stepd PLUGIN CONF JOB STEP NAMESPACE COMMAND...\n");
		return 2;
	}
	plugin = dlopen(argv[1], RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	snprintf(conf, sizeof(conf), "conf=%s", argv[2]);
	fake.job_id = (uint32_t)strtoul(argv[3], NULL, 10);
	fake.step_id = (uint32_t)strtoul(argv[4], NULL, 10);
	call("slurm_spank_init", 1, arguments);
	call("slurm_spank_init_post_opt", 1, arguments);
	if (fork() == 0)
		be_task(argv[5], argv + 6);
	call("slurm_spank_task_post_fork", 0, NULL);
	wait(&status);
	call("slurm_spank_task_exit", 0, NULL);
	call("slurm_spank_exit", 0, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
