/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-file with a user, a clock and a jobio made up. With real ones: file.bats. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job/job.h"
#include "job/log.h"
#include "lib/child.h"
#include "tests/unit/append.h"
#include "tests/unit/program.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#undef main /* jobio-file's has another name here */
int jobio_file_main(int argc, char **argv);

#undef getuid
#undef setresuid
uid_t getuid(void);
int setresuid(uid_t real, uid_t effective, uid_t saved);

#define STATUS_USAGE 64
#define STATUS_FAILED 70

static char done[1000]; /* as whom, and the naps, in their order */
static char said[1000];
static struct {
	const char *answer[20]; /* one after the other; the last one stays */
	int answers, asked;	/* asked: --json, then --html */
	const char *html_error;
	int html_status;
	bool is_place_stuck, is_html_late, is_user_unknown, is_root_for_ever;
	bool is_beside, is_installed, is_another_really;
	char last[2 * PATH_MAX]; /* the last command */
	unsigned long long now_ms;
	uid_t uid;
	unsigned int alarm;
} world;

#define note(...) append(done, sizeof(done), __VA_ARGS__)

/* ---- the user -------------------------------------------------------------- */

uid_t fake_geteuid(void)
{
	return world.uid;
}

uid_t fake_getuid(void)
{
	return world.uid + world.is_another_really;
}

int fake_initgroups(const char *user, gid_t gid)
{
	ck_assert_uint_gt(world.alarm, 0);
	note("groups of %s,%u;", user, gid);
	errno = ENOENT;
	return world.is_user_unknown ? -1 : 0;
}

int fake_setgroups(size_t count, const gid_t *groups)
{
	ck_assert_uint_eq(count, 1);
	note("group %u;", groups[0]);
	return 0;
}

int fake_setresgid(gid_t real, gid_t effective, gid_t saved)
{
	ck_assert(real == effective && real == saved);
	ck_assert_uint_eq(world.alarm, 0);
	note("gid %u;", real);
	return 0;
}

int fake_setresuid(uid_t real, uid_t effective, uid_t saved)
{
	ck_assert(real == effective && real == saved);
	note("uid %u;", real);
	world.uid = real;
	return 0;
}

int fake_setuid(uid_t uid)
{
	return uid == 0 && !world.is_root_for_ever ? -1 : 0;
}

unsigned int fake_alarm(unsigned int seconds)
{
	world.alarm = seconds;
	return 0;
}

/* ---- the others ------------------------------------------------------------ */

int fake_job_helper_path(const char *name, char *path, size_t size)
{
	ck_assert_int_lt(snprintf(path, size, "/beside/%s", name), (int)size);
	return 0;
}

int fake_access(const char *path, int mode)
{
	ck_assert_int_eq(mode, X_OK);
	return !strcmp(path, "/beside/jobio") ? -!world.is_beside
					      : -!world.is_installed;
}

void fake_log_open(const char *room, uint32_t job_id)
{
	ck_assert_str_eq(room, "file");
	ck_assert_uint_eq(job_id, 7);
}

void fake_log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
}

unsigned long long fake_child_now_ms(void)
{
	return world.now_ms;
}

int fake_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	note("%ld ", (long)time->tv_sec);
	world.now_ms += (unsigned long long)time->tv_sec * 1000;
	return 0;
}

#undef child_call
int child_call(const char *what, int (*fn)(void *arg), void *arg,
	       unsigned int timeout_ms, struct child_result *result,
	       struct err *err);

int fake_child_call(const char *what, int (*fn)(void *arg), void *arg,
		    unsigned int timeout_ms, struct child_result *result,
		    struct err *err)
{
	return world.is_place_stuck
		       ? err_set(err, "it hangs")
		       : child_call(what, fn, arg, timeout_ms, result, err);
}

int fake_child_run(char *const argv[], char *const env[],
		   unsigned int timeout_ms, struct child_result *result,
		   struct err *err)
{
	const char *answer = "";
	int i;

	ck_assert(!env && timeout_ms);
	*world.last = 0;
	for (i = 0; argv[i]; i++) {
		strcat(world.last, i ? " " : "");
		strcat(world.last, argv[i]);
	}
	memset(result, 0, sizeof(*result));
	if (strstr(world.last, "--html=")) {
		note("html;");
		if (world.is_html_late)
			return err_set(err, "it takes too long");
		result->status = world.html_status;
	} else {
		i = world.asked < world.answers ? world.asked
						: world.answers - 1;
		world.asked++;
		answer = world.answer[i];
		if (!answer)
			return err ? err_set(err, "late") : -1;
		result->status = !strncmp(answer, "bad", 3);
		answer += result->status ? 3 : 0;
	}
	result->out = strdup(answer);
	result->errtext = strdup(world.html_error ? world.html_error : "");
	return 0;
}

/* ---- words of the tests ---------------------------------------------------- */

#define OF(seen, state)                                                        \
	"{\"source\":\"ledger\",\"nodes_seen\":" #seen                         \
	",\"nodes_expected\":2,\"slurm\":{\"state\":\"" state "\"}}\n{}\n"
#define WHOLE OF(2, "COMPLETED")

static uid_t owner; /* of the job: whoever runs this, or one whom nobody has */

static void begin(unsigned int grace_s)
{
	char text[300];

	memset(&world, 0, sizeof(world));
	*done = *said = 0;
	world.is_beside = true;
	world.answer[0] = WHOLE;
	world.answers = 1;
	world.now_ms = 500000;
	owner = getuid() ? getuid() : 60000 + (uid_t)getpid() % 4000;
	tempdir_make();
	chmod(tempdir_name, 0755);
	snprintf(text, sizeof(text), "[ledger]\nhost=a\ngrace_s=%u\n", grace_s);
	tempdir_put("jobio.conf", text);
}

/* The exit status. */
static int filed_to(const char *run, const char *user, const char *dir)
{
	char conf[300], uid[16];
	char *argv[] = { (char *)"jobio-file", conf,	    (char *)"7",
			 (char *)run,	       uid,	    (char *)"55",
			 (char *)user,	       (char *)dir, NULL };

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	snprintf(uid, sizeof(uid), "%u", owner);
	optind = 0;
	*said = *done = 0;
	world.asked = 0;
	return jobio_file_main(8, argv);
}

static int filed(void)
{
	return filed_to("3", "alice", tempdir_name);
}

static void expect_failure(const char *wanted)
{
	ck_assert_int_eq(filed(), STATUS_FAILED);
	ck_assert_str_eq(said, wanted);
}

/* ---- as whom --------------------------------------------------------------- */

START_TEST(it_becomes_the_user_before_it_asks_and_for_ever)
{
	char wanted[600];

	begin(0);
	ck_assert_int_eq(filed(), 0);
	snprintf(wanted, sizeof(wanted),
		 "groups of alice,55;gid 55;uid %u;2 html;", owner);
	ck_assert_str_eq(done, wanted);
	snprintf(wanted, sizeof(wanted),
		 "/beside/jobio report --conf=%s --html=%s/jobio-7.html 7 "
		 "--restart=3",
		 tempdir_path("jobio.conf"), tempdir_name);
	ck_assert_str_eq(world.last, wanted);
	ck_assert_int_eq(umask(022), 077);
	ck_assert_int_eq(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
	/* he has it already; a name that nobody knows has the one group */
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 html;");
	world.uid = 0;
	ck_assert_int_eq(filed_to("-", "", tempdir_name), 0);
	snprintf(wanted, sizeof(wanted), "group 55;gid 55;uid %u;2 html;",
		 owner);
	ck_assert_str_eq(done, wanted);
	ck_assert_ptr_null(strstr(world.last, "--restart"));
	world.uid = owner + 1;
	expect_failure("user 'alice': this process is not his");
	world.uid = owner;
	world.is_another_really = true;
	expect_failure("user 'alice': this process is not his");
	world.is_another_really = false;
	world.is_root_for_ever = true;
	expect_failure("user 'alice': this process is not his");
	world.uid = 0;
	world.is_user_unknown = true;
	expect_failure("user 'alice': groups: No such file or directory");
	ck_assert_int_eq(world.asked, 0);
	tempdir_remove();
}
END_TEST

/* ---- when ------------------------------------------------------------------ */

START_TEST(nodes_are_waited_for_less_and_less_often_until_the_grace_is_over)
{
	begin(200);
	world.uid = owner;
	world.answer[0] = OF(1, "COMPLETED");
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 4 8 16 32 60 60 60 html;");
	/* what is not of the ledger, or no answer at all, is no report */
	world.answer[0] = "{\"source\":\"sacct\",\"nodes_seen\":2,"
			  "\"nodes_expected\":2}";
	ck_assert_int_eq(filed(), STATUS_FAILED);
	said_expect(said, "the ledger shows no record of it after 205 s: no "
			  "report in '");
	ck_assert_str_eq(done, "2 4 8 16 32 60 60 60 ");
	world.answer[0] = NULL;
	ck_assert_int_eq(filed(), STATUS_FAILED);
	world.answer[0] = "bad" WHOLE;
	ck_assert_int_eq(filed(), STATUS_FAILED);
	world.answer[0] = "nonsense";
	ck_assert_int_eq(filed(), STATUS_FAILED);
	/* nobody knows how many there are */
	world.answer[0] = "{\"source\":\"ledger\"}";
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 4 8 16 32 60 60 60 html;");
	world.answer[1] = WHOLE;
	world.answers = 2;
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 4 html;");
	tempdir_remove();
	/* to the second */
	begin(237);
	world.uid = owner;
	world.answer[0] = OF(1, "COMPLETED");
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 4 8 16 32 60 60 60 html;");
	tempdir_remove();
	begin(238);
	world.uid = owner;
	world.answer[0] = OF(1, "COMPLETED");
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 4 8 16 32 60 60 60 60 html;");
	tempdir_remove();
}
END_TEST

START_TEST(no_more_than_an_hour_is_waited)
{
	begin(86400);
	world.uid = owner;
	world.answer[0] = NULL;
	ck_assert_int_eq(filed(), STATUS_FAILED);
	said_expect(said, "no record of it after 3605 s: ");
	tempdir_remove();
	begin(3600);
	world.uid = owner;
	world.answer[0] = NULL;
	ck_assert_int_eq(filed(), STATUS_FAILED);
	said_expect(said, "no record of it after 3605 s: ");
	tempdir_remove();
}
END_TEST

START_TEST(slurm_has_a_minute_to_say_how_it_ended)
{
	static const char *const going[] = {
		OF(2, "RUNNING"), OF(2, "COMPLETING"), OF(2, "PENDING"),
		OF(2, "SUSPENDED"), OF(2, "REQUEUED")
	};
	size_t i;

	begin(0);
	world.uid = owner;
	for (i = 0; i < sizeof(going) / sizeof(going[0]); i++) {
		world.answer[0] = going[i];
		ck_assert_int_eq(filed(), 0);
		ck_assert_str_eq(done, "2 4 8 16 32 html;");
	}
	world.answer[0] = OF(2, "CANCELLED by 0");
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 html;");
	/* sacct may not answer at all */
	world.answer[0] = "{\"source\":\"ledger\",\"nodes_seen\":2,"
			  "\"nodes_expected\":2,\"slurm\":null}";
	ck_assert_int_eq(filed(), 0);
	ck_assert_str_eq(done, "2 html;");
	tempdir_remove();
}
END_TEST

/* ---- where ----------------------------------------------------------------- */

START_TEST(what_else_has_the_name_stays)
{
	char wanted[600];
	const char *path;

	begin(0);
	world.uid = owner;
	path = tempdir_put("jobio-7.html", "old");
	ck_assert_int_eq(chown(path, owner, (gid_t)-1), 0);
	ck_assert_int_eq(filed(), 0);
	remove(tempdir_path("jobio-7.html"));
	ck_assert_int_eq(symlink("jobio.conf", tempdir_path("jobio-7.html")),
			 0);
	snprintf(wanted, sizeof(wanted),
		 "'%s': there is something else of that name: it stays",
		 tempdir_path("jobio-7.html"));
	expect_failure(wanted);
	ck_assert_str_eq(done, "2 ");
	remove(tempdir_path("jobio-7.html"));
	if (getuid() == 0) {
		tempdir_put("jobio-7.html", "root's");
		expect_failure(wanted);
	}
	tempdir_remove();
}
END_TEST

START_TEST(a_report_that_fails_is_told_with_its_first_line)
{
	begin(0);
	world.uid = owner;
	world.html_status = 1;
	world.html_error = "jobio: report: no room\nmore\n";
	expect_failure("jobio: report: no room");
	world.html_error = NULL;
	expect_failure("'/beside/jobio' ended with 1");
	world.is_html_late = true;
	expect_failure("it takes too long");
	/* a directory that hangs */
	world.is_html_late = false;
	world.is_place_stuck = true;
	expect_failure("it hangs");
	ck_assert_str_eq(done, "2 ");
	tempdir_remove();
}
END_TEST

START_TEST(jobio_is_taken_from_beside_or_from_where_it_is_installed)
{
	char wanted[600];

	begin(0);
	world.uid = owner;
	world.is_beside = false;
	world.is_installed = true;
	ck_assert_int_eq(filed(), 0);
	snprintf(wanted, sizeof(wanted), "%s/jobio report ", JOBIO_BINDIR);
	ck_assert_int_eq(strncmp(world.last, wanted, strlen(wanted)), 0);
	world.is_installed = false;
	snprintf(wanted, sizeof(wanted),
		 "report_dir: '%s/jobio': not on this node: install it, or "
		 "take report_dir out of jobio.conf",
		 JOBIO_BINDIR);
	expect_failure(wanted);
	remove(tempdir_path("jobio.conf"));
	world.is_beside = true;
	ck_assert_int_eq(filed(), STATUS_FAILED);
	said_expect(said, "jobio.conf': ");
	tempdir_remove();
}
END_TEST

START_TEST(a_directory_whose_name_is_too_long_is_told)
{
	static char dir[PATH_MAX];
	const size_t most = PATH_MAX - 1 - strlen("/jobio-7.html");

	begin(0);
	world.uid = owner;
	memset(dir, 'd', most);
	*dir = '/';
	ck_assert_int_eq(filed_to("0", "alice", dir), 0);
	dir[most] = 'd';
	ck_assert_int_eq(filed_to("0", "alice", dir), STATUS_FAILED);
	ck_assert_uint_eq(strlen(said), 200 + strlen("'..': too long"));
	said_expect(said, "ddd..': too long");
	tempdir_remove();
}
END_TEST

/* ---- how many -------------------------------------------------------------- */

enum {
	OTHERS = 2,
	MANY = 64 + OTHERS
};

START_TEST(of_a_user_so_many_wait_on_a_node_and_one_more_gives_up)
{
	pid_t waiting[MANY + 1];
	int i, ready[2];
	char byte;

	if (getuid() != 0)
		return; /* they must be of one whom nobody else has */
	begin(0);
	ck_assert_int_eq(pipe(ready), 0);
	for (i = 0; i <= MANY; i++) {
		if (i == MANY) { /* with these 64 it goes on */
			world.uid = owner;
			ck_assert_int_eq(filed(), 0);
		}
		waiting[i] = fork();
		if (waiting[i] == 0) {
			prctl(PR_SET_NAME, i < OTHERS ? "other"
					   : i & 1    ? "jobio"
						      : "jobio-file");
			_exit(setresuid(owner, owner, owner) < 0 ||
			      prctl(PR_SET_PDEATHSIG, SIGKILL) ||
			      write(ready[1], "", 1) != 1 || pause());
		}
		ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	}
	ck_assert_int_eq(filed(), STATUS_FAILED);
	said_expect(said, "': 64 reports of this user wait or hang: none for "
			  "this job");
	for (i = 0; i <= MANY; i++) {
		kill(waiting[i], SIGKILL);
		waitpid(waiting[i], NULL, 0);
	}
	tempdir_remove();
}
END_TEST

START_TEST(users_and_groups_of_any_number_but_roots_are_told)
{
	static const char *const numbers[][2] = {
		{ "1", "4294967294" },
		{ "4294967294", "1" },
	};
	char conf[300], wanted[100];
	size_t i;

	begin(0);
	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	for (i = 0; i < 2; i++) {
		const char *uid = numbers[i][0], *gid = numbers[i][1];
		char *argv[] = { (char *)"jobio-file",
				 conf,
				 (char *)"7",
				 (char *)"0",
				 (char *)uid,
				 (char *)gid,
				 (char *)"",
				 (char *)tempdir_name,
				 NULL };

		world.uid = 0;
		*done = 0;
		optind = 0;
		ck_assert_int_eq(jobio_file_main(8, argv), 0);
		snprintf(wanted, sizeof(wanted),
			 "group %s;gid %s;uid %s;2 html;", gid, gid, uid);
		ck_assert_str_eq(done, wanted);
	}
	tempdir_remove();
}
END_TEST

START_TEST(who_asks_for_help_gets_it)
{
	begin(0);
	program_help(jobio_file_main, "jobio-file");
	tempdir_remove();
}
END_TEST

START_TEST(words_that_are_none_of_the_epilogs_are_refused)
{
	static const char *const bad[][8] = {
		{ "7", "0", "1000", "1000", "u" },
		{ "7", "0", "1000", "1000", "u", "/d", "more" },
		{ "7", "0", "1000", "1000", "u", "d" },
		{ "0", "0", "1000", "1000", "u", "/d" },
		{ "7", "x", "1000", "1000", "u", "/d" },
		{ "7", "4294967296", "1000", "1000", "u", "/d" },
		{ "7", "0", "0", "1000", "u", "/d" },
		{ "7", "0", "1000", "0", "u", "/d" },
		{ "7", "0", "4294967295", "1000", "u", "/d" },
		{ "7", "0", "1000", "4294967295", "u", "/d" },
		{ "7", "-1", "1000", "1000", "u", "/d" },
		{ "4294967295", "0", "1000", "1000", "u", "/d" },
		{ "--nosuch", "7", "0", "1000", "1000", "u", "/d" },
	};
	char *argv[10] = { (char *)"jobio-file" };
	int argc;
	size_t i;

	begin(0);
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		for (argc = 1; argc < 9 && bad[i][argc - 1]; argc++)
			argv[argc] = (char *)bad[i][argc - 1];
		argv[argc] = NULL;
		optind = 0;
		ck_assert_int_eq(jobio_file_main(argc, argv), STATUS_USAGE);
	}
	fflush(stderr);
	ck_assert_int_eq(world.asked, 0);
	ck_assert_str_eq(done, "");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("filing", it_becomes_the_user_before_it_asks_and_for_ever,
	  nodes_are_waited_for_less_and_less_often_until_the_grace_is_over,
	  no_more_than_an_hour_is_waited,
	  slurm_has_a_minute_to_say_how_it_ended, what_else_has_the_name_stays,
	  a_report_that_fails_is_told_with_its_first_line,
	  jobio_is_taken_from_beside_or_from_where_it_is_installed,
	  a_directory_whose_name_is_too_long_is_told,
	  of_a_user_so_many_wait_on_a_node_and_one_more_gives_up,
	  users_and_groups_of_any_number_but_roots_are_told,
	  who_asks_for_help_gets_it,
	  words_that_are_none_of_the_epilogs_are_refused)
