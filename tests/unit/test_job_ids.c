/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "report/job_report.h"
#include "tests/unit/runner.h"

static struct err err;

static void expect_check(const char *id, const char *sentence)
{
	*err.text = '\0';
	ck_assert_int_eq(job_report_check(id, &err), sentence ? -1 : 0);
	ck_assert_str_eq(err.text, sentence ? sentence : "");
}

START_TEST(jobs_tasks_and_components_have_ids)
{
	static const char *const ids[] = { "1",	  "7",	 "4294967295", "5_0",
					   "5_1", "7+0", "7+12",       "4294967295_4294967295" };
	static const char *const others[] = { "",
					      "0",
					      "x",
					      "7x",
					      "4294967296",
					      "-1",
					      "5_",
					      "_1",
					      "5_x",
					      "5_4294967296",
					      "0_1",
					      "7++1",
					      "7_1_2",
					      "5_[1]",
					      "7.0",
					      "00000000000000000000000000000000000007",
					      "00000000000000000000000000000007" };
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		ck_assert_msg(job_report_is_id(ids[i]), "%s", ids[i]);
		expect_check(ids[i], NULL);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!job_report_is_id(others[i]), "%s", others[i]);
	expect_check("x", "job: 'x': not a job id like 7, 5_1 or 7+1");
}
END_TEST

START_TEST(a_step_is_told_what_its_job_is)
{
	expect_check("7.0", "job: '7.0': a step; what is counted is the whole job: 7");
	expect_check("5_1.batch",
		     "job: '5_1.batch': a step; what is counted is the whole job: 5_1");
	expect_check("x.0", "job: 'x.0': not a job id like 7, 5_1 or 7+1");
	expect_check(".0", "job: '.0': not a job id like 7, 5_1 or 7+1");
	expect_check(
		"7777777777777777777777777777777777777777.0",
		"job: '7777777777777777777777777777777777777777.0': not a job id like 7, 5_1 or 7+1");
}
END_TEST

static void expand(const char *id, size_t max, const char *wanted)
{
	char ids[16][JOB_ID_SIZE], text[600] = "";
	int i, count = job_report_expand(id, ids, max, &err);

	ck_assert_int_eq(count < 0 ? -1 : 1, *wanted ? 1 : -1);
	for (i = 0; i < count; i++) {
		strcat(text, ids[i]);
		strcat(text, " ");
	}
	ck_assert_msg(!strcmp(text, wanted), "%s: %d: '%s'", id, count, text);
}

START_TEST(tasks_are_written_as_slurm_does)
{
	expand("5_[1]", 16, "5_1 ");
	expand("5_[0]", 16, "5_0 ");
	expand("5_[1-3]", 16, "5_1 5_2 5_3 ");
	expand("5_[1-3,7]", 16, "5_1 5_2 5_3 5_7 ");
	expand("5_[2-2]", 16, "5_2 ");
	expand("5_[0-8:2%4]", 16, "5_0 5_2 5_4 5_6 5_8 ");
	expand("5_[0-7:3]", 16, "5_0 5_3 5_6 ");
	expand("5_[1-3:1]", 16, "5_1 5_2 5_3 ");
	expand("5_[1,3%2]", 16, "5_1 5_3 ");
	expand("4294967295_[4294967294-4294967295]", 16,
	       "4294967295_4294967294 4294967295_4294967295 ");
}
END_TEST

START_TEST(as_many_tasks_as_there_is_room_for_and_no_more)
{
	expand("5_[1-3]", 3, "5_1 5_2 5_3 ");
	expand("5_[1-4]", 3, "");
	ck_assert_str_eq(err.text,
			 "job: '5_[1-4]': not tasks of an array like 5_[1-3,7], or more than 3");
	expect_check("5_[1-1000]", NULL);
	expect_check("5_[1-1001]",
		     "job: '5_[1-1001]': not tasks of an array like 5_[1-3,7], or more than 1000");
}
END_TEST

START_TEST(what_is_no_list_of_tasks_is_refused)
{
	static const char *const ids[] = {
		"5_[]",
		"5_[",
		"5_[1",
		"5_[1]x",
		"5_[1%2",
		"5_[%2]",
		"5_[x]",
		"5_[3-1]",
		"5_[1-]",
		"5_[-1]",
		"5_[1:0]",
		"5_[1-5:0]",
		"5_[1-5:x]",
		"x_[1]",
		"0_[1]",
		"_[1]",
		"5[1]",
		"5_[4294967296]",
		"555555555555_[1]",
	};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		char sentence[200];

		expand(ids[i], 16, "");
		snprintf(sentence, sizeof(sentence),
			 "job: '%s': not tasks of an array like 5_[1-3,7], or more than 16",
			 ids[i]);
		ck_assert_str_eq(err.text, sentence);
	}
}
END_TEST

START_TEST(a_list_of_jobs_is_cut_between_them)
{
	char text[] = "7,,5_[1-3,9],8,[,", *list = text;

	ck_assert_str_eq(job_report_next(&list), "7");
	ck_assert_str_eq(job_report_next(&list), "5_[1-3,9]");
	ck_assert_str_eq(job_report_next(&list), "8");
	ck_assert_str_eq(job_report_next(&list), "[,");
	ck_assert_ptr_null(job_report_next(&list));
	ck_assert_ptr_null(job_report_next(&list));
}
END_TEST

UNIT_MAIN("job_ids", jobs_tasks_and_components_have_ids, a_step_is_told_what_its_job_is,
	  tasks_are_written_as_slurm_does, as_many_tasks_as_there_is_room_for_and_no_more,
	  what_is_no_list_of_tasks_is_refused, a_list_of_jobs_is_cut_between_them)
