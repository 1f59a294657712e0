/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/rundir.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

START_TEST(names_are_as_the_header_says)
{
	char path[RUNDIR_PATH_MAX];

	rundir_node_file(path, "/run/jobio", "node.json", NULL);
	ck_assert_str_eq(path, "/run/jobio/node.json");
	rundir_job_file(path, "/run/jobio", 7, NULL, NULL);
	ck_assert_str_eq(path, "/run/jobio/7");
	rundir_job_file(path, "/run/jobio", 7, "gate", NULL);
	ck_assert_str_eq(path, "/run/jobio/7/gate");
	rundir_gone_folder(path, "/run/jobio", 7, NULL);
	ck_assert_str_eq(path, "/run/jobio/.gone.7");
	rundir_step_file(path, "/r", 7, 0, NULL);
	ck_assert_str_eq(path, "/r/7/steps/0");
	rundir_step_file(path, "/r", 7, 0xfffffffbU, NULL);
	ck_assert_str_eq(path, "/r/7/steps/batch");
	rundir_step_file(path, "/r", 7, 0xfffffffcU, NULL);
	ck_assert_str_eq(path, "/r/7/steps/extern");
	rundir_step_file(path, "/r", 7, 0xfffffffaU, NULL);
	ck_assert_str_eq(path, "/r/7/steps/interactive");
	rundir_record_file(path, "/s", 7, 2, "c1", NULL);
	ck_assert_str_eq(path, "/s/7.2.c1.json");
	rundir_record_file(path, "/s", 7, -1, "c1", NULL);
	ck_assert_str_eq(path, "/s/7.x.c1.json");
	rundir_record_again(path, "/s", 7, "c1", 1795224862.4, NULL);
	ck_assert_str_eq(path, "/s/7.x.c1.1795224862.json");
	rundir_open_folder(path, "/s", NULL);
	ck_assert_str_eq(path, "/s/open");
	rundir_open_file(path, "/s", 7, "c1", NULL);
	ck_assert_str_eq(path, "/s/open/7.c1.json");
	rundir_state_folder(path, "/s", NULL);
	ck_assert_str_eq(path, "/s/state");
	rundir_state_file(path, "/s/state", "weka", RUNDIR_BASELINE, NULL);
	ck_assert_str_eq(path, "/s/state/weka.baseline");
	rundir_bad_file(path, "/s", NULL, NULL);
	ck_assert_str_eq(path, "/s/bad");
	rundir_bad_file(path, "/s", "7.0.c1.json", NULL);
	ck_assert_str_eq(path, "/s/bad/7.0.c1.json");
	rundir_sender_lock(path, "/s", NULL);
	ck_assert_str_eq(path, "/s/.lock");
}
END_TEST

static unsigned int mode_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(lstat(tempdir_path(name), &st), 0);
	return st.st_mode & 0777U;
}

START_TEST(the_first_slurmstepd_of_a_job_leaves_its_pid)
{
	const char *run = tempdir_make();
	unsigned long long ticks = 0;
	char own[64], *text;

	/* no prolog, no folder: no file */
	ck_assert(!rundir_note_begun(run, 7));
	ck_assert_int_eq(access(tempdir_path("7"), F_OK), -1);
	ck_assert_int_eq(rundir_make_job(run, 7, NULL), 0);
	ck_assert(rundir_note_begun(run, 7));
	text = fileio_read(tempdir_path("7/" RUNDIR_BEGUN), 64, NULL, NULL);
	ck_assert_int_eq(process_start(getpid(), NULL, &ticks), 0);
	snprintf(own, sizeof(own), "%ld %llu", (long)getpid(), ticks);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, own);
	free(text);
	ck_assert_uint_eq(mode_of("7/" RUNDIR_BEGUN), 0600);
	tempdir_put("7/" RUNDIR_BEGUN, "1");
	ck_assert(!rundir_note_begun(run, 7));
	text = fileio_read(tempdir_path("7/" RUNDIR_BEGUN), 32, NULL, NULL);
	ck_assert_str_eq(text, "1");
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(a_node_name_cannot_leave_the_folder)
{
	char path[RUNDIR_PATH_MAX];
	struct err err;

	ck_assert_int_eq(rundir_open_file(path, "/s", 7, "../../x", &err), -1);
	ck_assert_int_eq(rundir_open_file(path, "/s", 7, "", &err), -1);
	ck_assert_str_eq(err.text, "node name '': not a name");
	ck_assert_int_eq(rundir_record_file(path, "/s", 7, 0, NULL, &err), -1);
}
END_TEST

START_TEST(leftovers_and_records_are_known_by_their_names)
{
	ck_assert(rundir_is_leftover(".gone.7"));
	ck_assert(rundir_is_leftover("node.json.tmp.4711"));
	ck_assert(!rundir_is_leftover("7"));
	ck_assert(!rundir_is_leftover("7.0.c1.json"));
	ck_assert(rundir_is_record("7.0.c1.json"));
	ck_assert(!rundir_is_record("7.0.c1.json.tmp.4711"));
	ck_assert(!rundir_is_record(".json"));
	ck_assert(!rundir_is_record(".7.json"));
	ck_assert(!rundir_is_record("reason"));
}
END_TEST

START_TEST(only_root_may_look_into_the_folder_of_a_job)
{
	const char *run = tempdir_make();

	ck_assert_int_eq(rundir_make_job(run, 7, NULL), 0);
	ck_assert_int_eq(rundir_make_steps(run, 7, NULL), 0);
	ck_assert_int_eq(rundir_make_job(run, 7, NULL), 0);
	ck_assert_int_eq(rundir_make_steps(run, 7, NULL), 0);
	ck_assert_uint_eq(mode_of("7"), 0700);
	ck_assert_uint_eq(mode_of("7/steps"), 0700);
	tempdir_remove();
}
END_TEST

START_TEST(records_that_wait_are_counted_of_a_job_or_of_all)
{
	char path[RUNDIR_PATH_MAX];

	tempdir_make();
	snprintf(path, sizeof(path), "%s", tempdir_name);
	ck_assert_uint_eq(rundir_count_records(path, 0, 9), 0);
	tempdir_put("7.0.c1.json", "");
	tempdir_put("7.1.c1.json", "");
	tempdir_put("70.0.c1.json", "");
	tempdir_put("7.0.c1.json.tmp.4711", "");
	ck_assert_uint_eq(rundir_count_records(path, 0, 9), 3);
	ck_assert_uint_eq(rundir_count_records(path, 7, 9), 2);
	ck_assert_uint_eq(rundir_count_records(path, 70, 9), 1);
	ck_assert_uint_eq(rundir_count_records(path, 71, 9), 0);
	ck_assert_uint_eq(rundir_count_records(path, 0, 2), 2);
	ck_assert_uint_eq(rundir_count_records(tempdir_path("no"), 0, 9), 0);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("rundir", names_are_as_the_header_says, the_first_slurmstepd_of_a_job_leaves_its_pid,
	  a_node_name_cannot_leave_the_folder, leftovers_and_records_are_known_by_their_names,
	  only_root_may_look_into_the_folder_of_a_job,
	  records_that_wait_are_counted_of_a_job_or_of_all)
