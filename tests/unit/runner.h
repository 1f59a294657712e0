/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runner.h - the main() of a unit test program: one suite, one case
 *
 *   UNIT_MAIN("cpuset", a_list_is_parsed, an_empty_list_is_the_empty_set)
 *
 * Runs each test in a process of its own (Check forks), prints Check's line
 * "100%: Checks: N, Failures: N, Errors: N" and exits 1 if a test failed.
 *
 * JOBIO_SHARE=N in the environment runs one in N of the random rounds and of the rows
 * of long tables; default 10. */
#ifndef JOBIO_TESTS_UNIT_RUNNER_H
#define JOBIO_TESTS_UNIT_RUNNER_H

#include <check.h>
#include <stdlib.h>

/* N of JOBIO_SHARE. */
static inline int rounds_share(void)
{
	const char *text = getenv("JOBIO_SHARE");

	return text && atoi(text) > 0 ? atoi(text) : 10;
}

/* Rounds to run out of 'all'; at least 1. */
static inline int rounds(int all)
{
	return (all - 1) / rounds_share() + 1;
}

#define UNIT_MAIN(suite_name, ...)                                                                 \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = { __VA_ARGS__ };                                      \
		Suite *suite = suite_create(suite_name);                                           \
		TCase *tc = tcase_create(suite_name);                                              \
		SRunner *runner = srunner_create(suite);                                           \
		size_t i;                                                                          \
		int failed;                                                                        \
                                                                                                   \
		tcase_set_timeout(tc, 60);                                                         \
		for (i = 0; i < sizeof(tests) / sizeof(*tests); i++)                               \
			tcase_add_test(tc, tests[i]);                                              \
		suite_add_tcase(suite, tc);                                                        \
		srunner_run_all(runner, CK_NORMAL);                                                \
		failed = srunner_ntests_failed(runner);                                            \
		srunner_free(runner);                                                              \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                       \
	}

#endif
