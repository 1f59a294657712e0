/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
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

	ck_assert_int_eq(child_run(SH("echo out; echo err >&2; exit 7"), NULL, 5000, &r, &err), 0);
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
	ck_assert_int_eq(child_run(SH("env | sort; test -e /proc/self/fd/77"), env, 5000, &r, NULL),
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

	ck_assert_int_eq(child_run(SH("sleep 30 & sleep 30"), NULL, 200, &r, &err), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_str_eq(err.text, "'/bin/sh': no answer within 200 ms");
	ck_assert_uint_lt(child_now_ms() - start, 5000);
}
END_TEST

START_TEST(a_daemon_that_keeps_the_pipe_does_not_keep_us)
{
	unsigned long long start = child_now_ms();
	struct child_result r;

	ck_assert_int_eq(child_run(SH("setsid sleep 3 & echo started"), NULL, 20000, &r, NULL), 0);
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

	ck_assert_int_eq(child_run((char *[]){ "/no/such", NULL }, NULL, 5000, &r, NULL), 0);
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

	ck_assert_int_eq(child_call("read", print_argument, "hello", 5000, &r, &err), 0);
	ck_assert_int_eq(r.status, 3);
	ck_assert_str_eq(r.out, "hello");
	child_result_free(&r);
	ck_assert_int_eq(child_call("read of x", hang, NULL, 100, &r, &err), -1);
	ck_assert_str_eq(err.text, "'read of x': no answer within 100 ms");
}
END_TEST

START_TEST(a_detached_command_outlives_us_and_is_not_waited_for)
{
	unsigned long long start = child_now_ms();
	char script[600];

	tempdir_make();
	snprintf(script, sizeof(script), "sleep 3; echo $PPID > %s; mv %s %s", tempdir_path("t"),
		 tempdir_path("t"), tempdir_path("done"));
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

static void nobody_is_left(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static void expect_out(char *script, const char *out)
{
	struct child_result r;
	struct err err;

	ck_assert_msg(child_run(SH(script), NULL, 20000, &r, &err) == 0, "%s", err.text);
	ck_assert_str_eq(r.out, out);
	child_result_free(&r);
}

START_TEST(what_comes_late_or_on_one_side_only_is_heard)
{
	struct child_result r;

	expect_out("sleep 0.2; echo late", "late\n");
	expect_out("exec 2>&-; sleep 0.2; echo late", "late\n");
	ck_assert_int_eq(child_run(SH("exec >&-; sleep 0.2; echo late >&2"), NULL, 20000, &r, NULL),
			 0);
	ck_assert_str_eq(r.out, "");
	ck_assert_str_eq(r.errtext, "late\n");
	child_result_free(&r);
	ck_assert_ptr_null(r.out);
	ck_assert_ptr_null(r.errtext);
}
END_TEST

START_TEST(a_long_output_comes_whole)
{
	struct child_result r;

	ck_assert_int_eq(
		child_run(SH("head -c 300000 /dev/zero | tr '\\0' x"), NULL, 20000, &r, NULL), 0);
	ck_assert_uint_eq(r.out_bytes, 300000);
	ck_assert_uint_eq(strspn(r.out, "x"), 300000);
	ck_assert_uint_eq(strlen(r.out), 300000);
	child_result_free(&r);
}
END_TEST

START_TEST(a_command_that_stays_without_a_word_is_killed)
{
	unsigned long long start = child_now_ms();
	struct child_result r;
	struct err err;

	ck_assert_int_eq(child_run(SH("exec >&- 2>&-; exec sleep 30"), NULL, 300, &r, &err), -1);
	ck_assert_str_eq(err.text, "'/bin/sh': no answer within 300 ms");
	ck_assert_uint_lt(child_now_ms() - start, 5000);
	nobody_is_left();
}
END_TEST

START_TEST(all_that_a_command_started_is_killed_with_it)
{
	struct child_result r;
	char script[1200];

	tempdir_make();
	snprintf(script, sizeof(script), "(sleep 1; : >%s) & sleep 30", tempdir_path("late"));
	ck_assert_int_eq(child_run(SH(script), NULL, 200, &r, NULL), -1);
	sleep(2);
	ck_assert_int_eq(access(tempdir_path("late"), F_OK), -1);
	nobody_is_left();
	tempdir_remove();
}
END_TEST

START_TEST(a_daemon_that_says_nothing_leaves_empty_texts)
{
	struct child_result r;

	ck_assert_int_eq(child_run(SH("setsid sleep 2 &"), NULL, 20000, &r, NULL), 0);
	ck_assert_str_eq(r.out, "");
	ck_assert_str_eq(r.errtext, "");
	child_result_free(&r);
}
END_TEST

START_TEST(a_command_that_cannot_run_says_why)
{
	struct child_result r;

	ck_assert_int_eq(child_run((char *[]){ "/no/such", NULL }, NULL, 5000, &r, NULL), 0);
	ck_assert_str_eq(r.errtext, "cannot execute /no/such: No such file or directory\n");
	child_result_free(&r);
	ck_assert_int_eq(child_run((char *[]){ "/etc", NULL }, NULL, 5000, &r, NULL), 0);
	ck_assert_int_eq(r.status, 126);
	ck_assert_str_eq(r.errtext, "cannot execute /etc: Permission denied\n");
	child_result_free(&r);
}
END_TEST

START_TEST(a_command_has_the_three_files_and_default_signals)
{
	struct child_result r;

	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	ck_assert_int_eq(child_run(SH("kill -HUP $$"), NULL, 5000, &r, NULL), 0);
	ck_assert_int_eq(r.status, 128 + SIGHUP);
	child_result_free(&r);
	ck_assert_int_eq(child_run(SH("kill -TERM $$"), NULL, 5000, &r, NULL), 0);
	ck_assert_int_eq(r.status, 128 + SIGTERM);
	child_result_free(&r);
	expect_out("for i in 0 1 2 3 4 5 6 7 8 9; do test -e /proc/self/fd/$i && echo $i; done; :",
		   "0\n1\n2\n");
}
END_TEST

static int end_by_signal(void *arg)
{
	kill(getpid(), *(int *)arg);
	return 0;
}

START_TEST(a_function_in_a_child_runs_no_handler_of_ours)
{
	static int of_ours[] = { SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2 };
	struct child_result r;
	size_t i;

	for (i = 0; i < sizeof(of_ours) / sizeof(of_ours[0]); i++) {
		signal(of_ours[i], ours);
		ck_assert_int_eq(child_call("end", end_by_signal, &of_ours[i], 5000, &r, NULL), 0);
		ck_assert_int_eq(r.status, 128 + of_ours[i]);
		child_result_free(&r);
		signal(of_ours[i], SIG_DFL);
	}
}
END_TEST

/* Until it is there. */
static void await(const char *path)
{
	unsigned long long begin = child_now_ms();

	while (access(path, F_OK) < 0) {
		ck_assert_uint_lt(child_now_ms() - begin, 20000);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
}

static void nothing(int number)
{
	(void)number;
}

START_TEST(a_signal_meanwhile_does_not_end_the_wait)
{
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = nothing };
	struct child_result r;
	struct err err;
	int rc;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	rc = child_run(SH("sleep 0.3; echo late"), NULL, 20000, &r, &err);
	setitimer(ITIMER_REAL, &never, NULL);
	ck_assert_msg(rc == 0, "%s", err.text);
	ck_assert_str_eq(r.out, "late\n");
	child_result_free(&r);
}
END_TEST

static int speak_and_hang(void *arg)
{
	printf("%s", (char *)arg);
	fflush(stdout);
	for (;;)
		pause();
	return 0;
}

static int speak_too_much(void *arg)
{
	(void)arg;
	for (;;)
		printf("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	return 0;
}

START_TEST(what_a_function_said_before_its_deadline_can_be_asked_for)
{
	struct child_result r = { .status = 7 };
	struct err err;

	ck_assert_int_eq(child_call_heard("read", print_argument, "hello", 5000, &r, &err), 0);
	ck_assert_int_eq(r.status, 3);
	ck_assert_str_eq(r.out, "hello");
	child_result_free(&r);
	r.status = 7;
	ck_assert_int_eq(child_call_heard("read", speak_and_hang, "half", 300, &r, &err), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_str_eq(err.text, "'read': no answer within 300 ms");
	ck_assert_str_eq(r.out, "half");
	ck_assert_uint_eq(r.out_bytes, 4);
	ck_assert_int_eq(r.status, 0);
	child_result_free(&r);
	ck_assert_int_eq(child_call_heard("read", hang, NULL, 100, &r, &err), -1);
	ck_assert_str_eq(r.out, "");
	child_result_free(&r);
	ck_assert_int_eq(child_call("read", speak_and_hang, "half", 300, &r, &err), -1);
	ck_assert_ptr_null(r.out);
	ck_assert_int_eq(child_call_heard("read", speak_too_much, NULL, 20000, &r, &err), -1);
	ck_assert_int_eq(errno, E2BIG);
	ck_assert_ptr_null(r.out);
	nobody_is_left();
}
END_TEST

START_TEST(a_detached_command_is_nobodys_child)
{
	char *argv[] = { "/bin/sleep", "1", NULL };
	struct err err;

	ck_assert_int_eq(child_detach(argv, &err), 0);
	nobody_is_left();
}
END_TEST

START_TEST(who_detaches_a_command_goes_on_himself)
{
	char *argv[] = { "/bin/true", NULL };
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(child_detach(argv, NULL) == 0 ? 7 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 7);
}
END_TEST

/* A file at a descriptor of its own, to be read from its beginning. */
static int file_with(const char *text)
{
	int fd = open(tempdir_put("stdio", text), O_RDWR);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static const char *read_back(void)
{
	static char text[200];
	FILE *in = fopen(tempdir_path("stdio"), "r");
	size_t got = fread(text, 1, sizeof(text) - 1, in);

	fclose(in);
	text[got] = 0;
	return text;
}

START_TEST(a_started_command_has_the_files_that_it_was_given)
{
	char *env[] = { "A=b", NULL };
	int stdio[3] = { 0, -1, 1 }, status = 0, kept_in = dup(0), kept_out = dup(1);
	pid_t pid;

	tempdir_make();
	ck_assert_int_eq(dup2(file_with("in\n"), 0), 0);
	ck_assert_int_eq(dup2(file_with("in\n"), 1), 1);
	pid = child_start(
		SH("read x; echo lost; echo \"$x $A\" >&2; pwd >&2; for i in 3 4 5 6 7 8 9; do test -e /proc/self/fd/$i && exit 1; done; exit 5"),
		env, stdio, NULL);
	ck_assert_int_eq(dup2(kept_in, 0), 0);
	ck_assert_int_eq(dup2(kept_out, 1), 1);
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(getpgid(pid), pid);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 5);
	ck_assert_str_eq(read_back(), "in b\n/\n");
	tempdir_remove();
}
END_TEST

static pid_t start(char *script)
{
	const int stdio[3] = { -1, -1, -1 };
	pid_t pid = child_start(SH(script), NULL, stdio, NULL);

	ck_assert_int_gt(pid, 0);
	return pid;
}

START_TEST(a_child_that_has_its_grace_ends_by_itself)
{
	unsigned long long begin = child_now_ms();
	char script[1200];

	tempdir_make();
	snprintf(script, sizeof(script), "sleep 0.5; : >%s", tempdir_path("done"));
	child_end(start(script), 20000);
	ck_assert_int_eq(access(tempdir_path("done"), F_OK), 0);
	ck_assert_uint_lt(child_now_ms() - begin, 15000);
	nobody_is_left();
	tempdir_remove();
}
END_TEST

START_TEST(a_child_that_does_not_end_is_told_to_and_then_killed)
{
	unsigned long long begin;
	char script[2400];
	pid_t pid;

	tempdir_make();
	snprintf(script, sizeof(script),
		 "trap ': >%s; exit' TERM; : >%s; while :; do sleep 0.05; done",
		 tempdir_path("told"), tempdir_path("ready"));
	pid = start(script);
	await(tempdir_path("ready"));
	begin = child_now_ms();
	child_end(pid, 100);
	ck_assert_uint_ge(child_now_ms() - begin, 100);
	ck_assert_int_eq(access(tempdir_path("told"), F_OK), 0);
	nobody_is_left();
	snprintf(script, sizeof(script), "trap '' TERM; : >%s; while :; do sleep 0.05; done",
		 tempdir_path("deaf"));
	pid = start(script);
	await(tempdir_path("deaf"));
	begin = child_now_ms();
	child_end(pid, 0);
	ck_assert_uint_ge(child_now_ms() - begin, CHILD_REAP_MS);
	ck_assert_uint_lt(child_now_ms() - begin, 20000);
	nobody_is_left();
	tempdir_remove();
}
END_TEST

UNIT_MAIN("child", output_errors_and_status_come_back, the_environment_is_minimal_and_no_file_leaks,
	  a_command_that_hangs_is_killed_with_all_it_started,
	  a_daemon_that_keeps_the_pipe_does_not_keep_us, too_much_output_is_cut_off,
	  a_missing_command_is_127, a_function_runs_in_a_child_with_the_same_deadline,
	  a_child_that_is_ended_early_runs_no_handler_of_ours,
	  a_detached_command_outlives_us_and_is_not_waited_for,
	  what_comes_late_or_on_one_side_only_is_heard, a_long_output_comes_whole,
	  a_command_that_stays_without_a_word_is_killed,
	  all_that_a_command_started_is_killed_with_it,
	  a_daemon_that_says_nothing_leaves_empty_texts, a_command_that_cannot_run_says_why,
	  a_command_has_the_three_files_and_default_signals,
	  a_function_in_a_child_runs_no_handler_of_ours, a_signal_meanwhile_does_not_end_the_wait,
	  what_a_function_said_before_its_deadline_can_be_asked_for,
	  a_detached_command_is_nobodys_child, who_detaches_a_command_goes_on_himself,
	  a_started_command_has_the_files_that_it_was_given,
	  a_child_that_has_its_grace_ends_by_itself,
	  a_child_that_does_not_end_is_told_to_and_then_killed)
