/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stepd.h - functions of slurmstepd that a plugin calls
 *
 * Stands for slurmstepd with one SPANK plugin: the step and the task in 'fake', the
 * process's environment, and no job control environment, as in remote context. Errors
 * are printed to stderr, which is the job's output; other levels to fake.log, if set,
 * as to slurmd's log. The program that includes this file calls the plugin. */
#ifndef JOBIO_TESTS_VM_STEPD_H
#define JOBIO_TESTS_VM_STEPD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <slurm/spank.h>

static struct {
	spank_context_t context; /* 0: S_CTX_REMOTE */
	uint32_t job_id, step_id, uid, nodes;
	int task, node; /* task and node of the step */
	uint32_t array_job, array_task;
	bool is_array;	      /* false: array items are not available */
	const char *profile;  /* --io-profile in the step's options, or NULL */
	spank_item_t missing; /* an item that is not available */
	bool is_missing;
	FILE *log;
	struct spank_option last;
} fake;

spank_context_t spank_context(void)
{
	return fake.context ? fake.context : S_CTX_REMOTE;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *opt)
{
	(void)sp;
	fake.last = *opt;
	return ESPANK_SUCCESS;
}

/* Option callbacks between init and init_post_opt (plugstack.c:spank_stack_post_opt), twice as in
 * Slurm before 24.05. */
__attribute__((unused)) static void fake_options(void)
{
	int i;

	for (i = 0; i < 2 && fake.profile; i++)
		fake.last.cb(fake.last.val, fake.profile, 1);
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	spank_err_t rc = ESPANK_SUCCESS;
	va_list args;

	(void)sp;
	va_start(args, item);
	if (fake.is_missing && item == fake.missing)
		rc = ESPANK_NOT_AVAIL;
	else if (item == S_JOB_ID)
		*va_arg(args, uint32_t *) = fake.job_id;
	else if (item == S_JOB_STEPID)
		*va_arg(args, uint32_t *) = fake.step_id;
	else if (item == S_TASK_ID)
		*va_arg(args, int *) = fake.task;
	else if (item == S_JOB_UID)
		*va_arg(args, uint32_t *) = fake.uid;
	else if (item == S_JOB_NNODES)
		*va_arg(args, uint32_t *) = fake.nodes;
	else if (item == S_JOB_NODEID)
		*va_arg(args, uint32_t *) = (uint32_t)fake.node;
	else if (item == S_JOB_ARRAY_ID && fake.is_array)
		*va_arg(args, uint32_t *) = fake.array_job;
	else if (item == S_JOB_ARRAY_TASK_ID && fake.is_array)
		*va_arg(args, uint32_t *) = fake.array_task;
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

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value, int overwrite)
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

spank_err_t spank_job_control_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	(void)sp;
	(void)name;
	(void)value;
	(void)overwrite;
	return ESPANK_NOT_LOCAL;
}

spank_err_t spank_job_control_getenv(spank_t sp, const char *name, char *buf, int len)
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
	fputs("slurmstepd: error: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void fake_log(const char *level, const char *format, va_list args)
{
	if (!fake.log)
		return;
	fprintf(fake.log, "%s: ", level);
	vfprintf(fake.log, format, args);
	fputc('\n', fake.log);
}

void slurm_info(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fake_log("info", format, args);
	va_end(args);
}

void slurm_verbose(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fake_log("verbose", format, args);
	va_end(args);
}

#endif
