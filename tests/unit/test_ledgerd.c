/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-ledgerd with a server, a clock, a writer and a slurmdbd made up: how it starts
 * the writer again, how it ends, and what it checks. With real ones: ledger.bats. */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ledger/acct.h"
#include "ledger/metrics.h"
#include "ledger/scrape.h"
#include "ledger/server.h"
#include "ledger/writer.h"
#include "lib/child.h"
#include "tests/unit/append.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
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
	bool has_no_acct, has_no_admin, has_no_child, has_no_metrics,
		has_no_munge;
	bool waits;	  /* the child, until it is woken */
	bool has_no_exec; /* there is no such program */
	pid_t child;
	bool forks_truly, gives_up; /* libslurm, which ends the process */
	const char *slurmdbd;	    /* why it cannot be asked; NULL: it can */
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

#undef fork
#undef waitpid
pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int flags);

static void expect_child_ends(void)
{
	int status;

	ck_assert_int_eq(waitpid(world.child, &status, 0), world.child);
	ck_assert(WIFEXITED(status));
	note("ended %d;", WEXITSTATUS(status));
}

pid_t fake_fork(void)
{
	pid_t pid;

	errno = EAGAIN;
	if (world.has_no_fork)
		return -1;
	if (world.forks_truly) {
		pid = fork();
		ck_assert_int_ge(pid, 0);
		if (!pid) { /* the numbers that the writer wants are free */
			close(3);
			close(4);
			return 0;
		}
		world.child = pid;
		if (!world.waits)
			expect_child_ends();
	}
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

#undef child_call
int child_call(const char *name, int (*fn)(void *arg), void *arg,
	       unsigned int timeout_ms, struct child_result *result,
	       struct err *err);

int fake_child_call(const char *name, int (*fn)(void *arg), void *arg,
		    unsigned int timeout_ms, struct child_result *result,
		    struct err *err)
{
	if (world.has_no_child)
		return err_set(err, "%s: no child", name);
	return child_call(name, fn, arg, timeout_ms, result, err);
}

/* In the writer's process: what it would find. */
int fake_execv(const char *file, char *const argv[])
{
	int flags[2] = { fcntl(3, F_GETFD), fcntl(4, F_GETFD) };
	bool has_metrics = lseek(4, 0, SEEK_END) > 0;
	struct pollfd wake = { .fd = 3, .events = POLLIN };
	char text[600], byte;
	FILE *out;

	if (world.has_no_exec)
		return -1;
	if (world.waits)
		poll(&wake, 1, 2000);
	out = fopen(tempdir_path("exec"), "w");
	snprintf(text, sizeof(text), "%s %s %s %s %s: %d %d: %s, %s", file,
		 argv[0], argv[1], argv[2], argv[3] ? "more" : "-", flags[0],
		 flags[1], read(3, &byte, 1) == 1 ? "woken" : "not woken",
		 has_metrics ? "metrics" : "no metrics");
	fputs(text, out);
	fclose(out);
	_exit(3);
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
	if (!world.has_no_munge)
		return (struct seal *)munge_socket;
	err_set(err, "munge: no");
	return NULL;
}

void fake_seal_free(struct seal *seal)
{
	(void)seal;
}

int fake_seal_check(const char *munge_socket, struct err *err)
{
	ck_assert_ptr_nonnull(munge_socket);
	return world.has_no_munge ? err_set(err, "munge: no") : 0;
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

/* ---- slurmdbd, and the writer ----------------------------------------------- */

bool fake_acct_knows_admin(void)
{
	return !world.has_no_admin;
}

struct acct *fake_acct_new(enum ledger_field field, struct err *err)
{
	(void)field;
	if (world.gives_up)
		_exit(1);
	if (!world.has_no_acct)
		return (struct acct *)&world;
	err_set(err, "slurmdbd: no");
	return NULL;
}

void fake_acct_free(struct acct *acct)
{
	(void)acct;
}

int fake_acct_write(void *acct, struct acct_job *jobs, size_t count,
		    struct err *err)
{
	(void)jobs;
	if (acct != &world || count)
		return err_set(err, "it is asked for more than whether it is "
				    "there");
	return world.slurmdbd ? err_set(err, "%s", world.slurmdbd) : 0;
}

#undef metrics_attach
struct metrics *metrics_attach(int fd, struct err *err);

struct metrics *fake_metrics_attach(int fd, struct err *err)
{
	ck_assert_int_eq(fd, 4);
	if (!world.has_no_metrics)
		return metrics_attach(-1, err); /* some of its own */
	err_set(err, "metrics: no");
	return NULL;
}

#undef metrics_new
struct metrics *metrics_new(int *fd, struct err *err);

struct metrics *fake_metrics_new(int *fd, struct err *err)
{
	if (!world.has_no_metrics)
		return metrics_new(fd, err);
	err_set(err, "metrics: no");
	return NULL;
}

int fake_writer_run(struct writer *writer, int wake_fd, struct err *err)
{
	ck_assert_int_eq(wake_fd, 3);
	ck_assert_ptr_nonnull(writer->store);
	ck_assert_ptr_nonnull(writer->metrics);
	ck_assert_ptr_eq(writer->acct.acct, &world);
	ck_assert(writer->acct.write == fake_acct_write);
	ck_assert(writer->acct.operators == acct_operators);
	ck_assert(writer->drain.settle == drain_settle);
	note("writes %s;%u kB;",
	     writer->looks_again ? "and looks again" : "once",
	     writer->advice->small_read_kb);
	return world.fails ? err_set(err, "store: it broke") : 0;
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

/* One line more of its configuration, of which %s is the folder. */
static void configure(const char *line)
{
	FILE *file = fopen(tempdir_path("jobio.conf"), "a");
	char text[600];

	ck_assert_ptr_nonnull(file);
	snprintf(text, sizeof(text), line, tempdir_name);
	fprintf(file, "%s\n", text);
	fclose(file);
}

/* Its exit status; what it said and printed is in the files "said", "printed". */
static int started(const char *option)
{
	char conf[300];
	char *argv[] = { (char *)"jobio-ledgerd", conf, (char *)option, NULL };
	int status;

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	optind = 0;
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	setvbuf(stderr, NULL, _IONBF, 0); /* as it is, in children too */
	ck_assert_ptr_nonnull(freopen(tempdir_path("printed"), "w", stdout));
	status = jobio_ledgerd_main(option ? 3 : 2, argv);
	fflush(stderr);
	fflush(stdout);
	return status;
}

static int served(void)
{
	return started(NULL);
}

static const char *text_in(const char *name)
{
	static char text[2000];
	FILE *file = fopen(tempdir_path(name), "r");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static void expect_said(const char *wanted)
{
	ck_assert_str_eq(text_in("said"), wanted);
	tempdir_remove();
}

/* --check fails, and this is one of its lines; %s is the folder. */
static void expect_wrong(const char *line)
{
	char wanted[600];

	ck_assert_int_eq(started("--check"), 1);
	snprintf(wanted, sizeof(wanted), line, tempdir_name);
	append(wanted, sizeof(wanted), "\n");
	said_expect(text_in("printed"), wanted);
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
	world.has_no_munge = true;
	ck_assert_int_eq(served(), 1);
	expect_did("");
	expect_said(SAID("munge: no"));
	begin(NULL);
	world.has_no_metrics = true;
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

static void expect_writer_said(const char *wanted)
{
	ck_assert_int_eq(started("--writer"), 1);
	expect_said(wanted);
}

static void wakes(void)
{
	world.wake(world.wake_arg);
	expect_child_ends();
}

static void expect_executed(const char *how)
{
	char wanted[600];

	ck_assert_int_eq(served(), 0);
	snprintf(wanted, sizeof(wanted),
		 "/proc/self/exe jobio-ledgerd --writer --conf=%s/jobio.conf "
		 "-: 0 0: %s, metrics",
		 tempdir_name, how);
	tempdir_expect("exec", wanted);
}

START_TEST(a_writer_has_an_end_of_a_pipe_and_the_metrics_and_no_other_file)
{
	int fd;

	begin(wakes);
	do { /* these two numbers are another's */
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (fd < 4);
	world.forks_truly = world.waits = true;
	expect_executed("woken");
	expect_did("fork;ended 3;kill 9;wait;");
	world.scene = NULL;
	world.waits = false;
	expect_executed("not woken");
	expect_did("ended 3;fork;kill 9;wait;");
	world.has_no_exec = true;
	ck_assert_int_eq(served(), 0);
	expect_did("ended 127;fork;kill 9;wait;");
	tempdir_remove();
}
END_TEST

START_TEST(a_writer_looks_again_at_an_admin_comment_that_can_be_changed)
{
	begin(NULL);
	ck_assert_int_eq(started("--writer"), 0);
	expect_did("writes once;40 kB;");
	configure("field=admin");
	ck_assert_int_eq(started("--writer"), 0);
	expect_did("writes and looks again;40 kB;");
	world.has_no_admin = true;
	ck_assert_int_eq(started("--writer"), 0);
	expect_did("writes once;40 kB;");
	expect_said("");
}
END_TEST

START_TEST(a_writer_takes_what_was_calibrated_or_says_that_it_does_not)
{
	begin(NULL);
	configure("[advice]\ncalibration=%s/advice.conf");
	tempdir_put("advice.conf", "[advice]\nsmall_read_kb = 30\n");
	ck_assert_int_eq(started("--writer"), 0);
	expect_did("writes once;30 kB;");
	ck_assert_str_eq(text_in("said"), "");
	world.has_no_child = true;
	ck_assert_int_eq(started("--writer"), 0);
	expect_did("writes once;40 kB;");
	said_expect(text_in("said"), "advice.conf: no child\n");
	world.has_no_child = false;
	tempdir_put("advice.conf", "[advice]\nsmall_read_kb = many\n");
	ck_assert_int_eq(started("--writer"), 0);
	expect_did("writes once;40 kB;");
	said_expect(text_in("said"), "small_read_kb");
	said_expect(text_in("said"), SAID("[advice] calibration is not used"));
	tempdir_remove();
}
END_TEST

START_TEST(a_writer_that_cannot_write_says_why_and_fails)
{
	begin(NULL);
	world.fails = true;
	expect_writer_said(SAID("store: it broke"));
	begin(NULL);
	world.has_no_acct = true;
	expect_writer_said(SAID("slurmdbd: no"));
	begin(NULL);
	world.has_no_metrics = true;
	expect_writer_said(SAID("metrics: no"));
	begin(NULL);
	tempdir_put("store", "this is no database, and has no room for one");
	ck_assert_int_eq(started("--writer"), 1);
	said_expect(text_in("said"), "/store': store: file is not");
	tempdir_remove();
}
END_TEST

/* ---- what it needs --------------------------------------------------------- */

START_TEST(check_names_each_part_that_works)
{
	char wanted[1200];

	begin(NULL);
	ck_assert_int_eq(started("--check"), 0);
	snprintf(wanted, sizeof(wanted),
		 "configuration: ok: %s/jobio.conf\nuser: ok\nfield: ok\n"
		 "munge: ok\nstore: ok\nmetrics: ok\nslurmdbd: ok\n",
		 tempdir_name);
	ck_assert_str_eq(text_in("printed"), wanted);
	configure("metrics_file=%s/jobio.prom");
	configure("field=admin");
	configure("[advice]\ncalibration=%s/advice.conf");
	tempdir_put("advice.conf", "[advice]\nsmall_read_kb = 30\n");
	ck_assert_int_eq(started("--check"), 0);
	append(wanted, sizeof(wanted), "calibration: ok: %s/advice.conf\n",
	       tempdir_name);
	ck_assert_str_eq(text_in("printed"), wanted);
	/* what Slurm cannot do is told, and is no failure */
	world.has_no_admin = true;
	ck_assert_int_eq(started("--check"), 0);
	said_expect(text_in("printed"),
		    "\nfield: ok: [ledger] field: 'admin': Slurm before 22.05 "
		    "cannot change AdminComment: SystemComment is used\n"
		    "munge: ok\n");
	expect_said("");
}
END_TEST

START_TEST(check_goes_on_behind_a_part_that_does_not_work)
{
	char wanted[1200];

	begin(NULL);
	configure("metrics_file=%s/none/jobio.prom");
	configure("[advice]\ncalibration=%s/advice.conf");
	world.has_no_munge = true;
	world.slurmdbd = "slurmdbd: it is away";
	ck_assert_int_eq(started("--check"), 1);
	snprintf(wanted, sizeof(wanted),
		 "configuration: ok: %s/jobio.conf\nuser: ok\nfield: ok\n"
		 "munge: FAILED: munge: no\nstore: ok\n"
		 "metrics: FAILED: [ledger] metrics_file: "
		 "'%s/none/jobio.prom': its folder: No such file or "
		 "directory\n"
		 "slurmdbd: FAILED: slurmdbd: it is away\n"
		 "calibration: FAILED: %s/jobio.conf: [advice] calibration: ",
		 tempdir_name, tempdir_name, tempdir_name);
	said_expect(text_in("printed"), wanted);
	said_expect(text_in("printed"), "advice.conf': cannot read");
	expect_said("");
}
END_TEST

START_TEST(each_part_that_does_not_work_is_a_failure_of_its_own)
{
	begin(NULL);
	world.has_no_munge = true;
	expect_wrong("munge: FAILED: munge: no\nstore: ok");
	world.has_no_munge = false;
	world.has_no_acct = true;
	expect_wrong("slurmdbd: FAILED: slurmdbd: no");
	world.gives_up = true;
	expect_wrong("slurmdbd: FAILED: slurmdbd: libslurm gave up: is "
		     "slurm.conf readable?");
	world.has_no_child = true;
	expect_wrong("slurmdbd: FAILED: slurmdbd: no child");
	world = (__typeof__(world)){ .now = 100000 };
	configure("[advice]\ncalibration=%s/advice.conf");
	ck_assert_int_eq(started("--check"), 1);
	said_expect(text_in("printed"), "slurmdbd: ok\ncalibration: FAILED: ");
	tempdir_put("advice.conf", "[advice]\n");
	tempdir_put("store", "this is no database, and has no room for one");
	ck_assert_int_eq(started("--check"), 1);
	said_expect(text_in("printed"), "munge: ok\nstore: FAILED: '");
	tempdir_remove();
}
END_TEST

START_TEST(a_file_of_metrics_may_lie_at_the_top_of_all_folders)
{
	bool may = access("/", W_OK | X_OK) == 0;
	char wanted[600];

	snprintf(wanted, sizeof(wanted), "\nmetrics: %s%s\n",
		 may ? "ok"
		     : "FAILED: [ledger] metrics_file: '/jobio.prom': its "
		       "folder: ",
		 may ? "" : strerror(errno));
	begin(NULL);
	configure("metrics_file=/jobio.prom");
	ck_assert_int_eq(started("--check"), !may);
	said_expect(text_in("printed"), wanted);
	tempdir_remove();
}
END_TEST

START_TEST(a_store_that_is_away_is_not_one_that_works)
{
	begin(NULL);
#ifdef HAVE_MARIADB
	tempdir_put("jobio.conf", "[ledger]\nhost=a\nstore=mariadb\n");
	configure("storage_user=jobio\nstorage_host=%s/no.socket");
	ck_assert_int_eq(started("--check"), 1);
	said_expect(text_in("printed"), "\nstore: FAILED: store: MariaDB '");
#endif
	tempdir_remove();
}
END_TEST

START_TEST(a_user_that_nobody_knows_runs_no_ledger)
{
	static const char no[] = "[ledger] user: 'jobio_nobody_knows': no such "
				 "user";
	char wanted[200];

	begin(NULL);
	tempdir_put("jobio.conf",
		    "[ledger]\nhost=a\nuser=jobio_nobody_knows\n");
	configure("store=%s/store");
	ck_assert_int_eq(started("--check"), 1);
	snprintf(wanted, sizeof(wanted), "\nuser: FAILED: %s\nfield: ok\n", no);
	said_expect(text_in("printed"), wanted);
	ck_assert_int_eq(served(), 1);
	expect_did("");
	snprintf(wanted, sizeof(wanted), "jobio: ledger: %s\n", no);
	expect_said(wanted);
}
END_TEST

START_TEST(a_field_that_slurm_cannot_change_is_said_before_anything_else)
{
	begin(NULL);
	configure("field=admin");
	ck_assert_int_eq(served(), 0);
	ck_assert_str_eq(text_in("said"), SAID("ready") SAID("stopped"));
	world.has_no_admin = true;
	ck_assert_int_eq(served(), 0);
	expect_said(SAID("[ledger] field: 'admin': Slurm before 22.05 cannot "
			 "change AdminComment: SystemComment is used")
			    SAID("ready") SAID("stopped"));
}
END_TEST

static rlim_t files_may_be(rlim_t now)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = now < limit.rlim_max ? now : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(served(), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	return limit.rlim_cur;
}

START_TEST(thousands_of_nodes_may_connect_and_more_where_more_was_allowed)
{
	struct rlimit limit;

	begin(NULL);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(files_may_be(256),
			  limit.rlim_max < 4096 ? limit.rlim_max : 4096);
	ck_assert_uint_eq(files_may_be(5000),
			  limit.rlim_max < 5000 ? limit.rlim_max : 5000);
	tempdir_remove();
}
END_TEST

START_TEST(its_version_and_its_use_are_printed_and_no_use_is_a_failure)
{
	begin(NULL);
	ck_assert_int_eq(started("--version"), 0);
	ck_assert_str_eq(text_in("printed"),
			 "jobio-ledgerd " JOBIO_PACKAGE_VERSION "\n");
	ck_assert_int_eq(started("--help"), 0);
	said_expect(text_in("printed"),
		    "usage: jobio-ledgerd [--check] [--conf=FILE]\n");
	ck_assert_str_eq(text_in("said"), "");
	ck_assert_int_eq(started("more"), 2);
	ck_assert_str_eq(text_in("printed"), "");
	said_expect(text_in("said"),
		    "usage: jobio-ledgerd [--check] [--conf=FILE]\n");
	ck_assert_int_eq(started("--nosuch"), 2);
	expect_did("");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("ledgerd", a_writer_that_dies_is_waited_for_longer_until_one_lives,
	  how_it_died_is_said_and_a_writer_that_lives_ends_with_the_ledger,
	  a_ledger_that_cannot_serve_says_why_and_fails,
	  a_writer_has_an_end_of_a_pipe_and_the_metrics_and_no_other_file,
	  a_writer_looks_again_at_an_admin_comment_that_can_be_changed,
	  a_writer_takes_what_was_calibrated_or_says_that_it_does_not,
	  a_writer_that_cannot_write_says_why_and_fails,
	  check_names_each_part_that_works,
	  check_goes_on_behind_a_part_that_does_not_work,
	  each_part_that_does_not_work_is_a_failure_of_its_own,
	  a_file_of_metrics_may_lie_at_the_top_of_all_folders,
	  a_store_that_is_away_is_not_one_that_works,
	  a_user_that_nobody_knows_runs_no_ledger,
	  a_field_that_slurm_cannot_change_is_said_before_anything_else,
	  thousands_of_nodes_may_connect_and_more_where_more_was_allowed,
	  its_version_and_its_use_are_printed_and_no_use_is_a_failure)
