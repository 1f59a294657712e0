/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stepd PLUGIN CONF JOB STEP NAMESPACE COMMAND... - a slurmstepd with one plugin
 *
 * Runs COMMAND as the only task of a step, in the mount namespace that NAMESPACE
 * is a file of, and calls the plugin where Slurm does (mgr.c): init and
 * init_post_opt, task_init_privileged in the namespace, task_post_fork, task_exit,
 * exit. The gate is left out. Exit status: that of COMMAND. */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

static uint32_t job_id, step_id;

/* ---- spank.h: what the plugin asks for ------------------------------------------ */

spank_context_t spank_context(void)
{
	return S_CTX_REMOTE;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *opt)
{
	(void)sp;
	(void)opt;
	return ESPANK_SUCCESS;
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	spank_err_t rc = ESPANK_SUCCESS;
	va_list args;

	(void)sp;
	va_start(args, item);
	if (item == S_JOB_ID)
		*va_arg(args, uint32_t *) = job_id;
	else if (item == S_JOB_STEPID)
		*va_arg(args, uint32_t *) = step_id;
	else if (item == S_TASK_ID || item == S_JOB_NODEID)
		*va_arg(args, int *) = 0;
	else
		rc = ESPANK_NOT_AVAIL;
	va_end(args);
	return rc;
}

spank_err_t spank_getenv(spank_t sp, const char *name, char *buf, int len)
{
	const char *value = getenv(name);

	(void)sp;
	if (!value)
		return ESPANK_ENV_NOEXIST;
	snprintf(buf, (size_t)len, "%s", value);
	return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value,
			 int overwrite)
{
	(void)sp;
	setenv(name, value, overwrite);
	return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
	(void)sp;
	unsetenv(name);
	return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_setenv(spank_t sp, const char *name,
				     const char *value, int overwrite)
{
	(void)sp;
	(void)name;
	(void)value;
	(void)overwrite;
	return ESPANK_NOT_LOCAL;
}

spank_err_t spank_job_control_getenv(spank_t sp, const char *name, char *buf,
				     int len)
{
	(void)sp;
	(void)name;
	(void)buf;
	(void)len;
	return ESPANK_NOT_LOCAL;
}

spank_err_t spank_job_control_unsetenv(spank_t sp, const char *name)
{
	(void)sp;
	(void)name;
	return ESPANK_NOT_LOCAL;
}

void slurm_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

void slurm_info(const char *format, ...)
{
	(void)format;
}

void slurm_verbose(const char *format, ...)
{
	(void)format;
}

/* ---- a step --------------------------------------------------------------------- */

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
		fprintf(stderr, "usage: stepd PLUGIN CONF JOB STEP NAMESPACE "
				"COMMAND...\n");
		return 2;
	}
	plugin = dlopen(argv[1], RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	snprintf(conf, sizeof(conf), "conf=%s", argv[2]);
	job_id = (uint32_t)strtoul(argv[3], NULL, 10);
	step_id = (uint32_t)strtoul(argv[4], NULL, 10);
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
