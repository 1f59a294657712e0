/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A step that looks at its job: between the viewer's pipes and a helper that is a
 * shell's script. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spank/live.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define ENDS_MS 10000

/* In the task: signals come in between, and calls do less than they were asked. */
static bool is_rough, is_task;
static int polls, reads, writes;
static bool is_left_open;	/* its own standard input, as number 4 */
static int bad_read, bad_write; /* this call fails; 0: none */

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (is_task && is_rough && ++polls % 2) {
		errno = EINTR;
		return -1;
	}
	return __real_poll(fds, count, timeout);
}

ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
	if (is_task && ++reads == bad_read) {
		errno = EIO;
		return -1;
	}
	if (is_task && is_rough && reads % 3) {
		errno = reads % 3 == 1 ? EINTR : EAGAIN;
		return -1;
	}
	return __real_read(fd, bytes, size);
}

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	if (is_task && ++writes == bad_write) {
		errno = EIO;
		return -1;
	}
	if (is_task && is_rough && writes % 2) {
		errno = EINTR;
		return -1;
	}
	return __real_write(fd, bytes, is_task && is_rough && size > 1000 ? 1000 : size);
}

static struct live live;
static int to_task, from_task; /* the viewer's */
static pid_t task;

static void open_live(const char *script)
{
	const struct live_step step = {
		.job_id = 7, .uid = 1000, .nodes = 3, .node = "n1", .conf = "/etc/j.conf"
	};
	const char *path;

	tempdir_make();
	path = tempdir_put("helper", script ? script : "");
	if (script)
		chmod(path, 0755);
	live_open(&live, path, &step);
}

static void start_task(void)
{
	int in[2], out[2];

	ck_assert(!pipe(in) && !pipe(out));
	task = fork();
	if (task == 0) {
		is_task = true;
		if (is_left_open) {
			live.task_fd = fcntl(live.task_fd, F_DUPFD, 10);
			dup2(in[1], 4);
		}
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		signal(SIGTERM, SIG_IGN); /* as slurmstepd may have left it */
		live_relay(&live, "n1");
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	to_task = in[1];
	from_task = out[0];
	live_forked(&live);
	ck_assert_int_eq(live.task_fd, -1);
}

/* The next line that the viewer reads; "": the task has gone. */
static const char *next_line(void)
{
	struct pollfd fds = { .fd = from_task, .events = POLLIN };
	static char line[1000];
	size_t used = 0;

	while (used < sizeof(line) - 1) {
		ck_assert_int_eq(poll(&fds, 1, ENDS_MS), 1);
		if (read(from_task, line + used, 1) != 1)
			break;
		if (line[used++] == '\n')
			break;
	}
	line[used] = 0;
	return line;
}

static void end_task(int signal)
{
	int status;

	ck_assert_str_eq(next_line(), "");
	ck_assert_int_eq(waitpid(task, &status, 0), task);
	ck_assert_int_eq(signal, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	live_close(&live);
	ck_assert_int_eq(live.helper, 0);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
	tempdir_remove();
}

START_TEST(questions_and_answers_go_to_and_fro_until_the_viewer_has_gone)
{
	open_live("#!/bin/sh\n"
		  "echo \"$* $SLURMD_NODENAME $HOME\"\n"
		  "while read line; do echo \"answer to $line\"; done\n");
	ck_assert_str_eq(live.error.text, "");
	ck_assert_int_gt(live.helper, 0);
	start_task();
	ck_assert_str_eq(next_line(), "--conf=/etc/j.conf 7 1000 3 n1 \n");
	ck_assert_int_eq(write(to_task, "one\ntwo\n", 8), 8);
	ck_assert_str_eq(next_line(), "answer to one\n");
	ck_assert_str_eq(next_line(), "answer to two\n");
	close(to_task);
	end_task(0);
}
END_TEST

static void expect_lines(int count)
{
	char number[20], script[200];
	int i;

	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "i=0\n"
		 "while [ $i -lt %d ]; do echo $i; i=$((i + 1)); done\n"
		 "read end\n",
		 count);
	open_live(script);
	start_task();
	for (i = 0; i < count; i++) {
		snprintf(number, sizeof(number), "%d\n", i);
		ck_assert_str_eq(next_line(), number);
	}
	close(to_task);
	end_task(0);
}

START_TEST(an_answer_longer_than_a_pipe_holds_arrives_whole)
{
	expect_lines(14000);
}
END_TEST

START_TEST(signals_and_writes_of_a_part_lose_nothing)
{
	is_rough = true;
	expect_lines(2000);
}
END_TEST

#define ANSWERS "#!/bin/sh\nwhile read line; do echo \"answer to $line\"; done\n"

START_TEST(what_slurmstepd_left_open_in_the_task_does_not_keep_it)
{
	is_left_open = true;
	open_live(ANSWERS);
	start_task();
	ck_assert_int_eq(write(to_task, "one\n", 4), 4);
	ck_assert_str_eq(next_line(), "answer to one\n");
	close(to_task);
	end_task(0);
}
END_TEST

START_TEST(a_side_that_fails_ends_the_task)
{
	bad_read = 2;
	open_live(ANSWERS);
	start_task();
	ck_assert_int_eq(write(to_task, "one\n", 4), 4);
	end_task(0); /* the answer cannot be read */
	bad_read = 0;
	bad_write = 2;
	open_live(ANSWERS);
	start_task();
	ck_assert_int_eq(write(to_task, "one\n", 4), 4);
	end_task(0); /* and not be written */
}
END_TEST

START_TEST(a_slurmstepd_without_standard_files_hands_its_socket_over)
{
	ck_assert_int_eq(close(STDIN_FILENO), 0);
	open_live(ANSWERS);
	ck_assert_int_eq(live.task_fd, STDIN_FILENO);
	live_forked(&live);
	ck_assert_int_eq(live.task_fd, -1);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	live_close(&live);
	tempdir_remove();
}
END_TEST

START_TEST(a_helper_that_ends_ends_the_task)
{
	open_live("#!/bin/sh\nread line\necho that is all\n");
	start_task();
	ck_assert_int_eq(write(to_task, "\n", 1), 1);
	ck_assert_str_eq(next_line(), "that is all\n");
	end_task(0);
}
END_TEST

START_TEST(a_task_can_be_ended_whatever_slurmstepd_does_with_signals)
{
	open_live("#!/bin/sh\necho ready\nread line\n");
	start_task();
	ck_assert_str_eq(next_line(), "ready\n");
	kill(task, SIGTERM);
	end_task(SIGTERM);
}
END_TEST

START_TEST(a_helper_that_does_not_end_is_ended)
{
	open_live("#!/bin/sh\n:\necho ready\n"
		  "exec 0<&- 1>&-\nwhile :; do sleep 1; done\n");
	start_task();
	ck_assert_str_eq(next_line(), "ready\n");
	end_task(0);
}
END_TEST

START_TEST(without_a_helper_the_viewer_is_told_why)
{
	char wanted[600];

	open_live(NULL);
	snprintf(wanted, sizeof(wanted), "%s: Permission denied", tempdir_path("helper"));
	ck_assert_str_eq(live.error.text, wanted);
	ck_assert_int_eq(live.helper, 0);
	ck_assert_int_eq(live.task_fd, -1);
	snprintf(wanted, sizeof(wanted), "@jobio/1 e 0 0 1 1 n1 %s: Permission denied\n",
		 tempdir_path("helper"));
	start_task();
	ck_assert_str_eq(next_line(), wanted);
	end_task(0);
}
END_TEST

START_TEST(a_step_is_asked_for_its_own_job_alone)
{
	ck_assert(live_is_asked("7", 7));
	ck_assert(!live_is_asked("8", 7));
	ck_assert(!live_is_asked("0", 0));
	ck_assert(!live_is_asked("7x", 7));
	ck_assert(!live_is_asked("", 7));
	ck_assert(live_is_asked("4294967295", 4294967295U));
	ck_assert(live_is_asked("1", 1));
}
END_TEST

UNIT_MAIN("live_relay", questions_and_answers_go_to_and_fro_until_the_viewer_has_gone,
	  an_answer_longer_than_a_pipe_holds_arrives_whole,
	  signals_and_writes_of_a_part_lose_nothing,
	  what_slurmstepd_left_open_in_the_task_does_not_keep_it, a_side_that_fails_ends_the_task,
	  a_slurmstepd_without_standard_files_hands_its_socket_over,
	  a_helper_that_ends_ends_the_task,
	  a_task_can_be_ended_whatever_slurmstepd_does_with_signals,
	  a_helper_that_does_not_end_is_ended, without_a_helper_the_viewer_is_told_why,
	  a_step_is_asked_for_its_own_job_alone)
