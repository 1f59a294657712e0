/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-node: what it asks lib/node.h for, and how it ends. With a real slurmctld and
 * machine: node.bats. */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/node.h"
#include "tests/unit/append.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#undef main /* jobio-node's has another name here */
int jobio_node_main(int argc, char **argv);

#define STATUS_USAGE 64

static char told[600]; /* what was asked for and freed */
static char said[1000];
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

/* Its exit status; what it says on standard error is in 'said'. */
static int run(int argc, const char *const *words)
{
	char *argv[8] = { (char *)"jobio-node" };
	int errors = dup(STDERR_FILENO), fd, i, rc;
	ssize_t got;

	for (i = 0; i < argc; i++)
		argv[i + 1] = (char *)words[i];
	fd = open(tempdir_path("said"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	*told = '\0';
	optind = 0;
	rc = jobio_node_main(argc + 1, argv);
	ck_assert(dup2(errors, STDERR_FILENO) >= 0);
	close(errors);
	got = pread(fd, said, sizeof(said) - 1, 0);
	said[got > 0 ? got : 0] = '\0';
	close(fd);
	return rc;
}

#define RUN(...)                                                               \
	run((int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)),   \
	    (const char *[]){ __VA_ARGS__ })

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
	expect_usage(run(0, NULL));
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
	char *argv[] = { (char *)"jobio-node", (char *)"--help", NULL };
	int status;
	pid_t child;
	char *text;

	tempdir_make();
	child = fork();
	if (child == 0) {
		if (!freopen(tempdir_path("help"), "w", stdout))
			_exit(9);
		optind = 0;
		jobio_node_main(2, argv);
		_exit(8);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	text = fileio_read(tempdir_path("help"), 1000, NULL, NULL);
	ck_assert(text && !strncmp(text, "usage: jobio-node ", 18));
	free(text);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("node_program", what_slurmctld_knows_of_the_node_is_asked_for,
	  why_nothing_is_known_is_one_line,
	  words_that_are_none_of_jobio_prepares_are_refused,
	  who_asks_for_help_gets_it)
