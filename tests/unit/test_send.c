/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-send with a spool of files, and a ledger and a clock made up. With a real
 * ledger: ledger.bats, peers.bats. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/ledger_link.h"
#include "lib/record.h"
#include "lib/rundir.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#undef main /* jobio-send's has another name here */
int jobio_send_main(int argc, char **argv);

/* ---- the ledger, and time ---------------------------------------------------------- */

static char told[600]; /* what happened, in its order */
static struct {
	int away;	       /* so often from now on */
	const char *answer[8]; /* one after the other; NULL: it takes all */
	int calls, links;
	bool is_mute;
	const char *put_again; /* this file is another one meanwhile */
	const char *gone;      /* and this one is gone */
	bool is_fixed;	       /* no file can be removed */
	int lock_fd;	       /* that another one holds until the first nap */
	const char *bad_block; /* this file cannot be read */
	unsigned int alarm, first_alarm;
	int naps;
} world;

static void tell(const char *what, unsigned int number)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s %u;", what, number);
}

struct ledger_link *
__wrap_ledger_link_open_from(const struct config_ledger *config, size_t *at,
			     struct err *err)
{
	(void)config;
	tell("open", (unsigned int)*at);
	if (world.away) {
		world.away--;
		err_set(err, "the ledger is away");
		return NULL;
	}
	world.links++;
	return (struct ledger_link *)&world;
}

void __wrap_ledger_link_close(struct ledger_link *link)
{
	world.links -= link != NULL;
}

int __real_unlink(const char *path);

int __wrap_unlink(const char *path)
{
	errno = EACCES;
	return world.is_fixed ? -1 : __real_unlink(path);
}

static void put(const char *name, unsigned int job, long s, long ns);
static const char *text_of(unsigned int job);

int __wrap_ledger_link_call(struct ledger_link *link, const char *request,
			    char **answer, struct err *err)
{
	const char *job = strstr(request, "\"job\":");
	char wanted[400];
	const char *word = world.answer[world.calls++ % 8];

	ck_assert_ptr_eq(link, (struct ledger_link *)&world);
	if (!strncmp(request, "{\"op\":\"put\",\"record\":{", 22)) {
		tell("put", (unsigned int)atoi(job + 6));
		snprintf(wanted, sizeof(wanted),
			 "{\"op\":\"put\",\"record\":%s}",
			 text_of((unsigned int)atoi(job + 6)));
		ck_assert(strlen(request) > sizeof(wanted) ||
			  !strcmp(request, wanted));
	} else
		tell(request, 0);
	if (world.put_again)
		put(world.put_again, 9, 50, 0);
	world.put_again = NULL;
	if (world.gone)
		ck_assert_int_eq(__real_unlink(tempdir_path(world.gone)), 0);
	world.gone = NULL;
	if (world.is_mute)
		return err_set(err, "no answer");
	*answer = strdup(word ? word : "{\"ok\":true}");
	return 0;
}

char *__real_fileio_read(const char *path, size_t max, size_t *size,
			 struct err *err);

char *__wrap_fileio_read(const char *path, size_t max, size_t *size,
			 struct err *err)
{
	if (!world.bad_block || !strstr(path, world.bad_block))
		return __real_fileio_read(path, max, size, err);
	err_set(err, "'%s': Input/output error", path);
	return NULL;
}

unsigned int __wrap_sleep(unsigned int seconds)
{
	tell("sleep", seconds);
	return 0;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	if (!world.first_alarm)
		world.first_alarm = seconds;
	world.alarm = seconds;
	return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)time, (void)rest;
	ck_assert_int_lt(world.naps++, 10);
	if (world.lock_fd)
		close(world.lock_fd);
	world.lock_fd = 0;
	return 0;
}

/* ---- the spool ------------------------------------------------------------------------ */

static const char *text_of(unsigned int job)
{
	static char text[300];

	snprintf(text, sizeof(text),
		 "{\"jobio\":1,\"cluster\":\"c\",\"job\":%u,\"node\":\"n1\","
		 "\"uid\":1000,\"user\":\"alice\",\"start\":1,\"end\":2}",
		 job);
	return text;
}

static void set_time(const char *path, long s, long ns)
{
	const struct timespec times[2] = { { s, ns }, { s, ns } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void put(const char *name, unsigned int job, long s, long ns)
{
	char path[200];

	snprintf(path, sizeof(path), "spool/%s", name);
	remove(tempdir_path(path));
	set_time(tempdir_put(path, text_of(job)), s, ns);
}

static void put_file(const char *name, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "spool/%s", name);
	tempdir_put(path, text);
}

static bool is_there(const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "spool/%s", name);
	return access(tempdir_path(path), F_OK) == 0;
}

/* Of so many ledgers, "a,b". */
static void begin(const char *hosts)
{
	char text[700];

	memset(&world, 0, sizeof(world));
	*told = '\0';
	tempdir_make();
	snprintf(text, sizeof(text),
		 "[jobio]\nspool_dir=%s/spool\nspool_max_records=2\n"
		 "[ledger]\nhost=%s\n",
		 tempdir_name, hosts);
	tempdir_put("jobio.conf", text);
	ck_assert_int_eq(mkdir(tempdir_path("spool"), 0700), 0);
}

/* Its exit status; what it says is in 'said'. */
static char said[2000];

static int sent(const char *option)
{
	char conf[600],
		*argv[] = { (char *)"jobio-send", conf, (char *)option, NULL };
	int rc, keep = dup(STDERR_FILENO), fd;
	ssize_t got;

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	fd = open(tempdir_path("said"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	optind = 0;
	rc = jobio_send_main(option ? 3 : 2, argv);
	ck_assert_int_ge(dup2(keep, STDERR_FILENO), 0);
	close(keep);
	got = pread(fd, said, sizeof(said) - 1, 0);
	said[got > 0 ? got : 0] = '\0';
	close(fd);
	return rc;
}

static void expect_told(const char *wanted)
{
	ck_assert_str_eq(told, wanted);
	ck_assert_int_eq(world.links, 0);
	*told = '\0';
}

/* ---- records --------------------------------------------------------------------------- */

START_TEST(records_go_oldest_first_and_leave_the_spool)
{
	char name[16];
	int i;

	begin("a");
	put("a.json", 2, 100, 5);
	put("b.json", 1, 100, 4);
	put("c.json", 3, 99, 9);
	put("e.json", 5, 101, 0);
	put("d.json", 4, 101, 0);
	/* among others that are still written */
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%d.tmp", i);
		put_file(name, "");
	}
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 3;put 1;put 2;put 4;put 5;");
	ck_assert_str_eq(said, "jobio: send: 5 records sent, 0 bad\n");
	ck_assert(!is_there("a.json") && !is_there("e.json"));
	/* each call has an end */
	ck_assert_uint_eq(world.first_alarm, 120);
	ck_assert_uint_eq(world.alarm, 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_spool_without_records_asks_nobody)
{
	begin("a");
	put_file("7.tmp", text_of(7));
	put_file(".7.json", text_of(7));
	ck_assert_int_eq(mkdir(tempdir_path("spool/8.json"), 0700), 0);
	ck_assert_int_eq(symlink("7.tmp", tempdir_path("spool/9.json")), 0);
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("");
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(fileio_rmtree(tempdir_path("spool"), NULL), 0);
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("");
	tempdir_remove();
}
END_TEST

START_TEST(while_the_ledger_is_away_records_stay)
{
	begin("a");
	put("7.json", 7, 1, 0);
	put("8.json", 8, 2, 0);
	world.away = 99;
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;");
	ck_assert_str_eq(said, "jobio: send: the ledger is away\n");
	ck_assert(is_there("7.json") && is_there("8.json"));
	/* it is tried five times, later and later */
	ck_assert_int_eq(sent(NULL), 1);
	expect_told("open 0;sleep 5;open 0;sleep 15;open 0;sleep 45;open 0;"
		    "sleep 135;open 0;");
	world.away = 1;
	ck_assert_int_eq(sent(NULL), 0);
	expect_told("open 0;sleep 5;open 0;put 7;put 8;");
	tempdir_remove();
}
END_TEST

START_TEST(a_ledger_that_does_not_take_records_now_is_asked_no_more)
{
	begin("a");
	put("7.json", 7, 1, 0);
	put("8.json", 8, 2, 0);
	world.answer[0] = "{\"ok\":false,\"error\":\"the disk is full\"}";
	world.answer[1] = "nonsense";
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;put 7;");
	ck_assert_str_eq(said, "jobio: send: ledger: the disk is full\n");
	ck_assert_int_eq(sent("--once"), 1);
	ck_assert_str_eq(said,
			 "jobio: send: ledger: the answer has no meaning\n");
	ck_assert(is_there("7.json") && is_there("8.json"));
	*told = '\0';
	world.is_mute = true;
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;put 7;");
	ck_assert_str_eq(said, "jobio: send: no answer\n");
	tempdir_remove();
}
END_TEST

START_TEST(what_one_ledger_does_not_take_the_next_may)
{
	begin("a,b,c");
	put("7.json", 7, 1, 0);
	world.answer[0] = "{\"ok\":false,\"error\":\"busy\"}";
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 7;open 1;put 7;");
	ck_assert_str_eq(said, "jobio: send: ledger: busy\n"
			       "jobio: send: 1 records sent, 0 bad\n");
	/* each of them once */
	put("7.json", 7, 1, 0);
	world.answer[2] = world.answer[3] = world.answer[4] = world.answer[0];
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;put 7;open 1;put 7;open 2;put 7;");
	ck_assert(is_there("7.json"));
	tempdir_remove();
}
END_TEST

START_TEST(what_can_never_be_accepted_goes_aside)
{
	static char large[RECORD_TEXT_MAX + 2];

	begin("a");
	put("1.json", 1, 1, 0);
	put("2.json", 2, 2, 0);
	world.answer[0] = "{\"ok\":false,\"bad_record\":true,\"error\":\"no\"}";
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 1;put 2;");
	ck_assert_str_eq(said, "jobio: send: record: '1.json': moved to bad: "
			       "ledger: no\njobio: send: 1 records sent, 1 "
			       "bad\n");
	ck_assert(is_there("bad/1.json") && !is_there("2.json"));
	/* nobody is asked about what is no record */
	put_file("3.json", "nonsense");
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("");
	said_expect(said, "record: '3.json': moved to bad: ");
	ck_assert(is_there("bad/3.json"));
	/* of which spool_max_records are kept */
	memset(large, ' ', sizeof(large) - 1);
	put_file("4.json", large);
	ck_assert_int_eq(sent("--once"), 0);
	said_expect(said, "record: '4.json': removed, for bad is full "
			  "(spool_max_records): it is too large\n");
	ck_assert(!is_there("bad/4.json") && !is_there("4.json"));
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_go_aside_stays_and_the_others_go)
{
	begin("a");
	put_file("bad", ""); /* in the place of the folder */
	put_file("1.json", "nonsense");
	set_time(tempdir_path("spool/1.json"), 1, 0);
	put("2.json", 2, 2, 0);
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;put 2;");
	said_expect(said, "jobio: send: 1 records could not be handled\n");
	ck_assert(is_there("1.json") && !is_there("2.json"));
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_be_read_stays_and_the_others_go)
{
	begin("a");
	put("1.json", 1, 1, 0);
	put("2.json", 2, 2, 0);
	world.bad_block = "1.json";
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;put 2;");
	said_expect(said, "1.json': Input/output error\n");
	said_expect(said, "jobio: send: 1 records could not be handled\n");
	ck_assert(is_there("1.json") && !is_there("2.json"));
	tempdir_remove();
}
END_TEST

START_TEST(a_record_of_the_most_bytes_is_sent)
{
	static char large[RECORD_TEXT_MAX + 1];

	begin("a");
	memset(large, ' ', sizeof(large) - 1);
	memcpy(large, text_of(4), strlen(text_of(4)));
	put_file("4.json", large);
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 4;");
	ck_assert_str_eq(said, "jobio: send: 1 records sent, 0 bad\n");
	tempdir_remove();
}
END_TEST

START_TEST(a_record_that_is_gone_meanwhile_holds_up_no_other)
{
	begin("a");
	put("1.json", 1, 1, 0);
	put("2.json", 2, 2, 0);
	put("3.json", 3, 3, 0);
	world.gone = "spool/2.json";
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 1;put 3;");
	ck_assert_str_eq(said, "jobio: send: 2 records sent, 0 bad\n");
	tempdir_remove();
}
END_TEST

START_TEST(what_was_sent_and_cannot_be_removed_is_told)
{
	char wanted[800];

	begin("a");
	put("7.json", 7, 1, 0);
	put("8.json", 8, 2, 0);
	world.is_fixed = true;
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;put 7;put 8;");
	snprintf(wanted, sizeof(wanted),
		 "jobio: send: record: '%1$s/spool/7.json': sent, but not "
		 "removed: Permission denied\n"
		 "jobio: send: record: '%1$s/spool/8.json': sent, but not "
		 "removed: Permission denied\n"
		 "jobio: send: 2 records sent, 0 bad\n"
		 "jobio: send: 2 records could not be handled\n",
		 tempdir_name);
	ck_assert_str_eq(said, wanted);
	/* a reason that stays is told again and again, and is no record */
	world.is_fixed = false;
	ck_assert_int_eq(sent("--once"), 0);
	put_file("reason", "{\"op\":\"reason\"}");
	world.is_fixed = true;
	ck_assert_int_eq(sent("--once"), 0);
	snprintf(wanted, sizeof(wanted),
		 "jobio: send: reason: '%s/spool/reason': not removed: "
		 "Permission denied\n",
		 tempdir_name);
	ck_assert_str_eq(said, wanted);
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_be_moved_aside_is_told)
{
	begin("a");
	put_file("1.json", "nonsense");
	ck_assert_int_eq(mkdir(tempdir_path("spool/bad"), 0700), 0);
	ck_assert_int_eq(mkdir(tempdir_path("spool/bad/1.json"), 0700), 0);
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("");
	ck_assert_str_eq(said,
			 "jobio: send: record: '1.json': cannot set aside: Is "
			 "a directory\n"
			 "jobio: send: 1 records could not be handled\n");
	ck_assert(is_there("1.json"));
	tempdir_remove();
}
END_TEST

START_TEST(records_that_go_aside_are_counted_one_by_one)
{
	begin("a");
	put_file("1.json", "nonsense");
	put_file("2.json", "nonsense");
	put_file("3.json", "nonsense");
	set_time(tempdir_path("spool/1.json"), 1, 0);
	set_time(tempdir_path("spool/2.json"), 2, 0);
	set_time(tempdir_path("spool/3.json"), 3, 0);
	ck_assert_int_eq(sent("--once"), 0);
	said_expect(said, "record: '2.json': moved to bad: ");
	said_expect(said, "record: '3.json': removed, for bad is full ");
	said_expect(said, "jobio: send: 0 records sent, 3 bad\n");
	ck_assert(is_there("bad/1.json") && is_there("bad/2.json"));
	ck_assert(!is_there("bad/3.json") && !is_there("3.json"));
	tempdir_remove();
}
END_TEST

START_TEST(a_record_that_is_another_one_meanwhile_is_sent_as_well)
{
	begin("a");
	put("7.json", 7, 1, 0);
	world.put_again = "7.json";
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 7;open 0;put 9;");
	ck_assert(!is_there("7.json"));
	tempdir_remove();
}
END_TEST

START_TEST(while_another_one_sends_this_one_leaves_it_to_it)
{
	char path[RUNDIR_PATH_MAX];
	struct err err;
	int fd;

	begin("a");
	put("7.json", 7, 1, 0);
	ck_assert_int_eq(rundir_sender_lock(path, tempdir_path("spool"), &err),
			 0);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("");
	close(fd);
	/* a lock that cannot be had is another matter */
	remove(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(sent("--once"), 1);
	said_expect(said, "jobio: send: spool '");
	expect_told("");
	tempdir_remove();
}
END_TEST

/* ---- the reason ------------------------------------------------------------------------- */

#define REASON "{\"op\":\"reason\"}"

START_TEST(the_reason_of_a_drained_node_goes_first)
{
	begin("a");
	put("7.json", 7, 1, 0);
	put_file("reason", REASON);
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;" REASON " 0;put 7;");
	ck_assert(!is_there("reason"));
	/* refused for ever */
	put_file("reason", REASON);
	world.calls = 0;
	world.answer[0] = "{\"ok\":false,\"bad_record\":true,\"error\":\"no\"}";
	ck_assert_int_eq(sent("--once"), 0);
	ck_assert_str_eq(said, "jobio: send: ledger: no\n");
	ck_assert(!is_there("reason"));
	tempdir_remove();
}
END_TEST

START_TEST(a_reason_that_has_to_wait_holds_up_no_record)
{
	begin("a");
	put("7.json", 7, 1, 0);
	put_file("reason", REASON);
	world.answer[0] = "{\"ok\":false,\"error\":\"later\"}";
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;" REASON " 0;put 7;");
	said_expect(said, "jobio: send: ledger: later\n");
	ck_assert(is_there("reason") && !is_there("7.json"));
	/* unless nobody answers */
	put("7.json", 7, 1, 0);
	world.is_mute = true;
	ck_assert_int_eq(sent("--once"), 1);
	expect_told("open 0;" REASON " 0;");
	ck_assert_str_eq(said, "jobio: send: no answer\n");
	ck_assert(is_there("reason") && is_there("7.json"));
	tempdir_remove();
}
END_TEST

/* ---- the command line --------------------------------------------------------------------- */

START_TEST(a_reason_that_cannot_be_read_holds_up_no_record)
{
	begin("a");
	put("7.json", 7, 1, 0);
	put_file("reason", "{\"op\":\"reason\"}");
	world.bad_block = "spool/reason";
	ck_assert_int_eq(sent("--once"), 0);
	expect_told("open 0;put 7;");
	said_expect(said, "spool/reason': Input/output error\n");
	ck_assert(is_there("reason") && !is_there("7.json"));
	tempdir_remove();
}
END_TEST

START_TEST(before_a_node_is_taken_away_it_tries_until_none_waits)
{
	begin("a");
	put("7.json", 7, 1, 0);
	world.away = 3;
	ck_assert_int_eq(sent("--flush=3600"), 0);
	expect_told("open 0;open 0;open 0;open 0;put 7;");
	ck_assert_int_eq(world.naps, 3);
	ck_assert_uint_eq(world.alarm, 3600); /* one limit for all of it */
	ck_assert_str_eq(said, "jobio: send: the ledger is away\n"
			       "jobio: send: 1 records sent, 0 bad\n");
	tempdir_remove();
}
END_TEST

START_TEST(what_another_one_is_sending_is_waited_for_before_a_node_goes)
{
	char path[RUNDIR_PATH_MAX];
	struct err err;

	begin("a");
	put("7.json", 7, 1, 0);
	ck_assert_int_eq(rundir_sender_lock(path, tempdir_path("spool"), &err),
			 0);
	world.lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert(world.lock_fd > 0 &&
		  flock(world.lock_fd, LOCK_EX | LOCK_NB) == 0);
	ck_assert_int_eq(sent("--flush=1"), 0);
	expect_told("open 0;put 7;");
	ck_assert_int_eq(world.naps, 1);
	ck_assert_uint_eq(world.alarm, 1);
	tempdir_remove();
}
END_TEST

START_TEST(bad_usage_is_told)
{
	static const char *const bad[] = { "--flush=0", "--flush=3601",
					   "--flush=x", "--nosuch", "7" };
	size_t i;

	begin("a");
	put("7.json", 7, 1, 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(sent(bad[i]), 2);
		said_expect(said, "usage: jobio-send ");
	}
	expect_told("");
	ck_assert_int_eq(freopen("/dev/null", "w", stdout) != NULL, 1);
	ck_assert_int_eq(sent("--help"), 0);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(sent("--conf=/nowhere/jobio.conf"), 1);
	said_expect(said, "jobio: send: '/nowhere/jobio.conf': ");
	expect_told("");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("send", records_go_oldest_first_and_leave_the_spool,
	  a_spool_without_records_asks_nobody,
	  while_the_ledger_is_away_records_stay,
	  a_ledger_that_does_not_take_records_now_is_asked_no_more,
	  what_one_ledger_does_not_take_the_next_may,
	  what_can_never_be_accepted_goes_aside,
	  what_cannot_go_aside_stays_and_the_others_go,
	  what_cannot_be_read_stays_and_the_others_go,
	  a_record_of_the_most_bytes_is_sent,
	  a_record_that_is_gone_meanwhile_holds_up_no_other,
	  what_was_sent_and_cannot_be_removed_is_told,
	  what_cannot_be_moved_aside_is_told,
	  records_that_go_aside_are_counted_one_by_one,
	  a_record_that_is_another_one_meanwhile_is_sent_as_well,
	  while_another_one_sends_this_one_leaves_it_to_it,
	  the_reason_of_a_drained_node_goes_first,
	  a_reason_that_has_to_wait_holds_up_no_record,
	  a_reason_that_cannot_be_read_holds_up_no_record,
	  before_a_node_is_taken_away_it_tries_until_none_waits,
	  what_another_one_is_sending_is_waited_for_before_a_node_goes,
	  bad_usage_is_told)
