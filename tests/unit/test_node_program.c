/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-node: what it asks lib/node.h for, and how it ends. With a real slurmctld and
 * machine: node.bats. */
#include <string.h>
#include <unistd.h>

#include "lib/node.h"
#include "tests/unit/append.h"
#include "tests/unit/program.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"

#undef main /* jobio-node's has another name here */
int jobio_node_main(int argc, char **argv);

#define STATUS_USAGE 64

static char told[600]; /* what was asked for and freed */
#define said program_said
static bool is_mute, is_lost;

ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
	static const char self[] = "/libexec/jobio/jobio-node";

	ck_assert_str_eq(path, "/proc/self/exe");
	ck_assert_uint_lt(sizeof(self), size);
	memcpy(to, self, strlen(self));
	return is_lost ? -1 : (ssize_t)strlen(self);
}

int __wrap_node_load(const char *run_dir, const char *helper, const char *name,
		     unsigned int timeout_ms, struct node_state *state,
		     struct err *err)
{
	ck_assert_ptr_null(state->map);
	append(told, sizeof(told), "%s %s %s %u;", run_dir, helper, name,
	       timeout_ms);
	return is_mute ? err_set(err, "slurmctld does not answer") : 0;
}

void __wrap_node_state_free(struct node_state *state)
{
	ck_assert_ptr_nonnull(state);
	append(told, sizeof(told), "free;");
}

/* Its exit status. */
#define RUN(...) asked((const char *[]){ "jobio-node", __VA_ARGS__, NULL })

static int asked(const char *const *words)
{
	*told = '\0';
	return program_run(jobio_node_main, words);
}

START_TEST(what_slurmctld_knows_of_the_node_is_asked_for)
{
	tempdir_make();
	ck_assert_int_eq(RUN("--run-dir=/run/j", "--name=n1"), 0);
	ck_assert_str_eq(told,
			 "/run/j /libexec/jobio/jobio-slurm n1 5000;free;");
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(RUN("--run-dir=/run/j", "--timeout-ms=0", "--name=n1"),
			 0);
	ck_assert_str_eq(told, "/run/j /libexec/jobio/jobio-slurm n1 0;free;");
	ck_assert_int_eq(
		RUN("--timeout-ms=600000", "--run-dir=/run/j", "--name=n1"), 0);
	ck_assert_str_eq(told,
			 "/run/j /libexec/jobio/jobio-slurm n1 600000;free;");
	tempdir_remove();
}
END_TEST

START_TEST(why_nothing_is_known_is_one_line)
{
	tempdir_make();
	is_mute = true;
	ck_assert_int_eq(RUN("--run-dir=/run/j", "--name=n1"), 1);
	ck_assert_str_eq(said, "slurmctld does not answer\n");
	ck_assert_ptr_null(strstr(told, "free"));
	is_lost = true;
	ck_assert_int_eq(RUN("--run-dir=/run/j", "--name=n1"), 1);
	ck_assert_str_eq(said, "its path is unknown\n");
	ck_assert_str_eq(told, "");
	tempdir_remove();
}
END_TEST

static void expect_usage(int rc)
{
	ck_assert_int_eq(rc, STATUS_USAGE);
	said_expect(said, "usage: jobio-node --run-dir=DIR ");
	ck_assert_str_eq(told, "");
}

START_TEST(words_that_are_none_of_jobio_prepares_are_refused)
{
	tempdir_make();
	expect_usage(RUN(NULL));
	expect_usage(RUN("--run-dir=/run/j"));
	expect_usage(RUN("--name=n1"));
	expect_usage(RUN("--run-dir=/run/j", "--name=n1", "more"));
	expect_usage(RUN("--run-dir=/run/j", "--name=n1", "--nosuch"));
	expect_usage(RUN("--run-dir=/run/j", "--name=n1", "--timeout-ms=x"));
	expect_usage(
		RUN("--run-dir=/run/j", "--name=n1", "--timeout-ms=600001"));
	tempdir_remove();
}
END_TEST

START_TEST(who_asks_for_help_gets_it)
{
	tempdir_make();
	program_help(jobio_node_main, "jobio-node");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("node_program", what_slurmctld_knows_of_the_node_is_asked_for,
	  why_nothing_is_known_is_one_line,
	  words_that_are_none_of_jobio_prepares_are_refused,
	  who_asks_for_help_gets_it)
