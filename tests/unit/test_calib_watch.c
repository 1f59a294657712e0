/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a calibration in a queue that a test makes up. With a false Slurm:
 * calibrate.bats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/child.h"
#include "report/calib_watch.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define JOBS 4
#define START_MS 300000ULL

/* ---- the world: each look at the queue is a tick ------------------------------------ */

static struct {
	unsigned long long now_ms, slept;
	int ticks;
	int starts[JOBS], ends[JOBS]; /* ticks */
	const char *reason;	      /* why it waits */
	int is_mute_from, is_mute_to; /* ticks at which squeue says nothing */
	int stop_at;		      /* tick; 0: never */
	size_t submitted;
	int submit_errno; /* of the first one that is submitted */
	bool is_put_bad, is_remove_bad;
	char cancelled[64];
	int cancel_ends; /* ticks that cancelled jobs still take */
	size_t runs[JOBS];
	const char *out[JOBS];
	int asked, records_after; /* how often the ledger is asked */
	size_t ids;		  /* of which sacct was asked */
	bool has_no_nodes;	  /* that anybody has seen */
	bool is_sacct_bad;
} world;

static volatile sig_atomic_t is_stopped;
static struct calib_plan plan;
static struct calib_data data;
static struct calib_folder folder;
static struct calib_slurm slurm = { .name = "jobio-calibrate-1" };
static struct config *config;
static struct calib_watch watch;
static struct err err;

unsigned long long __wrap_child_now_ms(void)
{
	return world.now_ms;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	world.now_ms += (unsigned long long)time->tv_sec * 1000 +
			(unsigned long long)time->tv_nsec / 1000000;
	world.slept++;
	return 0;
}

int __wrap_calib_slurm_submit(const struct calib_slurm *of,
			      const struct calib_setting *setting,
			      size_t number, unsigned int limit_s,
			      char id[CALIB_ID], struct err *why)
{
	ck_assert(of == &slurm && number == world.submitted);
	ck_assert(setting == &plan.settings[plan.turns[number].setting]);
	ck_assert_uint_eq(limit_s, calib_plan_job_limit_s(&plan));
	if (world.submit_errno) {
		errno = world.submit_errno;
		return err_set(why, "sbatch does not answer");
	}
	snprintf(id, CALIB_ID, "%zu", 101 + world.submitted++);
	return 0;
}

int __wrap_calib_slurm_queue(const struct calib_slurm *of,
			     struct calib_queued **list, struct err *why)
{
	int i, count = 0;

	ck_assert_ptr_eq(of, &slurm);
	world.ticks++;
	is_stopped = world.stop_at && world.ticks >= world.stop_at;
	if (world.ticks >= world.is_mute_from && world.ticks < world.is_mute_to)
		return err_set(why, "squeue does not answer");
	for (i = 0; i < JOBS; i++) {
		if (world.ticks >= world.ends[i])
			continue;
		*list = realloc(*list, ((size_t)count + 1) * sizeof(**list));
		snprintf((*list)[count].id, CALIB_ID, "%d", 101 + i);
		strcpy((*list)[count].state,
		       world.ticks < world.starts[i] ? "PENDING" : "RUNNING");
		strcpy((*list)[count].reason, world.reason);
		strcpy((*list)[count].node, "n1");
		count++;
	}
	return count;
}

bool __wrap_calib_slurm_is_hopeless(const struct calib_queued *job)
{
	return !strcmp(job->state, "PENDING") &&
	       !strcmp(job->reason, "PartitionTimeLimit");
}

int __wrap_calib_slurm_cancel(const struct calib_slurm *of, const char *id,
			      struct err *why)
{
	int i;

	(void)why;
	ck_assert_ptr_eq(of, &slurm);
	snprintf(world.cancelled + strlen(world.cancelled),
		 sizeof(world.cancelled) - strlen(world.cancelled), "%s ",
		 id ? id : "all");
	for (i = 0; i < JOBS; i++)
		if ((!id || atoi(id) == 101 + i) && world.cancel_ends >= 0 &&
		    world.ends[i] > world.ticks + world.cancel_ends)
			world.ends[i] = world.ticks + world.cancel_ends;
	return 0;
}

int __wrap_calib_folder_put(const struct calib_folder *of, const char *name,
			    const char *text, struct err *why)
{
	char wanted[24];

	ck_assert_ptr_eq(of, &folder);
	snprintf(wanted, sizeof(wanted), "%zu.plan", world.submitted);
	ck_assert_str_eq(name, wanted);
	ck_assert(!strncmp(text, CALIB_LAYOUT " ", strlen(CALIB_LAYOUT) + 1));
	return world.is_put_bad ? err_set(why, "the disk is full") : 0;
}

int __wrap_calib_folder_remove(struct calib_folder *of, struct err *why)
{
	ck_assert_ptr_eq(of, &folder);
	return world.is_remove_bad ? err_set(why, "it is not empty") : 0;
}

#define ANSWER                                                                 \
	"{\"jobs\":[{\"error\":0,\"%s\":{\"io_bytes\":100,\"total_ios\":5,"    \
	"\"runtime\":1000}}]}"

int __wrap_calib_folder_read(const struct calib_folder *of, size_t number,
			     void (*take)(void *arg, const char *name,
					  const char *text),
			     void *arg, struct err *why)
{
	char name[64], text[200];
	size_t i;

	(void)why;
	ck_assert_ptr_eq(of, &folder);
	take(arg, "plan", "x");
	take(arg, "json", "x"); /* the name of no shape */
	if (world.out[number])
		take(arg, "out", world.out[number]);
	for (i = 0; i < world.runs[number]; i++) {
		snprintf(name, sizeof(name), "%s.json", plan.shapes[i].name);
		snprintf(text, sizeof(text), ANSWER,
			 plan.shapes[i].is_write ? "write" : "read");
		take(arg, name, text);
	}
	return 0;
}

/* ---- the ledger ----------------------------------------------------------------------- */

int __wrap_job_source_ask_sacct(struct job_source *source, char *const *ids,
				size_t count, struct err *why)
{
	ck_assert_ptr_eq(source->config, config);
	ck_assert_uint_gt(count, 0);
	ck_assert_str_eq(ids[0], "101");
	world.ids = count;
	return world.is_sacct_bad ? err_set(why, "no sacct") : 0;
}

void __wrap_job_source_close(struct job_source *source)
{
	(void)source;
}

static struct job_report the_report;

void __wrap_job_report_free(struct job_report *report)
{
	(void)report;
}

struct job_report *__wrap_job_report_get(struct job_source *source,
					 const char *id, int64_t restart,
					 struct err *why)
{
	(void)source;
	ck_assert_int_eq(restart, RECORD_UNKNOWN);
	if (world.asked++ < world.records_after) {
		err_set(why, "job: '%s': no record", id);
		return NULL;
	}
	memset(&the_report, 0, sizeof(the_report));
	summary_init(&the_report.summary);
	the_report.summary.scope = SUMMARY_SCOPE_JOB;
	the_report.summary.nodes_seen = !world.has_no_nodes;
	the_report.summary.rd_bytes =
		data.jobs[atoi(id) - 101].moved.read_bytes;
	the_report.summary.wr_bytes =
		data.jobs[atoi(id) - 101].moved.write_bytes;
	the_report.cluster = (char *)"c";
	return &the_report;
}

/* ---- words of the tests ----------------------------------------------------------------- */

/* Four jobs, each of which waits for the one before and runs for two looks. */
static void begin(void)
{
	struct calib_wish wish = { .cores = "0,1",
				   .processes = "1",
				   .repeats = 2 };
	int i;

	memset(&world, 0, sizeof(world));
	world.now_ms = START_MS;
	world.reason = "Dependency";
	config = conf_load("[option]\nio_cores_max = 1\n");
	ck_assert_msg(calib_plan_make(&plan, &wish, config, &err) == 0, "%s",
		      err.text);
	ck_assert_uint_eq(plan.turn_count, JOBS);
	ck_assert_int_eq(calib_data_init(&data, &plan, &err), 0);
	for (i = 0; i < JOBS; i++) {
		world.starts[i] = 2 * i + 1;
		world.ends[i] = 2 * i + 3;
		world.runs[i] = plan.shape_count;
		/* none and one, in both rounds */
		plan.turns[i].setting = (size_t)i % 2;
	}
	strcpy(folder.path, "/mnt/jobio-calibrate.x");
	watch = (struct calib_watch){ .plan = &plan,
				      .data = &data,
				      .folder = &folder,
				      .slurm = &slurm,
				      .config = config,
				      .is_stopped = &is_stopped,
				      .start_ms = START_MS };
	tempdir_make();
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
}

static void submit(void)
{
	ck_assert_msg(calib_watch_submit(&watch, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(world.submitted, JOBS);
	ck_assert(watch.has_jobs);
}

static void run(void)
{
	submit();
	ck_assert_msg(calib_watch_run(&watch, &err) == 0, "%s", err.text);
}

/* What stands on standard error; the caller frees it. */
static char *said(void)
{
	char *text;

	fflush(stderr);
	text = fileio_read(tempdir_path("said"), 1 << 16, NULL, &err);
	ck_assert_ptr_nonnull(text);
	return text;
}

static void expect_said(const char *wanted)
{
	char *text = said();

	ck_assert_str_eq(text, wanted);
	free(text);
}

static void end(void)
{
	calib_data_free(&data);
	calib_plan_free(&plan);
	config_free(config);
	tempdir_remove();
}

#define NONE "no io-cores, no profile"
#define ONE "1 io-core, no profile"

/* ---- tests ------------------------------------------------------------------------------- */

START_TEST(jobs_are_watched_until_all_are_over)
{
	begin();
	run();
	expect_said(
		"[  0 min] 0 of 4 over, about 5 min to go; job 101 runs on n1 "
		"(" NONE ")\n"
		"[  0 min] 1 of 4 over, about 4 min to go; job 102 runs on n1 "
		"(" ONE ")\n"
		"[  0 min] 2 of 4 over, about 2 min to go; job 103 runs on n1 "
		"(" NONE ")\n"
		"[  0 min] 3 of 4 over, about 1 min to go; job 104 runs on n1 "
		"(" ONE ")\n");
	ck_assert_int_eq(world.ticks, 9);
	ck_assert_uint_eq(calib_data_count(&data), JOBS);
	ck_assert_str_eq(data.jobs[3].node, "n1");
	ck_assert_str_eq(data.jobs[3].why, "");
	ck_assert_str_eq(world.cancelled, "");
	end();
}
END_TEST

/* How many minutes are to go while jobs of so many seconds run, one after the other. */
static void expect_minutes(unsigned int job_s, const char *wanted)
{
	char told[32] = "", *text, *at;
	int i;

	begin();
	plan.shape_count = 1;
	plan.seconds = job_s - 1;
	for (i = 0; i < JOBS; i++)
		world.runs[i] = 1;
	ck_assert_uint_eq(calib_plan_job_s(&plan), job_s);
	run();
	text = said();
	for (at = text; (at = strstr(at, "about ")); at++)
		strncat(told, at + 6, 2);
	ck_assert_str_eq(told, wanted);
	free(text);
	end();
}

START_TEST(minutes_to_go_are_rounded_and_a_job_takes_ten_seconds_to_begin)
{
	expect_minutes(65, "5 4 3 1 ");
	expect_minutes(79, "6 4 3 1 ");
}
END_TEST

START_TEST(what_waits_is_told_with_its_reason_and_looks_become_rarer)
{
	int i;

	begin();
	for (i = 0; i < JOBS; i++) {
		world.starts[i] += 20;
		world.ends[i] += 20;
	}
	world.reason = "Priority";
	run();
	expect_said(
		"[  0 min] 0 of 4 over, about 5 min to go; job 101 waits: "
		"Priority (" NONE ")\n"
		"[  2 min] 0 of 4 over, about 5 min to go; job 101 runs on n1 "
		"(" NONE ")\n"
		"[  2 min] 1 of 4 over, about 4 min to go; job 102 runs on n1 "
		"(" ONE ")\n"
		"[  2 min] 2 of 4 over, about 2 min to go; job 103 runs on n1 "
		"(" NONE ")\n"
		"[  2 min] 3 of 4 over, about 1 min to go; job 104 runs on n1 "
		"(" ONE ")\n");
	/* half as long again, to 10 s; from the beginning after each end */
	ck_assert_uint_eq(world.now_ms, START_MS + 154150);
	end();
}
END_TEST

START_TEST(jobs_that_all_fail_are_given_up)
{
	begin();
	world.runs[0] = 0;
	world.runs[1] = 15;
	world.runs[2] = 0;
	world.out[0] = "no fio\nat all";
	run();
	ck_assert_str_eq(data.jobs[0].why, "0 of 16 runs: no fio");
	ck_assert_str_eq(data.jobs[1].why, "15 of 16 runs");
	ck_assert_str_eq(data.jobs[3].why,
			 "the first jobs have all failed; job 104 runs on n1 "
			 "(" ONE ")");
	ck_assert_str_eq(world.cancelled, "all ");
	expect_said(
		"[  0 min] 0 of 4 over, about 5 min to go; job 101 runs on n1 "
		"(" NONE ")\n"
		"[  0 min] 1 of 4 over, 1 failed, about 4 min to go; job 102 "
		"runs on n1 (" ONE ")\n"
		"[  0 min] 2 of 4 over, 2 failed, about 2 min to go; job 103 "
		"runs on n1 (" NONE ")\n"
		"jobio: calibrate: the first jobs have all failed: the jobs "
		"that are left are cancelled\n");
	end();
}
END_TEST

START_TEST(one_that_works_is_a_reason_to_go_on)
{
	begin();
	world.runs[0] = world.runs[2] = world.runs[3] = 0;
	run();
	ck_assert_str_eq(world.cancelled, "");
	ck_assert_str_eq(data.jobs[3].why, "0 of 16 runs");
	end();
	/* and so are jobs with io-cores, none of which has been tried */
	begin();
	plan.turns[1].setting = 0;
	world.runs[0] = world.runs[1] = world.runs[2] = 0;
	run();
	ck_assert_str_eq(world.cancelled, "");
	end();
}
END_TEST

START_TEST(a_job_that_never_starts_is_cancelled)
{
	begin();
	world.reason = "PartitionTimeLimit";
	world.starts[1] = world.ends[1] = 1000;
	world.runs[1] = 0;
	run();
	ck_assert_ptr_nonnull(strstr(world.cancelled, "102 "));
	ck_assert_str_eq(data.jobs[1].why,
			 "Slurm does not start it: PartitionTimeLimit");
	ck_assert_str_eq(data.jobs[1].node, "");
	end();
}
END_TEST

START_TEST(the_time_that_all_may_take_is_a_limit)
{
	begin();
	world.ends[3] = 1000;
	plan.max_s = 60;
	run();
	ck_assert_uint_ge(world.now_ms, START_MS + 60000);
	ck_assert_uint_lt(world.now_ms, START_MS + 60000 + 10050);
	ck_assert_str_eq(data.jobs[2].why, "");
	ck_assert_str_eq(data.jobs[3].why,
			 "--max-time is over; job 104 runs on n1 (" ONE ")");
	ck_assert_str_eq(world.cancelled, "all ");
	end();
}
END_TEST

START_TEST(a_slurmctld_that_restarts_is_waited_for)
{
	begin();
	world.is_mute_from = 3;
	world.is_mute_to = 30;
	run();
	ck_assert_uint_eq(calib_data_count(&data), JOBS);
	end();
	begin();
	world.is_mute_from = 3;
	world.is_mute_to = 1000;
	submit();
	ck_assert_int_eq(calib_watch_run(&watch, &err), -1);
	ck_assert_str_eq(err.text, "squeue does not answer");
	ck_assert_uint_gt(world.now_ms, START_MS + 300000);
	ck_assert_uint_lt(world.now_ms, START_MS + 311000);
	end();
}
END_TEST

START_TEST(who_stops_it_does_not_wait)
{
	begin();
	world.stop_at = 4;
	run();
	ck_assert_int_eq(world.ticks, 4);
	ck_assert_str_eq(world.cancelled, "");
	end();
	begin();
	is_stopped = 1;
	ck_assert_int_eq(calib_watch_submit(&watch, &err), 0);
	ck_assert_uint_eq(world.submitted, 0);
	ck_assert(!watch.has_jobs);
	end();
}
END_TEST

START_TEST(a_job_that_may_be_in_the_queue_is_remembered)
{
	static const struct {
		int number;
		bool has_jobs;
	} of[] = { { ETIMEDOUT, true }, { EPROTO, true }, { EPERM, false } };
	size_t i;

	for (i = 0; i < 3; i++) {
		begin();
		world.submit_errno = of[i].number;
		ck_assert_int_eq(calib_watch_submit(&watch, &err), -1);
		ck_assert_str_eq(err.text, "sbatch does not answer");
		ck_assert_uint_eq(world.submitted, 0);
		ck_assert_int_eq(watch.has_jobs, of[i].has_jobs);
		end();
	}
	begin();
	world.is_put_bad = true;
	ck_assert_int_eq(calib_watch_submit(&watch, &err), -1);
	ck_assert_str_eq(err.text, "the disk is full");
	ck_assert(!watch.has_jobs);
	end();
}
END_TEST

START_TEST(records_are_waited_for_and_compared)
{
	char cluster[RECORD_NAME_MAX] = "";

	begin();
	world.runs[1] = 0; /* is not judged */
	run();
	fclose(stderr);
	stderr = fopen(tempdir_path("said"), "w");
	world.records_after = 4; /* one job of the second round is missing */
	ck_assert_int_eq(calib_watch_judge(&watch, cluster, &err), 0);
	ck_assert_int_eq(world.asked, 3 + 3 + 1);
	ck_assert_uint_eq(world.ids, 3);
	ck_assert_str_eq(cluster, "c");
	ck_assert(data.jobs[0].is_judged && data.jobs[2].is_judged);
	ck_assert(data.jobs[3].is_judged && !data.jobs[1].is_judged);
	ck_assert(!data.jobs[0].disagrees);
	expect_said("[  0 min] waiting for jobio's records, missing: 3\n"
		    "[  0 min] waiting for jobio's records, missing: 1\n");
	end();
}
END_TEST

START_TEST(a_record_that_does_not_come_is_told)
{
	char cluster[RECORD_NAME_MAX] = "";
	unsigned long long begun;

	begin();
	run();
	world.records_after = 1 << 20;
	begun = world.now_ms;
	ck_assert_int_eq(calib_watch_judge(&watch, cluster, &err), 0);
	ck_assert_str_eq(data.jobs[0].why,
			 "jobio has no record of it: job: '104': no record");
	ck_assert(data.jobs[0].disagrees && !data.jobs[0].is_judged);
	ck_assert_str_eq(cluster, "");
	ck_assert_uint_gt(world.now_ms - begun,
			  config->ledger.grace_s * 1000ULL +
				  2ULL * config->ledger.send_timeout_ms);
	ck_assert_uint_le(world.now_ms - begun,
			  config->ledger.grace_s * 1000ULL +
				  2ULL * config->ledger.send_timeout_ms + 2000);
	end();
	/* whoever stops it does not wait; who has no sacct waits for it, too */
	begin();
	run();
	world.is_sacct_bad = true;
	is_stopped = 1;
	begun = world.now_ms;
	ck_assert_int_eq(calib_watch_judge(&watch, cluster, &err), 0);
	ck_assert_uint_eq(world.now_ms, begun);
	ck_assert_str_eq(data.jobs[3].why,
			 "jobio has no record of it: no sacct");
	is_stopped = 0;
	end();
	/* what sacct knows of a job that no node has told of is no record */
	begin();
	run();
	world.has_no_nodes = true;
	ck_assert_int_eq(calib_watch_judge(&watch, cluster, &err), 0);
	ck_assert_str_eq(data.jobs[0].why, "jobio has no record of it");
	end();
	/* of no whole job nobody is asked */
	begin();
	memset(world.runs, 0, sizeof(world.runs));
	world.runs[0] = 1;
	run();
	ck_assert_int_eq(calib_watch_judge(&watch, cluster, &err), 0);
	ck_assert_int_eq(world.asked, 0);
	end();
}
END_TEST

START_TEST(what_is_left_is_cancelled_and_waited_for)
{
	begin();
	ck_assert_int_eq(calib_watch_end(&watch), 0);
	ck_assert_int_eq(world.ticks, 0); /* there never was a job */
	submit();
	world.cancel_ends = 3;
	ck_assert_int_eq(calib_watch_end(&watch), 0);
	ck_assert_str_eq(world.cancelled, "all ");
	ck_assert_int_eq(world.ticks, 1 + 3);
	world.ticks = 100;
	ck_assert_int_eq(calib_watch_end(&watch), 0);
	ck_assert_int_eq(world.ticks, 101); /* none is left */
	expect_said("");
	end();
}
END_TEST

START_TEST(jobs_that_do_not_end_are_told_with_what_to_do)
{
	unsigned long long begun;

	begin();
	submit();
	world.cancel_ends = -1;
	world.ends[0] = 1000;
	begun = world.now_ms;
	ck_assert_int_eq(calib_watch_end(&watch), -1);
	ck_assert_uint_ge(world.now_ms - begun, 90000);
	ck_assert_uint_le(world.now_ms - begun, 91000);
	expect_said("jobio: calibrate: jobs may be left: they do not end; "
		    "scancel --name=jobio-calibrate-1\n");
	end();
	begin();
	submit();
	world.is_mute_to = 1000;
	world.is_remove_bad = true;
	ck_assert_int_eq(calib_watch_end(&watch), -1);
	expect_said("jobio: calibrate: jobs may be left: squeue does not "
		    "answer; scancel --name=jobio-calibrate-1\n"
		    "jobio: calibrate: it is not empty\n");
	end();
	begin();
	world.is_remove_bad = true;
	ck_assert_int_eq(calib_watch_end(&watch), -1);
	end();
}
END_TEST

UNIT_MAIN("calib_watch", jobs_are_watched_until_all_are_over,
	  minutes_to_go_are_rounded_and_a_job_takes_ten_seconds_to_begin,
	  what_waits_is_told_with_its_reason_and_looks_become_rarer,
	  jobs_that_all_fail_are_given_up, one_that_works_is_a_reason_to_go_on,
	  a_job_that_never_starts_is_cancelled,
	  the_time_that_all_may_take_is_a_limit,
	  a_slurmctld_that_restarts_is_waited_for, who_stops_it_does_not_wait,
	  a_job_that_may_be_in_the_queue_is_remembered,
	  records_are_waited_for_and_compared,
	  a_record_that_does_not_come_is_told,
	  what_is_left_is_cancelled_and_waited_for,
	  jobs_that_do_not_end_are_told_with_what_to_do)
