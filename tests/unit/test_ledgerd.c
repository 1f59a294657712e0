/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-ledgerd with a server, a clock and a writer made up: how it starts the
 * writer again, and how it ends. With real ones: ledger.bats. */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <getopt.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ledger/scrape.h"
#include "ledger/server.h"
#include "tests/unit/append.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#undef main /* jobio-ledgerd's has another name here */
int jobio_ledgerd_main(int argc, char **argv);

#define STATUS_3 (3 << 8) /* of waitpid() */
#define WRITER 4000

static char did[1000];
static struct {
	time_t now;
	int status; /* of the writer that ended */
	bool is_another, has_no_fork, has_no_server, has_no_scrape, fails;
	int forks;
	void (*scene)(void);
	void (*wake)(void *arg);
	void *wake_arg;
} world;

static struct {
	event_callback_fn call;
	void *arg;
} child, timer;

#define note(...) append(did, sizeof(did), __VA_ARGS__)

static void expect_did(const char *wanted)
{
	ck_assert_str_eq(did, wanted);
	*did = 0;
}

/* ---- the system ------------------------------------------------------------ */

time_t fake_time(time_t *now)
{
	ck_assert_ptr_null(now);
	return world.now;
}

pid_t fake_fork(void)
{
	errno = EAGAIN;
	if (world.has_no_fork)
		return -1;
	note("fork;");
	return WRITER + ++world.forks;
}

pid_t fake_waitpid(pid_t pid, int *status, int flags)
{
	ck_assert_int_eq(pid, WRITER + world.forks);
	if (!status) {
		note("wait;");
		return pid;
	}
	ck_assert_int_eq(flags, WNOHANG);
	*status = world.status;
	return world.is_another ? 0 : pid;
}

int fake_kill(pid_t pid, int number)
{
	ck_assert_int_eq(pid, WRITER + world.forks);
	note("kill %d;", number);
	return 0;
}

struct event *fake_event_new(struct event_base *base, evutil_socket_t fd,
			     short what, event_callback_fn call, void *arg)
{
	(void)base;
	if (what & EV_SIGNAL) {
		ck_assert_int_eq(fd, SIGCHLD);
		child.call = call;
		child.arg = arg;
		return (struct event *)&child;
	}
	timer.call = call;
	timer.arg = arg;
	return (struct event *)&timer;
}

int fake_event_add(struct event *event, const struct timeval *after)
{
	if (event == (struct event *)&timer) {
		ck_assert_int_eq(after->tv_usec, 0);
		note("%ld;", (long)after->tv_sec);
	} else {
		ck_assert_ptr_null(after);
	}
	return 0;
}

void fake_event_free(struct event *event)
{
	ck_assert_ptr_nonnull(event);
}

/* ---- the server ------------------------------------------------------------ */

struct seal *fake_seal_new(const char *munge_socket, struct err *err)
{
	(void)err;
	return (struct seal *)munge_socket;
}

void fake_seal_free(struct seal *seal)
{
	(void)seal;
}

struct server *server_new(const struct config_ledger *config,
			  struct service *service, struct seal *seal,
			  void (*wake)(void *arg), void *arg, struct err *err)
{
	(void)config, (void)service;
	ck_assert_ptr_nonnull(seal);
	world.wake = wake;
	world.wake_arg = arg;
	if (!world.has_no_server)
		return (struct server *)&world;
	err_set(err, "server: no");
	return NULL;
}

void server_free(struct server *server)
{
	(void)server;
}

struct event_base *server_base(struct server *server)
{
	ck_assert_ptr_eq(server, &world);
	return NULL;
}

int server_run(struct server *server, struct err *err)
{
	ck_assert_ptr_eq(server, &world);
	if (world.scene)
		world.scene();
	return world.fails ? err_set(err, "server: it broke") : 0;
}

struct scrape *scrape_new(const struct config_ledger *config,
			  struct event_base *base,
			  char *(*text)(void *arg, struct err *err), void *arg,
			  struct err *err)
{
	(void)config, (void)base, (void)text, (void)arg;
	if (!world.has_no_scrape)
		return (struct scrape *)&world;
	err_set(err, "metrics: no");
	return NULL;
}

void scrape_free(struct scrape *scrape)
{
	(void)scrape;
}

/* ---- words of the tests ---------------------------------------------------- */

static void begin(void (*scene)(void))
{
	char text[600];

	memset(&world, 0, sizeof(world));
	*did = 0;
	world.now = 100000;
	world.status = STATUS_3;
	world.scene = scene;
	tempdir_make();
	snprintf(text, sizeof(text),
		 "[ledger]\nhost=a\nuser=%s\nstore=%s/store\n",
		 getpwuid(geteuid())->pw_name, tempdir_name);
	tempdir_put("jobio.conf", text);
}

/* Its exit status; what it said is in the file "said". */
static int served(void)
{
	char conf[300];
	char *argv[] = { (char *)"jobio-ledgerd", conf, NULL };
	int status;

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	optind = 0;
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	status = jobio_ledgerd_main(2, argv);
	fflush(stderr);
	return status;
}

static void expect_said(const char *wanted)
{
	static char text[2000];
	FILE *file = fopen(tempdir_path("said"), "r");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	ck_assert_str_eq(text, wanted);
	tempdir_remove();
}

#define SAID(text) "jobio: ledger: " text "\n"
#define ENDED(how, after)                                                      \
	SAID("writer: ended (" how "): starting it again in " after " s")

static void dies(void)
{
	child.call(-1, 0, child.arg);
}

static void comes_back(void)
{
	timer.call(-1, 0, timer.arg);
}

/* ---- the writer ------------------------------------------------------------ */

static void dies_again_and_again(void)
{
	static const char *const wanted[] = { "fork;1;",  "fork;2;",
					      "fork;4;",  "fork;8;",
					      "fork;16;", "fork;32;",
					      "fork;60;", "fork;60;" };
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		dies();
		expect_did(wanted[i]);
		comes_back();
	}
	/* five minutes are not enough; then it begins anew */
	world.now += 300;
	dies();
	expect_did("fork;60;");
	comes_back();
	world.now += 301;
	dies();
	expect_did("fork;1;");
	comes_back();
	dies();
	expect_did("fork;2;");
}

START_TEST(a_writer_that_dies_is_waited_for_longer_until_one_lives)
{
	begin(dies_again_and_again);
	ck_assert_int_eq(served(), 0);
	expect_did(""); /* there is none to end */
	tempdir_remove();
}
END_TEST

/* Nobody writes into a file that has got the number of the writer's pipe. */
static void expect_nobody_woken(void)
{
	int fds[8];
	size_t i;

	tempdir_put("other", "");
	for (i = 0; i < 8; i++) {
		fds[i] = open(tempdir_path("other"), O_WRONLY | O_CLOEXEC);
		ck_assert_int_ge(fds[i], 0);
	}
	world.wake(world.wake_arg);
	ck_assert_int_eq(lseek(fds[0], 0, SEEK_END), 0);
	for (i = 0; i < 8; i++)
		close(fds[i]);
}

static void dies_each_way(void)
{
	world.is_another = true;
	dies();
	expect_did("fork;");
	world.is_another = false;
	dies();
	expect_nobody_woken();
	dies(); /* another child: there is no writer */
	comes_back();
	world.status = SIGKILL;
	dies();
	expect_did("1;fork;2;");
	/* and there is no room for a new one at first */
	world.has_no_fork = true;
	comes_back();
	expect_did("60;");
	world.has_no_fork = false;
	comes_back();
	expect_did("fork;");
	world.wake(world.wake_arg);
}

START_TEST(how_it_died_is_said_and_a_writer_that_lives_ends_with_the_ledger)
{
	begin(dies_each_way);
	ck_assert_int_eq(served(), 0);
	expect_did("kill 9;wait;");
	expect_said(SAID("ready") ENDED("status 3", "1") ENDED("signal 9", "2")
			    SAID("writer: Resource temporarily unavailable")
				    SAID("stopped"));
}
END_TEST

/* ---- its end --------------------------------------------------------------- */

START_TEST(a_ledger_that_cannot_serve_says_why_and_fails)
{
	begin(NULL);
	world.fails = true;
	ck_assert_int_eq(served(), 1);
	expect_did("fork;kill 9;wait;");
	expect_said(SAID("ready") SAID("stopped") SAID("server: it broke"));
	begin(NULL);
	world.has_no_server = true;
	ck_assert_int_eq(served(), 1);
	expect_did("");
	expect_said(SAID("server: no"));
	begin(NULL);
	world.has_no_scrape = true;
	ck_assert_int_eq(served(), 1);
	expect_did("");
	expect_said(SAID("metrics: no"));
	begin(NULL);
	world.has_no_fork = true;
	ck_assert_int_eq(served(), 1);
	expect_said(SAID("writer: Resource temporarily unavailable"));
	begin(NULL);
	tempdir_put("store", "this is no database, and has no room for one");
	ck_assert_int_eq(served(), 1);
	expect_did("");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("ledgerd", a_writer_that_dies_is_waited_for_longer_until_one_lives,
	  how_it_died_is_said_and_a_writer_that_lives_ends_with_the_ledger,
	  a_ledger_that_cannot_serve_says_why_and_fails)
