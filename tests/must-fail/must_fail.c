/* SPDX-License-Identifier: GPL-2.0-or-later */
/* must_fail - fails on purpose: ./check runs it to show that failures are counted */
#include <stdlib.h>

#include <check.h>

START_TEST(a_test_that_passes)
{
	ck_assert_int_eq(1, 1);
}
END_TEST

START_TEST(a_test_that_fails_on_purpose)
{
	ck_assert_int_eq(1, 2);
}
END_TEST

START_TEST(a_test_that_crashes_on_purpose)
{
	abort();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("must_fail");
	TCase *tcase = tcase_create("on purpose");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, a_test_that_passes);
	tcase_add_test(tcase, a_test_that_fails_on_purpose);
	tcase_add_test(tcase, a_test_that_crashes_on_purpose);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
