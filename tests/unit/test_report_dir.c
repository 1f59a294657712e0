/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where reports are left, and on which node somebody starts to. */
#include <check.h>
#include <limits.h>
#include <string.h>

#include "epilog/report_dir.h"
#include "tests/unit/runner.h"

static const struct job job = { .id = 7, .uid = 1000, .user = "alice" };

static void expect_path(const char *pattern, const char *work_dir,
			const char *path)
{
	char out[PATH_MAX];
	struct err err = { "" };

	ck_assert_msg(report_dir_expand(pattern, &job, work_dir, out,
					sizeof(out), &err) == 0,
		      "%s", err.text);
	ck_assert_str_eq(out, path);
}

static void expect_refused(const char *pattern, const struct job *who,
			   const char *work_dir, const char *why)
{
	char out[64] = "as it was";
	struct err err = { "" };

	ck_assert_int_eq(report_dir_expand(pattern, who, work_dir, out,
					   sizeof(out), &err),
			 -1);
	ck_assert_str_eq(err.text, why);
	ck_assert_str_eq(out, "as it was");
}

START_TEST(words_of_the_job_stand_in_the_name_of_the_directory)
{
	expect_path("/r", NULL, "/r");
	expect_path("%w", "/home/alice/x y", "/home/alice/x y");
	expect_path("/r/%u/%j/%%", NULL, "/r/alice/7/%");
	expect_path("%w/.jobio", "/%u", "/%u/.jobio"); /* once is enough */
}
END_TEST

START_TEST(what_nobody_knows_or_is_no_path_is_refused)
{
	static const struct job nobody = { .id = 7 };

	expect_refused("%w", &job, NULL,
		       "report_dir: '%w': Slurm does not tell what %w stands "
		       "for");
	expect_refused("%w", &job, "",
		       "report_dir: '%w': Slurm does not tell what %w stands "
		       "for");
	expect_refused("/r/%u", &nobody, NULL,
		       "report_dir: '/r/%u': Slurm does not tell what %u "
		       "stands for");
	expect_refused("%w/x", &job, "here",
		       "report_dir: 'here/x': not an absolute path");
	expect_refused("%w", &job,
		       "/0123456789012345678901234567890123456789012345678901"
		       "23456789012",
		       "report_dir: '%w': too long");
}
END_TEST

START_TEST(the_first_node_of_a_list_is_the_one)
{
	ck_assert(report_dir_is_first("c1", "c1"));
	ck_assert(report_dir_is_first("c[01-12]", "c01"));
	ck_assert(!report_dir_is_first("c[01-12]", "c02"));
	ck_assert(report_dir_is_first("c[1,3-4]-ib,d[1-2]", "c1-ib"));
	ck_assert(!report_dir_is_first("c[1,3-4]-ib,d[1-2]", "d1"));
	ck_assert(report_dir_is_first("r[1-2]n[3-4]", "r1n3"));
	ck_assert(report_dir_is_first("a,b", "a"));
	ck_assert(!report_dir_is_first("a,b", "b"));
	ck_assert(!report_dir_is_first("c[1-2", "c1")); /* is no list */
	ck_assert(report_dir_is_first(NULL, "c1"));
	ck_assert(report_dir_is_first("", "c1"));
}
END_TEST

UNIT_MAIN("report_dir", words_of_the_job_stand_in_the_name_of_the_directory,
	  what_nobody_knows_or_is_no_path_is_refused,
	  the_first_node_of_a_list_is_the_one)
