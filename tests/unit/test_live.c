/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A step that looks: the helper beside slurmstepd, and the task between it and
 * the viewer. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "spank/live.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static const struct live_step with = { .job_id = 7,
				       .uid = 1000,
				       .nodes = 2,
				       .node = "c1",
				       .conf = "/etc/jobio.conf" };

static const char *helper(const char *text)
{
	const char *path = tempdir_put("helper", text);

	chmod(path, 0755);
	return path;
}

/* A task with 'in' as its standard input: what it prints. */
static char *relay(struct live *live, const char *in)
{
	static char out[4096];
	int from[2], to[2], status;
	size_t used = 0;
	ssize_t got;
	pid_t pid;

	ck_assert_int_eq(pipe(from) | pipe(to), 0);
	pid = fork();
	if (pid == 0) {
		dup2(from[0], STDIN_FILENO);
		dup2(to[1], STDOUT_FILENO);
		/* from[1] stays open, as slurmstepd's does in its tasks */
		live_relay(live, "c1");
		_exit(0);
	}
	close(from[0]);
	close(to[1]);
	live_forked(live);
	if (write(from[1], in, strlen(in)) < 0)
		ck_abort();
	while (used < sizeof(out) - 1 &&
	       (got = read(to[0], out + used, sizeof(out) - 1 - used)) > 0) {
		used += (size_t)got;
		if (from[1] >= 0 && memchr(out, '\n', used))
			close(from[1]), from[1] = -1;
	}
	out[used] = '\0';
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	return out;
}

START_TEST(the_helper_is_told_what_slurmstepd_knows_and_no_more)
{
	struct live live;

	tempdir_make();
	setenv("EVIL", "1", 1);
	live_open(&live,
		  helper("#!/bin/sh\nread question\n"
			 "echo \"$question: $* $SLURMD_NODENAME '$EVIL' "
			 "$(ls /proc/self/fd | wc -l)\"\n"),
		  &with);
	ck_assert_int_gt(live.helper, 0);
	ck_assert_str_eq(relay(&live, "how much\n"),
			 "how much: --conf=/etc/jobio.conf 7 1000 2 c1 '' 4\n");
	live_close(&live);
	ck_assert_int_eq(live.helper, 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_helper_that_stays_ends_with_the_step)
{
	struct live live;
	pid_t pid;

	tempdir_make();
	live_open(&live, helper("#!/bin/sh\nexec sleep 1000\n"), &with);
	pid = live.helper;
	ck_assert_int_gt(pid, 0);
	live_close(&live);
	ck_assert_int_lt(kill(pid, 0), 0);
	ck_assert_int_lt(live.task_fd, 0);
	live_close(&live); /* twice hurts nobody */
	tempdir_remove();
}
END_TEST

START_TEST(a_helper_ends_when_the_task_has_ended)
{
	struct live live;
	int status;

	tempdir_make();
	live_open(&live, helper("#!/bin/sh\necho hello\nexec cat\n"), &with);
	ck_assert_str_eq(relay(&live, ""), "hello\n");
	ck_assert_int_eq(waitpid(live.helper, &status, 0), live.helper);
	ck_assert_int_eq(status, 0);
	live_close(&live); /* somebody has waited for it: nobody is killed */
	tempdir_remove();
}
END_TEST

START_TEST(without_a_helper_the_task_says_so)
{
	struct live live;

	tempdir_make();
	live_open(&live, tempdir_path("none"), &with);
	ck_assert(live.is_on);
	ck_assert_int_eq(live.helper, 0);
	ck_assert_msg(strstr(relay(&live, ""), "none: No such file") != NULL,
		      "it says why");
	live_close(&live);
	tempdir_remove();
}
END_TEST

START_TEST(only_the_number_of_the_job_asks_for_a_look)
{
	ck_assert(live_is_asked("7", 7));
	ck_assert(!live_is_asked("7", 8));
	ck_assert(!live_is_asked("", 7));
	ck_assert(!live_is_asked("7x", 7));
	ck_assert(!live_is_asked("0", 0));
	ck_assert(live_is_asked("1", 1));
	ck_assert(live_is_asked("4294967295", UINT32_MAX));
	ck_assert(!live_is_asked("4294967296", 0));
}
END_TEST

UNIT_MAIN("live", the_helper_is_told_what_slurmstepd_knows_and_no_more,
	  a_helper_that_stays_ends_with_the_step,
	  a_helper_ends_when_the_task_has_ended,
	  without_a_helper_the_task_says_so,
	  only_the_number_of_the_job_asks_for_a_look)
