/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/lock.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static int fd;

/* Another process has the lock, and gives it up after so long. */
static pid_t held_for(unsigned int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000,
				       .tv_nsec = ms % 1000 * 1000000L };
	int ready[2], own;
	char byte;
	pid_t pid;

	tempdir_make();
	fd = open(tempdir_put("lock", ""), O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		own = open(tempdir_path("lock"), O_RDWR);
		if (flock(own, LOCK_EX) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		nanosleep(&time, NULL);
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(fd);
	tempdir_remove();
}

START_TEST(who_waits_has_the_lock_when_another_ends)
{
	pid_t pid = held_for(60);

	ck_assert_int_eq(lock_wait(fd, 30000), 0);
	ck_assert_int_eq(flock(open(tempdir_path("lock"), O_RDWR | O_CLOEXEC),
			       LOCK_EX | LOCK_NB),
			 -1);
	end(pid);
}
END_TEST

START_TEST(nobody_waits_longer_than_he_may)
{
	pid_t pid = held_for(60000);
	unsigned long long begin_ms = child_now_ms();

	ck_assert_int_eq(lock_wait(fd, 50), -1);
	ck_assert_int_eq(errno, EWOULDBLOCK);
	ck_assert_uint_ge(child_now_ms() - begin_ms, 50);
	ck_assert_uint_lt(child_now_ms() - begin_ms, 30000);
	end(pid);
}
END_TEST

START_TEST(without_time_a_lock_is_tried_once)
{
	pid_t pid = held_for(60000);

	ck_assert_int_eq(lock_wait(fd, 0), -1);
	ck_assert_int_eq(errno, EWOULDBLOCK);
	kill(pid, SIGKILL);
	ck_assert_int_eq(lock_wait(fd, 30000), 0);
	ck_assert_int_eq(lock_wait(fd, 0), 0);
	end(pid);
}
END_TEST

START_TEST(what_cannot_be_locked_is_not_waited_for)
{
	unsigned long long begin_ms = child_now_ms();

	ck_assert_int_eq(lock_wait(-1, 60000), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_uint_lt(child_now_ms() - begin_ms, 30000);
}
END_TEST

UNIT_MAIN("lock", who_waits_has_the_lock_when_another_ends,
	  nobody_waits_longer_than_he_may, without_time_a_lock_is_tried_once,
	  what_cannot_be_locked_is_not_waited_for)
