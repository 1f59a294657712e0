/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "lib/variables.h"
#include "tests/unit/runner.h"

static void expect_next(const char **list, const char *name, const char *value)
{
	struct variable variable;

	ck_assert(variable_next(list, &variable));
	ck_assert_str_eq(variable.name, name);
	ck_assert_str_eq(variable.value, value);
}

START_TEST(a_list_is_cut_into_names_and_values)
{
	const char *list = " ROMIO_HINTS=/etc/a-b.c\t_X9=1,2:3@4+5=6_  y=- ";
	struct variable variable;

	expect_next(&list, "ROMIO_HINTS", "/etc/a-b.c");
	expect_next(&list, "_X9", "1,2:3@4+5=6_");
	expect_next(&list, "y", "-");
	ck_assert(!variable_next(&list, &variable));
	list = "";
	ck_assert(!variable_next(&list, &variable));
}
END_TEST

/* 'why' NULL: it is a list that a profile may have. */
static void expect_check(const char *list, const char *word, const char *why)
{
	char at[VARIABLES_MAX];
	struct err err = { "" };
	int rc = variables_check(list, at, &err);

	ck_assert_msg(rc == (why ? -1 : 0), "'%s': %s", list, err.text);
	if (!why)
		return;
	ck_assert_str_eq(at, word);
	ck_assert_str_eq(err.text, why);
}

#define SHAPE "expected NAME=VALUE, of letters, digits and _./:,@+=-"

START_TEST(a_word_that_a_shell_would_read_as_more_is_none)
{
	static const char *const bad[] = {
		"A",	   "A=",     "=1",	   "1A=1",  "A-B=1", "A=$B", "A=`b`",
		"A=\"b\"", "A='b'",  "A=b;c",	   "A=b|c", "A=b&c", "A=~",  "A=*",
		"A=\\",	   "A=b\nc", "A=\xc3\xa4", "A=%h",  "A=b#c", "A=!b", "A=(b)",
	};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "OK=1 %s", bad[i]);
		expect_check(text, bad[i], SHAPE);
	}
	expect_check("A B=1", "A", SHAPE);
	expect_check("", "", NULL);
	expect_check(" \t ", "", NULL);
	expect_check("A=1 b=2 _=3", "", NULL);
}
END_TEST

START_TEST(a_name_has_a_longest)
{
	char list[VARIABLE_NAME_MAX + 8] = "";

	memset(list, 'a', VARIABLE_NAME_MAX);
	strcat(list, "=1");
	expect_check(list, "", NULL);
	memset(list, 'a', VARIABLE_NAME_MAX + 1);
	strcpy(list + VARIABLE_NAME_MAX + 1, "=1");
	expect_check(list, list, SHAPE);
}
END_TEST

START_TEST(a_value_has_a_longest)
{
	char list[VARIABLES_MAX + 8];
	const char *at = list;
	struct variable variable;

	memset(list, 'v', sizeof(list));
	memcpy(list, "A=", 2);
	strcpy(list + 2 + VARIABLES_MAX - 1, " B=1");
	ck_assert(variable_next(&at, &variable));
	ck_assert_uint_eq(strlen(variable.value), VARIABLES_MAX - 1);
	expect_next(&at, "B", "1");
	at = list;
	strcpy(list + 2 + VARIABLES_MAX - 1, "v B=1");
	ck_assert(!variable_next(&at, &variable));
}
END_TEST

START_TEST(what_decides_what_runs_is_not_set_and_its_neighbours_are)
{
	static const char *const bad[] = {
		"PATH",		 "IFS",
		"ENV",		 "BASH_ENV",
		"LD_PRELOAD",	 "LD_LIBRARY_PATH",
		"HOME",		 "GLIBC_TUNABLES",
		"SHELL",	 "USER",
		"SLURM_JOB_ID",	 "SLURMD_NODENAME",
		"SBATCH_X",	 "SALLOC_X",
		"SRUN_X",	 "_SLURM_X",
		"SPANK_JOBIO_X", "PMI_RANK",
		"PMIX_RANK",	 "JOBIO_GOT_ALL",
		"PS4",
	};
	static const char *const good[] = {
		"PATHS",       "ROMIO_HINTS", "MPICH_MPIIO_HINTS",
		"OLD_X",       "GPFSMPIO_X",  "OMPI_MCA_io",
		"ENVIRONMENT", "HOMER",	      "MY_SLURM",
		"slurm_x",     "LDX",	      "BASHX",
		"GLIBCX",      "SLURP",	      "SPANX",
		"PMX",	       "JOBIOX",
	};
	char list[80], why[200];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(list, sizeof(list), "%s=1", bad[i]);
		snprintf(why, sizeof(why),
			 "%s is not for a profile to set: it decides what runs, or is Slurm's",
			 bad[i]);
		expect_check(list, list, why);
	}
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(list, sizeof(list), "%s=1", good[i]);
		expect_check(list, "", NULL);
	}
}
END_TEST

START_TEST(a_name_comes_once)
{
	expect_check("A=1 B=2 A=3", "A=1", "A is set twice");
	expect_check("A=1 AA=2 a=3", "", NULL);
}
END_TEST

UNIT_MAIN("variables", a_list_is_cut_into_names_and_values,
	  a_word_that_a_shell_would_read_as_more_is_none, a_name_has_a_longest,
	  a_value_has_a_longest, what_decides_what_runs_is_not_set_and_its_neighbours_are,
	  a_name_comes_once)
