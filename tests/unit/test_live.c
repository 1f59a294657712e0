/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a job that runs, whose nodes say what a test has for them. With nodes:
 * live.bats. */
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/child.h"
#include "report/live.h"
#include "report/live_link.h"
#include "report/live_view.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/terminal.h"

#define LOOKS_MAX 5

/* What each look finds. */
static struct {
	struct look_of {
		int64_t rd, wr;
		size_t nodes; /* that count */
		size_t blind;
		const char *who;
	} look[LOOKS_MAX];
	int shown, asked;
	int asks;	 /* so many are answered, then srun has ended */
	int stop_wait;	 /* Ctrl-C in this wait */
	bool is_stopped; /* and in the first question */
	bool is_source_bad, is_stuck;
	int waits;
	bool is_open_bad, is_closed;
	unsigned int timeout_ms[LOOKS_MAX], wait_ms;
	struct live_job job;
	char user[64];
	unsigned long long now_ms;
	uid_t uid;
	const char *name; /* of the caller */
} world;

static struct sacct_row row;
static struct sacct_rows rows = { .row = &row, .count = 1 };
static struct job_source source;
static struct live_query query;
static struct config_advice limits;

uid_t __wrap_geteuid(void)
{
	return world.uid;
}

struct passwd *__wrap_getpwuid(uid_t uid)
{
	static struct passwd me;

	ck_assert_uint_eq(uid, world.uid);
	me.pw_name = (char *)world.name;
	return world.name ? &me : NULL;
}

unsigned long long __wrap_child_now_ms(void)
{
	return world.now_ms;
}

int __wrap_job_source_ask_sacct(struct job_source *from, char *const *ids,
				size_t count, struct err *err)
{
	ck_assert(from == &source && count == 1);
	ck_assert_str_eq(ids[0], query.id);
	return world.is_source_bad ? err_set(err, "out of memory") : 0;
}

extern __typeof__(child_run) __real_child_run;
int __wrap_child_run(char *const argv[], char *const env[],
		     unsigned int timeout_ms, struct child_result *result,
		     struct err *err)
{
	ck_assert_uint_eq(timeout_ms, 10000);
	return world.is_stuck
		       ? err_set(err, "squeue: it hangs")
		       : __real_child_run(argv, env, timeout_ms, result, err);
}

/* ---- the nodes ----------------------------------------------------------------------- */

struct live_link *__wrap_live_link_open(const struct live_job *job,
					struct err *err)
{
	world.job = *job;
	snprintf(world.user, sizeof(world.user), "%s",
		 job->user ? job->user : "nobody");
	if (world.is_open_bad)
		err_set(err, "there is no srun");
	return world.is_open_bad ? NULL : (struct live_link *)&world;
}

int __wrap_live_link_ask(struct live_link *link, unsigned int timeout_ms,
			 const volatile sig_atomic_t *stop, struct err *err)
{
	ck_assert_ptr_eq(link, &world);
	ck_assert(!*stop);
	ck_assert_int_lt(world.asked, LOOKS_MAX);
	world.timeout_ms[world.asked] = timeout_ms;
	if (world.asked++ >= world.asks)
		return err_set(err, "srun has ended");
	if (world.is_stopped)
		raise(SIGINT);
	return 0;
}

bool __wrap_live_link_wait(struct live_link *link, unsigned int wait_ms,
			   const volatile sig_atomic_t *stop)
{
	ck_assert_ptr_eq(link, &world);
	world.wait_ms = wait_ms;
	world.now_ms += wait_ms;
	if (++world.waits == world.stop_wait)
		raise(SIGINT);
	return !*stop;
}

const struct looks *__wrap_live_link_looks(const struct live_link *link)
{
	ck_assert_ptr_eq(link, &world);
	return NULL;
}

unsigned int __wrap_live_link_number(const struct live_link *link)
{
	ck_assert_ptr_eq(link, &world);
	return 7;
}

void __wrap_live_link_close(struct live_link *link)
{
	ck_assert(!link || link == (struct live_link *)&world);
	world.is_closed = link != NULL;
}

struct job_report *__wrap_live_view_new(const char *id, uint32_t job,
					const struct sacct_row *slurm,
					const struct looks *looks,
					unsigned int ask, struct job_look *look)
{
	const struct look_of *of = &world.look[world.shown++];
	struct job_report *r = job_report_new(id, "live");
	size_t i;

	ck_assert(!looks && ask == 7 && job == world.job.id);
	memset(look, 0, sizeof(*look));
	look->nodes = 3;
	look->blind = of->blind;
	snprintf(look->who, sizeof(look->who), "%s", of->who ? of->who : "");
	summary_init(&r->summary);
	r->slurm = slurm;
	r->summary.rd_bytes = of->rd;
	r->summary.wr_bytes = of->wr;
	r->look = look;
	r->json = strdup("{\"job\":7}");
	r->records = calloc(LOOKS_MAX, sizeof(*r->records));
	for (i = 0; i < of->nodes; i++)
		r->records[r->record_count++] = record_new();
	return r;
}

/* ---- words of the tests ---------------------------------------------------------------- */

static void begin(const char *id)
{
	memset(&world, 0, sizeof(world));
	world.asks = LOOKS_MAX;
	world.uid = 1000;
	world.name = "alice";
	world.now_ms = 1000;
	row = (struct sacct_row){ .id = id,
				  .raw_id = "7",
				  .cluster = "c",
				  .user = "alice",
				  .account = "",
				  .partition = "",
				  .name = "",
				  .state = "RUNNING",
				  .start = 1000,
				  .end = -1,
				  .elapsed_s = 5,
				  .nodes = 3 };
	source.slurm = &rows;
	query = (struct live_query){ .id = id,
				     .every_s = 2,
				     .advice = ADVICE_WANT_NONE,
				     .limits = &limits };
	world.look[0] = (struct look_of){ 1024, 0, 2, 0, NULL };
	setenv("TERM", "xterm", 1);
	tempdir_make();
}

static int status;

/* What a pipe gets; and what is said of errors behind it. */
static const char *said(void)
{
	static char text[8192];
	struct err err;
	char *out;

	ck_assert_ptr_nonnull(freopen(tempdir_path("out"), "w", stdout));
	ck_assert_ptr_nonnull(freopen(tempdir_path("out"), "a", stderr));
	status = live_report(&source, &query);
	fflush(stdout);
	fflush(stderr);
	out = fileio_read(tempdir_path("out"), sizeof(text), NULL, &err);
	ck_assert_ptr_nonnull(out);
	snprintf(text, sizeof(text), "%s", out);
	free(out);
	tempdir_remove();
	return text;
}

/* What a terminal gets, without carriage returns. */
static const char *on_terminal(void)
{
	static char text[16384];
	int host = terminal_make(100);

	status = live_report(&source, &query);
	terminal_read(host, text, sizeof(text));
	tempdir_remove();
	return text;
}

static void refuse(const char *wanted)
{
	ck_assert_str_eq(said(), wanted);
	ck_assert_int_eq(status, 1);
	ck_assert(!world.is_closed || !world.is_open_bad);
}

#define SO_FAR                                                                 \
	"  note          so far: the job runs, and what its clients moved is " \
	"read when it ends\n"

/* ---- one look ------------------------------------------------------------------------- */

START_TEST(into_a_pipe_it_looks_once)
{
	const char *text;

	begin("7");
	text = said();
	ck_assert_int_eq(status, 0);
	ck_assert(!strncmp(text, "job 7, user alice\n", 18));
	ck_assert_ptr_nonnull(strstr(text, SO_FAR));
	ck_assert_ptr_null(strstr(text, "  now "));
	ck_assert_ptr_null(strstr(text, "\033"));
	ck_assert(world.asked == 1 && world.timeout_ms[0] == 30000);
	ck_assert_int_eq(world.waits, 0);
	ck_assert(world.is_closed);
	ck_assert_uint_eq(world.job.id, 7);
	ck_assert_uint_eq(world.job.leader, 7);
	ck_assert_int_eq(world.job.component, -1);
	ck_assert_uint_eq(world.job.nodes, 3);
	ck_assert_str_eq(world.user, "alice");
	begin("7");
	query.is_json = true;
	text = said();
	ck_assert(*text == '{' && text[strlen(text) - 1] == '\n');
	ck_assert_ptr_nonnull(strstr(text, "\"source\":\"live\""));
}
END_TEST

START_TEST(a_dumb_terminal_is_as_good_as_a_pipe)
{
	begin("7");
	terminal_make(100);
	setenv("TERM", "dumb", 1);
	ck_assert_int_eq(live_report(&source, &query), 0);
	ck_assert_int_eq(world.asked, 1);
	unsetenv("TERM");
	world.shown = world.asked = 0;
	ck_assert_int_eq(live_report(&source, &query), 0);
	ck_assert_int_eq(world.asked, 1);
	tempdir_remove();
}
END_TEST

START_TEST(nodes_that_cannot_tell_are_an_error)
{
	begin("7");
	world.look[0] = (struct look_of){ -1, -1, 0, 0, "c1: it is older" };
	refuse("jobio: report: job: '7': no node can tell: c1: it is older\n");
	begin("7");
	world.look[0] = (struct look_of){ -1, -1, 0, 0, NULL };
	refuse("jobio: report: job: '7': no node can tell\n");
	/* those that count when it ends are none */
	begin("7");
	world.look[0] = (struct look_of){ -1, -1, 0, 1, NULL };
	said();
	ck_assert_int_eq(status, 0);
	begin("7");
	world.asks = 0;
	refuse("jobio: report: job: '7': srun has ended\n");
	begin("7");
	world.is_open_bad = true;
	refuse("jobio: report: there is no srun\n");
}
END_TEST

/* ---- which job -------------------------------------------------------------------------- */

START_TEST(a_component_is_asked_through_its_leader)
{
	begin("7+1");
	row.raw_id = "8";
	said();
	ck_assert_uint_eq(world.job.id, 8);
	ck_assert_uint_eq(world.job.leader, 7);
	ck_assert_int_eq(world.job.component, 1);
	/* by its number, of which sacct says what it is */
	begin("8");
	row.id = "7+0";
	row.raw_id = "8";
	said();
	ck_assert_uint_eq(world.job.leader, 7);
	ck_assert_int_eq(world.job.component, 0);
	begin("1+0");
	row.raw_id = "1";
	said();
	ck_assert_uint_eq(world.job.id, 1);
	ck_assert_uint_eq(world.job.leader, 1);
	ck_assert_int_eq(world.job.component, 0);
	begin("5_1");
	said();
	ck_assert_uint_eq(world.job.id, 7);
	ck_assert_uint_eq(world.job.leader, 7);
	ck_assert_int_eq(world.job.component, -1);
}
END_TEST

START_TEST(nodes_that_are_unknown_or_too_many_are_not_waited_for)
{
	begin("7");
	row.nodes = 0;
	said();
	ck_assert_uint_eq(world.job.nodes, 0);
	begin("7");
	row.nodes = RECORD_UNKNOWN;
	said();
	ck_assert_uint_eq(world.job.nodes, 0);
	begin("7");
	row.nodes = LOOK_NODES_MAX;
	said();
	ck_assert_uint_eq(world.job.nodes, 0);
	begin("7");
	row.nodes = LOOK_NODES_MAX - 1;
	said();
	ck_assert_uint_eq(world.job.nodes, LOOK_NODES_MAX - 1);
	begin("7");
	row.nodes = 1;
	said();
	ck_assert_uint_eq(world.job.nodes, 1);
}
END_TEST

START_TEST(a_job_that_has_ended_or_is_anothers_is_refused)
{
	begin("7");
	row.state = "COMPLETED";
	refuse("jobio: report: job: '7': it is COMPLETED: jobio report 7 has "
	       "all of it\n");
	begin("7");
	row.user = "bob";
	refuse("jobio: report: job: '7': it is bob's: while a job runs its "
	       "owner may look at it\n");
	ck_assert_int_eq(world.asked, 0);
	begin("7");
	row.user = "bob";
	world.uid = 0;
	said();
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(world.user, "bob");
	begin("7");
	row.user = "bob";
	world.name = NULL;
	said();
	ck_assert_int_eq(status, 0);
	begin("7");
	row.user = "";
	said();
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(world.user, "nobody");
}
END_TEST

/* sacct does not know, and squeue says so. */
static void in_queue(const char *id, const char *answer)
{
	char text[400];

	begin(id);
	source.slurm = NULL;
	snprintf(text, sizeof(text),
		 "#!/bin/sh\n[ \"$*\" = '-h -j %s -o %%A %%u' ] || exit 9\n"
		 "printf '%s'\n",
		 id, answer);
	chmod(tempdir_put("squeue", text), 0755);
	snprintf(text, sizeof(text), "%s:/usr/bin:/bin", tempdir_name);
	setenv("PATH", text, 1);
}

START_TEST(what_sacct_does_not_know_is_asked_of_squeue)
{
	in_queue("5_1", "7 alice\\n8 bob\\n");
	said();
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(world.job.id, 7);
	ck_assert_str_eq(world.user, "alice");
	in_queue("5_1", "1 alice\\n");
	said();
	ck_assert_uint_eq(world.job.id, 1);
	in_queue("5_1", "7 bob\\n");
	refuse("jobio: report: job: '5_1': it is bob's: while a job runs its "
	       "owner may look at it\n");
	in_queue("5_1", "");
	refuse("jobio: report: job: '5_1': neither sacct nor squeue knows "
	       "it\n");
	in_queue("5_1", "0 alice");
	refuse("jobio: report: job: '5_1': neither sacct nor squeue knows "
	       "it\n");
	/* a number is one, whoever knows it; root asks whose it is */
	in_queue("9", "7 bob");
	said();
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(world.job.id, 9);
	ck_assert_str_eq(world.user, "nobody");
	in_queue("9", "9 bob");
	world.uid = 0;
	said();
	ck_assert_str_eq(world.user, "bob");
	in_queue("9", "");
	world.uid = 0;
	said();
	ck_assert_int_eq(status, 0);
	in_queue("1", "7 bob");
	said();
	ck_assert_uint_eq(world.job.id, 1);
}
END_TEST

START_TEST(a_host_that_has_no_squeue_says_so)
{
	in_queue("5_1", "7 alice\\n");
	remove(tempdir_path("squeue"));
	setenv("PATH", tempdir_name, 1);
	refuse("jobio: report: job: '5_1': squeue: there is no squeue in "
	       "PATH\n");
}
END_TEST

START_TEST(what_cannot_be_asked_is_told)
{
	begin("7");
	world.is_source_bad = true;
	refuse("jobio: report: out of memory\n");
	in_queue("5_1", "");
	world.is_stuck = true;
	refuse("jobio: report: job: '5_1': squeue: it hangs\n");
	ck_assert_int_eq(world.asked, 0);
}
END_TEST

START_TEST(who_presses_control_c_before_the_first_answer_sees_nothing)
{
	begin("7");
	world.is_stopped = true;
	ck_assert_str_eq(said(), "");
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(world.shown, 0);
	ck_assert(world.is_closed);
}
END_TEST

/* ---- again and again ---------------------------------------------------------------------- */

#define CLEAR "\033[H\033[2J"

START_TEST(on_a_terminal_it_looks_again_until_the_job_ends)
{
	const char *text;
	const char *second;

	begin("7");
	world.look[1] = (struct look_of){ 5120, 0, 2, 0, NULL };
	world.asks = 2;
	text = on_terminal();
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(world.shown, 2);
	ck_assert_int_eq(world.waits, 4);
	ck_assert_uint_eq(world.wait_ms, 1000);
	ck_assert_uint_eq(world.timeout_ms[1], 10000);
	ck_assert(!strncmp(
		text, "\033[K  asking the nodes ..\033[K" CLEAR "job 7",
		strlen("\033[K  asking the nodes ..\033[K" CLEAR "job 7")));
	second = strstr(strstr(text, CLEAR) + 1, CLEAR);
	ck_assert_ptr_nonnull(second);
	ck_assert_ptr_nonnull(
		strstr(second, "  now           read 2KiB/s, written 0B/s, in "
			       "the last 2 s\n"));
	ck_assert(strstr(text, ", again in 2 s; Ctrl-C ends this\033[K") <
		  strstr(text, ", again in 1 s; Ctrl-C ends this\033[K"));
	ck_assert_ptr_nonnull(
		strstr(second, "\033[K  asking the nodes ..\033[K  the job has "
			       "ended; soon jobio report 7 has all of it\n"));
}
END_TEST

START_TEST(who_presses_control_c_is_told_nothing_more)
{
	const char *text;

	begin("7");
	world.stop_wait = 2;
	text = on_terminal();
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(world.asked, 1);
	ck_assert_ptr_null(strstr(text, "the job has ended"));
	ck_assert_str_eq(text + strlen(text) - 3, "\033[K");
	ck_assert(world.is_closed);
}
END_TEST

START_TEST(nodes_that_stop_to_answer_end_it)
{
	begin("7");
	world.look[1] = (struct look_of){ -1, -1, 0, 0, "c1: mute" };
	ck_assert_ptr_nonnull(freopen(tempdir_path("err"), "w", stderr));
	on_terminal();
	ck_assert_int_eq(status, 1);
}
END_TEST

/* Is there a rate when the second look finds this? */
static bool is_compared(int64_t rd, int64_t wr, size_t nodes)
{
	begin("7");
	world.look[0] = (struct look_of){ 1024, 512, 2, 0, NULL };
	world.look[1] = (struct look_of){ rd, wr, nodes, 0, NULL };
	world.asks = 2;
	return strstr(on_terminal(), "  now ") != NULL;
}

START_TEST(what_was_moved_meanwhile_is_told_of_the_same_nodes)
{
	ck_assert(is_compared(1024, 512, 2));
	ck_assert(is_compared(2048, 1024, 2));
	ck_assert(!is_compared(2048, 1024, 1));
	ck_assert(!is_compared(2048, 1024, 3));
	ck_assert(!is_compared(1023, 1024, 2));
	ck_assert(!is_compared(1024, 511, 2));
	ck_assert(!is_compared(-1, 1024, 2));
}
END_TEST

/* What the second look, a second later, says of these two. */
static void moves(const struct look_of *first, const struct look_of *second,
		  const char *wanted)
{
	const char *text;

	begin("7");
	query.every_s = 1;
	world.look[0] = *first;
	world.look[1] = *second;
	world.asks = 2;
	text = on_terminal();
	ck_assert_msg(strstr(text, wanted) != NULL, "%s", text);
}

START_TEST(what_is_told_is_of_the_seconds_between_two_looks)
{
	moves(&(struct look_of){ 0, 512, 2, 0, NULL },
	      &(struct look_of){ 0, 1012, 2, 0, NULL },
	      "  now           read 0B/s, written 500B/s, in the last 1 s\n");
	moves(&(struct look_of){ 24, 0, 2, 0, NULL },
	      &(struct look_of){ 1023, 0, 2, 0, NULL },
	      "  now           read 999B/s, written 0B/s, in the last 1 s\n");
}
END_TEST

UNIT_MAIN("live", into_a_pipe_it_looks_once, what_cannot_be_asked_is_told,
	  who_presses_control_c_before_the_first_answer_sees_nothing,
	  a_dumb_terminal_is_as_good_as_a_pipe,
	  nodes_that_cannot_tell_are_an_error,
	  a_component_is_asked_through_its_leader,
	  nodes_that_are_unknown_or_too_many_are_not_waited_for,
	  a_job_that_has_ended_or_is_anothers_is_refused,
	  what_sacct_does_not_know_is_asked_of_squeue,
	  a_host_that_has_no_squeue_says_so,
	  on_a_terminal_it_looks_again_until_the_job_ends,
	  who_presses_control_c_is_told_nothing_more,
	  nodes_that_stop_to_answer_end_it,
	  what_was_moved_meanwhile_is_told_of_the_same_nodes,
	  what_is_told_is_of_the_seconds_between_two_looks)
