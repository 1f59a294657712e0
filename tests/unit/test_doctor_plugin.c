/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Would Slurm take jobio.so? The loader's answers are the test's; with real libraries:
 * check_node.bats. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/doctor_plugin.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

/* A library; what it has of a Slurm plugin. */
static struct library {
	const char *path; /* below the test's folder */
	bool is_wrong;	  /* it cannot be loaded */
	uint32_t version; /* 0: it does not say */
	const char *type; /* NULL: likewise */
	int flags;
} libraries[8];

static size_t library_count;
static struct findings findings;
static struct doctor doctor;
static char plugin_dir[1000]; /* "": slurm.conf does not say */

/* ---- in the place of the loader, by these names (report.am) ------------------------ */

static const char *why;

void *its_dlopen(const char *path, int flags)
{
	size_t i;

	for (i = 0; i < library_count; i++) {
		if (strcmp(path, tempdir_path(libraries[i].path)) != 0)
			continue;
		if (libraries[i].flags != flags) {
			why = "with other flags";
			return NULL;
		}
		why = "it is broken";
		return libraries[i].is_wrong ? NULL : &libraries[i];
	}
	why = "nobody made it";
	return NULL;
}

char *its_dlerror(void)
{
	return (char *)why;
}

void *its_dlsym(void *handle, const char *name)
{
	struct library *library = handle;

	if (!strcmp(name, "plugin_version"))
		return library->version ? &library->version : NULL;
	return strcmp(name, "plugin_type") ? NULL : (void *)library->type;
}

/* ---- what a test says ------------------------------------------------------------- */

static struct library *add(const char *path, uint32_t version, int flags)
{
	struct library *library = &libraries[library_count++];

	*library = (struct library){
		.path = path, .version = version, .type = "spank", .flags = flags
	};
	tempdir_put(path, "");
	return library;
}

#define PLUGIN (RTLD_NOW | RTLD_LOCAL)
#define FULL (RTLD_NOW | RTLD_GLOBAL)
#define V24_11_5 0x180b05

static struct library *jobio, *full, *own;

/* jobio.so in the second of two folders, beside Slurm's own. */
static void begin(void)
{
	tempdir_make();
	library_count = 0;
	doctor = (struct doctor){ .root = "", .findings = &findings };
	jobio = add("b/jobio.so", V24_11_5, PLUGIN);
	full = add("b/libslurmfull.so", 0, FULL);
	own = add("b/auth_munge.so", V24_11_5, RTLD_LAZY);
	snprintf(plugin_dir, sizeof(plugin_dir), "PluginDir=%s:%s", tempdir_path("a"),
		 tempdir_path("b"));
}

/* What is found about this word of plugstack.conf. */
static const char *found(const char *word)
{
	struct err err;

	tempdir_put("slurm.conf", plugin_dir);
	doctor.slurm = slurm_conf_load(tempdir_name, "/slurm.conf", &err);
	ck_assert_msg(doctor.slurm != NULL, "%s", err.text);
	doctor_plugin(&doctor, word);
	slurm_conf_free(doctor.slurm);
	return said_findings(&findings);
}

/* It is refused for this reason, or is none's concern. */
static void expect(const char *reason)
{
	char wanted[2000] = "";

	if (reason)
		snprintf(
			wanted, sizeof(wanted),
			"S16 error %s: %s: jobs have no --io-cores and tasks no gate on this host, and every job may print an error; build jobio with this host's Slurm and install it there: ./configure --with-slurm-plugindir=%s && make install\n",
			tempdir_path("b/jobio.so"), reason, tempdir_path("a"));
	ck_assert_str_eq(found("jobio.so"), wanted);
}

START_TEST(a_plugin_of_this_release_is_taken)
{
	begin();
	expect(NULL);
	jobio->version = 0x180b00; /* within a release */
	expect(NULL);
	ck_assert_str_eq(found(tempdir_path("b/jobio.so")), "");
	/* of another host nothing can be loaded */
	jobio->is_wrong = true;
	expect("it cannot be loaded: it is broken");
	doctor.root = "/copy";
	expect(NULL);
	tempdir_remove();
}
END_TEST

START_TEST(a_plugin_of_another_release_is_refused)
{
	begin();
	jobio->version = 0x160508;
	expect("it was built for Slurm 22.05, and Slurm here is 24.11, which refuses it");
	jobio->version = 0;
	expect("it was built for Slurm 0.00, and Slurm here is 24.11, which refuses it");
	/* where no plugin says what Slurm is here */
	jobio->version = 0x160508;
	own->version = 0;
	expect(NULL);
	own->is_wrong = true;
	expect(NULL);
	tempdir_remove();
}
END_TEST

START_TEST(slurm_is_known_by_any_of_its_own_plugins)
{
	static const char *const names[] = { "a/auth_none.so", "b/select_cons_tres.so",
					     "b/task_affinity.so" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		begin();
		ck_assert_int_eq(remove(tempdir_path("b/auth_munge.so")), 0);
		jobio->version = 0x160508;
		expect(NULL);
		add(names[i], 0x170200, RTLD_LAZY);
		expect("it was built for Slurm 22.05, and Slurm here is 23.02, which refuses it");
		tempdir_remove();
	}
}
END_TEST

START_TEST(what_is_no_spank_plugin_is_told)
{
	begin();
	jobio->type = "auth/munge";
	expect("it is no SPANK plugin");
	jobio->type = NULL;
	expect("it is no SPANK plugin");
	tempdir_remove();
}
END_TEST

START_TEST(slurms_library_is_among_its_plugins_or_above_them)
{
	begin();
	full->is_wrong = true;
	expect("Slurm's own library cannot be loaded: it is broken");
	/* that of the first folder */
	add("a/libslurmfull.so", 0, FULL);
	expect(NULL);
	ck_assert_int_eq(remove(tempdir_path("a/libslurmfull.so")), 0);
	ck_assert_int_eq(remove(tempdir_path("b/libslurmfull.so")), 0);
	library_count--;
	/* without it not all that the plugin needs can be found */
	jobio->flags = RTLD_LAZY | RTLD_LOCAL;
	expect(NULL);
	add("libslurmfull.so", 0, FULL);
	full->path = "a/../libslurmfull.so";
	full->is_wrong = false;
	jobio->flags = PLUGIN;
	tempdir_put("a/x", "");
	expect(NULL);
	tempdir_remove();
}
END_TEST

START_TEST(the_first_folder_that_has_it_is_slurms)
{
	char wanted[1200];

	begin();
	add("a/jobio.so", 0x160508, PLUGIN);
	snprintf(wanted, sizeof(wanted), "S16 error %s: it was built for ",
		 tempdir_path("a/jobio.so"));
	said_expect(found("jobio.so"), wanted);
	/* where it is in none, they are named */
	snprintf(wanted, sizeof(wanted), "S16 error none.so: it is not there, in %s: jobs",
		 &plugin_dir[10]);
	said_expect(found("none.so"), wanted);
	said_expect(found("/no/jobio.so"), "S16 error /no/jobio.so: it is not there: jobs");
	*plugin_dir = '\0';
	said_expect(found("none.so"), "none.so: it is not there, in " JOBIO_PLUGINDIR ": jobs");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("doctor_plugin", a_plugin_of_this_release_is_taken,
	  a_plugin_of_another_release_is_refused, slurm_is_known_by_any_of_its_own_plugins,
	  what_is_no_spank_plugin_is_told, slurms_library_is_among_its_plugins_or_above_them,
	  the_first_folder_that_has_it_is_slurms)
