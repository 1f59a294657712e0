/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a prolog runs jobio-slurm: what it is told, and how long it may take. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "prolog/ask_slurm.h"
#include "tests/unit/runner.h"

static bool is_missing;
static char called[500]; /* "program,..;environment,..;milliseconds" */

int __wrap_job_helper_path(const char *name, char *path, size_t size);
int __wrap_job_helper_path(const char *name, char *path, size_t size)
{
	snprintf(path, size, "/usr/libexec/%s", name);
	return is_missing ? -1 : 0;
}

static void note(const char *const words[])
{
	for (; *words; words++) {
		strcat(called, *words);
		strcat(called, ",");
	}
	strcat(called, ";");
}

int __wrap_child_run(char *const argv[], char *const env[],
		     unsigned int timeout_ms, struct child_result *result,
		     struct err *err);
int __wrap_child_run(char *const argv[], char *const env[],
		     unsigned int timeout_ms, struct child_result *result,
		     struct err *err)
{
	size_t used;

	(void)err;
	*called = '\0';
	note((const char *const *)argv);
	note((const char *const *)env);
	used = strlen(called);
	snprintf(called + used, sizeof(called) - used, "%u", timeout_ms);
	memset(result, 0, sizeof(*result));
	return 0;
}

static int ask(unsigned int timeout_ms, const char *more, struct err *err)
{
	struct child_result result;

	*called = '\0';
	return ask_slurm(timeout_ms, "job", "7", more, &result, err);
}

START_TEST(it_has_its_time_and_a_moment_to_say_that_it_is_over)
{
	struct err err = { "" };

	unsetenv("SLURM_CONF");
	ck_assert_int_eq(ask(3000, NULL, &err), 0);
	ck_assert_str_eq(called,
			 "/usr/libexec/jobio-slurm,--timeout-ms=3000,job,7,;;"
			 "3100");
	ck_assert_int_eq(ask(3000, "jobio: why", &err), 0);
	ck_assert_str_eq(called,
			 "/usr/libexec/jobio-slurm,--timeout-ms=3000,job,7,"
			 "jobio: why,;;3100");
}
END_TEST

START_TEST(it_reads_the_slurm_conf_of_slurmd)
{
	struct err err = { "" };

	setenv("SLURM_CONF", "/etc/other/slurm.conf", 1);
	ck_assert_int_eq(ask(3000, NULL, &err), 0);
	ck_assert_ptr_nonnull(
		strstr(called, ";SLURM_CONF=/etc/other/slurm.conf,;"));
}
END_TEST

START_TEST(with_less_time_than_it_takes_it_is_not_run)
{
	struct err err = { "" };

	ck_assert_int_eq(ask(100, NULL, &err), 0);
	ck_assert_str_ne(called, "");
	ck_assert_int_lt(ask(99, NULL, &err), 0);
	ck_assert_str_eq(err.text, "no time is left to ask slurmctld "
				   "(prolog_budget_ms)");
	ck_assert_str_eq(called, "");
}
END_TEST

START_TEST(without_the_program_the_error_says_so)
{
	struct err err = { "" };

	is_missing = true;
	ck_assert_int_lt(ask(3000, NULL, &err), 0);
	ck_assert_str_eq(err.text, "there is no jobio-slurm beside this "
				   "program");
	ck_assert_str_eq(called, "");
}
END_TEST

UNIT_MAIN("ask_slurm", it_has_its_time_and_a_moment_to_say_that_it_is_over,
	  it_reads_the_slurm_conf_of_slurmd,
	  with_less_time_than_it_takes_it_is_not_run,
	  without_the_program_the_error_says_so)
