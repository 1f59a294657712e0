/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <stdio.h>

#include "lib/number.h"
#include "tests/unit/runner.h"

START_TEST(a_number_in_bounds_is_taken)
{
	unsigned long n = 9;

	ck_assert_int_eq(number_parse("0", 0, 5, &n, NULL), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(number_parse("64", 1, 64, &n, NULL), 0);
	ck_assert_uint_eq(n, 64);
}
END_TEST

START_TEST(all_else_is_refused_and_quoted)
{
	static const char *const bad[] = { "",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "01",
					   "0x2",
					   "1e1",
					   "65",
					   "0",
					   "2k",
					   "1.0",
					   "18446744073709551617" };
	unsigned long n = 9;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_msg(number_parse(bad[i], 1, 64, &n, &err) < 0, "'%s' accepted", bad[i]);
		ck_assert_uint_eq(n, 9);
	}
	number_parse("12x", 1, 64, &n, &err);
	ck_assert_str_eq(err.text, "'12x': not a number from 1 to 64");
}
END_TEST

START_TEST(the_largest_number_does_not_wrap)
{
	unsigned long n = 0;
	char text[40];

	snprintf(text, sizeof(text), "%lu", ULONG_MAX);
	ck_assert_int_eq(number_parse(text, 0, ULONG_MAX, &n, NULL), 0);
	ck_assert(n == ULONG_MAX);
	snprintf(text, sizeof(text), "%lu0", ULONG_MAX);
	ck_assert_int_lt(number_parse(text, 0, ULONG_MAX, &n, NULL), 0);
}
END_TEST

START_TEST(the_bounds_themselves_are_taken)
{
	unsigned long n = 9;

	ck_assert_int_eq(number_parse("2", 2, 2, &n, NULL), 0);
	ck_assert_uint_eq(n, 2);
	ck_assert_int_eq(number_parse("1", 2, 2, &n, NULL), -1);
	ck_assert_int_eq(number_parse("3", 2, 2, &n, NULL), -1);
	ck_assert_int_eq(number_parse("18446744073709551615", 0, ULONG_MAX, &n, NULL), 0);
	ck_assert_int_eq(number_parse("18446744073709551616", 0, ULONG_MAX, &n, NULL), -1);
	ck_assert_int_eq(number_parse("9:", 0, 99, &n, NULL), -1);
	ck_assert_int_eq(number_parse("9/", 0, 99, &n, NULL), -1);
	ck_assert_int_eq(number_parse("90", 0, 99, &n, NULL), 0);
	ck_assert_uint_eq(n, 90);
}
END_TEST

UNIT_MAIN("number", a_number_in_bounds_is_taken, all_else_is_refused_and_quoted,
	  the_largest_number_does_not_wrap, the_bounds_themselves_are_taken)
