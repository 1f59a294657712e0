/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-prepare: what it does in which order, and how it ends. Those that do the work
 * are here, and tell that they were called. With real ones: prolog.bats. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/log.h"
#include "prolog/asked.h"
#include "prolog/clients.h"
#include "prolog/cores.h"
#include "prolog/describe.h"
#include "prolog/gates.h"
#include "prolog/lack.h"
#include "prolog/leftover.h"
#include "prolog/prepare.h"
#include "prolog/recover.h"
#include "tests/unit/job_node.h"
#include "tests/unit/runner.h"

#undef main /* jobio-prepare's has another name here */
int jobio_prepare_main(int argc, char **argv);

#define STATUS_USAGE 64
#define STATUS_REFUSED 65
#define STATUS_NODE 69
#define STATUS_FAILED 70

static struct {
	/* of those that work */
	int work; /* in the child: what it returns; below -1: a signal's number */
	int lock, clear, change, gates;
	bool is_uncounted, is_unnoted, is_look_failed, has_others, is_refused;
	bool is_change_bad, is_folder_lost, is_sender_lost, has_want;
	size_t breaks; /* so many findings, of which the last breaks the node */
	/* the clock */
	unsigned long long now_ms, step_ms, lock_ms;
} world;

static struct visit visit;

/* Across processes: what was done and logged, in its order. */
static void tell(const char *format, ...)
{
	FILE *file = fopen(tempdir_path("told"), "a");
	va_list args;

	va_start(args, format);
	ck_assert(file && vfprintf(file, format, args) >= 0 &&
		  fputc(';', file) == ';' && fclose(file) == 0);
	va_end(args);
}

static int told(const char *what, int rc, struct err *why)
{
	tell("%s", what);
	return rc < 0 ? err_set(why, "no %s", what) : rc;
}

void __wrap_log_line(const char *format, ...)
{
	va_list args;
	char text[2000];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tell("%s", text);
}

void __wrap_log_open(const char *room, uint32_t job_id)
{
	ck_assert_str_eq(room, "prolog");
	tell("log %u", job_id);
}

unsigned long long __wrap_child_now_ms(void)
{
	unsigned long long now_ms = world.now_ms;

	world.now_ms += world.step_ms;
	return now_ms;
}

/* ---- those that do the work ------------------------------------------------------------- */

void __wrap_asked_read(struct visit *of)
{
	tell("read");
	of->has_request = true;
	of->request.io_cores = 2;
	if (world.is_refused)
		strcpy(of->refused, "no");
}

void __wrap_asked_hold(struct visit *of)
{
	ck_assert(of->state != NULL);
	tell("hold");
}

void __wrap_cores_check(struct visit *of)
{
	(void)of;
	tell("check");
}

void __wrap_cores_find(struct visit *of)
{
	ck_assert_int_eq(of->want.mem_spec_limit_mb, -1);
	ck_assert_uint_eq(of->want.io_cores, 2);
	ck_assert_int_eq(of->want.alone, of->job.alone == JOB_ALONE);
	tell("find");
}

void __wrap_leftover_mend(struct visit *of)
{
	(void)of;
	tell("mend");
}

int __wrap_leftover_clear_own(struct visit *of, struct err *why)
{
	ck_assert_uint_eq(of->job.id, 7);
	return told("clear", world.clear, why);
}

void __wrap_describe_request(struct visit *of)
{
	(void)of;
	tell("request");
}

void __wrap_clients_open(struct visit *of, const char *state_dir)
{
	ck_assert_ptr_nonnull(strstr(state_dir, "/spool/state"));
	ck_assert_uint_eq(of->findings_client, of->findings.count);
	tell("open");
}

void __wrap_clients_inspect(struct visit *of)
{
	(void)of;
	tell("inspect");
}

int __wrap_clients_change(struct visit *of, struct err *why)
{
	findings_add(&of->findings, "X0", FINDING_INFO, NULL, "a change");
	of->findings.list[0].breaks_node = world.is_change_bad;
	if (world.has_want)
		of->want.alone = true;
	return told("change", world.change, why);
}

void __wrap_clients_judge(struct visit *of)
{
	size_t i;

	ck_assert_uint_eq(of->findings_judge, of->findings.count);
	tell("judge");
	for (i = 1; i <= world.breaks; i++) {
		findings_add(&of->findings, "X1", FINDING_ERROR, "mend it",
			     "number %zu", i);
		of->findings.list[of->findings.count - 1].breaks_node =
			i == world.breaks;
	}
	if (world.is_folder_lost)
		ck_assert_int_eq(fileio_rmtree(tempdir_path("run/7"), NULL), 0);
}

void __wrap_lack_describe(struct visit *of)
{
	(void)of;
	tell("lack");
}

int __wrap_gates_write(struct visit *of, struct err *why)
{
	(void)of;
	return told("gates", world.gates, why);
}

int __wrap_gates_write_off(struct visit *of, struct err *why)
{
	tell("note '%s'", of->note);
	return told("gates off", world.gates, why);
}

int __wrap_job_lock(const struct config *of, unsigned int timeout_ms,
		    struct err *why)
{
	tell("lock %u", timeout_ms - of->prolog_budget_ms);
	world.now_ms += world.lock_ms;
	return world.lock < 0 ? err_set(why, "no lock") : world.lock;
}

bool __wrap_job_note_others(const struct config *of, uint32_t job_id)
{
	(void)of;
	tell("others %u", job_id);
	return world.has_others;
}

int __wrap_job_note_mounts(const struct config *of, uint32_t job_id,
			   const char *work_dir, struct err *why)
{
	(void)of;
	tell("mounts %u %s", job_id, work_dir ? work_dir : "-");
	return world.is_unnoted ? err_set(why, "no mounts") : 0;
}

bool __wrap_job_look_failed(void)
{
	return world.is_look_failed;
}

void __wrap_job_wire_start(const struct config *of, const struct record *state,
			   struct client *const clients[], size_t count,
			   bool alone)
{
	ck_assert(of && clients && !count && state->job == 7);
	ck_assert_int_eq(visit.lock_fd, -1); /* it is given back */
	tell("wire %d", alone);
}

int __wrap_job_count_start(const struct config *of, const struct record *state,
			   struct err *why)
{
	ck_assert(of && state->job == 7);
	return told("count", world.is_uncounted ? -1 : 0, why);
}

void __wrap_job_reason_set(const struct config *of, const struct record *state,
			   const struct finding *finding)
{
	ck_assert(of && state);
	tell("reason %s", finding->text);
}

void __wrap_job_reason_clear(const struct config *of,
			     const struct record *state)
{
	ck_assert(of && state);
	tell("no reason");
}

int __wrap_job_start_sender(const char *conf, struct err *why)
{
	ck_assert_ptr_nonnull(conf);
	return told("send", world.is_sender_lost ? -1 : 0, why);
}

/* ---- a visit ------------------------------------------------------------------------------ */

int __real_prepare_node(struct visit *of, struct err *why);

static void begin(const char *more)
{
	memset(&world, 0, sizeof(world));
	world.now_ms = 9000;
	world.lock = 900; /* no descriptor of ours */
	setup();
	load(more);
	slurmd_says();
	setenv("SLURM_JOB_WORK_DIR", "/work", 1);
}

static void expect_told(const char *wanted)
{
	tempdir_expect("told", wanted);
	remove(tempdir_path("told"));
}

/* What it returns, and does; its visit is free again. */
static void expect_prepared(int rc, const char *wanted)
{
	visit = (struct visit){ .config = config };
	err.text[0] = '\0';
	ck_assert_int_eq(__real_prepare_node(&visit, &err), rc);
	ck_assert_int_eq(*err.text != '\0', rc < 0);
	expect_told(wanted);
}

static void free_visit(void)
{
	visit.lock_fd = -1;
	visit_free(&visit);
}

static void end(void)
{
	free_visit();
	teardown();
}

#define FIRST "read;check;"
#define CLEAN "lock 0;mend;clear;others 7;"
#define LOOK "hold;find;open;inspect;request;change;"
#define LAST "judge;lack;mounts 7 /work;gates;"

START_TEST(a_prolog_goes_from_what_was_asked_to_what_is_counted)
{
	begin("");
	setenv("SLURM_JOB_SLUID", "s7", 1);
	tempdir_put("run/8.tmp.3", "");
	expect_prepared(0, FIRST CLEAN LOOK LAST "no reason;wire 1;count;");
	ck_assert(!is_there("run/8.tmp.3"));
	expect_file("run/7/sluid", "s7");
	ck_assert(is_there("run/7/start.json"));
	ck_assert_uint_eq(visit.state->uid, 1000);
	ck_assert_uint_eq(visit.state->finding_count, 1);
	ck_assert_uint_eq(visit.end_ms, 9000 + config->prolog_budget_ms);
	end();
}
END_TEST

START_TEST(who_breaks_the_node_or_is_refused_is_told)
{
	begin("");
	world.breaks = 3;
	expect_prepared(STATUS_NODE,
			FIRST CLEAN LOOK LAST "reason number 3;wire 1;count;");
	ck_assert_uint_eq(visit.state->finding_count, 4);
	free_visit();
	world.is_change_bad = true; /* the first one counts */
	expect_prepared(STATUS_NODE,
			FIRST CLEAN LOOK LAST "reason a change;wire 1;count;");
	free_visit();
	world.is_change_bad = false;
	/* the node comes before the job */
	world.is_refused = true;
	expect_prepared(STATUS_NODE,
			FIRST CLEAN LOOK LAST "reason number 3;wire 1;count;");
	free_visit();
	world.breaks = 0;
	expect_prepared(STATUS_REFUSED,
			FIRST CLEAN LOOK LAST "no reason;wire 1;count;");
	end();
}
END_TEST

/* Is the job alone, for those that count, where others have left a folder? */
static void expect_alone(const char *oversubscribe, bool has_others,
			 bool has_want, bool is_alone)
{
	begin("");
	if (oversubscribe)
		setenv("SLURM_JOB_OVERSUBSCRIBE", oversubscribe, 1);
	world.has_others = has_others;
	world.has_want = has_want;
	expect_prepared(
		0, is_alone ? FIRST CLEAN LOOK LAST "no reason;wire 1;count;"
			    : FIRST CLEAN LOOK LAST "no reason;wire 0;count;");
	end();
}

START_TEST(who_is_alone_has_slurms_word_or_an_empty_node)
{
	expect_alone("NO", true, false, true);
	expect_alone("NO", false, false, true);
	expect_alone("OK", true, false, false);
	expect_alone("OK", true, true, false);
	expect_alone("OK", false, false, true);
	/* a guess is no word */
	expect_alone(NULL, true, true, false);
	expect_alone(NULL, true, false, false);
	expect_alone(NULL, false, true, true);
}
END_TEST

START_TEST(a_prolog_that_fails_goes_no_further)
{
	begin("");
	unsetenv("SLURM_JOB_ID");
	expect_prepared(-1, "");
	free_visit();
	setenv("SLURM_JOB_ID", "7", 1);
	world.lock = -1;
	expect_prepared(-1, FIRST "lock 0;");
	free_visit();
	world.lock = 900;
	world.clear = -1;
	expect_prepared(-1, FIRST "lock 0;mend;clear;");
	free_visit();
	world.clear = 0;
	world.change = -1;
	expect_prepared(-1, FIRST CLEAN LOOK);
	free_visit();
	world.change = 0;
	world.gates = -1;
	expect_prepared(-1, FIRST CLEAN LOOK LAST);
	free_visit();
	world.gates = 0;
	world.is_folder_lost = true;
	expect_prepared(-1, FIRST CLEAN LOOK "judge;lack;mounts 7 /work;");
	free_visit();
	ck_assert_int_eq(fileio_rmtree(tempdir_path("spool"), &err), 0);
	tempdir_put("spool", "");
	expect_prepared(-1, FIRST);
	end();
}
END_TEST

START_TEST(the_lock_is_given_back_before_what_is_slow)
{
	begin("");
	close(STDIN_FILENO);
	world.lock = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(world.lock, STDIN_FILENO);
	expect_prepared(0, FIRST CLEAN LOOK LAST "no reason;wire 1;count;");
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	end();
}
END_TEST

START_TEST(what_is_no_reason_to_fail_is_logged)
{
	begin("");
	unsetenv("SLURM_JOB_WORK_DIR");
	world.is_unnoted = world.is_uncounted = world.is_look_failed = true;
	expect_prepared(0, FIRST CLEAN LOOK
			"judge;lack;mounts 7 -;what the job mounts may not be "
			"told: no mounts;gates;no reason;wire 1;count;no "
			"count;");
	ck_assert_uint_eq(visit.state->finding_count, 2);
	ck_assert_str_eq(visit.state->findings[1].code, "W54");
	ck_assert_str_eq(visit.state->findings[1].text,
			 "looking for slurmstepds among root's processes "
			 "hangs: other jobs count as living");
	end();
}
END_TEST

#define RESTARTS                                                               \
	"[client w]\ntype = weka\ncore_change = grow\n"                        \
	"ready_timeout_ms = 5000\n"

START_TEST(a_clients_restart_for_another_job_takes_no_time_of_this_one)
{
	begin("");
	world.lock_ms = 700;
	expect_prepared(0, FIRST CLEAN LOOK LAST "no reason;wire 1;count;");
	ck_assert_uint_eq(visit.end_ms, 9000 + config->prolog_budget_ms);
	end();
	begin(RESTARTS);
	world.lock_ms = 700;
	expect_prepared(0, FIRST "lock 10000;mend;clear;others 7;" LOOK LAST
				 "no reason;wire 1;count;");
	ck_assert_uint_eq(visit.end_ms, 9700 + config->prolog_budget_ms);
	end();
}
END_TEST

/* ---- switched off ------------------------------------------------------------------------- */

#define OFF "nodes = d1\n"

START_TEST(where_jobio_is_off_what_was_left_is_mended_and_no_more)
{
	begin(OFF);
	expect_prepared(0, CLEAN "note '';gates off;no reason;");
	ck_assert(is_there("run/7/start.json") && is_there("run/7/steps"));
	ck_assert(!visit.state->has_request);
	ck_assert_uint_eq(visit.state->finding_count, 1);
	ck_assert_str_eq(visit.state->findings[0].code, "W57");
	ck_assert(!strncmp(visit.state->findings[0].text,
			   "jobio did nothing for this job: ", 32));
	free_visit();
	setenv("SPANK_JOBIO_VERSION", "1", 1);
	setenv("SPANK_JOBIO_IO_PROFILE", "stream", 1);
	setenv("SPANK_JOBIO_IO_CORES", "2", 1);
	visit = (struct visit){ .config = config };
	ck_assert_int_eq(__real_prepare_node(&visit, &err), 0);
	ck_assert(!strncmp(visit.note,
			   "the job's I/O options have no effect: ", 38));
	ck_assert(visit.state->has_request);
	ck_assert_int_eq(visit.state->profile_applied, 0);
	ck_assert_int_eq(visit.state->cores_met, 0);
	free_visit();
	/* what is no request is none */
	setenv("SPANK_JOBIO_VERSION", "x", 1);
	visit = (struct visit){ .config = config };
	ck_assert_int_eq(__real_prepare_node(&visit, &err), 0);
	ck_assert(!visit.state->has_request);
	ck_assert_str_eq(visit.note, "");
	end();
}
END_TEST

START_TEST(where_jobio_is_off_it_can_fail_as_well)
{
	begin(OFF);
	world.gates = -1;
	expect_prepared(-1, CLEAN "note '';gates off;");
	free_visit();
	world.gates = 0;
	world.clear = -1;
	expect_prepared(-1, "lock 0;mend;clear;");
	free_visit();
	world.clear = 0;
	ck_assert_int_eq(fileio_rmtree(tempdir_path("run/7/steps"), &err), 0);
	tempdir_put("run/7/steps", "");
	expect_prepared(-1, CLEAN);
	ck_assert_int_eq(remove(tempdir_path("run/7/steps")), 0);
	ck_assert_int_eq(remove(tempdir_path("run/7/start.json")), 0);
	free_visit();
	ck_assert_int_eq(mkdir(tempdir_path("run/7/start.json"), 0700), 0);
	tempdir_put("run/7/start.json/x", "");
	expect_prepared(-1, CLEAN);
	end();
}
END_TEST

/* ---- jobio-prepare ------------------------------------------------------------------------- */

static int work(const char *what, struct err *why)
{
	tell("%s", what);
	if (world.work == -SIGSTOP)
		pause();
	if (world.work < -1)
		raise(-world.work);
	return world.work < 0 ? err_set(why, "it does not work") : world.work;
}

int __wrap_prepare_node(struct visit *of, struct err *why)
{
	ck_assert_ptr_nonnull(of->config);
	return work("prepare", why);
}

int __wrap_recover_node(struct visit *of, struct err *why)
{
	ck_assert_ptr_nonnull(of->config);
	return work("recover", why);
}

static int prepare(const char *option)
{
	char conf[600], sys[600];
	char *argv[] = { (char *)"jobio-prepare", conf, sys, (char *)option,
			 NULL };

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	snprintf(sys, sizeof(sys), "--sysfs=%s", tempdir_path("sys"));
	optind = 0;
	return jobio_prepare_main(option ? 4 : 3, argv);
}

/* Of a job for which work ends so. */
static void expect_status(const char *more, int of_work, int status,
			  const char *wanted)
{
	begin(more);
	world.work = of_work;
	ck_assert_int_eq(prepare(NULL), status);
	expect_told(wanted);
	teardown();
}

START_TEST(how_a_prolog_ends_is_the_sites_matter)
{
#define DRAIN "on_error = drain\n"
	expect_status("", 0, 0, "log 7;prepare;");
	expect_status(DRAIN, 0, 0, "log 7;prepare;");
	/* a refusal is the job's fault, whatever the site says */
	expect_status("", STATUS_REFUSED, STATUS_REFUSED, "log 7;prepare;");
	expect_status(DRAIN, STATUS_REFUSED, STATUS_REFUSED, "log 7;prepare;");
	/* a broken node is drained, and the ledger knows why */
	expect_status(DRAIN, STATUS_NODE, STATUS_NODE, "log 7;prepare;send;");
	expect_status("", STATUS_NODE, 0,
		      "log 7;prepare;going on: on_error=continue;");
	expect_status(DRAIN OFF, STATUS_NODE, 0,
		      "log 7;prepare;going on: jobio is off here;");
	/* our own fault */
	expect_status(DRAIN, -1, STATUS_FAILED,
		      "log 7;prepare;it does not work;");
	expect_status("", -1, 0,
		      "log 7;prepare;it does not work;going on: "
		      "on_error=continue;");
	expect_status(DRAIN, -SIGKILL, STATUS_FAILED,
		      "log 7;prepare;ended by signal 9;");
}
END_TEST

/* What hangs is ended after this time. */
static void expect_ended(const char *more, unsigned int after_ms)
{
	char wanted[300], *all;

	begin(more);
	world.work = -SIGSTOP;
	world.step_ms = 1000000;
	ck_assert_int_eq(prepare(NULL), STATUS_NODE);
	snprintf(wanted, sizeof(wanted),
		 "not done within %u ms: ended; what it left is mended by the "
		 "epilog;",
		 config->prolog_budget_ms + after_ms);
	all = fileio_read(tempdir_path("told"), 2000, NULL, &err);
	/* what hangs may say so between the two */
	ck_assert_msg(all && strstr(all, wanted), "%s", all);
	ck_assert_msg(strstr(strstr(all, wanted), "send;"), "%s", all);
	free(all);
	teardown();
}

START_TEST(a_prolog_that_hangs_is_ended)
{
	expect_ended(DRAIN, 6000);
	expect_ended(DRAIN RESTARTS, 6000 + 20000);
}
END_TEST

START_TEST(a_sender_that_cannot_be_started_is_logged)
{
	begin(DRAIN);
	world.work = STATUS_NODE;
	world.is_sender_lost = true;
	ck_assert_int_eq(prepare(NULL), STATUS_NODE);
	expect_told("log 7;prepare;send;no send;");
	teardown();
}
END_TEST

START_TEST(before_slurmd_starts_what_dead_jobs_left_is_put_back)
{
	begin(DRAIN);
	unsetenv("SLURM_JOB_ID");
	ck_assert_int_eq(prepare("--recover"), 0);
	expect_told("log 0;recover;");
	world.work = -1;
	ck_assert_int_eq(prepare("--recover"), STATUS_FAILED);
	expect_told("log 0;recover;it does not work;");
	teardown();
}
END_TEST

START_TEST(a_node_without_jobio_conf_is_silent_unless_a_job_asks_for_something)
{
	char wanted[700];

	begin(DRAIN);
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	ck_assert_int_eq(prepare(NULL), 0);
	expect_told("log 7;");
	setenv("SPANK_JOBIO_VERSION", "1", 1);
	setenv("SPANK_JOBIO_IO_CORES", "2", 1);
	ck_assert_int_eq(prepare(NULL), 0);
	snprintf(wanted, sizeof(wanted),
		 "log 7;'%s/jobio.conf': cannot read: No such file or "
		 "directory; the job runs without jobio;",
		 tempdir_name);
	expect_told(wanted);
	unsetenv("SPANK_JOBIO_VERSION");
	unsetenv("SPANK_JOBIO_IO_CORES");
	tempdir_put("jobio.conf", "nonsense\n");
	ck_assert_int_eq(prepare(NULL), 0);
	ck_assert(is_there("told"));
	teardown();
}
END_TEST

START_TEST(words_that_it_does_not_know_are_refused)
{
	char *text;

	begin("");
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	ck_assert_int_eq(prepare("--nosuch"), STATUS_USAGE);
	ck_assert_int_eq(prepare("7"), STATUS_USAGE);
	ck_assert_ptr_nonnull(freopen(tempdir_path("help"), "w", stdout));
	ck_assert_int_eq(prepare("--help"), 0);
	fflush(stdout);
	text = fileio_read(tempdir_path("help"), 1000, NULL, &err);
	ck_assert(text && !strncmp(text, "usage: jobio-prepare ", 21));
	free(text);
	expect_told("");
	teardown();
}
END_TEST

UNIT_MAIN("prepare", a_prolog_goes_from_what_was_asked_to_what_is_counted,
	  who_breaks_the_node_or_is_refused_is_told,
	  who_is_alone_has_slurms_word_or_an_empty_node,
	  a_prolog_that_fails_goes_no_further,
	  the_lock_is_given_back_before_what_is_slow,
	  what_is_no_reason_to_fail_is_logged,
	  a_clients_restart_for_another_job_takes_no_time_of_this_one,
	  where_jobio_is_off_what_was_left_is_mended_and_no_more,
	  where_jobio_is_off_it_can_fail_as_well,
	  how_a_prolog_ends_is_the_sites_matter, a_prolog_that_hangs_is_ended,
	  a_sender_that_cannot_be_started_is_logged,
	  before_slurmd_starts_what_dead_jobs_left_is_put_back,
	  a_node_without_jobio_conf_is_silent_unless_a_job_asks_for_something,
	  words_that_it_does_not_know_are_refused)
