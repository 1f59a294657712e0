/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lib/rundir.h"
#include "tests/unit/runner.h"

START_TEST(names_are_as_the_header_says)
{
	char path[RUNDIR_PATH_MAX];

	rundir_node_file(path, "/run/jobio", "node.json", NULL);
	ck_assert_str_eq(path, "/run/jobio/node.json");
	rundir_job_file(path, "/run/jobio", 7, NULL, NULL);
	ck_assert_str_eq(path, "/run/jobio/7");
	rundir_job_file(path, "/run/jobio", 7, "gate", NULL);
	ck_assert_str_eq(path, "/run/jobio/7/gate");
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
	rundir_open_file(path, "/s", 7, "c1", NULL);
	ck_assert_str_eq(path, "/s/open/7.c1.json");
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

START_TEST(a_path_that_does_not_fit_is_an_error)
{
	char path[RUNDIR_PATH_MAX], longest[2000];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(rundir_node_file(path, longest, "x", NULL), -1);
}
END_TEST

UNIT_MAIN("rundir", names_are_as_the_header_says,
	  a_node_name_cannot_leave_the_folder,
	  a_path_that_does_not_fit_is_an_error)
