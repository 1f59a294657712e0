/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What prolog and epilog share, on a node made of a folder. Whole prologs and
 * epilogs, and those that are killed: tests/scripts. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job/job.h"
#include "job/spool.h"
#include "lib/rundir.h"
#include "tests/unit/job_node.h"
#include "tests/unit/runner.h"

/* ---- what slurmd says ----------------------------------------------------- */

static void slurmd_env(void)
{
	clearenv();
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_JOB_UID", "1000", 1);
	setenv("SLURMD_NODENAME", "c1", 1);
}

static struct job from_env(void)
{
	struct job job;

	ck_assert_msg(job_from_env(&job, &err) == 0, "%s", err.text);
	return job;
}

static void expect_env_error(const char *name, const char *value, const char *sentence)
{
	struct job job;

	slurmd_env();
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
	ck_assert_int_eq(job_from_env(&job, &err), -1);
	ck_assert_msg(strstr(err.text, sentence) == err.text, "%s", err.text);
}

START_TEST(what_slurmd_must_say_is_asked_for)
{
	expect_env_error("SLURM_JOB_ID", NULL, "SLURM_JOB_ID is not set: not run by slurmd?");
	expect_env_error("SLURM_JOB_ID", "7x", "SLURM_JOB_ID: '7x': ");
	expect_env_error("SLURM_JOB_ID", "0", "SLURM_JOB_ID '0': not a job");
	expect_env_error("SLURM_JOB_UID", NULL, "SLURM_JOB_UID is not set");
	expect_env_error("SLURM_JOB_UID", "-1", "SLURM_JOB_UID: '-1': ");
	expect_env_error("SLURMD_NODENAME", "a/b", "node name 'a/b': not a name");
	expect_env_error("SLURMD_NODENAME", ".c1", "node name '.c1': not a name");
}
END_TEST

START_TEST(what_slurmd_may_leave_out_is_unknown)
{
	struct job job;

	slurmd_env();
	job = from_env();
	ck_assert_uint_eq(job.id, 7);
	ck_assert_uint_eq(job.uid, 1000);
	ck_assert_uint_eq(job.gid, UINT32_MAX);
	ck_assert_str_eq(job.node, "c1");
	ck_assert_str_eq(job.user, "");
	ck_assert_str_eq(job.cluster, "");
	ck_assert_ptr_null(job.nodelist);
	ck_assert_int_eq(job.restart, -1);
	ck_assert_int_eq(job.core_spec, -1);
	ck_assert(!job.core_spec_is_threads && !job.core_spec_is_told);
	ck_assert_int_eq(job.alone, JOB_ALONE_UNKNOWN);
}
END_TEST

START_TEST(what_slurmd_says_is_taken)
{
	struct job job;

	slurmd_env();
	setenv("SLURM_JOB_GID", "100", 1);
	setenv("SLURM_JOB_USER", "alice", 1);
	setenv("SLURM_CLUSTER_NAME", "big", 1);
	setenv("SLURM_NODELIST", "c[1-2]", 1);
	setenv("SLURM_JOB_RESTART_COUNT", "0", 1);
	setenv("SLURM_JOB_CORE_SPEC_COUNT", "2", 1);
	setenv("SLURM_JOB_CORE_SPEC_TYPE", "threads", 1);
	job = from_env();
	ck_assert_uint_eq(job.gid, 100);
	ck_assert_str_eq(job.user, "alice");
	ck_assert_str_eq(job.cluster, "big");
	ck_assert_str_eq(job.nodelist, "c[1-2]");
	ck_assert_int_eq(job.restart, 0);
	ck_assert_int_eq(job.core_spec, 2);
	ck_assert(job.core_spec_is_threads && job.core_spec_is_told);
	setenv("SLURM_JOB_CORE_SPEC_TYPE", "cores", 1);
	setenv("SLURM_JOB_RESTART_COUNT", "65533", 1);
	job = from_env();
	ck_assert(!job.core_spec_is_threads);
	ck_assert_int_eq(job.restart, 65533);
	/* NO_VAL16 and the like */
	setenv("SLURM_JOB_RESTART_COUNT", "65534", 1);
	ck_assert_int_eq(from_env().restart, -1);
}
END_TEST

START_TEST(no_core_spec_is_told_from_not_being_told)
{
	struct job job;

	slurmd_env();
	setenv("SLURM_JOB_CORE_SPEC_COUNT", "0", 1);
	job = from_env();
	ck_assert_int_eq(job.core_spec, -1);
	ck_assert(job.core_spec_is_told);
	unsetenv("SLURM_JOB_CORE_SPEC_COUNT");
	setenv("SLURM_JOB_START_TIME", "1795224862", 1);
	job = from_env();
	ck_assert_int_eq(job.core_spec, -1);
	ck_assert(job.core_spec_is_told);
}
END_TEST

START_TEST(whether_a_job_is_alone_is_in_slurms_words)
{
	static const struct {
		const char *exclusive, *oversubscribe, *core_spec;
		enum job_alone alone;
	} cases[] = {
		{ NULL, NULL, "1", JOB_ALONE_UNKNOWN }, { NULL, "NO", "0", JOB_ALONE },
		{ NULL, "OK", "0", JOB_NOT_ALONE },	{ NULL, "FORCE:2", "1", JOB_NOT_ALONE },
		{ "NODE", "NO", "0", JOB_ALONE },	{ "NODE", "OK", "0", JOB_ALONE },
		{ "TOPO", "NO", "1", JOB_ALONE },	{ "TOPO", "NO", "0", JOB_NOT_ALONE },
		{ "NO", "NO", "1", JOB_ALONE_UNKNOWN }, { "NO", "NO", "0", JOB_ALONE_UNKNOWN },
		{ "NO", "YES", "1", JOB_NOT_ALONE },	{ "USER", "NO", "0", JOB_NOT_ALONE },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		slurmd_env();
		if (cases[i].exclusive)
			setenv("SLURM_JOB_EXCLUSIVE", cases[i].exclusive, 1);
		if (cases[i].oversubscribe)
			setenv("SLURM_JOB_OVERSUBSCRIBE", cases[i].oversubscribe, 1);
		setenv("SLURM_JOB_CORE_SPEC_COUNT", cases[i].core_spec, 1);
		ck_assert_msg(from_env().alone == cases[i].alone, "case %zu", i);
	}
}
END_TEST

/* ---- places --------------------------------------------------------------- */

static int note_job(void *arg, uint32_t job_id)
{
	char *list = arg;

	sprintf(list + strlen(list), "%u ", job_id);
	return strlen(list) > 2;
}

START_TEST(folders_of_jobs_are_those_with_a_number)
{
	char list[64] = "";

	setup();
	ck_assert_int_eq(job_each_folder(config, note_job, list), 0);
	ck_assert(!job_has_folder(config, 7));
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert(job_has_folder(config, 7));
	ck_assert(!job_has_steps(config, 7));
	ck_assert(!job_has_steps(config, 8));
	tempdir_put("run/7/steps/.hidden", "");
	ck_assert(!job_has_steps(config, 7));
	tempdir_put("run/7/steps/batch", "{}");
	ck_assert(job_has_steps(config, 7));
	tempdir_put("run/8", "");
	ck_assert(!job_has_folder(config, 8));
	ck_assert(unlink(tempdir_path("run/8")) == 0);
	tempdir_put("run/lock", "");
	tempdir_put("run/0", "");
	tempdir_put("run/4294967295", "");
	ck_assert_int_eq(job_each_folder(config, note_job, list), 0);
	ck_assert_str_eq(list, "7 ");
	*list = '\0';
	ck_assert(job_make_folder(config, 8, &err) == 0 && job_make_folder(config, 9, &err) == 0);
	ck_assert_int_eq(job_each_folder(config, note_job, list), 1);
	ck_assert_uint_eq(strlen(list), 4);
	teardown();
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named)
{
	setup();
	tempdir_put("run/7", "");
	ck_assert_int_eq(job_make_folder(config, 7, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/run/7'"));
	ck_assert(unlink(tempdir_path("run/7")) == 0);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert(rmdir(tempdir_path("run/7/steps")) == 0);
	tempdir_put("run/7/steps", "");
	ck_assert_int_eq(job_make_folder(config, 7, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/run/7/steps'"));
	ck_assert(rmdir(tempdir_path("spool/state")) == 0);
	tempdir_put("spool/state", "");
	ck_assert_int_eq(job_make_dirs(config, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/spool/state'"));
	ck_assert(rmdir(tempdir_path("spool/open")) == 0);
	tempdir_put("spool/open", "");
	ck_assert_int_eq(job_make_dirs(config, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/spool/open'"));
	teardown();
}
END_TEST

START_TEST(what_killed_processes_left_is_swept)
{
	static const char *const left[] = { "run/.gone.5", "run/lock.tmp.3", "spool/a.json.tmp.12",
					    "spool/open/7.c1.json.tmp.1",
					    "spool/state/weka.mounts.tmp.1" };
	size_t i;

	setup();
	ck_assert(mkdir(tempdir_path(left[0]), 0700) == 0);
	tempdir_put("run/.gone.5/start.json", "");
	for (i = 1; i < 5; i++)
		tempdir_put(left[i], "");
	tempdir_put("run/reason", "");
	tempdir_put("spool/released", "");
	job_sweep(config, false);
	for (i = 0; i < 5; i++)
		ck_assert_int_eq(is_there(left[i]), i >= 2);
	job_sweep(config, true);
	for (i = 0; i < 5; i++)
		ck_assert(!is_there(left[i]));
	ck_assert(is_there("run/reason") && is_there("spool/released"));
	teardown();
}
END_TEST

START_TEST(one_has_the_lock_and_the_next_waits_for_it)
{
	char wanted[400];
	int first, second;

	setup();
	first = job_lock(config, 1000, &err);
	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(job_lock(config, 30, &err), -1);
	snprintf(wanted, sizeof(wanted),
		 "lock '%s/run/lock': another prolog or epilog has held it for 30 ms",
		 tempdir_name);
	ck_assert_str_eq(err.text, wanted);
	close(first);
	second = job_lock(config, 0, &err);
	ck_assert_int_ge(second, 0);
	close(second);
	ck_assert(unlink(tempdir_path("run/lock")) == 0);
	ck_assert(mkdir(tempdir_path("run/lock"), 0700) == 0);
	ck_assert_int_eq(job_lock(config, 0, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "lock': Is a directory"));
	teardown();
}
END_TEST

START_TEST(clients_that_restart_have_a_time_of_their_own)
{
	setup();
	ck_assert_uint_eq(job_restarts_ms(config), 0);
	load("[client a]\ntype = weka\ncore_change = grow\n"
	     "ready_timeout_ms = 5000\n"
	     "[client b]\ntype = weka\ncore_change = never\n"
	     "ready_timeout_ms = 6000\n"
	     "[client c]\ntype = weka\ncore_change = any\n"
	     "ready_timeout_ms = 7000\n"
	     "[client d]\ntype = nfs\ncore_change = affinity\n");
	ck_assert_uint_eq(job_restarts_ms(config), 24000);
	teardown();
}
END_TEST

#define RUN(id, restart) (&(struct job_run){ id, restart, RECORD_UNKNOWN })

/* ---- runs that were finished ------------------------------------------------ */

START_TEST(a_run_that_was_released_is_remembered_until_its_job_begins_again)
{
	static const struct {
		struct job_run a, b;
		bool is_same;
	} rows[] = {
		{ { 7, 0, 100 }, { 7, 0, 100 }, true },
		{ { 7, 0, 100 }, { 8, 0, 100 }, false },
		{ { 7, 0, 100 }, { 7, 1, 100 }, true }, /* requeued */
		{ { 7, 0, 100 }, { 7, 1, 200 }, false },
		{ { 7, 0, 100 }, { 7, 0, 200 }, true }, /* powered up */
		{ { 7, 0, -1 }, { 7, 1, 200 }, true },
		{ { 7, -1, 100 }, { 7, 1, 200 }, false },
		{ { 7, -1, 100 }, { 7, -1, 200 }, false },
		{ { 7, -1, -1 }, { 7, 1, 200 }, true },
		{ { 7, 0, 0 }, { 7, 1, 200 }, false },
	};
	size_t i;

	setup();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert(!job_was_released(config, &rows[i].a));
		job_remember_released(config, &rows[i].a);
		ck_assert_msg(job_was_released(config, &rows[i].b) == rows[i].is_same, "row %zu",
			      i);
		job_forget_released(config, 7);
		ck_assert(!job_was_released(config, &rows[i].a));
	}
	ck_assert(unlink(tempdir_path("spool/released")) == 0);
	job_remember_released(config, RUN(7, 0));
	job_remember_released(config, RUN(8, RECORD_UNKNOWN));
	job_remember_released(config, &(struct job_run){ 9, 2, 100 });
	expect_file("spool/released", "7 0 -\n8 - -\n9 2 100\n");
	ck_assert(!is_there("run/released"));
	job_remember_released(config, RUN(7, 1));
	expect_file("spool/released", "8 - -\n9 2 100\n7 1 -\n");
	job_forget_released(config, 7);
	expect_file("spool/released", "8 - -\n9 2 100\n");
	ck_assert(unlink(tempdir_path("spool/released")) == 0);
	job_forget_released(config, 7);
	ck_assert(!is_there("spool/released"));
	teardown();
}
END_TEST

START_TEST(the_last_1024_runs_are_remembered)
{
	char text[1024 * 8];
	size_t used = 0;
	uint32_t id;

	setup();
	for (id = 1; id <= 1024; id++)
		used += (size_t)sprintf(text + used, "%u 0\n", id);
	tempdir_put("spool/released", text);
	for (id = 1; id <= 1024; id++)
		ck_assert(job_was_released(config, RUN(id, 0)));
	job_remember_released(config, RUN(1025, 0));
	ck_assert(!job_was_released(config, RUN(1, 0)));
	for (id = 2; id <= 1025; id++)
		ck_assert(job_was_released(config, RUN(id, 0)));
	job_remember_released(config, RUN(UINT32_MAX, INT32_MAX));
	ck_assert(job_was_released(config, RUN(UINT32_MAX, INT32_MAX)));
	ck_assert(!job_was_released(config, RUN(2, 0)));
	ck_assert(job_was_released(config, RUN(3, 0)));
	teardown();
}
END_TEST

START_TEST(while_the_spool_cannot_be_written_runs_are_remembered_in_run)
{
	setup();
	job_remember_released(config, RUN(7, 0));
	/* nobody can be kept from writing here, so it is no folder */
	ck_assert(rename(tempdir_path("spool"), tempdir_path("away")) == 0);
	tempdir_put("spool", "");
	job_remember_released(config, RUN(8, 0));
	expect_file("run/released", "8 0 -\n");
	ck_assert(job_was_released(config, RUN(8, 0)));
	ck_assert(unlink(tempdir_path("spool")) == 0);
	ck_assert(rename(tempdir_path("away"), tempdir_path("spool")) == 0);
	ck_assert(job_was_released(config, RUN(7, 0)));
	ck_assert(job_was_released(config, RUN(8, 0)));
	job_remember_released(config, RUN(9, 0));
	expect_file("spool/released", "7 0 -\n8 0 -\n9 0 -\n");
	ck_assert(!is_there("run/released"));
	teardown();
}
END_TEST

START_TEST(damaged_lines_of_released_runs_are_left_out)
{
	setup();
	tempdir_put("spool/released", "7 0\nx 1\n0 1\n9 x\n\n10 1 y\n"
				      "4294967296 0\n11 3 100");
	job_remember_released(config, RUN(12, 0));
	expect_file("spool/released", "7 0 -\n9 - -\n10 1 -\n"
				      "11 3 100\n12 0 -\n");
	teardown();
}
END_TEST

/* ---- which jobs live --------------------------------------------------------- */

static void make_process(unsigned int pid, const char *name, const char *title)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/proc/%u", pid);
	ck_assert(mkdir(tempdir_path(path), 0700) == 0);
	snprintf(path, sizeof(path), "sys/proc/%u/comm", pid);
	tempdir_put(path, name);
	snprintf(path, sizeof(path), "sys/proc/%u/cmdline", pid);
	tempdir_put(path, title);
}

START_TEST(a_job_whose_prolog_is_over_is_starting_for_ten_minutes)
{
	setup();
	ck_assert(!job_is_alive(config, 7));
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert(!job_is_alive(config, 7));
	tempdir_put("run/7/gate", "");
	ck_assert(job_is_alive(config, 7));
	ck_assert(!job_has_stepd(config, 7));
	age("run/7/gate", 590);
	ck_assert(job_is_alive(config, 7));
	age("run/7/gate", 610);
	ck_assert(!job_is_alive(config, 7));
	/* a clock that was set back makes it old */
	age("run/7/gate", -590);
	ck_assert(job_is_alive(config, 7));
	age("run/7/gate", -610);
	ck_assert(!job_is_alive(config, 7));
	teardown();
}
END_TEST

START_TEST(a_job_that_has_begun_or_left_a_step_is_not_starting)
{
	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	tempdir_put("run/7/gate", "");
	tempdir_put("run/7/begun", "70");
	ck_assert(!job_is_alive(config, 7));
	make_process(70, "slurmstepd\n", "");
	ck_assert(job_is_alive(config, 7));
	ck_assert(job_has_stepd(config, 7));
	tempdir_put("run/7/begun", "71");
	ck_assert(!job_has_stepd(config, 7));
	make_process(71, "sleep\n", "");
	ck_assert(!job_has_stepd(config, 7));
	tempdir_put("run/7/begun", "70x");
	ck_assert(!job_has_stepd(config, 7));
	ck_assert(unlink(tempdir_path("run/7/begun")) == 0);
	ck_assert(job_is_alive(config, 7));
	tempdir_put("run/7/steps/0", "{}");
	ck_assert(!job_is_alive(config, 7));
	ck_assert(unlink(tempdir_path("run/7/steps/0")) == 0);
	job_is_over(config, 7);
	ck_assert(!is_there("run/7/gate"));
	ck_assert(!job_is_alive(config, 7));
	teardown();
}
END_TEST

START_TEST(a_slurmstepd_is_known_by_its_title)
{
	setup();
	make_process(70, "slurmstepd\n", "slurmstepd: [7.batch]");
	make_process(80, "slurmstepd\n", "slurmstepd: [71.extern]");
	ck_assert(job_has_stepd(config, 7));
	ck_assert(job_has_stepd(config, 71));
	ck_assert(!job_has_stepd(config, 1));
	ck_assert(!job_look_failed());
	teardown();
}
END_TEST

START_TEST(another_job_is_one_that_starts_or_has_a_slurmstepd)
{
	setup();
	ck_assert(!job_is_other_alive(config, 7));
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	tempdir_put("run/7/gate", "");
	make_process(70, "slurmstepd\n", "slurmstepd: [7.extern]");
	make_process(72, "slurmstepd\n", "slurmstepd: [7.0]");
	ck_assert(!job_is_other_alive(config, 7));
	ck_assert(job_is_other_alive(config, 8));
	ck_assert_int_eq(job_make_folder(config, 8, &err), 0);
	ck_assert(!job_is_other_alive(config, 7));
	tempdir_put("run/8/gate", "");
	ck_assert(job_is_other_alive(config, 7));
	age("run/8/gate", 700);
	ck_assert(!job_is_other_alive(config, 7));
	/* one that was there before jobio has no folder */
	make_process(90, "slurmstepd\n", "slurmstepd: [9.extern]");
	ck_assert(job_is_other_alive(config, 7));
	teardown();
}
END_TEST

/* Its title is gone after so many ms. */
static pid_t end_process(unsigned int pid, unsigned int ms)
{
	char path[64];
	pid_t child = fork();

	if (child)
		return child;
	snprintf(path, sizeof(path), "sys/proc/%u/cmdline", pid);
	usleep(ms * 1000);
	_exit(unlink(tempdir_path(path)) != 0);
}

START_TEST(a_slurmstepd_that_ends_within_a_second_does_not_stay)
{
	int status;
	pid_t child;

	setup();
	ck_assert(!job_does_other_stay(config, 7));
	make_process(90, "slurmstepd\n", "slurmstepd: [9.extern]");
	ck_assert(job_does_other_stay(config, 7));
	ck_assert(!job_does_other_stay(config, 9));
	child = end_process(90, 200);
	ck_assert(!job_does_other_stay(config, 7));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	teardown();
}
END_TEST

START_TEST(where_processes_cannot_be_looked_at_jobs_live)
{
	setup();
	ck_assert(rmdir(tempdir_path("sys/proc")) == 0);
	tempdir_put("sys/proc", "");
	ck_assert(!job_look_failed());
	ck_assert(job_has_stepd(config, 7));
	ck_assert(job_look_failed());
	ck_assert(job_is_other_alive(config, 7));
	ck_assert(job_does_other_stay(config, 7));
	/* no second look is taken */
	ck_assert(unlink(tempdir_path("sys/proc")) == 0);
	ck_assert(job_has_stepd(config, 7));
	teardown();
}
END_TEST

/* It takes for ever where the memory of the process is stuck. */
START_TEST(a_title_that_a_user_gave_is_not_even_read)
{
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	int seen;

	if (geteuid() != 0)
		return;
	setup();
	make_process(70, "slurmstepd\n", "slurmstepd: [7.extern]");
	seen = inotify_init1(IN_NONBLOCK);
	ck_assert(inotify_add_watch(seen, tempdir_path("sys/proc/70/cmdline"), IN_OPEN) >= 0);
	ck_assert(job_has_stepd(config, 7));
	ck_assert(read(seen, event, sizeof(event)) > 0);
	ck_assert(chown(tempdir_path("sys/proc/70"), 1000, 1000) == 0);
	ck_assert(!job_has_stepd(config, 7));
	ck_assert(read(seen, event, sizeof(event)) < 0 && errno == EAGAIN);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	tempdir_put("run/7/begun", "70");
	ck_assert(!job_has_stepd(config, 7));
	ck_assert(!job_look_failed());
	teardown();
	close(seen);
}
END_TEST

START_TEST(a_folder_of_ten_minutes_is_old)
{
	setup();
	ck_assert(!job_is_old(config, 7));
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert(!job_is_old(config, 7));
	age("run/7", 590);
	ck_assert(!job_is_old(config, 7));
	age("run/7", 610);
	ck_assert(!job_is_old(config, 7)); /* a step may just have ended */
	age("run/7/steps", 610);
	ck_assert(job_is_old(config, 7));
	teardown();
}
END_TEST

/* ---- the state ----------------------------------------------------------------- */

START_TEST(a_state_has_what_slurmd_said_and_when_it_began)
{
	struct record *state;
	double now = job_now();

	setup();
	state = new_state(7, 1000, 2);
	ck_assert_uint_eq(state->job, 7);
	ck_assert_uint_eq(state->uid, 1000);
	ck_assert_uint_eq(state->gid, 100);
	ck_assert_int_eq(state->restart, 2);
	ck_assert_str_eq(state->node, "c1");
	ck_assert_str_eq(state->user, "alice");
	ck_assert_str_eq(state->cluster, "big");
	ck_assert_str_eq(state->nodelist, "c[1-2]");
	ck_assert_str_ne(state->boot_id, "");
	ck_assert(state->start >= now && state->start < now + 60);
	ck_assert(state->up > 0 && state->end < 0);
	ck_assert(!job_state_is_ended(state));
	record_free(state);
	load("[ledger]\ncluster = other\n");
	state = new_state(7, 1000, -1);
	ck_assert_str_eq(state->cluster, "other");
	ck_assert_int_eq(state->restart, RECORD_UNKNOWN);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_state_is_read_from_run_else_from_the_spool)
{
	struct record *state, *read;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(job_state_write(config, state, &err), 0);
	state->gid = 5;
	ck_assert_int_eq(job_state_update(config, state, &err), 0);
	read = job_state_read(config, 7, "c1");
	ck_assert_uint_eq(read->gid, 5);
	record_free(read);
	tempdir_put("run/7/start.json", "{");
	read = job_state_read(config, 7, "c1");
	ck_assert_uint_eq(read->gid, 100);
	record_free(read);
	ck_assert_ptr_null(job_state_read(config, 7, "c2"));
	ck_assert_ptr_null(job_state_read(config, 8, "c1"));
	/* of another job */
	ck_assert(rename(tempdir_path("spool/open/7.c1.json"),
			 tempdir_path("spool/open/8.c1.json")) == 0);
	ck_assert_ptr_null(job_state_read(config, 8, "c1"));
	ck_assert_ptr_null(job_state_read(config, 7, "c1"));
	/* what goes to RUN only, and where there is no RUN */
	state->job = 9;
	ck_assert_int_eq(job_state_update(config, state, &err), -1);
	ck_assert_int_eq(job_state_write(config, state, &err), -1);
	ck_assert(is_there("spool/open/9.c1.json"));
	record_free(state);
	teardown();
}
END_TEST

static struct record *ended(double start_off, const char *boot_id)
{
	struct record *state = new_state(7, 1000, 0);

	state->start += start_off;
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	if (boot_id)
		snprintf(state->boot_id, sizeof(state->boot_id), "%s", boot_id);
	job_state_end(state);
	ck_assert(state->flags & RECORD_FLAG(NODE_REBOOTED));
	ck_assert(job_state_is_ended(state));
	return state;
}

#define NO_END -1000.0

static void expect_end(double start_off, const char *boot_id, bool set, double seconds)
{
	struct record *state = ended(start_off, boot_id);

	ck_assert_int_eq((state->flags & RECORD_FLAG(CLOCK_SET)) != 0, set);
	if (seconds <= NO_END)
		ck_assert(state->end < 0);
	else
		ck_assert(state->end - state->start > seconds - 1 &&
			  state->end - state->start < seconds + 5);
	record_free(state);
}

START_TEST(the_end_is_by_the_clock_that_the_start_was_by)
{
	setup();
	expect_end(0, NULL, false, 0);
	expect_end(-50, NULL, false, 50);
	expect_end(55, NULL, false, -55);
	teardown();
}
END_TEST

START_TEST(a_clock_that_was_set_is_told)
{
	setup();
	expect_end(-100, NULL, true, 0);
	expect_end(100, NULL, true, 0);
	expect_end(-100, "another", false, 100);
	expect_end(100, "another", true, NO_END);
	expect_end(100, "", true, NO_END);
	teardown();
}
END_TEST

START_TEST(findings_go_into_the_state_with_whose_cure_it_is)
{
	struct findings findings = { 0 };
	struct record *state;

	setup();
	state = new_state(7, 1000, 0);
	findings_add(&findings, "X1", FINDING_WARNING, "mend it", "broken");
	findings_add(&findings, "X2", FINDING_ERROR, NULL, "worse");
	findings.list[0].is_users = true;
	job_add_findings(state, &findings);
	ck_assert_uint_eq(state->finding_count, 2);
	ck_assert_str_eq(state->findings[0].code, "X1");
	ck_assert_str_eq(state->findings[0].severity, "warning");
	ck_assert_str_eq(state->findings[0].text, "broken");
	ck_assert_str_eq(state->findings[0].cure, "mend it");
	ck_assert_int_eq(state->findings[0].is_users, 1);
	ck_assert_str_eq(state->findings[1].severity, "error");
	ck_assert_ptr_null(state->findings[1].cure);
	ck_assert_int_eq(state->findings[1].is_users, -1);
	findings_free(&findings);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(changes_are_known_from_the_state_or_the_journal)
{
	struct record *state;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	state = new_state(7, 1000, 0);
	ck_assert(!job_has_changes(config, 7, NULL));
	ck_assert(!job_has_changes(config, 7, state));
	ck_assert_int_eq(job_mend(config, 7, state, &err), 0);
	record_add_change(state, "a", "mount-option", "/a", "x", "y", -1, -1);
	ck_assert(job_has_changes(config, 7, state));
	ck_assert(!job_has_changes(config, 7, NULL));
	tempdir_put("run/7/journal", "");
	ck_assert(job_has_changes(config, 7, NULL));
	record_free(state);
	teardown();
}
END_TEST

/* ---- steps ---------------------------------------------------------------------- */

static void put_step(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "run/7/steps/%s", name);
	tempdir_put(path, text);
}

static struct record *with_steps(struct record *state)
{
	job_add_steps(config, state);
	return state;
}

#define OF_STEPD                                                                                   \
	(RECORD_FLAG(ALL_FILES) | RECORD_FLAG(ORPHANS_MISSING) | RECORD_FLAG(MMAP_MISSING) |       \
	 RECORD_FLAG(AIO_MISSING) | RECORD_FLAG(COPIES_TWICE))

START_TEST(steps_are_added_up)
{
	struct record *state;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	put_step(
		"batch",
		"{\"read_bytes\":1,\"write_bytes\":20,\"read_calls\":300,\"write_calls\":4000,\"own_out\":true}");
	put_step(
		"0",
		"{\"read_bytes\":2,\"write_bytes\":30,\"read_calls\":400,\"write_calls\":5000,\"own_out\":true,\"array_job_id\":5,\"array_task_id\":1}");
	put_step("1.tmp.12", "{\"read_bytes\":7}");
	state = with_steps(new_state(7, 1000, 0));
	ck_assert_uint_eq(state->app_count, 1);
	ck_assert_str_eq(state->app[0].source, "stepd");
	ck_assert_int_eq(state->app[0].numbers[RECORD_READ_BYTES], 3);
	ck_assert_int_eq(state->app[0].numbers[RECORD_WRITE_BYTES], 50);
	ck_assert_int_eq(state->app[0].numbers[RECORD_READ_CALLS], 700);
	ck_assert_int_eq(state->app[0].numbers[RECORD_WRITE_CALLS], 9000);
	ck_assert_int_eq(state->steps, 2);
	ck_assert_int_eq(state->array_job, 5);
	ck_assert_int_eq(state->array_task, 1);
	ck_assert_uint_eq(state->flags, OF_STEPD);
	ck_assert(!state->has_gate && !state->refused);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_step_without_all_numbers_is_missing)
{
	struct record *state;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	put_step("0", "{\"read_bytes\":1,\"write_bytes\":2,\"read_calls\":3}");
	state = with_steps(new_state(7, 1000, 0));
	ck_assert_uint_eq(state->flags,
			  OF_STEPD | RECORD_FLAG(STEP_MISSING) | RECORD_FLAG(INCLUDES_STEPD));
	ck_assert_int_eq(state->steps, 1);
	record_free(state);
	put_step("0", "{");
	state = new_state(7, 1000, 0);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	with_steps(state);
	ck_assert_uint_eq(state->flags,
			  RECORD_FLAG(NODE_REBOOTED) | OF_STEPD | RECORD_FLAG(STEP_MISSING));
	record_free(state);
	teardown();
}
END_TEST

START_TEST(flags_are_not_about_steps_where_there_is_a_better_source)
{
	struct record *state;
	struct record_io io;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	put_step("0", "{\"array_job_id\":5}");
	state = new_state(7, 1000, 0);
	record_io_init(&io);
	record_add_app(state, &io);
	with_steps(state);
	ck_assert_uint_eq(state->flags, 0);
	ck_assert_uint_eq(state->app_count, 2);
	ck_assert_int_eq(state->array_job, RECORD_UNKNOWN);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_job_without_steps_has_no_numbers_of_them)
{
	struct record *state;

	setup();
	state = new_state(7, 1000, 0);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	with_steps(state);
	ck_assert_uint_eq(state->flags, RECORD_FLAG(NODE_REBOOTED) | RECORD_FLAG(NO_STEP));
	ck_assert_uint_eq(state->app_count, 0);
	ck_assert_int_eq(state->steps, 0);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(the_word_of_a_slurmstepd_that_the_plugin_was_away_is_kept)
{
	struct record *state;
	struct record_io io;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	tempdir_put("run/7/begun", "1");
	tempdir_put("run/7/away", "");
	state = with_steps(new_state(7, 1000, 0)); /* has one begun? */
	ck_assert_uint_eq(state->flags, RECORD_FLAG(PLUGIN_AWAY));
	record_free(state);
	put_step(
		"0",
		"{\"read_bytes\":1,\"write_bytes\":2,\"read_calls\":3,\"write_calls\":4,\"own_out\":true}");
	state = new_state(7, 1000, 0);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	with_steps(state);
	ck_assert_uint_eq(state->flags,
			  RECORD_FLAG(NODE_REBOOTED) | OF_STEPD | RECORD_FLAG(PLUGIN_AWAY));
	record_free(state);
	state = new_state(7, 1000, 0); /* the kernel has counted all of them */
	record_io_init(&io);
	record_add_app(state, &io);
	with_steps(state);
	ck_assert_uint_eq(state->flags, 0);
	record_free(state);
	teardown();
}
END_TEST

/* Of a job that nobody has begun: */
static uint32_t flags_of_unbegun(double start)
{
	struct record *state = new_state(7, 1000, 0);
	uint32_t flags;

	state->start = start;
	with_steps(state);
	flags = state->flags;
	record_free(state);
	return flags;
}

START_TEST(no_slurmstepd_has_begun_a_job_and_the_plugin_is_away)
{
	double now = job_now();

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert_uint_eq(flags_of_unbegun(now), RECORD_FLAG(NO_STEP));
	tempdir_put("run/plugin", tempdir_path("jobio.so"));
	ck_assert_uint_eq(flags_of_unbegun(now), RECORD_FLAG(PLUGIN_AWAY));
	tempdir_put("jobio.so", ""); /* it came later */
	ck_assert_uint_eq(flags_of_unbegun(now - 10), RECORD_FLAG(PLUGIN_AWAY));
	ck_assert_uint_eq(flags_of_unbegun(now + 10), RECORD_FLAG(NO_STEP));
	ck_assert_uint_eq(flags_of_unbegun(0), RECORD_FLAG(PLUGIN_AWAY));
	/* when it began is not known */
	ck_assert_uint_eq(flags_of_unbegun(-1), RECORD_FLAG(NO_STEP));
	tempdir_put("run/7/begun", "1");
	ck_assert_uint_eq(flags_of_unbegun(now - 10), RECORD_FLAG(NO_STEP));
	teardown();
}
END_TEST

START_TEST(what_the_gate_said_is_added_up)
{
	struct record *state;

	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	put_step("0", "{\"warned\":\"on CPU 7\",\"warned_tasks\":2}");
	put_step("1", "{\"warned\":\"on CPU 7\",\"warned_tasks\":3}");
	put_step("2", "{\"refused\":\"no\",\"refused_tasks\":1}");
	state = with_steps(new_state(7, 1000, 0));
	ck_assert(state->has_gate);
	ck_assert_int_eq(state->gate_warned, 5);
	ck_assert_int_eq(state->gate_refused, 1);
	ck_assert_str_eq(state->refused, "no");
	record_free(state);
	/* what the prolog said stays */
	state = new_state(7, 1000, 0);
	record_set(&state->refused, "by the prolog");
	with_steps(state);
	ck_assert_str_eq(state->refused, "by the prolog");
	record_free(state);
	teardown();
}
END_TEST

/* ---- what the client counts ------------------------------------------------------- */

/* jobio.conf takes no path with ".." in it. */
static const char *sample(const char *name)
{
	static char folder[4096], path[4200];

	ck_assert_ptr_nonnull(realpath(SRCDIR "/tests/samples/nfs", folder));
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void load_nfs(const char *mountstats)
{
	static char text[16384], mountinfo[4200];

	snprintf(mountinfo, sizeof(mountinfo), "%s", sample("mountinfo-6.1.txt"));

	snprintf(
		text, sizeof(text),
		"[client home]\ntype = nfs\nmount_table = %s\n"
		"mountinfo = %s\nmountstats = %s\nbdi_dir = %s\n",
		tempdir_put("mounts", "192.0.2.40:/export/work /mnt/work nfs rw,vers=3,hard 0 0\n"),
		mountinfo, *mountstats == '/' ? mountstats : sample(mountstats), tempdir_name);
	load(text);
}

/* Of a run that began with the sample's counters; 'alone': Slurm says so. */
static struct record *with_wire_of(const char *mountstats, bool alone)
{
	struct record *state = new_state(7, 1000, 0);
	struct client *client;
	bool has_others;

	load_nfs(mountstats);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	client = client_open(&config->clients[0], config->run_dir, NULL);
	ck_assert_msg(client != NULL, "%s", err.text);
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	has_others = job_note_others(config, 7);
	job_wire_start(config, state, &client, 1, alone || !has_others);
	client_close(client);
	ck_assert(is_there("run/7/wire"));
	return state;
}

static struct record *with_wire(bool alone)
{
	return with_wire_of("mountstats-6.1.txt", alone);
}

static void read_wire(struct record *state, const char *mountstats)
{
	load_nfs(mountstats);
	job_wire_read(config, state);
}

START_TEST(what_the_client_moved_is_the_nodes)
{
	struct record *state;
	struct record_io *io;

	setup();
	state = with_wire(true);
	read_wire(state, "mountstats-6.1-later.txt");
	ck_assert_uint_eq(state->wire_count, 1);
	io = &state->wire[0];
	ck_assert_int_eq(io->scope, RECORD_SCOPE_NODE);
	ck_assert_int_eq(io->shared, 0);
	ck_assert_str_eq(io->client, "home");
	ck_assert_str_eq(io->fs, "/mnt/work");
	ck_assert_int_eq(io->numbers[RECORD_READ_BYTES], 268435456);
	ck_assert_uint_eq(state->flags, 0);
	record_free(state);
	state = with_wire(false); /* nobody says so, and nobody is here */
	read_wire(state, "mountstats-6.1-later.txt");
	ck_assert_int_eq(state->wire[0].shared, 0);
	record_free(state);
	ck_assert_int_eq(job_make_folder(config, 8, &err), 0);
	state = with_wire(true); /* a folder that somebody left */
	read_wire(state, "mountstats-6.1-later.txt");
	ck_assert_int_eq(state->wire[0].shared, 0);
	ck_assert(is_there("run/8/others") && !is_there("run/7/others"));
	record_free(state);
	/* each of several is told of this one */
	ck_assert_int_eq(remove(tempdir_path("run/8/others")), 0);
	ck_assert_int_eq(job_make_folder(config, 9, &err), 0);
	ck_assert(job_note_others(config, 7));
	ck_assert(is_there("run/8/others") && is_there("run/9/others"));
	state = with_wire(false);
	read_wire(state, "mountstats-6.1-later.txt");
	ck_assert_int_eq(state->wire[0].shared, RECORD_UNKNOWN);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(what_the_client_moved_may_be_unknown)
{
	struct record *state;
	char *start;

	setup();
	/* what is known of the run already stays */
	state = with_wire(true);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	read_wire(state, "/nonexistent");
	ck_assert_uint_eq(state->wire_count, 0);
	ck_assert_uint_eq(state->flags, RECORD_FLAG(NODE_REBOOTED) | RECORD_FLAG(UNMOUNTED));
	record_free(state);
	state = with_wire(true);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	read_wire(state, tempdir_put("empty", ""));
	ck_assert_uint_eq(state->wire_count, 0);
	ck_assert(state->flags & RECORD_FLAG(NODE_REBOOTED));
	ck_assert(state->flags & ~RECORD_FLAG(NODE_REBOOTED));
	record_free(state);
	/* counters that are lower than they were */
	state = with_wire_of("mountstats-6.1-later.txt", true);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	read_wire(state, "mountstats-6.1.txt");
	ck_assert_uint_eq(state->wire_count, 0);
	ck_assert_uint_eq(state->flags, RECORD_FLAG(NODE_REBOOTED) | RECORD_FLAG(WIRE_RESET));
	record_free(state);
	/* what was noted at the start is not its words */
	state = with_wire(true);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	start = fileio_read(tempdir_path("run/7/wire"), 65536, NULL, &err);
	strcpy(strstr(start, "\"home\":\"") + 8, "x\"}}");
	tempdir_put("run/7/wire", start);
	free(start);
	read_wire(state, "mountstats-6.1-later.txt");
	ck_assert_uint_eq(state->wire_count, 0);
	ck_assert_uint_eq(state->flags,
			  RECORD_FLAG(NODE_REBOOTED) | RECORD_FLAG(CLIENT_UNREADABLE));
	record_free(state);
	/* a client that jobio.conf does not name any more */
	state = with_wire(true);
	load("");
	job_wire_read(config, state);
	ck_assert(!state->wire_count && !state->flags);
	record_free(state);
	/* of another boot, damaged, or not there */
	state = with_wire(true);
	start = fileio_read(tempdir_path("run/7/wire"), 65536, NULL, &err);
	strstr(start, "boot_id")[10] ^= 1;
	tempdir_put("run/7/wire", start);
	free(start);
	read_wire(state, "mountstats-6.1-later.txt");
	ck_assert(!state->wire_count && !state->flags);
	tempdir_put("run/7/wire", "{");
	job_wire_read(config, state);
	ck_assert(!state->wire_count && !state->flags);
	ck_assert(unlink(tempdir_path("run/7/wire")) == 0);
	job_wire_read(config, state);
	ck_assert(!state->wire_count && !state->flags);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_node_whose_clients_do_not_count_has_no_file_of_theirs)
{
	struct record *state;

	setup();
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	job_wire_start(config, state, NULL, 0, true);
	ck_assert(!is_there("run/7/wire"));
	record_free(state);
	teardown();
}
END_TEST

/* ---- the record -------------------------------------------------------------------- */

static void finish(struct record *state, int rc)
{
	ck_assert_int_eq(job_make_folder(config, state->job, &err), 0);
	ck_assert_int_eq(job_state_write(config, state, &err), 0);
	job_state_end(state);
	*err.text = '\0';
	ck_assert_int_eq(job_finish(config, state, RECORD_UNKNOWN, &err), rc);
	ck_assert(!job_has_folder(config, state->job));
	ck_assert(!is_there("spool/open/7.c1.json"));
}

START_TEST(a_job_that_is_finished_is_a_record_and_nothing_else)
{
	struct record *state, *read;

	setup();
	state = new_state(7, 1000, 1);
	finish(state, 0);
	ck_assert_str_eq(err.text, "");
	ck_assert(is_there("spool/7.1.c1.json"));
	ck_assert(job_was_released(config, RUN(7, 1)));
	record_free(state);
	read = job_state_read(config, 7, "c1");
	ck_assert_ptr_null(read);
	ck_assert_int_eq(job_discard(config, 7, &err), 0);
	teardown();
}
END_TEST

START_TEST(a_sender_is_waited_for_until_it_has_sent_the_jobs_records)
{
	struct record *state;

	setup();
	ck_assert(job_await_sender(config, 7, 0));
	state = new_state(7, 1000, 1);
	finish(state, 0);
	record_free(state);
	ck_assert(!job_await_sender(config, 7, 0));
	ck_assert(job_await_sender(config, 8, 0));
	ck_assert_int_eq(remove(tempdir_path("spool/7.1.c1.json")), 0);
	ck_assert(job_await_sender(config, 7, 0));
	teardown();
}
END_TEST

START_TEST(a_record_that_is_sent_meanwhile_is_waited_for)
{
	int status;
	pid_t child;

	setup();
	tempdir_put("spool/7.1.c1.json", "{}");
	child = fork();
	if (child == 0) {
		usleep(20000);
		_exit(remove(tempdir_path("spool/7.1.c1.json")) != 0);
	}
	ck_assert(job_await_sender(config, 7, 30000));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	teardown();
}
END_TEST

START_TEST(a_record_that_is_kept_leaves_the_job_as_it_is)
{
	struct record *state;

	setup();
	state = new_state(7, 1000, 1);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert_int_eq(job_state_write(config, state, &err), 0);
	ck_assert_int_eq(job_keep_record(config, state, &err), 0);
	ck_assert(is_there("spool/7.1.c1.json"));
	ck_assert(is_there("spool/open/7.c1.json"));
	ck_assert(job_has_folder(config, 7));
	ck_assert(!job_was_released(config, RUN(7, 1)));
	record_free(state);
	teardown();
}
END_TEST

START_TEST(two_runs_that_slurm_does_not_number_do_not_share_a_name)
{
	struct record *first, *second;

	setup();
	first = new_state(7, 1000, -1);
	first->start = 1795224862.25;
	finish(first, 0);
	ck_assert(is_there("spool/7.x.c1.json"));
	finish(first, 0); /* the same run once more */
	ck_assert(!is_there("spool/7.x.c1.1795224862.json"));
	second = new_state(7, 1000, -1);
	second->start = 1795224962.25;
	finish(second, 0);
	ck_assert(is_there("spool/7.x.c1.json"));
	ck_assert(is_there("spool/7.x.c1.1795224962.json"));
	record_free(first);
	record_free(second);
	teardown();
}
END_TEST

START_TEST(helpers_are_beside_this_program)
{
	char path[1024], *slash;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char wanted[1100], got[1100], tight[8];

	ck_assert_int_gt(length, 0);
	path[length] = '\0';
	slash = strrchr(path, '/');
	snprintf(wanted, sizeof(wanted), "%.*s/jobio-x", (int)(slash - path), path);
	ck_assert_int_eq(job_helper_path("jobio-x", got, sizeof(got)), 0);
	ck_assert_str_eq(got, wanted);
	ck_assert_int_eq(job_helper_path("jobio-x", tight, sizeof(tight)), -1);
}
END_TEST

UNIT_MAIN("job", what_slurmd_must_say_is_asked_for, what_slurmd_may_leave_out_is_unknown,
	  what_slurmd_says_is_taken, no_core_spec_is_told_from_not_being_told,
	  whether_a_job_is_alone_is_in_slurms_words, folders_of_jobs_are_those_with_a_number,
	  a_folder_that_cannot_be_made_is_named, what_killed_processes_left_is_swept,
	  one_has_the_lock_and_the_next_waits_for_it, clients_that_restart_have_a_time_of_their_own,
	  a_run_that_was_released_is_remembered_until_its_job_begins_again,
	  the_last_1024_runs_are_remembered,
	  while_the_spool_cannot_be_written_runs_are_remembered_in_run,
	  damaged_lines_of_released_runs_are_left_out,
	  a_job_whose_prolog_is_over_is_starting_for_ten_minutes,
	  a_job_that_has_begun_or_left_a_step_is_not_starting, a_slurmstepd_is_known_by_its_title,
	  another_job_is_one_that_starts_or_has_a_slurmstepd,
	  a_slurmstepd_that_ends_within_a_second_does_not_stay,
	  where_processes_cannot_be_looked_at_jobs_live, a_title_that_a_user_gave_is_not_even_read,
	  a_folder_of_ten_minutes_is_old, a_state_has_what_slurmd_said_and_when_it_began,
	  a_state_is_read_from_run_else_from_the_spool,
	  the_end_is_by_the_clock_that_the_start_was_by, a_clock_that_was_set_is_told,
	  findings_go_into_the_state_with_whose_cure_it_is,
	  changes_are_known_from_the_state_or_the_journal, steps_are_added_up,
	  a_step_without_all_numbers_is_missing,
	  flags_are_not_about_steps_where_there_is_a_better_source,
	  a_job_without_steps_has_no_numbers_of_them,
	  the_word_of_a_slurmstepd_that_the_plugin_was_away_is_kept,
	  no_slurmstepd_has_begun_a_job_and_the_plugin_is_away, what_the_gate_said_is_added_up,
	  what_the_client_moved_is_the_nodes, what_the_client_moved_may_be_unknown,
	  a_node_whose_clients_do_not_count_has_no_file_of_theirs,
	  a_job_that_is_finished_is_a_record_and_nothing_else,
	  a_sender_is_waited_for_until_it_has_sent_the_jobs_records,
	  a_record_that_is_sent_meanwhile_is_waited_for,
	  a_record_that_is_kept_leaves_the_job_as_it_is,
	  two_runs_that_slurm_does_not_number_do_not_share_a_name, helpers_are_beside_this_program)
