/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SH(script) ((char *[]){ "/bin/sh", "-c", (script), NULL })

START_TEST(output_errors_and_status_come_back)
{
	struct child_result r;
	struct err err;

	ck_assert_int_eq(child_run(SH("echo out; echo err >&2; exit 7"), NULL,
				   5000, &r, &err),
			 0);
	ck_assert_int_eq(r.status, 7);
	ck_assert_str_eq(r.out, "out\n");
	ck_assert_str_eq(r.errtext, "err\n");
	child_result_free(&r);
	ck_assert_int_eq(child_run(SH(":"), NULL, 5000, &r, &err), 0);
	ck_assert_str_eq(r.out, "");
	child_result_free(&r);
	ck_assert_int_eq(child_run(SH("kill -9 $$"), NULL, 5000, &r, &err), 0);
	ck_assert_int_eq(r.status, 128 + SIGKILL);
	child_result_free(&r);
}
END_TEST

START_TEST(the_environment_is_minimal_and_no_file_leaks)
{
	char *env[] = { "WEKA_X=1", NULL };
	struct child_result r;

	setenv("LD_PRELOAD_FAKE", "evil", 1);
	ck_assert_int_eq(dup2(1, 77), 77);
	ck_assert_int_eq(child_run(SH("env | sort; test -e /proc/self/fd/77"),
				   env, 5000, &r, NULL),
			 0);
	ck_assert_int_eq(r.status, 1);
	ck_assert_ptr_nonnull(strstr(r.out, "WEKA_X=1\n"));
	ck_assert_ptr_nonnull(strstr(r.out, "LC_ALL=C\n"));
	ck_assert_ptr_null(strstr(r.out, "evil"));
	child_result_free(&r);
}
END_TEST

START_TEST(a_command_that_hangs_is_killed_with_all_it_started)
{
	unsigned long long start = child_now_ms();
	struct child_result r;
	struct err err;

	ck_assert_int_eq(
		child_run(SH("sleep 30 & sleep 30"), NULL, 200, &r, &err), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_str_eq(err.text, "'/bin/sh': no answer within 200 ms");
	ck_assert_uint_lt(child_now_ms() - start, 5000);
}
END_TEST

START_TEST(a_daemon_that_keeps_the_pipe_does_not_keep_us)
{
	unsigned long long start = child_now_ms();
	struct child_result r;

	ck_assert_int_eq(child_run(SH("setsid sleep 3 & echo started"), NULL,
				   20000, &r, NULL),
			 0);
	ck_assert_str_eq(r.out, "started\n");
	ck_assert_uint_lt(child_now_ms() - start, 2500);
	child_result_free(&r);
}
END_TEST

START_TEST(too_much_output_is_cut_off)
{
	struct child_result r;
	struct err err;

	ck_assert_int_eq(child_run(SH("yes"), NULL, 20000, &r, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "bytes of output"));
}
END_TEST

START_TEST(a_missing_command_is_127)
{
	struct child_result r;

	ck_assert_int_eq(
		child_run((char *[]){ "/no/such", NULL }, NULL, 5000, &r, NULL),
		0);
	ck_assert_int_eq(r.status, 127);
	child_result_free(&r);
}
END_TEST

static int print_argument(void *arg)
{
	printf("%s", (char *)arg);
	return 3;
}

static int hang(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

START_TEST(a_function_runs_in_a_child_with_the_same_deadline)
{
	struct child_result r;
	struct err err;

	ck_assert_int_eq(
		child_call("read", print_argument, "hello", 5000, &r, &err), 0);
	ck_assert_int_eq(r.status, 3);
	ck_assert_str_eq(r.out, "hello");
	child_result_free(&r);
	ck_assert_int_eq(child_call("read of x", hang, NULL, 100, &r, &err),
			 -1);
	ck_assert_str_eq(err.text, "'read of x': no answer within 100 ms");
}
END_TEST

START_TEST(a_detached_command_outlives_us_and_is_not_waited_for)
{
	unsigned long long start = child_now_ms();
	char script[600];

	tempdir_make();
	snprintf(script, sizeof(script), "sleep 3; echo $PPID > %s; mv %s %s",
		 tempdir_path("t"), tempdir_path("t"), tempdir_path("done"));
	ck_assert_int_eq(child_detach(SH(script), NULL), 0);
	ck_assert_uint_lt(child_now_ms() - start, 2500);
	while (access(tempdir_path("done"), F_OK) < 0) {
		ck_assert_uint_lt(child_now_ms() - start, 20000);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	tempdir_remove();
}
END_TEST

static void ours(int number)
{
	_exit(number);
}

/* Its status. Again and again: valgrind may lose a signal that comes at exec. */
static int ended(pid_t pid)
{
	int status = 0;

	do
		ck_assert_int_eq(kill(-pid, SIGTERM), 0);
	while (waitpid(pid, &status, WNOHANG) == 0 &&
	       nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL) == 0);
	return status;
}

/* Killed before it is another program, it must not do what we do then. */
START_TEST(a_child_that_is_ended_early_runs_no_handler_of_ours)
{
	char **argv = SH("exec sleep 100");
	const int stdio[3] = { -1, -1, -1 };
	int i, status;
	pid_t pid;

	signal(SIGTERM, ours);
	for (i = 0; i < 200; i++) {
		pid = child_start(argv, NULL, stdio, NULL);
		ck_assert_int_gt(pid, 0);
		status = ended(pid);
		ck_assert(WIFSIGNALED(status));
		ck_assert_int_eq(WTERMSIG(status), SIGTERM);
	}
	signal(SIGTERM, SIG_DFL);
}
END_TEST

UNIT_MAIN("child", output_errors_and_status_come_back,
	  the_environment_is_minimal_and_no_file_leaks,
	  a_command_that_hangs_is_killed_with_all_it_started,
	  a_daemon_that_keeps_the_pipe_does_not_keep_us,
	  too_much_output_is_cut_off, a_missing_command_is_127,
	  a_function_runs_in_a_child_with_the_same_deadline,
	  a_child_that_is_ended_early_runs_no_handler_of_ours,
	  a_detached_command_outlives_us_and_is_not_waited_for)
