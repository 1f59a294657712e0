/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "ledger/nodes.h"
#include "lib/record.h"
#include "tests/unit/runner.h"

/* Expand and join again: "a1 a2 b" */
static void expect_names(const char *list, const char *wanted)
{
	struct err err = { "" };
	struct nodes *nodes = nodes_expand(list, &err);
	char text[4096] = "";
	size_t i;

	ck_assert_msg(nodes != NULL, "%s: %s", list, err.text);
	for (i = 0; i < nodes->count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, nodes->names[i]);
	}
	ck_assert_str_eq(text, wanted);
	nodes_free(nodes);
}

static void expect_count(const char *list, size_t wanted)
{
	struct err err = { "" };
	struct nodes *nodes = nodes_expand(list, &err);

	ck_assert_msg(nodes != NULL, "%.200s: %s", list, err.text);
	ck_assert_uint_eq(nodes->count, wanted);
	nodes_free(nodes);
}

/* What is refused must not have been expanded first. */
static void expect_refused(const char *list)
{
	const struct rlimit limit = { 512U << 20, 512U << 20 };
	struct err err = { "" };

#ifndef __SANITIZE_ADDRESS__
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
#else
	(void)limit;
#endif
	ck_assert_msg(nodes_expand(list, &err) == NULL, "taken: %.200s", list);
	ck_assert_ptr_nonnull(strstr(err.text, "': cannot be expanded"));
}

START_TEST(a_node_list_is_expanded_as_slurm_does)
{
	expect_names("c1", "c1");
	expect_names("c[1-3,7],login1", "c1 c2 c3 c7 login1");
	expect_names("n[08-11]", "n08 n09 n10 n11");
	expect_names("r[1-2]n[3-4]", "r1n3 r1n4 r2n3 r2n4");
	expect_names("site_x.gpu-a[1-2]", "site_x.gpu-a1 site_x.gpu-a2");
	expect_names("c2,c1,c[1-2]", "c1 c2");
	expect_names("c[5-5]", "c5");
	expect_names("c[000000000000000007]", "c000000000000000007");
	expect_names("n[99998-99999]", "n99998 n99999");
	expect_count("n[0-65535]", 65536);
}
END_TEST

/* Every other number: as many ranges as names. */
static void put_ranges(char *list, int count)
{
	size_t used = (size_t)sprintf(list, "n[0");
	int i;

	for (i = 1; i < count; i++)
		used += (size_t)sprintf(list + used, ",%d", 2 * i);
	strcpy(list + used, "]");
}

START_TEST(as_many_ranges_as_libslurm_bears_are_expanded)
{
	char *list = malloc(200000);

	put_ranges(list, 16384);
	expect_count(list, 16384);
	put_ranges(list, 16385);
	expect_refused(list);
	free(list);
}
END_TEST

START_TEST(a_list_of_more_names_than_the_limit_is_not_expanded)
{
	expect_refused("n[0-65536]");
	expect_refused("a[0-999]b[0-999]");
	expect_refused("n[0-65535],m");
	expect_refused("a[0-256]b[0-255],c");
	expect_refused("a[0-60000]b[0-9999]");
	/* as many ranges as names: libslurm takes seconds for them */
	expect_refused("j[0-765][0-56]0-[576]");
	expect_count("j[0-15]k[0-63]n[0-63]", 65536);
}
END_TEST

START_TEST(brackets_that_are_not_slurms_are_not_expanded)
{
	static const char *const lists[] = {
		"a[1]0-60000]b[0-9999]",
		"a[1",
		"a1]",
		"a[[1]]",
		"a[]",
		"a[1,]",
		"a[,1]",
		"a[1-]",
		"a[-1]",
		"a[1--2]",
		"a[2-1]",
		"a[+1]",
		"a[ 1]",
		"a[1-2-3]",
		"a[0x10]",
		"[",
		"]",
		"a[1-2]]",
		"a[b]",
		"a[18446744073709551616]",
		"a[0000000000000000001]",
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		expect_refused(lists[i]);
}
END_TEST

START_TEST(names_hold_the_characters_of_names_only)
{
	static const char *const lists[] = {
		"",   "a b",  "a\tb", "a\n", "a;b", "a,,b", ",a",
		"a,", "a(b)", "a{1}", "a^b", "a/b", "a\"b", "a\xc3\xa4",
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		expect_refused(lists[i]);
}
END_TEST

START_TEST(names_that_are_too_long_are_not_expanded)
{
	char list[RECORD_NODELIST_MAX];

	memset(list, 'n', 60000);
	strcpy(list + 60000, "[0-65535]");
	expect_refused(list);
	strcpy(list + 250, "[0-65535]"); /* of 255 characters */
	expect_count(list, 65536);
	strcpy(list + 251, "[0-65535]");
	expect_refused(list);
}
END_TEST

UNIT_MAIN("nodes", a_node_list_is_expanded_as_slurm_does,
	  as_many_ranges_as_libslurm_bears_are_expanded,
	  a_list_of_more_names_than_the_limit_is_not_expanded,
	  brackets_that_are_not_slurms_are_not_expanded, names_hold_the_characters_of_names_only,
	  names_that_are_too_long_are_not_expanded)
