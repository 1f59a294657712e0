/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The step that asks the nodes of a job, with an srun and a clock of our own: each
 * time it waits, what a test wrote down happens next. With real steps: live.bats. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/child.h"
#include "report/live_link.h"
#include "report/program.h"
#include "tests/unit/runner.h"
#include "tests/unit/scarce.h"

#define PID 4242

static struct {
	/* who looks, and with what */
	uid_t uid;
	bool has_no_srun, has_no_setpriv, is_stuck;
	char command[1500];
	/* the other ends of srun */
	int in, out, error;
	/* what happens, one after the other */
	struct happens {
		const char *out, *error;
		bool ends, stops, ends_out;
	} next[8];
	int waits;
	unsigned long long now_ms;
	int ended;
} world;

static volatile sig_atomic_t stop;

uid_t __wrap_geteuid(void)
{
	return world.uid;
}

struct passwd *__wrap_getpwnam(const char *name)
{
	static struct passwd alice = { .pw_uid = 1000, .pw_gid = 100 };

	return strcmp(name, "alice") != 0 ? NULL : &alice;
}

int __wrap_program_find(const char *name, char path[PROGRAM_PATH],
			struct err *err)
{
	bool is_srun = !strcmp(name, "srun");

	ck_assert(is_srun || !strcmp(name, "setpriv"));
	snprintf(path, PROGRAM_PATH, "/bin/%s", name);
	return (is_srun ? world.has_no_srun : world.has_no_setpriv)
		       ? err_set(err, "%s: there is none", name)
		       : 0;
}

pid_t __wrap_child_start(char *const argv[], char *const env[],
			 const int stdio[3], struct err *err)
{
	size_t used = 0, i;

	ck_assert_ptr_nonnull(env);
	for (i = 0; argv[i]; i++)
		used += (size_t)snprintf(world.command + used,
					 sizeof(world.command) - used, "%s ",
					 argv[i]);
	if (world.is_stuck)
		return err_set(err, "no process");
	world.in = dup(stdio[0]);
	world.out = dup(stdio[1]);
	world.error = dup(stdio[2]);
	return PID;
}

void __wrap_child_end(pid_t pid, unsigned int grace_ms)
{
	ck_assert_int_eq(pid, PID);
	ck_assert_uint_eq(grace_ms, 3000);
	world.ended++;
}

unsigned long long __wrap_child_now_ms(void)
{
	return world.now_ms;
}

static void say(int fd, const char *text)
{
	if (text)
		ck_assert_int_eq(write(fd, text, strlen(text)),
				 (ssize_t)strlen(text));
}

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	static const struct happens nothing;
	const struct happens *now =
		world.waits < 8 ? &world.next[world.waits] : &nothing;
	int rc;

	world.waits++;
	say(world.out, now->out);
	say(world.error, now->error);
	if (now->ends_out)
		close(world.out);
	if (now->ends) {
		close(world.out);
		close(world.error);
	}
	stop = now->stops;
	rc = __real_poll(fds, count, 0);
	if (!rc)
		world.now_ms += (unsigned long long)timeout;
	return rc;
}

static struct live_link *open_as(const struct live_job *job)
{
	struct err err = { "" };
	struct live_link *link = live_link_open(job, &err);

	ck_assert_msg(link != NULL, "%s", err.text);
	return link;
}

static struct live_link *begin(void)
{
	memset(&world, 0, sizeof(world));
	world.uid = 1000;
	world.now_ms = 10000;
	stop = 0;
	return open_as(&(struct live_job){ 7, 7, -1, 2, NULL });
}

#define NODE(name, ask, text) "@jobio/1 r 2 " #ask " 1 1 " name " " text "\n"
#define MUTE(name) "@jobio/1 e 2 0 1 1 " name " it is older\n"

static int ask(struct live_link *link)
{
	struct err err = { "" };
	int rc = live_link_ask(link, 5000, &stop, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

static void expect_failure(struct live_link *link, const char *why)
{
	struct err err = { "" };

	ck_assert_int_eq(live_link_ask(link, 5000, &stop, &err), -1);
	ck_assert_str_eq(err.text, why);
	live_link_close(link);
}

/* ---- srun --------------------------------------------------------------------- */

#define WORDS                                                                  \
	"--overlap --ntasks-per-node=1 --mem=0 --gres=none --cpu-bind=none "   \
	"--mpi=none --job-name=jobio-live "

static void expect_command(const struct live_job *job, const char *wanted)
{
	struct live_link *link = open_as(job);

	*strstr(world.command, " /bin/sh -c ") = '\0';
	ck_assert_str_eq(world.command, wanted);
	live_link_close(link);
}

START_TEST(one_task_on_each_node_beside_what_runs_there)
{
	live_link_close(begin());
	expect_command(&(struct live_job){ 7, 7, -1, 3, NULL },
		       "/bin/srun --jobid=7 " WORDS
		       "--nodes=3 --ntasks=3 --export=JOBIO_LIVE=7");
	expect_command(&(struct live_job){ 8, 7, 0, 1, NULL },
		       "/bin/srun --jobid=7 --het-group=0 " WORDS
		       "--nodes=1 --ntasks=1 --export=JOBIO_LIVE=8");
	expect_command(&(struct live_job){ 7, 7, -1, 0, NULL },
		       "/bin/srun --jobid=7 " WORDS "--export=JOBIO_LIVE=7");
	/* who is not root is who he is */
	expect_command(&(struct live_job){ 7, 7, -1, 0, "alice" },
		       "/bin/srun --jobid=7 " WORDS "--export=JOBIO_LIVE=7");
}
END_TEST

START_TEST(root_becomes_the_jobs_user)
{
	live_link_close(begin());
	world.uid = 0;
	expect_command(&(struct live_job){ 7, 7, -1, 0, "alice" },
		       "/bin/setpriv --reuid=1000 --regid=100 --init-groups "
		       "/bin/srun --jobid=7 " WORDS "--export=JOBIO_LIVE=7");
	expect_command(&(struct live_job){ 7, 7, -1, 0, NULL },
		       "/bin/srun --jobid=7 " WORDS "--export=JOBIO_LIVE=7");
}
END_TEST

static void expect_no_link(const char *user, const char *why)
{
	struct live_job job = { 7, 7, -1, 1, user };
	struct err err = { "" };

	ck_assert_ptr_null(live_link_open(&job, &err));
	ck_assert_str_eq(err.text, why);
}

START_TEST(why_no_step_can_be_started_is_told)
{
	live_link_close(begin());
	world.uid = 0;
	expect_no_link("bob", "user 'bob': unknown on this host");
	world.has_no_setpriv = true;
	expect_no_link("alice", "there is no setpriv in PATH");
	world.is_stuck = true;
	expect_no_link(NULL, "no process");
	world.has_no_srun = true;
	expect_no_link(NULL, "srun: there is none");
	live_link_close(NULL);
	ck_assert_int_eq(world.ended, 1);
}
END_TEST

START_TEST(without_memory_there_is_no_link)
{
	int i;

	live_link_close(begin());
	for (i = 0; i < 2; i++) {
		scarce_after(i);
		expect_no_link(NULL, "out of memory");
	}
}
END_TEST

/* ---- questions ------------------------------------------------------------------ */

START_TEST(the_first_question_waits_for_all_nodes)
{
	struct live_link *link = begin();
	char bytes[8];

	world.next[0].out = NODE("n2", 1, "{2}");
	world.next[2].out = NODE("n1", 1, "{1}");
	ck_assert_int_eq(ask(link), 2);
	ck_assert_int_eq(world.waits, 3);
	ck_assert_uint_eq(live_link_number(link), 1);
	ck_assert_uint_eq(live_link_looks(link)->count, 2);
	ck_assert_str_eq(live_link_looks(link)->node[0]->text, "{1}");
	ck_assert_int_eq(read(world.in, bytes, sizeof(bytes)), 1);
	ck_assert_int_eq(*bytes, '\n');
	live_link_close(link);
	ck_assert_int_eq(world.ended, 1);
	/* which ends srun, whose tasks end with their input */
	ck_assert_int_eq(read(world.in, bytes, sizeof(bytes)), 0);
}
END_TEST

START_TEST(a_node_that_is_late_is_waited_for_until_the_time_is_over)
{
	struct live_link *link = begin();

	world.next[0].out = NODE("n2", 1, "{2}");
	ck_assert_int_eq(ask(link), 1);
	ck_assert_uint_eq(world.now_ms, 15000);
	live_link_close(link);
}
END_TEST

START_TEST(a_further_question_waits_for_those_that_have_ever_answered)
{
	struct live_link *link = begin();

	world.next[0].out = NODE("n2", 1, "{2}");
	ck_assert_int_eq(ask(link), 1);
	world.waits = 0;
	world.now_ms = 20000;
	world.next[0].out = NODE("n2", 2, "{3}");
	ck_assert_int_eq(ask(link), 1);
	ck_assert_int_eq(world.waits, 1);
	ck_assert_uint_eq(world.now_ms, 20000);
	ck_assert_uint_eq(live_link_number(link), 2);
	/* what answers an older question answers this one not */
	world.waits = 0;
	world.next[0].out = NODE("n2", 2, "{4}");
	world.next[1].out = NODE("n1", 3, "{5}");
	ck_assert_int_eq(ask(link), 1);
	ck_assert_uint_eq(world.now_ms, 25000);
	/* that nobody does is no failure any more */
	world.waits = 0;
	memset(world.next, 0, sizeof(world.next));
	ck_assert_int_eq(ask(link), 0);
	live_link_close(link);
}
END_TEST

START_TEST(a_node_that_will_never_answer_is_not_waited_for)
{
	struct live_link *link = begin();

	world.next[0].out = NODE("n2", 1, "{2}") MUTE("n1");
	ck_assert_int_eq(ask(link), 1);
	ck_assert_int_eq(world.waits, 1);
	world.waits = 0;
	world.next[0].out = NODE("n2", 2, "{2}");
	ck_assert_int_eq(ask(link), 1);
	ck_assert_int_eq(world.waits, 1);
	live_link_close(link);
	/* that none will is an answer */
	link = begin();
	world.next[0].out = MUTE("n2") MUTE("n1");
	ck_assert_int_eq(ask(link), 0);
	ck_assert_int_eq(world.waits, 1);
	live_link_close(link);
}
END_TEST

START_TEST(where_no_node_answers_it_is_said_with_what_srun_says)
{
	struct err err = { "" };
	struct live_link *link = begin();

	expect_failure(link, "no node has answered within 5 s");
	link = begin();
	ck_assert_int_eq(live_link_ask(link, 1999, &stop, &err), -1);
	ck_assert_str_eq(err.text, "no node has answered within 1 s");
	ck_assert_uint_eq(world.now_ms, 12000);
	live_link_close(link);
	link = begin();
	world.next[0].error = "srun: Job is pending\n";
	expect_failure(link, "no node has answered within 5 s: Job is pending");
}
END_TEST

START_TEST(an_srun_that_ends_has_said_why)
{
	struct live_link *link = begin();

	world.next[0].error = "srun: it waits\nsrun: error: Unable to x\n";
	world.next[1].error = "srun: error: another\n";
	world.next[2].ends = true;
	expect_failure(link, "Unable to x");
	ck_assert_int_eq(world.waits, 3);
	link = begin();
	world.next[0].error = "srun: it waits\n\nsrun: more\nno error: x\n";
	world.next[1].ends = true;
	expect_failure(link, "it waits");
	link = begin();
	world.next[0].ends = true;
	expect_failure(link, "the step that asks has ended");
}
END_TEST

START_TEST(an_srun_that_says_why_at_last_is_heard)
{
	struct live_link *link = begin();

	world.next[0].ends_out = true;
	world.next[1].error = "srun: error: Unable to x\n";
	expect_failure(link, "no node has answered within 5 s: Unable to x");
	ck_assert_uint_eq(world.now_ms, 15000);
}
END_TEST

START_TEST(an_answer_may_come_in_pieces)
{
	struct live_link *link = begin();

	world.next[0].out = "@jobio/1 r 2 1 1 1 n1";
	world.next[1].out = " {1}";
	world.next[2].out = "\n";
	world.next[3].out = NODE("n2", 1, "{2}");
	errno = EPIPE; /* of something else, before */
	ck_assert_int_eq(ask(link), 2);
	ck_assert_str_eq(live_link_looks(link)->node[0]->text, "{1}");
	live_link_close(link);
	link = begin();
	errno = EPIPE;
	expect_failure(link, "no node has answered within 5 s");
	ck_assert_uint_eq(world.now_ms, 15000);
}
END_TEST

START_TEST(what_has_been_answered_counts_when_srun_ends)
{
	struct live_link *link = begin();

	world.next[0].out = NODE("n2", 1, "{2}");
	world.next[1].ends = true;
	ck_assert_int_eq(ask(link), 1);
	ck_assert_int_eq(world.waits, 2);
	live_link_close(link);
}
END_TEST

START_TEST(whoever_stops_it_waits_no_longer)
{
	struct live_link *link = begin();

	world.next[1].stops = true;
	ck_assert_int_eq(ask(link), 0);
	ck_assert_int_eq(world.waits, 2);
	live_link_close(link);
}
END_TEST

START_TEST(an_srun_that_takes_no_question_is_heard_for_a_moment)
{
	struct live_link *link = begin();

	close(world.in);
	world.next[0].error = "srun: error: Invalid job id\n";
	world.next[1].ends = true;
	expect_failure(link, "Invalid job id");
	link = begin();
	close(world.in);
	expect_failure(link, "no node has answered within 5 s");
	ck_assert_uint_eq(world.now_ms, 10100);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_none_of_ours)
{
	static char line[6000];
	struct live_link *link = begin();

	memset(line, 'x', sizeof(line));
	memcpy(line, "@jobio/1 r 2 1 1 2 n1 ", 22);
	line[4300] = '\n'; /* of which the first 4,095 bytes are kept */
	strcpy(line + 4301, NODE("n1", 1, "{1}") NODE("n2", 1, "{2}"));
	world.next[0].out = line;
	ck_assert_int_eq(ask(link), 2);
	ck_assert_str_eq(live_link_looks(link)->node[0]->text, "{1}");
	ck_assert_str_eq(live_link_looks(link)->node[1]->text, "{2}");
	live_link_close(link);
}
END_TEST

START_TEST(between_questions_srun_is_heard)
{
	struct live_link *link = begin();

	world.next[0].out = NODE("n2", 1, "{2}");
	ck_assert(live_link_wait(link, 1000, &stop));
	ck_assert_uint_eq(world.now_ms, 11000);
	ck_assert_uint_eq(live_link_looks(link)->count, 1);
	world.waits = 0;
	memset(world.next, 0, sizeof(world.next));
	world.next[1].stops = true;
	ck_assert(!live_link_wait(link, 1000, &stop));
	ck_assert_int_eq(world.waits, 2);
	world.waits = 0;
	stop = 0;
	memset(world.next, 0, sizeof(world.next));
	world.next[1].ends = true;
	ck_assert(!live_link_wait(link, 1000, &stop));
	ck_assert_int_eq(world.waits, 2);
	live_link_close(link);
}
END_TEST

UNIT_MAIN("live_link", one_task_on_each_node_beside_what_runs_there,
	  root_becomes_the_jobs_user, why_no_step_can_be_started_is_told,
	  the_first_question_waits_for_all_nodes,
	  a_node_that_is_late_is_waited_for_until_the_time_is_over,
	  a_further_question_waits_for_those_that_have_ever_answered,
	  a_node_that_will_never_answer_is_not_waited_for,
	  where_no_node_answers_it_is_said_with_what_srun_says,
	  an_srun_that_ends_has_said_why,
	  what_has_been_answered_counts_when_srun_ends,
	  whoever_stops_it_waits_no_longer,
	  an_srun_that_takes_no_question_is_heard_for_a_moment,
	  a_line_that_is_too_long_is_none_of_ours,
	  between_questions_srun_is_heard,
	  an_srun_that_says_why_at_last_is_heard, an_answer_may_come_in_pieces,
	  without_memory_there_is_no_link)
