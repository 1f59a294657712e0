/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_slurm.h - a Slurm client small enough to see through
 *
 * Stands in for sbatch, salloc or srun with one SPANK plugin: options, job
 * control environment, the client's option record. fake_submit() plays one
 * component of a job in Slurm's order (sbatch/opt.c): #SBATCH lines,
 * environment, command line, init_post_opt. Compile with
 * -Ddlsym=fake_dlsym: what the plugin looks up is found here, or is missing. */
#ifndef JOBIO_TESTS_UNIT_FAKE_SLURM_H
#define JOBIO_TESTS_UNIT_FAKE_SLURM_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/spank.h>

#include "spank/option.h"

static struct {
	const char *command;	 /* the client's record: "sbopt", ... */
	const char *missing;	 /* a symbol that this client lacks */
	const char *core_spec;	 /* as the user gave it, or NULL */
	const char *thread_spec; /* likewise */
	const char *jobid;	 /* srun --jobid */
	const char *clusters;	 /* -M */
	const char *partition;	 /* -p */
	const char *allow;	 /* slurm.conf: AllowSpecResourcesUsage */
	const char *select;	 /* slurm.conf: SelectType */
	bool no_letters;	 /* of the table of options */
	int table_status;	 /* it exits when asked for the table; 0: no */
	bool env_is_full;	 /* spank_job_control_setenv fails */
	bool takes_no_core_spec; /* slurm_option_set fails */
	const char *takes_only;	 /* whatever slurm_option_set is told; "": nothing */
	const char *not_taken;	 /* spank_option_register refuses this one */
	char core_spec_text[16];
	struct spank_option options[8];
	int option_count;
	char job_env[8][2][128];
	int job_env_count;
	enum option_question answered;
} fake;

static const struct spank_handle *const fake_spank = (void *)&fake;

/* ---- spank.h ------------------------------------------------------------- */

spank_context_t spank_context(void)
{
	return strcmp(fake.command, "sropt") ? S_CTX_ALLOCATOR : S_CTX_LOCAL;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *opt)
{
	(void)sp;
	if (fake.not_taken && !strcmp(opt->name, fake.not_taken))
		return ESPANK_BAD_ARG;
	fake.options[fake.option_count++] = *opt;
	return ESPANK_SUCCESS;
}

static int fake_env_find(const char *name)
{
	int i;

	for (i = 0; i < fake.job_env_count; i++)
		if (!strcmp(fake.job_env[i][0], name))
			return i;
	return -1;
}

/* NULL when the job would not carry it */
static const char *fake_job_env(const char *name)
{
	int i = fake_env_find(name);

	return i < 0 ? NULL : fake.job_env[i][1];
}

spank_err_t spank_job_control_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	int i = fake_env_find(name);

	(void)sp;
	if (fake.env_is_full)
		return ESPANK_NOSPACE;
	if (i >= 0 && !overwrite)
		return ESPANK_ENV_EXISTS;
	if (i < 0)
		i = fake.job_env_count++;
	snprintf(fake.job_env[i][0], sizeof(fake.job_env[i][0]), "%s", name);
	snprintf(fake.job_env[i][1], sizeof(fake.job_env[i][1]), "%s", value);
	return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_getenv(spank_t sp, const char *name, char *buf, int len)
{
	const char *value = fake_job_env(name);

	(void)sp;
	if (!value)
		return ESPANK_ENV_NOEXIST;
	snprintf(buf, (size_t)len, "%s", value);
	return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_unsetenv(spank_t sp, const char *name)
{
	int i = fake_env_find(name);

	(void)sp;
	if (i >= 0)
		memmove(fake.job_env[i], fake.job_env[i + 1],
			sizeof(fake.job_env[0]) * (size_t)(--fake.job_env_count - i));
	return ESPANK_SUCCESS;
}

/* ---- what dlsym finds in a client ---------------------------------------- */

static bool fake_isset(void *opt, const char *name)
{
	(void)opt;
	if (!strcmp(name, "core-spec"))
		return fake.core_spec != NULL;
	if (!strcmp(name, "thread-spec"))
		return fake.thread_spec != NULL;
	if (!strcmp(name, "jobid"))
		return fake.jobid != NULL;
	if (!strcmp(name, "partition"))
		return fake.partition != NULL;
	return !strcmp(name, "clusters") && fake.clusters != NULL;
}

static char *fake_get(void *opt, const char *name)
{
	(void)opt;
	if (!strcmp(name, "partition"))
		return (char *)fake.partition;
	return (char *)(strcmp(name, "core-spec") ? NULL : fake.core_spec);
}

static int fake_set(void *opt, const char *name, const char *value, bool early)
{
	(void)opt;
	if (strcmp(name, "core-spec") || early || fake.takes_no_core_spec)
		return -1;
	if (fake.takes_only)
		value = fake.takes_only;
	snprintf(fake.core_spec_text, sizeof(fake.core_spec_text), "%s", value);
	fake.core_spec = *value ? fake.core_spec_text : NULL;
	return 0;
}

static struct {
	const char *name, *value;
} fake_pairs[3];
static int fake_pair;

static void *fake_conf_pairs(void *conf)
{
	(void)conf;
	fake_pairs[0].name = "AllowSpecResourcesUsage";
	fake_pairs[0].value = fake.allow;
	fake_pairs[1].name = "SelectType";
	fake_pairs[1].value = fake.select;
	return fake_pairs;
}

static void *fake_list_begin(void *list)
{
	fake_pair = 0;
	return list;
}

static void *fake_list_next(void *iterator)
{
	(void)iterator;
	return fake_pair < 2 ? &fake_pairs[fake_pair++] : NULL;
}

static void fake_list_end(void *iterator)
{
	(void)iterator;
}

/* slurm_opt.c: the options that this client has, ours included */
static struct option *fake_table(void *opt, char **letters)
{
	static struct option table[] = {
		{ "io-cores", required_argument, NULL, 1000 },
		{ "job-name", required_argument, NULL, 'J' },
		{ "ntasks", required_argument, NULL, 'n' },
		{ "io-profile", required_argument, NULL, 1001 },
		{ NULL, 0, NULL, 0 },
	};
	static char all[] = "+J:n:";

	(void)opt;
	if (fake.table_status)
		exit(fake.table_status);
	if (!fake.no_letters)
		*letters = all;
	return table;
}

static void *fake_pointer(void (*function)(void))
{
	void *pointer;

	memcpy(&pointer, &function, sizeof(pointer));
	return pointer;
}

void *fake_dlsym(void *handle, const char *symbol);
void *fake_dlsym(void *handle, const char *symbol)
{
	static int record;
	const struct {
		const char *symbol;
		void *address;
	} table[] = {
		{ fake.command, &record },
		{ "opt", &record },
		{ "slurm_conf", &record },
#define FUNCTION(symbol, function) { symbol, fake_pointer((void (*)(void))(function)) }
		FUNCTION("slurm_option_isset", fake_isset),
		FUNCTION("slurm_option_get", fake_get),
		FUNCTION("slurm_option_set", fake_set),
		FUNCTION("slurm_option_table_create", fake_table),
		FUNCTION("slurm_ctl_conf_2_key_pairs", fake_conf_pairs),
		FUNCTION("slurm_list_iterator_create", fake_list_begin),
		FUNCTION("slurm_list_next", fake_list_next),
		FUNCTION("slurm_list_iterator_destroy", fake_list_end),
	};
	size_t i;

	(void)handle;
	if (fake.missing && !strcmp(symbol, fake.missing))
		return NULL;
	for (i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].symbol, symbol))
			return table[i].address;
	return NULL;
}

/* ---- playing a submission ------------------------------------------------ */

static void fake_answer(enum option_question question)
{
	fake.answered = question;
}

static const char *fake_spank_env(const struct spank_option *option)
{
	return strcmp(option->name, "io-cores") ? "SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_profile"
						: "SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores";
}

__attribute__((unused)) static void fake_start(const char *command)
{
	memset(&fake, 0, sizeof(fake));
	fake.command = command;
	fake.allow = "Yes";
	fake.select = "select/cons_tres";
	option_register((spank_t)fake_spank, fake_answer, NULL);
}

/* A callback that fails would end the client without a word. */
static void fake_call(const struct spank_option *option, const char *value)
{
	if (option->cb(option->val, value, 0) != 0)
		abort();
}

/* "--io-cores=2 --io-profile=x", as #SBATCH lines or as a command line. Words
 * that are not ours are skipped. */
static void fake_words(const char *words, const char *last[2])
{
	char *copy = strdup(words), *word, *state = NULL, *value;
	int i;

	for (word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		value = strchr(word, '=');
		*value++ = '\0';
		for (i = 0; i < fake.option_count; i++) {
			if (strcmp(word + 2, fake.options[i].name) != 0)
				continue;
			fake_call(&fake.options[i], value);
			free((char *)last[i]);
			last[i] = strdup(value);
		}
	}
	free(copy);
}

/* One component; what Slurm remembers of the one before stays (its "found" is
 * never reset, and _set_spank_env runs between components). */
__attribute__((unused)) static enum option_outcome
fake_submit(const char *sbatch_lines, const char *command_line, const char *conf, struct err *err)
{
	static const char *last[2];
	const char *value;
	int i;

	fake_words(sbatch_lines, last);
	for (i = 0; i < fake.option_count; i++) {
		value = getenv(fake_spank_env(&fake.options[i]));
		if (value)
			fake_call(&fake.options[i], value);
	}
	fake_words(command_line, last);
	for (i = 0; i < fake.option_count; i++)
		if (last[i])
			setenv(fake_spank_env(&fake.options[i]), last[i], 1);
	err->text[0] = '\0';
	return option_settle((spank_t)fake_spank, conf, err);
}

#endif
