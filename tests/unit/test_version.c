/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "lib/finding.h"
#include "tests/unit/runner.h"
#include "lib/version.h"

START_TEST(versions_compare_as_slurm_released_them)
{
	unsigned int v2205, v22058, v2311;

	ck_assert_int_eq(version_parse("22.05", &v2205, NULL), 0);
	ck_assert_int_eq(version_parse("22.05.8-4", &v22058, NULL), 0);
	ck_assert_int_eq(version_parse("23.11.0-0rc1", &v2311, NULL), 0);
	ck_assert_uint_eq(v22058, VERSION_OF(22, 5, 8));
	ck_assert_uint_gt(v2205, v22058);
	ck_assert_uint_lt(v2205, v2311);
}
END_TEST

START_TEST(what_is_no_version_is_refused)
{
	static const char *const bad[] = { "",	     "22",	 "22.",	  "x",
					   "22.05.", "22.05.8x", "222.1", "22.05.8.1" };
	unsigned int version = 7;
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(version_parse(bad[i], &version, &err) < 0, "'%s' accepted", bad[i]);
		ck_assert_msg(strstr(err.text, "must look like 22.05") != NULL, "%s", err.text);
	}
	ck_assert_uint_eq(version, 7);
}
END_TEST

START_TEST(a_version_is_printed_as_slurm_prints_it)
{
	char text[VERSION_TEXT_MAX];
	unsigned int version;

	version_format(VERSION_OF(22, 5, 8), text);
	ck_assert_str_eq(text, "22.05.8");
	ck_assert_int_eq(version_parse("24.11", &version, NULL), 0);
	version_format(version, text);
	ck_assert_str_eq(text, "24.11");
}
END_TEST

START_TEST(findings_keep_code_sentence_and_cure)
{
	struct findings findings = { 0 }, all = { 0 };

	ck_assert_int_eq(findings_worst(&findings), FINDING_INFO);
	findings_add(&findings, "X1", FINDING_WARNING, NULL, "%d\nlines", 2);
	findings_add(&findings, "X2", FINDING_ERROR, "do it", "bad");
	ck_assert_int_eq(findings_append(&all, &findings), 0);
	findings_free(&findings);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_uint_eq(all.count, 2);
	ck_assert_str_eq(all.list[0].text, "2?lines");
	ck_assert_str_eq(all.list[0].cure, "");
	ck_assert_str_eq(all.list[1].cure, "do it");
	ck_assert(findings_has(&all, "X2") && !findings_has(&all, "X3"));
	ck_assert_int_eq(findings_worst(&all), FINDING_ERROR);
	ck_assert_str_eq(finding_severity_name(FINDING_WARNING), "warning");
	findings_free(&all);
}
END_TEST

START_TEST(each_part_has_one_or_two_digits)
{
	unsigned int version = 0;
	char text[VERSION_TEXT_MAX];

	ck_assert_int_eq(version_parse("99.99.99", &version, NULL), 0);
	ck_assert_uint_eq(version, VERSION_OF(99, 99, 99));
	ck_assert_int_eq(version_parse("2.1", &version, NULL), 0);
	ck_assert_uint_eq(version, VERSION_OF(2, 1, 255));
	ck_assert_int_eq(version_parse("22.100", &version, NULL), -1);
	ck_assert_int_eq(version_parse("22.05.100", &version, NULL), -1);
	ck_assert_int_eq(version_parse(".05", &version, NULL), -1);
	ck_assert_int_eq(version_parse("22.:5", &version, NULL), -1);
	ck_assert_int_eq(version_parse("22./5", &version, NULL), -1);
	version_format(VERSION_OF(2, 1, 0), text);
	ck_assert_str_eq(text, "02.01.0");
}
END_TEST

UNIT_MAIN("version", versions_compare_as_slurm_released_them, what_is_no_version_is_refused,
	  a_version_is_printed_as_slurm_prints_it, findings_keep_code_sentence_and_cure,
	  each_part_has_one_or_two_digits)
