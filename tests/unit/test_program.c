/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's commands, as the shell of the caller would find them. */
#include <stdlib.h>
#include <string.h>

#include "report/program.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static char path[PROGRAM_PATH];
static struct err err;

/* "A=1 B=2 " */
static const char *given(const char *more)
{
	static struct program_env env;
	static char text[2 * PROGRAM_PATH];
	size_t i;

	memset(&env, 'x', sizeof(env));
	program_env(&env, more);
	*text = '\0';
	for (i = 0; env.list[i]; i++) {
		strcat(text, env.list[i]);
		strcat(text, " ");
	}
	return text;
}

START_TEST(a_command_gets_where_slurm_conf_is_and_the_time_zone)
{
	char longest[256] = "";

	setenv("SLURM_CONF", "/a/slurm.conf", 1);
	setenv("TZ", "UTC", 1);
	ck_assert_str_eq(given("X=1"), "X=1 SLURM_CONF=/a/slurm.conf TZ=UTC ");
	ck_assert_str_eq(given(NULL), "SLURM_CONF=/a/slurm.conf TZ=UTC ");
	unsetenv("SLURM_CONF");
	ck_assert_str_eq(given("X=1"), "X=1 TZ=UTC ");
	unsetenv("TZ");
	ck_assert_str_eq(given(NULL), "");
	/* what does not fit whole is left out */
	memset(longest, 'x', 253);
	setenv("TZ", longest, 1);
	ck_assert_str_eq(given(NULL), "");
	longest[252] = '\0';
	setenv("TZ", longest, 1);
	ck_assert_uint_eq(strlen(given(NULL)), strlen("TZ= ") + 252);
}
END_TEST

static void expect_found(const char *folders, const char *name,
			 const char *where)
{
	if (folders)
		setenv("PATH", folders, 1);
	else
		unsetenv("PATH");
	*err.text = '\0';
	ck_assert_int_eq(program_find(name, path, &err), where ? 0 : -1);
	if (where)
		ck_assert_str_eq(path, where);
}

START_TEST(a_command_is_looked_for_in_absolute_folders_in_their_order)
{
	char one[600], two[600], folders[2000];

	tempdir_make();
	tempdir_command("a/squeue", "#!/bin/sh\n: %s\n", one);
	tempdir_command("b/squeue", "#!/bin/sh\n: %s\n", two);
	tempdir_put("c/squeue", "nothing that runs");
	snprintf(folders, sizeof(folders), "%s/a:%s/b", tempdir_name,
		 tempdir_name);
	expect_found(folders, "squeue", one);
	snprintf(folders, sizeof(folders), "%s/none:.::%s/c:%s/b:%s/a",
		 tempdir_name, tempdir_name, tempdir_name, tempdir_name);
	expect_found(folders, "squeue", two);
	expect_found(folders, "no-such-command", NULL);
	ck_assert_int_eq(strncmp(err.text,
				 "no-such-command: there is no "
				 "no-such-command in PATH",
				 52),
			 0);
	tempdir_remove();
}
END_TEST

/* As cron and others start one. */
START_TEST(without_a_path_there_are_the_usual_folders)
{
	expect_found(NULL, "env", "/usr/bin/env");
	expect_found("", "env", "/usr/bin/env");
}
END_TEST

static int run(const char *const *words, char **out)
{
	*err.text = '\0';
	return program_run("it", words, 10000, out, &err);
}

START_TEST(a_command_gets_its_words_and_says_why_it_failed)
{
	static const char *const none[] = { NULL };
	static const char *const some[] = { "a b", "c", NULL };
	static const char *const bad[] = { "fail", NULL };
	char file[600], *out = NULL;

	tempdir_make();
	tempdir_command("it",
			"#!/bin/sh\n# %s\n[ \"$1\" = fail ] && { echo why >&2; "
			"echo more >&2; exit 3; }\necho \"$#:$*\"\n",
			file);
	setenv("PATH", tempdir_name, 1);
	ck_assert_int_eq(run(none, &out), 0);
	ck_assert_str_eq(out, "0:\n");
	free(out);
	ck_assert_int_eq(run(some, &out), 0);
	ck_assert_str_eq(out, "2:a b c\n");
	free(out);
	ck_assert_int_eq(run(bad, &out), -1);
	ck_assert_str_eq(err.text, "it: exit status 3: why");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("program", a_command_gets_where_slurm_conf_is_and_the_time_zone,
	  a_command_is_looked_for_in_absolute_folders_in_their_order,
	  without_a_path_there_are_the_usual_folders,
	  a_command_gets_its_words_and_says_why_it_failed)
