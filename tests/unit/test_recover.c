/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the prolog, and jobio-prepare --recover, do with what dead jobs left. What they
 * left is here. With real files and processes: prolog_left.bats. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/log.h"
#include "lib/host.h"
#include "lib/rundir.h"
#include "prolog/leftover.h"
#include "prolog/recover.h"
#include "tests/unit/append.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* ---- jobs ----------------------------------------------------------------------- */

static struct left {
	uint32_t id; /* 0: the end */
	bool has_stepd, is_alive, is_old, has_changes, has_steps, has_folder;
	bool is_counted, has_state, is_ended, was_released;
	bool is_count_lost;
	int mend, finish, discard;
} jobs[4];

static char told[500]; /* what was done, in its order */
static char boot_id[64];
static int node_name, make_dirs, lock, count_each;

static const struct left *left(uint32_t id)
{
	const struct left *job = jobs;

	while (job->id && job->id != id)
		job++;
	ck_assert_uint_eq(job->id, id);
	return job;
}

static void tell(const char *what, uint32_t id)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s %u;", what, id);
}

void __wrap_log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_list(told, sizeof(told), format, args);
	va_end(args);
	append(told, sizeof(told), ";");
}

bool __wrap_job_has_stepd(const struct config *config, uint32_t id)
{
	(void)config;
	return left(id)->has_stepd;
}

bool __wrap_job_is_alive(const struct config *config, uint32_t id)
{
	(void)config;
	return left(id)->is_alive;
}

bool __wrap_job_is_old(const struct config *config, uint32_t id)
{
	(void)config;
	return left(id)->is_old;
}

bool __wrap_job_has_steps(const struct config *config, uint32_t id)
{
	(void)config;
	return left(id)->has_steps;
}

bool __wrap_job_has_folder(const struct config *config, uint32_t id)
{
	(void)config;
	return left(id)->has_folder;
}

bool __wrap_job_is_counted(const struct config *config, uint32_t id)
{
	(void)config;
	return left(id)->is_counted;
}

bool __wrap_job_has_changes(const struct config *config, uint32_t id,
			    const struct record *state)
{
	(void)config;
	ck_assert_int_eq(state != NULL, left(id)->has_state);
	return left(id)->has_changes;
}

bool __wrap_job_was_released(const struct config *config, uint32_t id,
			     int64_t restart)
{
	(void)config;
	ck_assert_int_eq(restart, RECORD_UNKNOWN);
	return left(id)->was_released;
}

void __wrap_job_forget_released(const struct config *config, uint32_t id)
{
	(void)config;
	tell("forget", id);
}

struct record *__wrap_job_state_read(const struct config *config, uint32_t id,
				     const char *node)
{
	struct record *state = left(id)->has_state ? record_new() : NULL;

	(void)config;
	ck_assert_str_eq(node, "n1");
	if (state)
		state->job = id;
	return state;
}

bool __wrap_job_state_is_ended(const struct record *state)
{
	return left((uint32_t)state->job)->is_ended;
}

int __wrap_job_count_read(const struct config *config, struct record *state,
			  struct err *err)
{
	(void)config;
	tell("count", (uint32_t)state->job);
	return left((uint32_t)state->job)->is_count_lost
		       ? err_set(err, "no counters")
		       : 0;
}

void __wrap_job_wire_read(const struct config *config, struct record *state)
{
	(void)config;
	tell("wire", (uint32_t)state->job);
}

void __wrap_job_add_steps(const struct config *config, struct record *state)
{
	(void)config;
	tell("steps", (uint32_t)state->job);
}

void __wrap_job_state_end(struct record *state)
{
	tell("end", (uint32_t)state->job);
}

int __wrap_job_mend(const struct config *config, uint32_t id,
		    struct record *state, struct err *err)
{
	(void)config;
	ck_assert_int_eq(state != NULL, left(id)->has_state);
	tell("mend", id);
	return left(id)->mend < 0 ? err_set(err, "it stays") : left(id)->mend;
}

/* 1: the record is lost */
static uint64_t known; /* of the state, before it ended */
int __wrap_job_finish(const struct config *config, const struct record *state,
		      struct err *err)
{
	int rc = left((uint32_t)state->job)->finish;
	size_t i;

	(void)config;
	tell(state->flags & RECORD_FLAG(NODE_REBOOTED) ? "finish rebooted"
						       : "finish",
	     (uint32_t)state->job);
	ck_assert_uint_eq(state->flags & RECORD_FLAG(START_UNKNOWN), known);
	for (i = 0; i < state->change_count; i++)
		tell(state->changes[i].what,
		     (uint32_t)state->changes[i].restored);
	err_set(err, "a full spool");
	return rc;
}

int __wrap_job_discard(const struct config *config, uint32_t id,
		       struct err *err)
{
	(void)config;
	tell("discard", id);
	return left(id)->discard < 0 ? err_set(err, "a bad disk") : 0;
}

int __wrap_job_count_stop(const struct config *config, uint32_t id,
			  struct err *err)
{
	(void)config;
	ck_assert_ptr_null(err);
	tell("stop", id);
	return 0;
}

static int each(int (*fn)(void *arg, uint32_t id), void *arg)
{
	const struct left *job;

	for (job = jobs; job->id; job++)
		ck_assert_int_eq(fn(arg, job->id), 0);
	return 0;
}

int __wrap_job_each_folder(const struct config *config,
			   int (*fn)(void *arg, uint32_t id), void *arg)
{
	(void)config;
	return each(fn, arg);
}

int __wrap_job_count_each(const struct config *config,
			  int (*fn)(void *arg, uint32_t id), void *arg,
			  struct err *err)
{
	(void)config;
	tell("counted", 0);
	each(fn, arg);
	return count_each < 0 ? err_set(err, "no bpffs") : 0;
}

int __wrap_job_node_name(char *node, size_t size, struct err *err)
{
	snprintf(node, size, "n1");
	return node_name < 0 ? err_set(err, "no name") : 0;
}

int __wrap_job_make_dirs(const struct config *config, struct err *err)
{
	(void)config;
	return make_dirs < 0 ? err_set(err, "no folders") : 0;
}

int __wrap_job_lock(const struct config *config, unsigned int timeout_ms,
		    struct err *err)
{
	ck_assert_uint_eq(timeout_ms, config->prolog_budget_ms);
	return lock < 0 ? err_set(err, "no lock") : lock;
}

void __wrap_job_sweep(const struct config *config, bool spool)
{
	(void)config;
	tell("sweep", spool);
}

void __wrap_host_boot_id(char *id, size_t size)
{
	snprintf(id, size, "%s", boot_id);
}

bool __wrap_client_change_outlives_reboot(const char *type, const char *what)
{
	return !strcmp(type, "weka") && !strcmp(what, "cores");
}

/* ---- a visit ---------------------------------------------------------------------- */

static struct config config;
static struct visit visit;

/* Of job 7, beside a job 8 that is dead and has a state. */
static void begin(void)
{
	static char run_dir[300], spool_dir[300];

	tempdir_make();
	snprintf(run_dir, sizeof(run_dir), "%s/run", tempdir_name);
	snprintf(spool_dir, sizeof(spool_dir), "%s/spool", tempdir_name);
	config = (struct config){ .run_dir = run_dir,
				  .spool_dir = spool_dir,
				  .prolog_budget_ms = 1234 };
	visit = (struct visit){ .config = &config, .want.alone = true };
	visit.job.id = 7;
	strcpy(visit.job.node, "n1");
	memset(jobs, 0, sizeof(jobs));
	jobs[0] = (struct left){ .id = 8, .has_state = true, .mend = 2 };
	jobs[1].id = 7;
	*told = '\0';
	*boot_id = '\0';
	node_name = make_dirs = count_each = 0;
	lock = 5;
}

static void expect_told(const char *wanted)
{
	ck_assert_str_eq(told, wanted);
	*told = '\0';
}

static void expect_mended(int mended, int finished, const char *wanted)
{
	visit.mended = visit.finished = 0;
	leftover_mend(&visit);
	expect_told(wanted);
	ck_assert_int_eq(visit.mended, mended);
	ck_assert_int_eq(visit.finished, finished);
}

/* ---- other jobs -------------------------------------------------------------------- */

#define ENDED "count 8;wire 8;mend 8;steps 8;end 8;"

START_TEST(a_dead_job_is_put_back_and_has_its_record)
{
	begin();
	expect_mended(2, 1, ENDED "finish 8;");
	ck_assert(visit.want.alone && !visit.is_shared);
	jobs[0].is_counted = true;
	expect_mended(2, 1, ENDED "finish 8;stop 8;");
	jobs[0].is_count_lost = true;
	expect_mended(2, 1,
		      "count 8;of job 8: no counters;wire 8;mend 8;steps 8;"
		      "end 8;finish 8;stop 8;");
	/* whose epilog has read all there is */
	jobs[0].is_ended = true;
	expect_mended(2, 1, "mend 8;finish 8;stop 8;");
	tempdir_remove();
}
END_TEST

START_TEST(a_record_that_cannot_be_kept_is_told)
{
	begin();
	jobs[0].is_ended = jobs[0].is_counted = true;
	jobs[0].finish = -1; /* and stays to be made */
	expect_mended(2, 0, "mend 8;finish 8;of job 8: a full spool;");
	jobs[0].finish = 1; /* lost */
	expect_mended(2, 1, "mend 8;finish 8;of job 8: a full spool;stop 8;");
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_be_put_back_stays_for_the_next_prolog)
{
	begin();
	jobs[0].is_ended = true;
	jobs[0].mend = -1;
	expect_mended(0, 0, "mend 8;of job 8: it stays;");
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_lives_keeps_what_it_has)
{
	begin();
	jobs[0].is_alive = true;
	expect_mended(0, 0, "");
	ck_assert(visit.is_shared && !visit.want.alone);
	tempdir_remove();
}
END_TEST

START_TEST(on_a_shared_node_only_jobs_that_could_be_dead_are_looked_at)
{
	begin();
	visit.want.alone = false;
	jobs[0].is_alive = true;
	expect_mended(0, 0, "");
	ck_assert(!visit.is_shared); /* nobody looked */
	jobs[0].is_old = true;
	expect_mended(0, 0, "");
	ck_assert(visit.is_shared);
	jobs[0].is_old = jobs[0].is_alive = false;
	jobs[0].has_changes = jobs[0].is_ended = true;
	expect_mended(2, 1, "mend 8;finish 8;");
	tempdir_remove();
}
END_TEST

START_TEST(a_folder_that_nobody_signed_is_cleared)
{
	begin();
	jobs[0].has_state = false;
	jobs[0].is_counted = true;
	expect_mended(2, 0,
		      "mend 8;discard 8;stop 8;of job 8: nothing says whose it "
		      "was: no record;");
	jobs[0].is_counted = false;
	jobs[0].was_released = true;
	expect_mended(2, 0, "mend 8;discard 8;");
	jobs[0].discard = -1;
	expect_mended(0, 0, "mend 8;discard 8;of job 8: a bad disk;");
	jobs[0].mend = -1;
	expect_mended(0, 0, "mend 8;of job 8: it stays;");
	tempdir_remove();
}
END_TEST

/* ---- an earlier run of the job --------------------------------------------------------- */

static int clear(void)
{
	struct err err = { "" };
	int rc = leftover_clear_own(&visit, &err);

	ck_assert(rc == 0 || *err.text);
	return rc;
}

START_TEST(a_job_that_comes_for_the_first_time_has_nothing_to_clear)
{
	begin();
	ck_assert_int_eq(clear(), 0);
	expect_told("forget 7;");
	tempdir_remove();
}
END_TEST

START_TEST(a_prolog_that_runs_again_begins_anew)
{
	static const char *const files[] = { "run/7/" RUNDIR_START,
					     "run/7/" RUNDIR_JOURNAL };
	size_t i;

	for (i = 0; i < 2; i++) {
		begin();
		tempdir_put(files[i], "");
		jobs[1].mend = 3;
		ck_assert_int_eq(clear(), 0);
		expect_told("forget 7;mend 7;discard 7;");
		ck_assert_int_eq(visit.mended, 3);
		jobs[1].discard = -1;
		ck_assert_int_eq(clear(), -1);
		jobs[1].mend = -1;
		*told = '\0';
		ck_assert_int_eq(clear(), -1);
		expect_told("forget 7;mend 7;");
		tempdir_remove();
	}
}
END_TEST

START_TEST(a_run_that_had_steps_has_its_record)
{
	begin();
	jobs[1].has_steps = jobs[1].has_state = true;
	ck_assert_int_eq(clear(), 0);
	expect_told("forget 7;count 7;wire 7;mend 7;steps 7;end 7;finish 7;");
	jobs[1].mend = -1;
	ck_assert_int_eq(clear(), -1);
	tempdir_remove();
}
END_TEST

/* ---- when slurmd starts ------------------------------------------------------------------ */

static int recover(void)
{
	struct err err = { "" };
	int rc;

	visit.mended = visit.finished = 0;
	rc = recover_node(&visit, &err);
	ck_assert(rc == 0 || *err.text);
	visit.lock_fd = -1;
	return rc;
}

START_TEST(jobs_without_a_slurmstepd_are_put_back_when_slurmd_starts)
{
	begin();
	jobs[0].has_folder = jobs[1].has_folder = true;
	jobs[1].has_stepd = true;
	ck_assert_int_eq(recover(), 0);
	expect_told("sweep 1;mend 8;counted 0;");
	ck_assert_int_eq(visit.mended, 2);
	ck_assert_str_eq(visit.job.node, "n1");
	jobs[0].mend = -1;
	ck_assert_int_eq(recover(), 0);
	expect_told("sweep 1;mend 8;of job 8: it stays;counted 0;");
	ck_assert_int_eq(visit.mended, 0);
	tempdir_remove();
}
END_TEST

START_TEST(counters_of_jobs_that_are_gone_are_stopped)
{
	begin();
	jobs[1].has_stepd = true;
	jobs[2].id = 9;
	jobs[2].has_folder = true;
	ck_assert_int_eq(recover(), 0);
	expect_told("sweep 1;mend 8;mend 9;counted 0;stop 8;");
	count_each = -1;
	ck_assert_int_eq(recover(), 0);
	expect_told("sweep 1;mend 8;mend 9;counted 0;stop 8;no bpffs;");
	tempdir_remove();
}
END_TEST

START_TEST(without_name_folders_or_lock_nothing_is_touched)
{
	begin();
	lock = -1;
	ck_assert_int_eq(recover(), -1);
	make_dirs = -1;
	ck_assert_int_eq(recover(), -1);
	node_name = -1;
	ck_assert_int_eq(recover(), -1);
	lock = 5;
	ck_assert_int_eq(recover(), -1);
	make_dirs = 0;
	ck_assert_int_eq(recover(), -1);
	node_name = 0;
	make_dirs = -1;
	ck_assert_int_eq(recover(), -1);
	expect_told("");
	lock = 0; /* a descriptor as others */
	make_dirs = node_name = 0;
	ck_assert_int_eq(recover(), 0);
	tempdir_remove();
}
END_TEST

/* A job's state in the spool, of a node that ran since this boot. */
static void put_open(const char *name, const char *boot)
{
	char text[800];

	snprintf(text, sizeof(text),
		 "{\"jobio\":1,\"cluster\":\"c\",\"job\":8,\"node\":\"n1\","
		 "\"uid\":1000,\"user\":\"alice\",\"start\":1,\"boot_id\":\"%s"
		 "\",\"client\":{\"name\":\"w\",\"type\":\"weka\"},"
		 "\"quality\":[\"start_unknown\"],\"changes\":["
		 "{\"client\":\"w\",\"what\":\"first\",\"target\":\"t\","
		 "\"old\":\"1\",\"new\":\"2\",\"restored\":true},"
		 "{\"client\":\"w\",\"what\":\"cores\",\"target\":\"t\","
		 "\"old\":\"1\",\"new\":\"2\",\"restored\":false},"
		 "{\"client\":\"w\",\"what\":\"option\",\"target\":\"t\","
		 "\"old\":\"1\",\"new\":\"2\",\"restored\":false},"
		 "{\"client\":\"w\",\"what\":\"other\",\"target\":\"t\","
		 "\"old\":\"1\",\"new\":\"2\",\"restored\":true}]}",
		 boot);
	tempdir_put(name, text);
}

START_TEST(a_job_that_a_reboot_ended_has_its_record)
{
	begin();
	memset(jobs + 1, 0, sizeof(jobs) - sizeof(jobs[0]));
	jobs[0].has_stepd = true;
	strcpy(boot_id, "now");
	put_open("spool/open/8.json", "before");
	known = RECORD_FLAG(START_UNKNOWN);
	ck_assert_int_eq(recover(), 0);
	/* what lives in memory alone went with it */
	expect_told("sweep 1;finish rebooted 8;first 1;cores 0;option 1;"
		    "other 1;counted 0;");
	ck_assert_int_eq(visit.finished, 1);
	jobs[0].is_ended = true;
	jobs[0].finish = 1;
	ck_assert_int_eq(recover(), 0);
	expect_told(
		"sweep 1;finish 8;first 1;cores 0;option 1;other 1;of job 8: a "
		"full spool;counted 0;");
	ck_assert_int_eq(visit.finished, 1);
	jobs[0].finish = -1;
	ck_assert_int_eq(recover(), 0);
	ck_assert_int_eq(visit.finished, 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_job_of_this_boot_or_of_none_is_left_alone)
{
	begin();
	memset(jobs + 1, 0, sizeof(jobs) - sizeof(jobs[0]));
	jobs[0].has_stepd = true;
	strcpy(boot_id, "now");
	put_open("spool/open/8.json", "now");
	put_open("spool/open/9.json", "");
	put_open("spool/open/.8.tmp", "before");
	tempdir_put("spool/open/10.json", "nonsense");
	ck_assert_int_eq(recover(), 0);
	expect_told("sweep 1;counted 0;");
	/* who does not know this boot knows no other */
	*boot_id = '\0';
	put_open("spool/open/8.json", "before");
	ck_assert_int_eq(recover(), 0);
	expect_told("sweep 1;counted 0;");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("recover", a_dead_job_is_put_back_and_has_its_record,
	  a_record_that_cannot_be_kept_is_told,
	  what_cannot_be_put_back_stays_for_the_next_prolog,
	  a_job_that_lives_keeps_what_it_has,
	  on_a_shared_node_only_jobs_that_could_be_dead_are_looked_at,
	  a_folder_that_nobody_signed_is_cleared,
	  a_job_that_comes_for_the_first_time_has_nothing_to_clear,
	  a_prolog_that_runs_again_begins_anew,
	  a_run_that_had_steps_has_its_record,
	  jobs_without_a_slurmstepd_are_put_back_when_slurmd_starts,
	  counters_of_jobs_that_are_gone_are_stopped,
	  without_name_folders_or_lock_nothing_is_touched,
	  a_job_that_a_reboot_ended_has_its_record,
	  a_job_of_this_boot_or_of_none_is_left_alone)
