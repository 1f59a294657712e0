/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs live, by the cgroups in which slurmd keeps their processes. What they
 * leave besides, and slurmstepds: test_job.c. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rundir.h"
#include "tests/unit/job_node.h"
#include "tests/unit/runner.h"

#define SCOPE "sys/fs/cgroup/system.slice/slurmstepd.scope"
#define V1 "sys/fs/cgroup/freezer/slurm/uid_1000"

/* With all folders above it. */
static void make_folder(const char *name)
{
	char path[200];
	size_t i;

	snprintf(path, sizeof(path), "%s", name);
	for (i = 1; path[i]; i++)
		if (path[i] == '/') {
			path[i] = '\0';
			mkdir(tempdir_path(path), 0700);
			path[i] = '/';
		}
	ck_assert(mkdir(tempdir_path(path), 0700) == 0 || is_there(path));
}

static void put_in(const char *folder, const char *name, const char *text)
{
	char path[200];

	make_folder(folder);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	tempdir_put(path, text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

/* They are deeper than fileio_rmtree() goes. */
static void leave_nothing(void)
{
	ck_assert(nftw(tempdir_path("sys/fs"), remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

START_TEST(on_v2_the_folder_of_a_job_says_whether_there_is_a_process_in_it)
{
	setup();
	ck_assert(!job_has_stepd(config, 7));
	put_in(SCOPE "/job_7", "cgroup.events", "populated 1\nfrozen 0\n");
	ck_assert(job_has_stepd(config, 7));
	ck_assert(job_is_alive(config, 7));
	ck_assert(!job_has_stepd(config, 77));
	ck_assert(!job_has_stepd(config, 8));
	put_in(SCOPE "/job_7", "cgroup.events", "frozen 0\npopulated 1\n");
	ck_assert(job_has_stepd(config, 7));
	put_in(SCOPE "/job_7", "cgroup.events", "populated 0\nfrozen 1\n");
	ck_assert(!job_has_stepd(config, 7));
	/* which speaks for all folders below it */
	put_in(SCOPE "/job_7/step_0", "cgroup.procs", "123\n");
	ck_assert(!job_has_stepd(config, 7));
	teardown();
}
END_TEST

START_TEST(the_scope_of_slurmstepds_may_be_at_the_top_and_have_a_name_before_it)
{
	setup();
	put_in("sys/fs/cgroup/n1_slurmstepd.scope/job_7", "cgroup.events", "populated 1\n");
	ck_assert(job_has_stepd(config, 7));
	leave_nothing();
	put_in("sys/fs/cgroup/system.slice/n1_slurmstepd.scope/job_7", "cgroup.events",
	       "populated 1\n");
	ck_assert(job_has_stepd(config, 7));
	leave_nothing();
	put_in("sys/fs/cgroup/user.slice/job_7", "cgroup.events", "populated 1\n");
	ck_assert(!job_has_stepd(config, 7));
	teardown();
}
END_TEST

START_TEST(on_v1_a_process_in_any_folder_of_the_job_is_one)
{
	static const char *const folders[] = {
		V1 "/job_7",
		V1 "/job_7/step_0",
		V1 "/job_7/step_0/user",
		V1 "/job_7/step_0/user/task_0",
		V1 "/job_7/step_0/user/task_0/own",
		V1 "/job_7/step_0/user/task_0/own/last",
	};
	size_t i;

	setup();
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		put_in(folders[i], "cgroup.procs", "");
	ck_assert(!job_has_stepd(config, 7));
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		put_in(folders[i], "cgroup.procs", "123\n");
		ck_assert_msg(job_has_stepd(config, 7), "%s", folders[i]);
		put_in(folders[i], "cgroup.procs", "");
	}
	/* nobody looks deeper */
	put_in(V1 "/job_7/step_0/user/task_0/own/last/deeper", "cgroup.procs", "123\n");
	ck_assert(!job_has_stepd(config, 7));
	leave_nothing();
	teardown();
}
END_TEST

START_TEST(on_v1_each_user_of_each_slurmd_is_looked_at)
{
	setup();
	put_in(V1 "/job_8", "cgroup.procs", "80\n");
	put_in("sys/fs/cgroup/freezer/slurm/uid_2000/job_7", "cgroup.procs", "70\n");
	put_in("sys/fs/cgroup/freezer/slurm/uid_3000/job_9", "cgroup.procs", "90\n");
	ck_assert(job_has_stepd(config, 7));
	ck_assert(job_has_stepd(config, 8));
	ck_assert(job_has_stepd(config, 9));
	leave_nothing();
	put_in("sys/fs/cgroup/freezer/slurm_n1/uid_1000/job_7", "cgroup.procs", "70\n");
	ck_assert(job_has_stepd(config, 7));
	leave_nothing();
	put_in("sys/fs/cgroup/cpuset/slurm/uid_1000/job_7", "cgroup.procs", "70\n");
	ck_assert(job_has_stepd(config, 7));
	/* hidden ones and files are nobody's */
	leave_nothing();
	put_in(V1 "/job_7/.hidden", "cgroup.procs", "70\n");
	put_in(V1 "/job_7", "cgroup.procs", "");
	put_in(V1 "/job_7", "tasks", "70\n");
	ck_assert(!job_has_stepd(config, 7));
	put_in(V1 "/job_7/step_0", "cgroup.procs", "70\n");
	ck_assert(job_has_stepd(config, 7));
	leave_nothing();
	teardown();
}
END_TEST

START_TEST(a_run_is_found_by_slurms_own_name_for_it)
{
	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	put_in(SCOPE "/sEKNKTV3WPV500", "cgroup.events", "populated 1\n");
	unsetenv("SLURM_JOB_SLUID");
	job_note_sluid(config, 7);
	ck_assert(!is_there("run/7/sluid"));
	ck_assert(!job_has_stepd(config, 7));
	setenv("SLURM_JOB_SLUID", "sEKNKTV3WPV500", 1);
	job_note_sluid(config, 7);
	expect_file("run/7/sluid", "sEKNKTV3WPV500");
	ck_assert(job_has_stepd(config, 7));
	ck_assert(!job_has_stepd(config, 8));
	/* as long as a name can be */
	setenv("SLURM_JOB_SLUID", "sEKNKTV3WPV500012345678", 1);
	job_note_sluid(config, 7);
	ck_assert(!job_has_stepd(config, 7));
	put_in(SCOPE "/sEKNKTV3WPV500012345678", "cgroup.events", "populated 1\n");
	ck_assert(job_has_stepd(config, 7));
	setenv("SLURM_JOB_SLUID", "sEKNKTV3WPV5000123456789", 1);
	job_note_sluid(config, 7);
	ck_assert(!job_has_stepd(config, 7));
	/* another run of the job */
	setenv("SLURM_JOB_SLUID", "sEKNKTV3WPV501", 1);
	job_note_sluid(config, 7);
	ck_assert(!job_has_stepd(config, 7));
	teardown();
}
END_TEST

START_TEST(a_job_with_a_folder_and_a_process_keeps_others_from_being_alone)
{
	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	ck_assert_int_eq(job_make_folder(config, 8, &err), 0);
	put_in(V1 "/job_8/step_0", "cgroup.procs", "80\n");
	ck_assert(job_is_other_alive(config, 7));
	ck_assert(!job_is_other_alive(config, 8));
	/* what an epilog has left behind has the node not for ever */
	ck_assert_int_eq(job_discard(config, 8, &err), 0);
	ck_assert(!job_is_other_alive(config, 7));
	leave_nothing();
	teardown();
}
END_TEST

START_TEST(a_second_slurmstepd_of_another_job_is_no_own_one)
{
	setup();
	ck_assert_int_eq(mkdir(tempdir_path("sys/proc/70"), 0700), 0);
	tempdir_put("sys/proc/70/comm", "slurmstepd\n");
	tempdir_put("sys/proc/70/cmdline", "slurmstepd: [7.batch]");
	ck_assert(!job_is_other_alive(config, 7));
	ck_assert(job_is_other_alive(config, 70));
	teardown();
}
END_TEST

UNIT_MAIN("living", on_v2_the_folder_of_a_job_says_whether_there_is_a_process_in_it,
	  the_scope_of_slurmstepds_may_be_at_the_top_and_have_a_name_before_it,
	  on_v1_a_process_in_any_folder_of_the_job_is_one,
	  on_v1_each_user_of_each_slurmd_is_looked_at, a_run_is_found_by_slurms_own_name_for_it,
	  a_job_with_a_folder_and_a_process_keeps_others_from_being_alone,
	  a_second_slurmstepd_of_another_job_is_no_own_one)
