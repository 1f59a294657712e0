/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lib/finding.h"
#include "tests/unit/runner.h"

START_TEST(a_finding_has_a_code_a_sentence_and_a_cure)
{
	struct findings findings = { 0 };

	ck_assert_int_eq(findings_add(&findings, "C01", FINDING_WARNING,
				      "do\nthis", "%d of %s\x01", 3, "them"),
			 0);
	ck_assert_int_eq(
		findings_add(&findings, "C02", FINDING_INFO, NULL, "x"), 0);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].code, "C01");
	ck_assert_int_eq(findings.list[0].severity, FINDING_WARNING);
	ck_assert_str_eq(findings.list[0].text, "3 of them?");
	ck_assert_str_eq(findings.list[0].cure, "do?this");
	ck_assert_str_eq(findings.list[0].target, "");
	ck_assert(!findings.list[0].breaks_node);
	ck_assert_str_eq(findings.list[1].cure, "");
	ck_assert(findings_has(&findings, "C01"));
	ck_assert(findings_has(&findings, "C02"));
	ck_assert(!findings_has(&findings, "C03"));
	findings_free(&findings);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_ptr_null(findings.list);
	ck_assert(!findings_has(&findings, "C01"));
}
END_TEST

START_TEST(a_list_takes_all_of_another)
{
	struct findings findings = { 0 }, more = { 0 };

	ck_assert_int_eq(findings_append(&findings, &more), 0);
	ck_assert_uint_eq(findings.count, 0);
	findings_add(&findings, "A", FINDING_INFO, NULL, "a");
	findings_add(&more, "B", FINDING_ERROR, "b's", "b");
	findings_add(&more, "C", FINDING_WARNING, NULL, "c");
	ck_assert_int_eq(findings_append(&findings, &more), 0);
	ck_assert_uint_eq(findings.count, 3);
	ck_assert_str_eq(findings.list[0].code, "A");
	ck_assert_str_eq(findings.list[1].code, "B");
	ck_assert_str_eq(findings.list[1].cure, "b's");
	ck_assert_int_eq(findings.list[1].severity, FINDING_ERROR);
	ck_assert_str_eq(findings.list[2].text, "c");
	ck_assert_uint_eq(more.count, 2);
	findings_free(&more);
	findings_free(&findings);
}
END_TEST

START_TEST(the_worst_of_a_list_is_told_wherever_it_is)
{
	struct findings findings = { 0 };

	ck_assert_int_eq(findings_worst(&findings), FINDING_INFO);
	findings_add(&findings, "A", FINDING_WARNING, NULL, "a");
	ck_assert_int_eq(findings_worst(&findings), FINDING_WARNING);
	findings_add(&findings, "B", FINDING_INFO, NULL, "b");
	ck_assert_int_eq(findings_worst(&findings), FINDING_WARNING);
	findings_add(&findings, "C", FINDING_ERROR, NULL, "c");
	findings_add(&findings, "D", FINDING_WARNING, NULL, "d");
	ck_assert_int_eq(findings_worst(&findings), FINDING_ERROR);
	findings_free(&findings);
}
END_TEST

START_TEST(a_severity_has_a_name_and_a_name_its_severity)
{
	ck_assert_str_eq(finding_severity_name(FINDING_ERROR), "error");
	ck_assert_str_eq(finding_severity_name(FINDING_WARNING), "warning");
	ck_assert_str_eq(finding_severity_name(FINDING_INFO), "info");
	ck_assert_int_eq(finding_severity_named("error"), FINDING_ERROR);
	ck_assert_int_eq(finding_severity_named("warning"), FINDING_WARNING);
	ck_assert_int_eq(finding_severity_named("info"), FINDING_INFO);
	ck_assert_int_eq(finding_severity_named("warn"), FINDING_INFO);
	ck_assert_int_eq(finding_severity_named(NULL), FINDING_INFO);
}
END_TEST

UNIT_MAIN("finding", a_finding_has_a_code_a_sentence_and_a_cure,
	  a_list_takes_all_of_another,
	  the_worst_of_a_list_is_told_wherever_it_is,
	  a_severity_has_a_name_and_a_name_its_severity)
