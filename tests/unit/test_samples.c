/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <check.h>
#include <math.h>

#include "report/samples.h"
#include "tests/unit/runner.h"

static struct samples of(const double *values, size_t count)
{
	struct samples s = { .count = 0 };
	size_t i;

	for (i = 0; i < count; i++)
		samples_add(&s, values[i]);
	return s;
}

#define OF(...)                                                                \
	of((const double[]){ __VA_ARGS__ },                                    \
	   sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

START_TEST(mean_and_spread_are_those_of_the_textbook)
{
	struct samples s = OF(2, 4, 4, 4, 5, 5, 7, 9), one = OF(3);

	ck_assert_double_eq_tol(s.mean, 5, 1e-12);
	ck_assert_double_eq_tol(samples_spread(&s), 2.13808993529939, 1e-9);
	ck_assert(samples_spread(&one) < 0);
}
END_TEST

/* Small differences of large numbers. */
START_TEST(bytes_of_large_jobs_lose_no_digits)
{
	struct samples s = OF(1e15 + 4, 1e15 + 7, 1e15 + 13, 1e15 + 16);

	ck_assert_double_eq_tol(samples_spread(&s), sqrt(30), 1e-9);
}
END_TEST

START_TEST(two_means_differ_when_chance_does_not_explain_it)
{
	struct samples slow = OF(100, 104, 98, 101), fast = OF(130, 128, 135);
	struct samples near = OF(103, 97, 108), same = OF(5, 5),
		       other = OF(6, 6);
	struct samples single = OF(1);

	ck_assert_int_eq(samples_differ(&slow, &fast), 1);
	ck_assert_int_eq(samples_differ(&fast, &slow), 1);
	ck_assert_int_eq(samples_differ(&slow, &near), 0);
	ck_assert_int_eq(samples_differ(&same, &same), 0);
	ck_assert_int_eq(samples_differ(&same, &other), 1);
	ck_assert_int_eq(samples_differ(&slow, &single), -1);
}
END_TEST

/* t = 3.13 of 1.5 degrees of freedom, where 12.7 are wanted, and t = 2.12 of 18,
 * where 2.10 are. */
START_TEST(the_fewer_samples_the_more_they_must_differ)
{
	struct samples a = OF(1, 2), b = OF(3, 3.5);
	struct samples c = OF(1, 2, 1, 2, 1, 2, 1, 2, 1, 2);
	struct samples d = OF(2.5, 1.5, 2.5, 1.5, 2.5, 1.5, 2.5, 1.5, 2.5, 1.5);

	ck_assert_int_eq(samples_differ(&a, &b), 0);
	ck_assert_int_eq(samples_differ(&c, &d), 1);
}
END_TEST

/* As wide as they are, samples of this count differ by a mean of so much. */
static int differ(size_t count, double by)
{
	double n = (double)count;
	struct samples a = { count, 0, 0.5 * n * (n - 1) };
	struct samples b = { count, by, 0.5 * n * (n - 1) };

	return samples_differ(&a, &b);
}

/* Of 30 degrees of freedom Student's table has 2.042 as the last of its rows. */
START_TEST(beyond_the_table_of_thirty_rows_a_formula_goes_on)
{
	ck_assert_int_eq(differ(16, 2.042), 0);
	ck_assert_int_eq(differ(16, 2.0425), 1);
	ck_assert_int_eq(differ(31, 1.96), 0);
	ck_assert_int_eq(differ(31, 2.001), 0);
	ck_assert_int_eq(differ(31, 2.003), 1);
}
END_TEST

UNIT_MAIN("samples", mean_and_spread_are_those_of_the_textbook,
	  bytes_of_large_jobs_lose_no_digits,
	  two_means_differ_when_chance_does_not_explain_it,
	  the_fewer_samples_the_more_they_must_differ,
	  beyond_the_table_of_thirty_rows_a_formula_goes_on)
