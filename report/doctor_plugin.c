/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's programs take a SPANK plugin with dlopen(), find what it needs of
 * Slurm in themselves (libslurmfull), and refuse one that was built for another
 * release (plugin.c:_verify_syms). All of that is done here, in a
 * child; undefined symbols are looked for at once, which Slurm does not: its
 * users would meet them in the middle of a job.
 */
#include "report/doctor_plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/child.h"

#define LOAD_MS 10000U
#define FULL "libslurmfull.so"

struct trial {
	char plugin[PATH_MAX];
	char full[PATH_MAX];	/* libslurmfull.so; "": not found */
	char another[PATH_MAX]; /* a plugin of Slurm's own; "": not found */
	const char *dirs;
};

/* The first folder of "DIR:DIR" that has the file; -1: none. */
static int find_in(const char *dirs, const char *name, char path[PATH_MAX])
{
	const char *at = dirs, *end;

	for (; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		if (snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - at), at, name) < PATH_MAX &&
		    access(path, F_OK) == 0)
			return 0;
	}
	*path = '\0';
	return -1;
}

static void find_slurm(struct trial *trial)
{
	static const char *const own[] = { "auth_munge.so", "auth_none.so", "select_cons_tres.so",
					   "task_affinity.so" };
	size_t i;

	if (find_in(trial->dirs, FULL, trial->full) < 0)
		find_in(trial->dirs, "../" FULL, trial->full);
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (find_in(trial->dirs, own[i], trial->another) == 0)
			return;
}

/* ---- in the child -------------------------------------------------------- */

static unsigned int release_of(void *handle)
{
	const uint32_t *version = dlsym(handle, "plugin_version");

	return version ? *version & 0xffff00 : 0;
}

static void print_release(const char *before, unsigned int release)
{
	printf("%s%u.%02u", before, release >> 16, release >> 8 & 0xff);
}

/* Nothing is printed where all is well. */
static int load(void *arg)
{
	const struct trial *trial = arg;
	void *plugin, *another;
	unsigned int built_for, here;
	const char *type;

	if (*trial->full && !dlopen(trial->full, RTLD_NOW | RTLD_GLOBAL)) {
		printf("Slurm's own library cannot be loaded: %s", dlerror());
		return 0;
	}
	plugin = dlopen(trial->plugin, (*trial->full ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
	if (!plugin) {
		printf("it cannot be loaded: %s", dlerror());
		return 0;
	}
	type = dlsym(plugin, "plugin_type");
	if (!type || strcmp(type, "spank") != 0) {
		fputs("it is no SPANK plugin", stdout);
		return 0;
	}
	another = *trial->another ? dlopen(trial->another, RTLD_LAZY) : NULL;
	built_for = release_of(plugin);
	here = another ? release_of(another) : 0;
	if (!here || built_for == here)
		return 0;
	print_release("it was built for Slurm ", built_for);
	print_release(", and Slurm here is ", here);
	fputs(", which refuses it", stdout);
	return 0;
}

/* ---- findings ------------------------------------------------------------ */

static void tell(const struct doctor *doctor, const struct trial *trial, const char *plugin,
		 const char *why)
{
	char cure[ERR_MAX];

	snprintf(
		cure, sizeof(cure),
		"build jobio with this host's Slurm and install it there: ./configure --with-slurm-plugindir=%.*s && make install",
		(int)strcspn(trial->dirs, ":"), trial->dirs);
	findings_add(
		doctor->findings, "S16", FINDING_ERROR, cure,
		"%s: %s: jobs have no --io-cores and tasks no gate on this host, and every job may print an error",
		plugin, why);
}

void doctor_plugin(const struct doctor *doctor, const char *word)
{
	const char *dirs = slurm_conf_get(doctor->slurm, "PluginDir");
	struct trial trial = { .dirs = dirs ? dirs : JOBIO_PLUGINDIR };
	struct child_result result = { 0 };
	char why[ERR_MAX];
	struct err err;

	if (*doctor->root)
		return; /* the files of another host */
	if (*word == '/')
		snprintf(trial.plugin, sizeof(trial.plugin), "%s", word);
	else
		find_in(trial.dirs, word, trial.plugin);
	if (!*trial.plugin || access(trial.plugin, F_OK) < 0) {
		snprintf(why, sizeof(why), "it is not there%s%.300s", *word == '/' ? "" : ", in ",
			 *word == '/' ? "" : trial.dirs);
		tell(doctor, &trial, word, why);
		return;
	}
	find_slurm(&trial);
	if (child_call("loading jobio.so", load, &trial, LOAD_MS, &result, &err) < 0)
		tell(doctor, &trial, trial.plugin, err.text);
	else if (result.status != 0)
		tell(doctor, &trial, trial.plugin, "to load it ends a program");
	else if (*result.out)
		tell(doctor, &trial, trial.plugin, result.out);
	child_result_free(&result);
}
