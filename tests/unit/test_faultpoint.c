/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places where crash tests end a helper: what they prove hangs on these. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/faultpoint.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* Three points of one process. */
static int pass_three(void)
{
	FAULT_POINT("a");
	FAULT_POINT("b before");
	FAULT_POINT("c");
	return 7;
}

/* This program as the worker of another one. */
__attribute__((constructor)) static void be_worker(void)
{
	if (getenv("JOBIO_TEST_WORKER"))
		_exit(pass_three());
}

/* How a child of ours, that is of this program too, ends with its worker. */
static int status_of_supervisor(void)
{
	int status = 0;
	pid_t pid = fork(), worker;

	if (!pid) {
		worker = fork();
		if (!worker)
			_exit(pass_three());
		waitpid(worker, &status, 0);
		_exit(WIFSIGNALED(status) ? 1 : WEXITSTATUS(status));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static void at(const char *number)
{
	if (number)
		setenv("JOBIO_FAULT_AT", number, 1);
	else
		unsetenv("JOBIO_FAULT_AT");
	setenv("JOBIO_FAULT_LOG", tempdir_path("log"), 1);
	unlink(tempdir_path("log"));
}

START_TEST(points_are_counted_and_logged_and_do_nothing_else)
{
	int status;

	tempdir_make();
	at(NULL);
	status = status_of_supervisor();
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 7);
	tempdir_expect("log", "1 a\n2 b before\n3 c\n");
	at("4");
	ck_assert_int_eq(WEXITSTATUS(status_of_supervisor()), 7);
	tempdir_expect("log", "1 a\n2 b before\n3 c\n");
	unsetenv("JOBIO_FAULT_LOG");
	ck_assert_int_eq(WEXITSTATUS(status_of_supervisor()), 7);
	tempdir_remove();
}
END_TEST

START_TEST(the_process_and_its_supervisor_are_killed_at_the_point_that_is_named)
{
	int status;

	tempdir_make();
	at("2");
	status = status_of_supervisor();
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGKILL);
	tempdir_expect("log", "1 a\n2 b before\n");
	tempdir_remove();
}
END_TEST

START_TEST(a_supervisor_that_is_another_program_lives_on)
{
	char own[4096] = "";
	int status = 0;
	pid_t pid;

	ck_assert_int_gt(readlink("/proc/self/exe", own, sizeof(own) - 1), 0);
	tempdir_make();
	at("2");
	setenv("JOBIO_TEST_WORKER", "1", 1);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "\"$0\" 2>/dev/null; exit $?", own,
		      NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	unsetenv("JOBIO_TEST_WORKER");
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 128 + SIGKILL);
	tempdir_expect("log", "1 a\n2 b before\n");
	tempdir_remove();
}
END_TEST

START_TEST(the_tenth_point_is_number_10)
{
	int status = 0, i;
	pid_t pid;

	tempdir_make();
	at("10");
	pid = fork();
	if (!pid) {
		pid = fork();
		for (i = 0; !pid && i < 12; i++)
			FAULT_POINT("x");
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	tempdir_expect("log", "1 x\n2 x\n3 x\n4 x\n5 x\n6 x\n7 x\n8 x\n"
			      "9 x\n10 x\n");
	tempdir_remove();
}
END_TEST

/* What ends a process that may hang at 'here'. */
static int status_at(const char *here)
{
	struct itimerval once = { .it_value = { .tv_usec = 50000 } };
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGALRM, SIG_DFL);
		setitimer(ITIMER_REAL, &once, NULL);
		FAULT_HANG(here);
		_exit(5);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(a_process_hangs_at_the_place_that_is_named_until_it_is_ended)
{
	int status;

	unsetenv("JOBIO_FAULT_HANG");
	ck_assert_int_eq(WEXITSTATUS(status_at("here")), 5);
	setenv("JOBIO_FAULT_HANG", "here", 1);
	ck_assert_int_eq(WEXITSTATUS(status_at("there")), 5);
	status = status_at("here");
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGALRM);
}
END_TEST

START_TEST(the_clock_is_wrong_by_as_many_seconds_as_are_named)
{
	unsetenv("JOBIO_FAULT_CLOCK");
	ck_assert(FAULT_CLOCK() >= 0 && FAULT_CLOCK() <= 0);
	setenv("JOBIO_FAULT_CLOCK", "-2.5", 1);
	ck_assert(FAULT_CLOCK() >= -2.5 && FAULT_CLOCK() <= -2.5);
}
END_TEST

UNIT_MAIN("faultpoint", points_are_counted_and_logged_and_do_nothing_else,
	  the_process_and_its_supervisor_are_killed_at_the_point_that_is_named,
	  a_supervisor_that_is_another_program_lives_on,
	  the_tenth_point_is_number_10,
	  a_process_hangs_at_the_place_that_is_named_until_it_is_ended,
	  the_clock_is_wrong_by_as_many_seconds_as_are_named)
