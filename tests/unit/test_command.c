/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that change a client: what they get, who finds them running, and who ends
 * one that was left behind. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/command.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* The clock (--wrap): after so many looks at it this much has passed. */
static unsigned long long jump_ms[2];
static int looks;

unsigned long long __real_child_now_ms(void);
unsigned long long __wrap_child_now_ms(void);

unsigned long long __wrap_child_now_ms(void)
{
	if (!jump_ms[0])
		return __real_child_now_ms();
	return 5000 + (looks++ ? jump_ms[looks > 2] : 0);
}

static struct child_result result;
static struct err err;

static int run(const char *script, char *const env[])
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script,
			 NULL };

	child_result_free(&result);
	memset(&result, 0, sizeof(result));
	return command_run(tempdir_name, argv, env, 10000, &result, &err);
}

static void begin(void)
{
	tempdir_make();
	setenv("MARKER", tempdir_path("command"), 1);
}

static void away(void)
{
	child_result_free(&result);
	tempdir_remove();
}

/* The marker says this, in its 64 bytes. */
static void expect_marker(const char *says)
{
	char wanted[65];

	snprintf(wanted, sizeof(wanted), "%-63s\n", says);
	tempdir_expect("command", wanted);
}

START_TEST(a_command_has_our_path_no_language_and_what_it_is_given)
{
	static char *const env[] = { (char *)"A=1", (char *)"B=2", NULL };

	begin();
	ck_assert_int_eq(run("echo $PATH $LC_ALL $NO_COLOR $A $B $MARKER; "
			     "echo of >&2; exit 3",
			     env),
			 0);
	ck_assert_int_eq(result.status, 3);
	ck_assert_str_eq(result.out, "/usr/sbin:/usr/bin:/sbin:/bin C 1 1 2\n");
	ck_assert_str_eq(result.errtext, "of\n");
	ck_assert_int_eq(run("echo $A", NULL), 0);
	ck_assert_int_eq(result.status, 0);
	ck_assert_str_eq(result.out, "\n");
	expect_marker("0 0");
	away();
}
END_TEST

START_TEST(a_command_is_given_sixteen_variables)
{
	char text[17][8], *env[18] = { NULL };
	int i;

	begin();
	for (i = 0; i < 17; i++) {
		snprintf(text[i], sizeof(text[i]), "V%d=%d", i, i);
		env[i] = text[i];
	}
	ck_assert_int_eq(run("echo $V0 $V15 $V16", env), 0);
	ck_assert_str_eq(result.out, "0 15\n");
	away();
}
END_TEST

START_TEST(a_folder_whose_name_is_too_long_has_no_commands)
{
	char *argv[] = { (char *)"/bin/echo", NULL };
	char folder[2000] = "/";

	memset(folder + 1, 'x', sizeof(folder) - 2);
	ck_assert_int_eq(command_run(folder, argv, NULL, 10000, &result, &err),
			 -1);
	ck_assert_ptr_null(result.out);
	ck_assert_int_eq(command_end_leftover(folder, &err), -1);
}
END_TEST

START_TEST(while_it_runs_its_process_is_named)
{
	char script[700], *words, *is, *rest = NULL;

	begin();
	/* its number and its start, as proc_pid_stat(5) tells it, each twice */
	snprintf(script, sizeof(script),
		 "cat '%s'; echo $$; set -- $(cat /proc/$$/stat); shift 21; "
		 "echo $1",
		 tempdir_path("command"));
	ck_assert_int_eq(run(script, NULL), 0);
	ck_assert_int_eq(result.status, 0);
	ck_assert_uint_gt(strlen(result.out), 64);
	words = result.out + 64;
	result.out[63] = '\0';
	is = strtok_r(result.out, " ", &rest);
	ck_assert_int_eq(strncmp(is, words, strlen(is)), 0);
	ck_assert_int_eq(words[strlen(is)], '\n');
	words += strlen(is) + 1;
	is = strtok_r(NULL, " ", &rest);
	ck_assert_int_eq(strncmp(is, words, strlen(is)), 0);
	ck_assert_int_eq(words[strlen(is)], '\n');
	expect_marker("0 0");
	away();
}
END_TEST

START_TEST(without_room_for_a_marker_it_is_run_all_the_same)
{
	char *argv[] = { (char *)"/bin/echo", (char *)"done", NULL };

	ck_assert_int_eq(command_run("/nowhere/at/all", argv, NULL, 10000,
				     &result, &err),
			 0);
	ck_assert_str_eq(result.out, "done\n");
	child_result_free(&result);
	ck_assert_int_eq(command_end_leftover("/nowhere/at/all", &err), 0);
}
END_TEST

static int return_it(void *arg)
{
	return *(int *)arg;
}

START_TEST(what_comes_first_decides_whether_it_is_run)
{
	char *argv[] = { (char *)"/bin/echo", (char *)"done", NULL };
	int first = 0;

	begin();
	ck_assert_int_eq(command_run_after(tempdir_name, return_it, &first,
					   argv, 10000, &result, &err),
			 0);
	ck_assert_int_eq(result.status, 0);
	ck_assert_str_eq(result.out, "done\n");
	child_result_free(&result);
	first = 7;
	ck_assert_int_eq(command_run_after(tempdir_name, return_it, &first,
					   argv, 10000, &result, &err),
			 0);
	ck_assert_int_eq(result.status, 7);
	ck_assert_str_eq(result.out, "");
	away();
}
END_TEST

static void expect_status(const char *path, int status, const char *why)
{
	char *argv[] = { (char *)path, NULL }, wanted[300];

	child_result_free(&result);
	ck_assert_int_eq(
		command_run(tempdir_name, argv, NULL, 10000, &result, &err), 0);
	ck_assert_int_eq(result.status, status);
	snprintf(wanted, sizeof(wanted), "cannot execute %s: %s\n", path, why);
	ck_assert_str_eq(result.errtext, wanted);
}

START_TEST(a_command_that_is_not_there_is_told_from_one_that_cannot_run)
{
	char path[512];

	begin();
	expect_status("/nowhere/at/all", 127, "No such file or directory");
	snprintf(path, sizeof(path), "%s", tempdir_put("file", "no program"));
	expect_status(path, 126, "Permission denied");
	away();
}
END_TEST

static int do_it(const char *script, unsigned int timeout_ms)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script,
			 NULL };

	*err.text = '\0';
	return command_do(tempdir_name, argv, "mount -o x", timeout_ms, &err);
}

START_TEST(a_command_that_fails_is_told_with_its_first_line)
{
	begin();
	ck_assert_int_eq(do_it("exit 0", 10000), 0);
	ck_assert_str_eq(err.text, "");
	ck_assert_int_eq(do_it("echo why >&2; echo more >&2; exit 32", 10000),
			 -1);
	ck_assert_str_eq(err.text, "mount -o x: exit status 32: why");
	ck_assert_int_eq(do_it("exit 1", 10000), -1);
	ck_assert_str_eq(err.text, "mount -o x: exit status 1: ");
	ck_assert_int_eq(do_it("exec sleep 60", 50), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	expect_marker("0 0");
	away();
}
END_TEST

/* ---- what a killed helper has left ------------------------------------------------ */

/* Leads a group of its own; whoever ends it need not be waited for. */
static pid_t leave_one(unsigned long long *ticks)
{
	int ends[2];
	char byte;
	pid_t pid;

	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (write(ends[1], "x", 1) == 1)
			for (;;)
				pause();
	}
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	ck_assert_int_eq(process_start(pid, NULL, ticks), 0);
	return pid;
}

static int end_it(const char *format, long pid, unsigned long long ticks)
{
	char text[100];

	snprintf(text, sizeof(text), format, pid, ticks);
	tempdir_put("command", text);
	*err.text = '\0';
	return command_end_leftover(tempdir_name, &err);
}

START_TEST(a_command_that_was_left_behind_is_ended)
{
	unsigned long long ticks;
	pid_t pid;

	begin();
	pid = leave_one(&ticks);
	ck_assert_msg(end_it("%ld %llu   \n", pid, ticks) == 1, "%s", err.text);
	ck_assert_int_eq(kill(pid, 0), -1);
	ck_assert_str_eq(err.text, "");
	expect_marker("0 0");
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	away();
}
END_TEST

START_TEST(what_the_marker_does_not_name_is_left_alone)
{
	unsigned long long ticks;
	pid_t pid;

	begin();
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	pid = leave_one(&ticks);
	/* another one has its number by now; or nothing is to be read */
	ck_assert_int_eq(end_it("%ld %llu\n", pid, ticks + 1), 0);
	ck_assert_int_eq(end_it("%ldx %llu\n", pid, ticks), 0);
	ck_assert_int_eq(end_it("%ld %llux\n", pid, ticks), 0);
	ck_assert_int_eq(end_it("%ld\n", pid, ticks), 0);
	ck_assert_int_eq(end_it("\n", pid, ticks), 0);
	ck_assert_int_eq(end_it("0 0\n", pid, ticks), 0);
	ck_assert_int_eq(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	away();
}
END_TEST

/* A process that nobody waits for stays. */
START_TEST(one_that_does_not_end_is_waited_for_so_long)
{
	unsigned long long ticks;
	char wanted[100];
	pid_t pid;

	begin();
	pid = leave_one(&ticks);
	signal(SIGCHLD, SIG_DFL);
	jump_ms[0] = 1999;
	jump_ms[1] = 2000;
	ck_assert_int_eq(end_it("%ld %llu\n", pid, ticks), -1);
	snprintf(wanted, sizeof(wanted),
		 "a command of a killed helper, pid %ld, does not end",
		 (long)pid);
	ck_assert_str_eq(err.text, wanted);
	ck_assert_int_eq(looks, 3);
	snprintf(wanted, sizeof(wanted), "%ld %llu\n", (long)pid, ticks);
	tempdir_expect("command", wanted);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	away();
}
END_TEST

UNIT_MAIN("command", a_command_has_our_path_no_language_and_what_it_is_given,
	  a_command_is_given_sixteen_variables,
	  a_folder_whose_name_is_too_long_has_no_commands,
	  while_it_runs_its_process_is_named,
	  without_room_for_a_marker_it_is_run_all_the_same,
	  what_comes_first_decides_whether_it_is_run,
	  a_command_that_is_not_there_is_told_from_one_that_cannot_run,
	  a_command_that_fails_is_told_with_its_first_line,
	  a_command_that_was_left_behind_is_ended,
	  what_the_marker_does_not_name_is_left_alone,
	  one_that_does_not_end_is_waited_for_so_long)
