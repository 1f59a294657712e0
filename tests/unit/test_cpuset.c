/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lib/cpuset.h"
#include "tests/unit/runner.h"

static void expect_round_trip(const char *in, const char *out)
{
	struct cpuset set;
	struct err err;
	char *text;

	ck_assert_msg(cpuset_parse(&set, in, &err) == 0, "%s", err.text);
	text = cpuset_format(&set);
	ck_assert_str_eq(text, out);
	free(text);
}

static void expect_refused(const char *in, const char *why)
{
	struct cpuset set = { { 7 } };
	struct err err;

	ck_assert_msg(cpuset_parse(&set, in, &err) < 0, "'%s' accepted", in);
	ck_assert_msg(strstr(err.text, why), "'%s' not in '%s'", why, err.text);
	ck_assert_msg(set.word[0] == 7, "output touched");
}

START_TEST(a_list_comes_back_as_the_kernel_prints_it)
{
	expect_round_trip("", "");
	expect_round_trip("0", "0");
	expect_round_trip("0-3,8,10-11", "0-3,8,10-11");
	expect_round_trip("8,0,1,2,3", "0-3,8");
	expect_round_trip("0-3,2-5", "0-5");
	expect_round_trip("63,64,8191", "63-64,8191");
	expect_round_trip("0-7\n", "0-7");
	expect_round_trip("\n", "");
}
END_TEST

START_TEST(what_is_not_a_list_is_refused)
{
	expect_refused("-1", "expected a number");
	expect_refused("1,,2", "expected a number");
	expect_refused("1-2-3", "expected a comma");
	expect_refused("3-1", "bad range");
	expect_refused("1-", "bad range");
	expect_refused("1,", "expected a number");
	expect_refused(",1", "expected a number");
	expect_refused(" 1", "expected a number");
	expect_refused("0x1", "expected a comma");
	expect_refused("8192", "below 8192");
	expect_refused("99999999999999999999", "below 8192");
	expect_refused("1\n\n", "expected a comma");
	expect_refused("all", "expected a number");
}
END_TEST

static void expect_mask(const char *mask, const char *list)
{
	struct cpuset set;
	struct err err;
	char *text;

	ck_assert_msg(cpuset_parse_mask(&set, mask, &err) == 0, "%s", err.text);
	text = cpuset_format(&set);
	ck_assert_str_eq(text, list);
	free(text);
}

static void expect_no_mask(const char *mask, const char *why)
{
	struct cpuset set = { { 7 } };
	struct err err;

	ck_assert_msg(cpuset_parse_mask(&set, mask, &err) < 0, "'%s' accepted", mask);
	ck_assert_str_eq(err.text, why);
	ck_assert_msg(set.word[0] == 7, "output touched");
}

START_TEST(the_last_digit_of_a_mask_is_the_first_four_cpus)
{
	char text[2200] = "8";

	expect_mask("0", "");
	expect_mask("1", "0");
	expect_mask("80000001\n", "0,31");
	expect_mask("ff000000,00000001", "0,56-63");
	expect_mask("Ff,00000000", "32-39");
	expect_mask("1,1", "0,32");
	expect_mask("1,000000000000000f", "0-3,64");
	memset(text + 1, '0', CPUSET_MAX / 4 - 1);
	expect_mask(text, "8191");
}
END_TEST

START_TEST(what_is_not_a_mask_is_refused)
{
	char text[2200] = "1";

	expect_no_mask("", "CPU mask '': it is empty");
	expect_no_mask(",", "CPU mask ',': it is empty");
	expect_no_mask("0x1", "CPU mask '0x1': expected hexadecimal digits");
	expect_no_mask("g1", "CPU mask 'g1': expected hexadecimal digits");
	expect_no_mask("1 ", "CPU mask '1 ': expected hexadecimal digits");
	expect_no_mask("-1", "CPU mask '-1': expected hexadecimal digits");
	memset(text + 1, '0', CPUSET_MAX / 4);
	expect_no_mask(
		text,
		"CPU mask '10000000000000000000000000000000000000000000000000000000000000000000000000000000': expected CPUs below 8192");
}
END_TEST

START_TEST(set_algebra_holds)
{
	struct cpuset a, b, c;

	ck_assert_int_eq(cpuset_parse(&a, "0-3,70", NULL), 0);
	ck_assert_int_eq(cpuset_parse(&b, "2-5,70", NULL), 0);
	c = a;
	cpuset_and(&c, &b);
	ck_assert_uint_eq(cpuset_count(&c), 3);
	ck_assert(cpuset_is_subset(&c, &a) && cpuset_is_subset(&c, &b));
	c = a;
	cpuset_andnot(&c, &b);
	ck_assert(!cpuset_intersects(&c, &b));
	ck_assert_uint_eq(cpuset_count(&c), 2);
	cpuset_or(&c, &b);
	ck_assert_int_eq(cpuset_next(&c, 6), 70);
	ck_assert_int_eq(cpuset_next(&c, 71), -1);
	cpuset_del(&c, 70);
	ck_assert(!cpuset_has(&c, 70));
	cpuset_zero(&c);
	ck_assert(cpuset_is_empty(&c) && !cpuset_equal(&c, &a));
	cpuset_add(&c, CPUSET_MAX);
	ck_assert(cpuset_is_empty(&c));
	ck_assert_int_eq(cpuset_next(&c, CPUSET_MAX), -1);
}
END_TEST

START_TEST(every_member_is_visited_once)
{
	struct cpuset set;
	int member, sum = 0;

	ck_assert_int_eq(cpuset_parse(&set, "0,63-65,8191", NULL), 0);
	cpuset_for_each (member, &set)
		sum += member;
	ck_assert_int_eq(sum, 63 + 64 + 65 + 8191);
}
END_TEST

START_TEST(a_range_of_one_and_a_set_of_cpu_0_are_what_they_are)
{
	struct cpuset a, b;

	expect_round_trip("3-3", "3");
	expect_mask("1,00000001", "0,32");
	ck_assert_int_eq(cpuset_parse(&a, "0", NULL), 0);
	ck_assert(!cpuset_is_empty(&a));
	ck_assert_int_eq(cpuset_next(&a, 0), 0);
	ck_assert_int_eq(cpuset_next(&a, 1), -1);
	ck_assert_uint_eq(cpuset_count(&a), 1);
	ck_assert_int_eq(cpuset_parse(&b, "0,8191", NULL), 0);
	ck_assert(cpuset_intersects(&a, &b));
	ck_assert(cpuset_is_subset(&a, &b));
	ck_assert(!cpuset_is_subset(&b, &a));
	cpuset_or(&a, &b);
	ck_assert(cpuset_equal(&a, &b));
	cpuset_del(&a, 0);
	ck_assert_uint_eq(cpuset_count(&a), 1);
	ck_assert(!cpuset_is_subset(&b, &a));
	ck_assert_int_eq(cpuset_next(&a, 64), 8191);
	ck_assert_int_eq(cpuset_next(&a, 8191), 8191);
	cpuset_andnot(&b, &a);
	ck_assert_uint_eq(cpuset_count(&b), 1);
	ck_assert(cpuset_has(&b, 0) && !cpuset_has(&b, 8191));
}
END_TEST

START_TEST(a_member_that_is_taken_out_is_the_only_one)
{
	struct cpuset all, set;
	unsigned int i;

	ck_assert_int_eq(cpuset_parse(&all, "0-299", NULL), 0);
	for (i = 0; i < 300; i++) {
		set = all;
		cpuset_del(&set, i);
		ck_assert(!cpuset_has(&set, i));
		ck_assert_uint_eq(cpuset_count(&set), 299);
		cpuset_add(&set, i);
		ck_assert(cpuset_equal(&set, &all));
	}
}
END_TEST

START_TEST(what_lies_behind_a_set_is_none_of_its_members)
{
	struct {
		struct cpuset set;
		uint64_t behind;
	} a, b;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	a.behind = b.behind = ~UINT64_C(0);
	ck_assert(!cpuset_has(&a.set, CPUSET_MAX));
	ck_assert_uint_eq(cpuset_count(&a.set), 0);
	ck_assert(cpuset_is_empty(&a.set));
	ck_assert(!cpuset_intersects(&a.set, &b.set));
	cpuset_del(&a.set, CPUSET_MAX);
	cpuset_andnot(&a.set, &b.set);
	ck_assert_uint_eq(a.behind, ~UINT64_C(0));
	b.behind = 0;
	ck_assert(cpuset_is_subset(&a.set, &b.set));
	cpuset_and(&a.set, &b.set);
	ck_assert_uint_eq(a.behind, ~UINT64_C(0));
	cpuset_add(&b.set, CPUSET_MAX);
	cpuset_or(&b.set, &a.set);
	ck_assert_uint_eq(b.behind, 0);
}
END_TEST

UNIT_MAIN("cpuset", a_list_comes_back_as_the_kernel_prints_it, what_is_not_a_list_is_refused,
	  the_last_digit_of_a_mask_is_the_first_four_cpus, what_is_not_a_mask_is_refused,
	  set_algebra_holds, every_member_is_visited_once,
	  a_range_of_one_and_a_set_of_cpu_0_are_what_they_are,
	  a_member_that_is_taken_out_is_the_only_one, what_lies_behind_a_set_is_none_of_its_members)
