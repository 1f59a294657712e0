/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-release on a node made of a folder. The lock, the counters, the changes and
 * who is started at the end are the test's. With real ones: epilog.bats. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "epilog/report_dir.h"
#include "job/log.h"
#include "lib/rundir.h"
#include "tests/unit/append.h"
#include "tests/unit/job_node.h"
#include "tests/unit/runner.h"

#undef main /* jobio-release's has another name here */
int jobio_release_main(int argc, char **argv);

#define STATUS_USAGE 64
#define STATUS_FAILED 70
#define NOT_LOCKED -1

static char told[2000]; /* what was done and logged, in its order */
static struct {
	int lock, mend; /* what these return */
	bool is_uncounted, is_stop_lost, is_sender_lost, is_report_lost;
	bool is_mute;	  /* the ledger */
	bool has_finding; /* of what was put back */
} world;

#define tell(...) append(told, sizeof(told), __VA_ARGS__)

int __wrap_job_lock(const struct config *of, unsigned int timeout_ms,
		    struct err *why)
{
	tell("lock %u;",
	     timeout_ms - of->prolog_budget_ms - job_restarts_ms(of));
	return world.lock < 0 ? err_set(why, "no lock") : world.lock;
}

int __wrap_job_count_read(const struct config *of, struct record *state,
			  struct err *why)
{
	(void)of;
	tell("count %u;", (unsigned int)state->job);
	return world.is_uncounted ? err_set(why, "no counters") : 0;
}

int __wrap_job_count_stop(const struct config *of, uint32_t job_id,
			  struct err *why)
{
	(void)of;
	tell("stop %u;", job_id);
	return world.is_stop_lost ? err_set(why, "it counts on") : 0;
}

void __wrap_job_wire_read(const struct config *of, struct record *state)
{
	(void)of;
	tell("wire %u;", (unsigned int)state->job);
}

int __wrap_job_mend(const struct config *of, uint32_t job_id,
		    struct record *state, struct err *why)
{
	(void)of;
	ck_assert_uint_eq(state->job, job_id);
	tell("mend %u;", job_id);
	if (world.has_finding)
		record_add_finding(state, "W09", "warning", "it was busy",
				   NULL);
	return world.mend < 0 ? err_set(why, "it stays") : world.mend;
}

int __wrap_job_start_sender(const char *conf, struct err *why)
{
	tell("send %s;", conf ? strrchr(conf, '/') : "-");
	return world.is_sender_lost ? err_set(why, "no sender") : 0;
}

int __wrap_report_dir_start(const struct config *of, const char *conf,
			    const struct job *job,
			    const struct report_dir_run *run, struct err *why)
{
	ck_assert(of && conf);
	tell("report %u %lld %d;", job->id, (long long)run->restart,
	     run->own_work_dir);
	return world.is_report_lost ? err_set(why, "no report") : 0;
}

bool __wrap_job_await_sender(const struct config *of, uint32_t job_id,
			     unsigned int timeout_ms)
{
	(void)of;
	tell("wait %u %u;", job_id, timeout_ms);
	return !world.is_mute;
}

void __wrap_log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_list(told, sizeof(told), format, args);
	va_end(args);
	tell(";");
}

void __wrap_log_open(const char *room, uint32_t job_id)
{
	ck_assert_str_eq(room, "epilog");
	tell("log %u;", job_id);
}

/* ---- words of the tests ------------------------------------------------------------- */

/* The epilog of job 7 on node c1, which has no folder yet. */
static void begin(const char *more)
{
	memset(&world, 0, sizeof(world));
	world.lock = 900; /* no descriptor of ours */
	*told = '\0';
	setup();
	load(more);
	slurmd_says();
}

/* As its prolog has left it. */
static struct record *begin_run(const char *more)
{
	struct record *state;

	begin(more);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	state = new_state(7, 1000, 3);
	state->flags = RECORD_FLAG(AIO_MISSING);
	state->start -= 10; /* a state has milliseconds */
	state->up -= 10;
	tempdir_put("run/7/gate", "");
	return state;
}

static void put_state(struct record *state)
{
	ck_assert_int_eq(job_state_write(config, state, &err), 0);
	record_free(state);
}

/* Its exit status. */
static int release(void)
{
	char conf[600], sys[600];
	char *argv[] = { (char *)"jobio-release", conf, sys, NULL };

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	snprintf(sys, sizeof(sys), "--sysfs=%s", tempdir_path("sys"));
	optind = 0;
	return jobio_release_main(3, argv);
}

static void expect_told(const char *wanted)
{
	ck_assert_str_eq(told, wanted);
	*told = '\0';
}

/* A record or a state, which is freed by the test. */
static struct record *read_record(const char *name)
{
	char *text =
		fileio_read(tempdir_path(name), RECORD_TEXT_MAX, NULL, &err);
	struct record *record;

	ck_assert_msg(text != NULL, "%s", err.text);
	record = record_parse(text, strlen(text), &err);
	ck_assert_msg(record != NULL, "%s", err.text);
	free(text);
	return record;
}

static void expect_flags(const char *name, uint64_t flags)
{
	struct record *record = read_record(name);

	ck_assert_uint_eq(record->flags, flags);
	record_free(record);
}

#define LOCKED "log 7;lock 5000;"
#define COUNTED "count 7;wire 7;"
#define AT_END "send /jobio.conf;"

/* ---- one that works ------------------------------------------------------------------- */

START_TEST(what_a_job_leaves_is_a_record)
{
	put_state(begin_run(""));
	tempdir_put("run/8.tmp.3", "");
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END "report 7 3 0;");
	expect_flags("spool/7.3.c1.json",
		     RECORD_FLAG(AIO_MISSING) | RECORD_FLAG(NO_STEP));
	ck_assert(!is_there("run/7") && !is_there("spool/open/7.c1.json"));
	ck_assert(job_was_released(config, 7, 3));
	ck_assert(!is_there("run/8.tmp.3"));
	/* a second one finds nothing, and stops what may count still */
	ck_assert_int_eq(release(), 0);
	ck_assert(!strncmp(told, LOCKED "stop 7;" AT_END,
			   strlen(LOCKED "stop 7;" AT_END)));
	teardown();
}
END_TEST

START_TEST(an_epilog_that_comes_again_makes_no_second_record)
{
	begin("[count]\nkernel = no\n");
	job_remember_released(config, 7, 3);
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED AT_END);
	ck_assert(!is_there("spool/7.x.c1.json"));
	teardown();
	/* one that was killed before it was done */
	put_state(begin_run(""));
	job_remember_released(config, 7, 3);
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END "report 7 3 0;");
	teardown();
	put_state(begin_run(""));
	job_remember_released(config, 7, 3);
	ck_assert_int_eq(job_discard(config, 7, &err), 0);
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END "report 7 3 0;");
	ck_assert(is_there("spool/7.3.c1.json"));
	teardown();
}
END_TEST

START_TEST(a_job_that_is_counted_is_counted_no_more)
{
	put_state(begin_run(""));
	tempdir_put("run/7/counted", "");
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;stop 7;" AT_END "report 7 3 0;");
	teardown();
	put_state(begin_run(""));
	tempdir_put("run/7/counted", "");
	world.is_uncounted = world.is_stop_lost = true;
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED "count 7;no counters;wire 7;mend 7;stop 7;it counts "
			   "on;" AT_END "report 7 3 0;");
	teardown();
}
END_TEST

START_TEST(what_was_found_when_the_client_was_put_back_is_logged)
{
	struct record *state = begin_run("");

	record_add_finding(state, "W01", "warning", "known before", "wait");
	put_state(state);
	world.has_finding = true;
	world.mend = 2;
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;W09 it was busy; cure: none;" AT_END
				   "report 7 3 0;");
	state = read_record("spool/7.3.c1.json");
	ck_assert_uint_eq(state->finding_count, 2);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_working_directory_of_the_jobs_own_is_known_to_who_files_its_report)
{
	struct record *state;

	put_state(begin_run(""));
	tempdir_put("run/7/steps/0", "{\"own_work_dir\":true}");
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END "report 7 3 1;");
	teardown();
	/* whose end was written down before: nothing is counted then */
	state = begin_run("");
	job_state_end(state);
	put_state(state);
	tempdir_put("run/7/steps/0", "{\"own_work_dir\":true}");
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED "mend 7;" AT_END "report 7 3 1;");
	expect_flags("spool/7.3.c1.json", RECORD_FLAG(AIO_MISSING));
	teardown();
	state = begin_run("");
	job_state_end(state);
	put_state(state);
	tempdir_put("run/7/steps/0", "{\"own_work_dir\":false}");
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED "mend 7;" AT_END "report 7 3 0;");
	teardown();
}
END_TEST

/* ---- what is known of the run --------------------------------------------------------- */

START_TEST(a_run_whose_prolog_left_nothing_is_known_by_its_environment)
{
	struct record *record;

	begin("");
	setenv("SLURM_JOB_RESTART_COUNT", "4", 1);
	setenv("SPANK_JOBIO_VERSION", "1", 1);
	setenv("SPANK_JOBIO_IO_PROFILE", "stream", 1);
	setenv("SPANK_JOBIO_IO_CORES", "2", 1);
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END "report 7 -1 0;");
	record = read_record("spool/7.x.c1.json");
	ck_assert_uint_eq(record->flags,
			  RECORD_FLAG(START_UNKNOWN) | RECORD_FLAG(NO_STEP));
	ck_assert_int_eq(record->restart, RECORD_UNKNOWN);
	ck_assert_uint_eq(record->uid, 1000);
	ck_assert(record->has_request);
	ck_assert_str_eq(record->request.profile, "stream");
	ck_assert_int_eq(record->profile_applied, 0);
	ck_assert_int_eq(record->cores_met, 0);
	record_free(record);
	teardown();
	/* its prolog had come to change something */
	begin("");
	setenv("SPANK_JOBIO_VERSION", "1", 1);
	setenv("SPANK_JOBIO_IO_PROFILE", "stream", 1);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	tempdir_put("run/7/journal", "");
	ck_assert_int_eq(release(), 0);
	record = read_record("spool/7.x.c1.json");
	ck_assert(record->has_request);
	ck_assert_int_eq(record->profile_applied, -1);
	record_free(record);
	teardown();
	/* nothing was asked for */
	begin("");
	ck_assert_int_eq(release(), 0);
	record = read_record("spool/7.x.c1.json");
	ck_assert(!record->has_request);
	record_free(record);
	teardown();
}
END_TEST

/* What is told of a run that began with this boot. */
static uint64_t flags_of_boot(const char *boot_id, bool is_ended)
{
	struct record *state = begin_run("");
	uint64_t flags;

	if (boot_id)
		strcpy(state->boot_id, boot_id);
	if (is_ended)
		state->end = state->start + 1;
	put_state(state);
	ck_assert_int_eq(release(), 0);
	state = read_record("spool/7.3.c1.json");
	flags = state->flags & ~RECORD_FLAG(NO_STEP);
	ck_assert(flags & RECORD_FLAG(AIO_MISSING));
	record_free(state);
	teardown();
	return flags & ~RECORD_FLAG(AIO_MISSING);
}

START_TEST(a_reboot_while_the_job_ran_is_told)
{
	ck_assert_uint_eq(flags_of_boot(NULL, false), 0);
	ck_assert_uint_eq(flags_of_boot("another", false),
			  RECORD_FLAG(NODE_REBOOTED));
	ck_assert_uint_eq(flags_of_boot("another", true), 0);
	ck_assert_uint_eq(flags_of_boot("", false), 0);
}
END_TEST

/* ---- one that does not work ------------------------------------------------------------ */

START_TEST(what_cannot_be_put_back_is_left_for_the_next_prolog_with_a_record)
{
	struct record *record, *state;

	put_state(begin_run(""));
	world.mend = -1;
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED
		    "mend 7;it stays: left for the next prolog;" AT_END
		    "report 7 3 0;");
	ck_assert(is_there("run/7") && !is_there("run/7/gate"));
	ck_assert(!job_was_released(config, 7, 3));
	/* of two records the later one counts */
	record = read_record("spool/7.3.c1.json");
	state = read_record("spool/open/7.c1.json");
	ck_assert(state->end > record->end && state->end < record->end + 0.01);
	record_free(state);
	state = read_record("run/7/start.json");
	ck_assert(state->end > record->end);
	record_free(state);
	record_free(record);
	/* hours later: nothing is counted any more */
	world.mend = 1;
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED "mend 7;" AT_END "report 7 3 0;");
	ck_assert(!is_there("run/7"));
	teardown();
}
END_TEST

START_TEST(a_run_whose_end_is_unknown_stays_so)
{
	struct record *state = begin_run("");

	state->start += 5000;
	strcpy(state->boot_id, "another");
	put_state(state);
	world.mend = -1;
	ck_assert_int_eq(release(), 0);
	state = read_record("spool/open/7.c1.json");
	ck_assert(state->end < 0);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(without_the_lock_nothing_is_put_back)
{
	put_state(begin_run(""));
	tempdir_put("run/8.tmp.3", "");
	world.lock = NOT_LOCKED;
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "no lock: left for the next prolog;" AT_END
				   "report 7 3 0;");
	/* the record says so, and what is made of it later need not */
	expect_flags("spool/7.3.c1.json", RECORD_FLAG(AIO_MISSING) |
						  RECORD_FLAG(NO_STEP) |
						  RECORD_FLAG(OTHER));
	expect_flags("run/7/start.json",
		     RECORD_FLAG(AIO_MISSING) | RECORD_FLAG(NO_STEP));
	/* what is open is who has the lock's */
	expect_flags("spool/open/7.c1.json", RECORD_FLAG(AIO_MISSING));
	ck_assert(is_there("run/8.tmp.3") && !is_there("run/7/gate"));
	teardown();
}
END_TEST

START_TEST(the_lock_is_given_back)
{
	put_state(begin_run(""));
	tempdir_put("run/8.tmp.3", "");
	close(STDIN_FILENO);
	world.lock = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(world.lock, STDIN_FILENO);
	ck_assert_int_eq(release(), 0);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	ck_assert(!is_there("run/7") && !is_there("run/8.tmp.3"));
	teardown();
}
END_TEST

START_TEST(a_record_that_is_lost_is_logged)
{
	char wanted[900];
	int mend;

	for (mend = 0; mend >= -1; mend--) {
		put_state(begin_run("spool_max_records = 1\n"));
		tempdir_put("spool/1.0.c1.json", "{}");
		world.mend = mend;
		ck_assert_int_eq(release(), 0);
		snprintf(wanted, sizeof(wanted),
			 LOCKED COUNTED "mend 7;%srecord: "
					"'%s/spool/7.3.c1.json': the spool has "
					"spool_max_records: this record is "
					"lost, older ones are kept: look why "
					"jobio-send does not reach the "
					"ledger;" AT_END "report 7 3 0;",
			 mend < 0 ? "it stays: left for the next prolog;" : "",
			 tempdir_name);
		expect_told(wanted);
		ck_assert_int_eq(is_there("run/7"), mend < 0);
		teardown();
	}
}
END_TEST

START_TEST(an_epilog_that_fails_drains_the_node_where_the_site_wants_it)
{
	begin("");
	unsetenv("SLURM_JOB_UID");
	ck_assert_int_eq(release(), 0);
	expect_told("log 0;SLURM_JOB_UID is not set: not run by "
		    "slurmd?;" AT_END "going on: on_error=continue;");
	teardown();
	begin("on_error = drain\n");
	unsetenv("SLURM_JOB_UID");
	ck_assert_int_eq(release(), STATUS_FAILED);
	expect_told("log 0;SLURM_JOB_UID is not set: not run by "
		    "slurmd?;" AT_END);
	teardown();
	/* nowhere to write */
	begin("on_error = drain\n");
	ck_assert_int_eq(fileio_rmtree(tempdir_path("spool"), &err), 0);
	tempdir_put("spool", "");
	ck_assert_int_eq(release(), STATUS_FAILED);
	ck_assert(!strncmp(told, "log 7;", 6) && strstr(told, "/spool'"));
	ck_assert_ptr_null(strstr(told, "lock "));
	teardown();
	/* one that works is no failure */
	put_state(begin_run("on_error = drain\n"));
	ck_assert_int_eq(release(), 0);
	teardown();
	/* no record can be made */
	put_state(begin_run("on_error = drain\n"));
	ck_assert_int_eq(mkdir(tempdir_path("spool/7.3.c1.json"), 0700), 0);
	tempdir_put("spool/7.3.c1.json/x", "");
	ck_assert_int_eq(release(), STATUS_FAILED);
	ck_assert(is_there("run/7"));
	teardown();
}
END_TEST

START_TEST(without_a_jobio_conf_there_is_nothing_to_do)
{
	put_state(begin_run(""));
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	ck_assert_int_eq(release(), 0);
	expect_told("log 7;");
	tempdir_put("jobio.conf", "nonsense");
	ck_assert_int_eq(release(), 0);
	ck_assert_ptr_nonnull(strstr(told, "jobio.conf"));
	ck_assert_ptr_nonnull(
		strstr(told, "; there is no record of this job;"));
	ck_assert(is_there("run/7"));
	teardown();
}
END_TEST

/* ---- who is started -------------------------------------------------------------------- */

START_TEST(who_cannot_be_started_is_logged)
{
	put_state(begin_run("on_error = drain\n"));
	world.is_sender_lost = world.is_report_lost = true;
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END
				   "no sender;report 7 3 0;no report;");
	teardown();
}
END_TEST

#define WAITS                                                                  \
	"[ledger]\nhost = 127.0.0.1\nsend_timeout_ms = 1234\nwait_nodes = "    \
	"c1\n"

START_TEST(a_node_that_may_go_waits_for_the_ledger)
{
	char wanted[600];

	put_state(begin_run(WAITS));
	ck_assert_int_eq(release(), 0);
	expect_told(LOCKED COUNTED "mend 7;" AT_END
				   "report 7 3 0;wait 7 1234;");
	teardown();
	put_state(begin_run(WAITS));
	world.is_mute = true;
	ck_assert_int_eq(release(), 0);
	snprintf(wanted, sizeof(wanted),
		 LOCKED COUNTED
		 "mend 7;" AT_END
		 "report 7 3 0;wait 7 1234;ledger: it has not taken this job's "
		 "record within 1234 ms (send_timeout_ms): the record stays in "
		 "%s/spool, and goes with the node;",
		 tempdir_name);
	expect_told(wanted);
	teardown();
	/* of no job there is no record */
	begin(WAITS);
	unsetenv("SLURM_JOB_ID");
	ck_assert_int_eq(release(), 0);
	ck_assert_ptr_null(strstr(told, "wait "));
	teardown();
}
END_TEST

START_TEST(a_client_that_restarts_has_its_time_before_the_lock_is_had)
{
	begin("[client w]\ntype = weka\ncore_change = grow\n"
	      "ready_timeout_ms = 5000\n");
	ck_assert_int_eq(release(), 0);
	ck_assert(!strncmp(told, LOCKED, strlen(LOCKED)));
	teardown();
}
END_TEST

START_TEST(words_that_it_does_not_know_are_refused)
{
	static const char *const bad[] = { "--nosuch", "7" };
	char *argv[] = { (char *)"jobio-release", NULL, NULL };
	char *text;
	size_t i;

	begin("");
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	for (i = 0; i < 2; i++) {
		argv[1] = (char *)bad[i];
		optind = 0;
		ck_assert_int_eq(jobio_release_main(2, argv), STATUS_USAGE);
	}
	ck_assert_ptr_nonnull(freopen(tempdir_path("help"), "w", stdout));
	argv[1] = (char *)"--help";
	optind = 0;
	ck_assert_int_eq(jobio_release_main(2, argv), 0);
	fflush(stdout);
	text = fileio_read(tempdir_path("help"), 1000, NULL, &err);
	ck_assert(text && !strncmp(text, "usage: jobio-release ", 21));
	free(text);
	expect_told("");
	teardown();
}
END_TEST

UNIT_MAIN("release", what_a_job_leaves_is_a_record,
	  an_epilog_that_comes_again_makes_no_second_record,
	  a_job_that_is_counted_is_counted_no_more,
	  what_was_found_when_the_client_was_put_back_is_logged,
	  a_working_directory_of_the_jobs_own_is_known_to_who_files_its_report,
	  a_run_whose_prolog_left_nothing_is_known_by_its_environment,
	  a_reboot_while_the_job_ran_is_told,
	  what_cannot_be_put_back_is_left_for_the_next_prolog_with_a_record,
	  a_run_whose_end_is_unknown_stays_so,
	  without_the_lock_nothing_is_put_back, the_lock_is_given_back,
	  a_record_that_is_lost_is_logged,
	  an_epilog_that_fails_drains_the_node_where_the_site_wants_it,
	  without_a_jobio_conf_there_is_nothing_to_do,
	  who_cannot_be_started_is_logged,
	  a_node_that_may_go_waits_for_the_ledger,
	  a_client_that_restarts_has_its_time_before_the_lock_is_had,
	  words_that_it_does_not_know_are_refused)
