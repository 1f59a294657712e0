/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lib/err.h"
#include "lib/reason.h"
#include "tests/unit/runner.h"

static char reason[REASON_MAX];

static const char *made(const char *code, const char *text, const char *cure)
{
	reason_make(reason, code, text, cure);
	return reason;
}

START_TEST(a_reason_is_code_sentence_and_cure)
{
	ck_assert_str_eq(made("W18", "nothing is mounted", "mount it"),
			 "jobio:W18 nothing is mounted; cure: mount it");
	ck_assert_str_eq(made("W18", "nothing is mounted", ""),
			 "jobio:W18 nothing is mounted");
	ck_assert_str_eq(made("W18", "nothing is mounted", NULL),
			 "jobio:W18 nothing is mounted");
}
END_TEST

START_TEST(nothing_that_a_database_or_a_shell_could_take_for_more_gets_in)
{
	ck_assert_str_eq(made("W08", "container 'client' is \"STEM\"", NULL),
			 "jobio:W08 container client is STEM");
	ck_assert_str_eq(
		made("W16", "said: x\n`rm` \\ $(id) 100% | \xc3\xa4", NULL),
		"jobio:W16 said: x.rm . .(id) 100. . ..");
}
END_TEST

START_TEST(a_long_reason_is_cut_to_what_a_column_of_the_database_holds)
{
	char text[500];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_uint_eq(strlen(made("W16", text, text)), REASON_MAX - 1);
	ck_assert_uint_lt(REASON_MAX, 256);
	ck_assert_int_eq(reason_is_valid(reason), 1);
}
END_TEST

START_TEST(what_is_left_out_of_a_sentence_takes_no_room_of_the_cure)
{
	char text[ERR_MAX], cure[ERR_MAX];

	memset(text, '"', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memset(cure, '`', 490);
	strcpy(cure + 490, "mend it");
	ck_assert_str_eq(made("W16", text, cure), "jobio:W16 ; cure: mend it");
}
END_TEST

START_TEST(only_our_own_reasons_are_valid)
{
	static const char *const others[] = {
		"",
		"jobio:",
		"jobio:W08",
		"maintenance",
		"Prolog error",
		" jobio:W08 x",
		"jobio:W08 it's",
		"jobio:W08 a\nb",
		"jobio:W08 a|b",
	};
	size_t i;

	ck_assert_int_eq(reason_is_valid("jobio:W08 it is STEM"), 1);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!reason_is_valid(others[i]), "%s", others[i]);
}
END_TEST

START_TEST(a_reason_of_one_letter_is_one_and_blanks_at_its_end_are_not)
{
	char longest[REASON_MAX + 1];

	ck_assert(reason_is_valid("jobio:W x"));
	ck_assert(reason_is_valid("jobio: x"));
	ck_assert(!reason_is_valid("jobio;W08 x"));
	ck_assert_str_eq(made("W1", "x  ", NULL), "jobio:W1 x");
	ck_assert_str_eq(made("W1", "", NULL), "jobio:W1");
	memset(longest, 'x', REASON_MAX);
	memcpy(longest, "jobio:W ", 8);
	longest[REASON_MAX] = '\0';
	ck_assert(!reason_is_valid(longest));
	longest[REASON_MAX - 1] = '\0';
	ck_assert(reason_is_valid(longest));
}
END_TEST

UNIT_MAIN("reason", a_reason_is_code_sentence_and_cure,
	  nothing_that_a_database_or_a_shell_could_take_for_more_gets_in,
	  a_long_reason_is_cut_to_what_a_column_of_the_database_holds,
	  what_is_left_out_of_a_sentence_takes_no_room_of_the_cure,
	  only_our_own_reasons_are_valid,
	  a_reason_of_one_letter_is_one_and_blanks_at_its_end_are_not)
