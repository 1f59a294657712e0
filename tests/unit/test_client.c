/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several types of clients need: questions to a socket, lists of options. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/mount_option.h"
#include "client/setting.h"
#include "client/socket.h"
#include "client/weka/options.h"
#include "lib/child.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* ---- socket ----------------------------------------------------------------- */

static pid_t server;
static struct err err;

static int listen_there(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s",
		 tempdir_path("socket"));
	ck_assert(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		  listen(fd, 4) == 0);
	return fd;
}

/* Whoever connects is sent 'parts', one after the other, when he has said "hi", and
 * nothing behind a '!' before he has hung up; NULL: nothing, and the connection
 * stays. */
static void serve(const char *const parts[])
{
	int fd = listen_there(), peer;
	char text[16];

	server = fork();
	if (server) {
		close(fd);
		return;
	}
	peer = accept(fd, NULL, NULL);
	if (recv(peer, text, sizeof(text), 0) != 2 || memcmp(text, "hi", 2))
		_exit(1);
	for (; parts && *parts; parts++) {
		send(peer, *parts, strlen(*parts), MSG_NOSIGNAL);
		if (strchr(*parts, '!'))
			recv(peer, text, sizeof(text), 0);
		usleep(20000);
	}
	if (!parts)
		sleep(60);
	_exit(0);
}

static void stop(void)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

/* An answer ends with a dot; one with '!' will never be right. */
static int ends(const char *text, size_t size_bytes)
{
	if (memchr(text, '!', size_bytes))
		return -1;
	return text[size_bytes - 1] == '.';
}

static int ask(size_t room, unsigned int ms, char *answer, long *pid)
{
	struct socket_question question = {
		.path = tempdir_path("socket"),
		.text = "hi",
		.size_bytes = 2,
		.answer_max = room,
		.is_whole = ends,
		.end_ms = child_now_ms() + ms,
	};
	size_t size = 99;
	int rc;

	*err.text = '\0';
	rc = socket_ask(&question, answer, &size, pid, &err);
	if (rc == 0)
		answer[size] = '\0';
	return rc;
}

static void expect_answer(const char *const parts[], const char *answer)
{
	char got[64];
	long pid = -1;

	tempdir_make();
	serve(parts);
	ck_assert_msg(ask(32, 10000, got, &pid) == 0, "%s", err.text);
	ck_assert_str_eq(err.text, "");
	ck_assert_str_eq(got, answer);
	ck_assert_int_eq(pid, getpid()); /* who called listen(2) */
	stop();
	tempdir_remove();
}

START_TEST(an_answer_may_come_in_parts)
{
	static const char *const one[] = { "word.", NULL };
	static const char *const three[] = { "a", "b", "c.", NULL };
	static const char *const cut[] = { "no dot", NULL };
	static const char *const wrong[] = { "a!b", "more.", NULL };

	expect_answer(one, "word.");
	expect_answer(three, "abc.");
	expect_answer(cut, "no dot");
	expect_answer(wrong, "a!b");
}
END_TEST

/* From the signal on the server may speak. */
static int bell[2];

static void ring(int sig)
{
	ssize_t n = write(bell[1], "x", 1);

	(void)sig, (void)n;
}

START_TEST(a_signal_does_not_end_the_waiting_for_an_answer)
{
	const struct sigaction action = { .sa_handler = ring };
	const struct itimerval soon = { .it_value.tv_usec = 50000 };
	int fd, peer;
	char got[64], text[16];

	tempdir_make();
	ck_assert_int_eq(pipe(bell), 0);
	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	fd = listen_there();
	server = fork();
	if (!server) {
		peer = accept(fd, NULL, NULL);
		recv(peer, text, sizeof(text), 0);
		if (read(bell[0], text, 1) == 1)
			send(peer, "cut", 3, MSG_NOSIGNAL);
		_exit(0);
	}
	close(fd);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
	ck_assert_msg(ask(32, 10000, got, NULL) == 0, "%s", err.text);
	ck_assert_str_eq(got, "cut");
	stop();
	close(bell[0]);
	close(bell[1]);
	tempdir_remove();
}
END_TEST

START_TEST(an_answer_that_is_broken_off_is_told_with_its_reason)
{
	int fd, peer;
	char got[64], byte;

	tempdir_make();
	fd = listen_there();
	server = fork();
	if (!server) { /* it never takes the question */
		peer = accept(fd, NULL, NULL);
		_exit(recv(peer, &byte, 1, MSG_PEEK) != 1);
	}
	close(fd);
	ck_assert_int_eq(ask(32, 10000, got, NULL), -1);
	ck_assert_int_eq(errno, ECONNRESET);
	ck_assert_ptr_nonnull(
		strstr(err.text, "/socket': Connection reset by peer"));
	stop();
	tempdir_remove();
}
END_TEST

START_TEST(a_program_without_standard_input_asks_as_well)
{
	static const char *const parts[] = { "word.", NULL };

	ck_assert_int_eq(close(0), 0);
	expect_answer(parts, "word.");
}
END_TEST

START_TEST(an_answer_that_does_not_come_is_waited_for_until_the_deadline)
{
	unsigned long long began_ms;
	char got[64];

	tempdir_make();
	serve(NULL);
	began_ms = child_now_ms();
	ck_assert_int_eq(ask(32, 150, got, NULL), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_ptr_nonnull(strstr(err.text, "/socket': no answer in time"));
	ck_assert(child_now_ms() - began_ms >= 140);
	stop();
	tempdir_remove();
}
END_TEST

START_TEST(an_answer_without_end_is_cut_off)
{
	static const char *const parts[] = { "0123456789", "0123456789",
					     "0123456789", NULL };
	char got[64];

	tempdir_make();
	serve(parts);
	ck_assert_int_eq(ask(25, 10000, got, NULL), -1);
	ck_assert_int_eq(errno, E2BIG);
	ck_assert_ptr_nonnull(strstr(
		err.text, "/socket': the answer is larger than 25 bytes"));
	stop();
	tempdir_remove();
}
END_TEST

START_TEST(where_nobody_listens_nobody_is_there)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char got[64];
	int fd;

	tempdir_make();
	ck_assert_int_eq(ask(32, 1000, got, NULL), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s",
		 tempdir_path("socket"));
	ck_assert(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	close(fd);
	ck_assert_int_eq(ask(32, 1000, got, NULL), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert(unlink(tempdir_path("socket")) == 0);
	tempdir_put("socket", "");
	ck_assert_int_eq(ask(32, 1000, got, NULL), -1);
	ck_assert_int_eq(errno, EPERM);
	ck_assert_ptr_nonnull(strstr(err.text, "not a socket of root"));
	/* nor is a link followed */
	ck_assert(rename(tempdir_path("socket"), tempdir_path("file")) == 0);
	ck_assert(symlink("file", tempdir_path("socket")) == 0);
	ck_assert_int_eq(ask(32, 1000, got, NULL), -1);
	ck_assert_int_eq(errno, EPERM);
	tempdir_remove();
}
END_TEST

START_TEST(the_socket_of_another_user_is_not_asked)
{
	static const char *const parts[] = { "word.", NULL };
	char got[64];

	if (geteuid() != 0)
		return;
	tempdir_make();
	serve(parts);
	ck_assert(chown(tempdir_path("socket"), 12345, 12345) == 0);
	ck_assert_int_eq(ask(32, 1000, got, NULL), -1);
	ck_assert_int_eq(errno, EPERM);
	stop();
	tempdir_remove();
}
END_TEST

/* ---- options ------------------------------------------------------------------ */

static void expect_list(char *list, const char *wanted)
{
	ck_assert_str_eq(list, wanted);
	free(list);
}

START_TEST(a_new_mount_gets_what_it_showed_and_what_fstab_adds)
{
	expect_list(weka_mount_options("rw,relatime,writecache,inode_bits=auto",
				       "num_cores=1,net=ib0,memory_mb=1400,"
				       "readcache,_netdev,noauto,nofail,"
				       "x-systemd.after=a,X-y,core=3,user,"
				       "comment=z,remount,defaults"),
		    "rw,relatime,writecache,inode_bits=auto,net=ib0,"
		    "memory_mb=1400");
	expect_list(weka_mount_options("rw,seclabel,forcedirect", ""),
		    "rw,forcedirect");
	expect_list(weka_mount_options("", "net=ib0"), "net=ib0");
	expect_list(weka_mount_options("", ""), "");
}
END_TEST

START_TEST(a_mount_that_lost_an_option_is_told)
{
	ck_assert_int_eq(weka_options_kept("rw,relatime,writecache",
					   "writecache,rw,relatime", &err),
			 0);
	ck_assert_int_eq(weka_options_kept("rw,dentry_max_age_positive=1000",
					   "rw,dentry_max_age_positive=2",
					   &err),
			 -1);
	ck_assert_str_eq(err.text, "it has lost "
				   "'dentry_max_age_positive=1000' on the way");
	ck_assert_int_eq(weka_options_kept("rw,nosuid", "rw", &err), -1);
	ck_assert_str_eq(err.text, "it has lost 'nosuid' on the way");
	ck_assert_int_eq(weka_options_kept("rw", "ro", &err), -1);
}
END_TEST

START_TEST(what_is_read_back_decides)
{
	const struct setting *weka = &weka_options;

	ck_assert_int_eq(setting_verify(weka, "rw,writecache", "rw,forcedirect",
					"forcedirect", &err),
			 0);
	ck_assert_int_eq(setting_verify(weka, "rw,writecache", "rw,writecache",
					"forcedirect", &err),
			 -1);
	ck_assert_str_eq(err.text,
			 "the mount table shows 'rw,writecache' instead");
	ck_assert_int_eq(setting_verify(weka, "rw,noatime,writecache",
					"rw,relatime,forcedirect",
					"forcedirect", &err),
			 -1);
	ck_assert_str_eq(err.text, "it has lost 'noatime' on the way");
	ck_assert_int_eq(setting_verify(weka, "rw,sync_on_close", "rw",
					"!sync_on_close", &err),
			 0);
	ck_assert_int_eq(setting_verify(weka, "rw,sync_on_close",
					"rw,sync_on_close", "!sync_on_close",
					&err),
			 -1);
}
END_TEST

START_TEST(a_remount_repeats_what_would_fall_back)
{
	expect_list(mount_option_remount(&weka_options,
					 "rw,relatime,writecache,inode_bits="
					 "auto,readahead_kb=32768,seclabel,"
					 "dentry_max_age_positive=1000",
					 "forcedirect"),
		    "remount,rw,relatime,dentry_max_age_positive=1000,"
		    "forcedirect");
	expect_list(mount_option_remount(&weka_options, "rw,sync_on_close",
					 "!sync_on_close,noatime"),
		    "remount,rw,noatime");
}
END_TEST

static void expect_refusal(const char *key, const char *value, const char *why)
{
	const char *got = setting_refusal(&weka_options, key, value);

	ck_assert_msg(why ? got && !strcmp(got, why) : !got, "%s: %s", key,
		      got);
}

START_TEST(a_profile_may_set_what_can_be_changed_while_it_is_mounted)
{
	expect_refusal("forcedirect", "", NULL);
	expect_refusal("forcedirect", "1", "takes no value");
	expect_refusal("dentry_max_age_positive", "86400000", NULL);
	expect_refusal("dentry_max_age_positive", "86400001",
		       "its value is not a number within bounds");
	expect_refusal("dentry_max_age_positive", "",
		       "its value is not a number within bounds");
	expect_refusal("ro", "", weka_options.no_key);
	expect_refusal("nosuch", "", weka_options.no_key);
	ck_assert(setting_is_replaced(&weka_options, "forcedirect,noatime",
				      "writecache"));
	ck_assert(setting_is_replaced(&weka_options, "!relatime", "noatime"));
	ck_assert(!setting_is_replaced(&weka_options, "noatime", "writecache"));
	ck_assert(setting_is_replaced(&weka_options, "acl", "acl"));
	ck_assert(!setting_is_replaced(&weka_options, "acl", "df_remote"));
}
END_TEST

UNIT_MAIN("client", an_answer_may_come_in_parts,
	  a_signal_does_not_end_the_waiting_for_an_answer,
	  an_answer_that_is_broken_off_is_told_with_its_reason,
	  a_program_without_standard_input_asks_as_well,
	  an_answer_that_does_not_come_is_waited_for_until_the_deadline,
	  an_answer_without_end_is_cut_off,
	  where_nobody_listens_nobody_is_there,
	  the_socket_of_another_user_is_not_asked,
	  a_new_mount_gets_what_it_showed_and_what_fstab_adds,
	  a_mount_that_lost_an_option_is_told, what_is_read_back_decides,
	  a_remount_repeats_what_would_fall_back,
	  a_profile_may_set_what_can_be_changed_while_it_is_mounted)
