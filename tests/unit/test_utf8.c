/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "lib/utf8.h"
#include "tests/unit/runner.h"

static void expect_clean(const char *text, const char *wanted)
{
	char out[100];
	struct err err;

	utf8_clean(out, sizeof(out), text, strlen(text));
	ck_assert_str_eq(out, wanted);
	strcpy(out, text); /* in place */
	utf8_clean(out, sizeof(out), out, strlen(out));
	ck_assert_str_eq(out, wanted);
	err_set(&err, "%s", text);
	ck_assert_str_eq(err.text, wanted);
}

START_TEST(text_that_can_be_read_stays)
{
	expect_clean("", "");
	expect_clean("/mnt/weka ~", "/mnt/weka ~");
	expect_clean("\303\244\342\202\254\360\237\230\200",
		     "\303\244\342\202\254\360\237\230\200");
	expect_clean("\302\240\342\200\247\342\200\257",
		     "\302\240\342\200\247\342\200\257");
}
END_TEST

START_TEST(controls_become_question_marks)
{
	expect_clean("a\033[31m\r\n\tb\177", "a?[31m???b?");
	expect_clean("a\302\233"
		     "31m\302\200\302\237b",
		     "a?31m??b");
}
END_TEST

START_TEST(marks_that_turn_the_writing_become_question_marks)
{
	expect_clean("\330\234", "?");
	expect_clean("\342\200\216\342\200\217", "??");
	expect_clean("\342\200\250\342\200\251\342\200\252\342\200\256",
		     "????");
	expect_clean("\342\201\246\342\201\247\342\201\250\342\201\251",
		     "????");
}
END_TEST

START_TEST(bytes_that_are_not_utf8_become_question_marks)
{
	expect_clean("a\233b\377", "a?b?");
	expect_clean("\300\200\355\240\200\364\220\200\200", "?????????");
	expect_clean("\342\202", "??");
}
END_TEST

START_TEST(whole_characters_are_cut_off)
{
	char out[4];

	utf8_clean(out, sizeof(out), "ab\303\244", 4);
	ck_assert_str_eq(out, "ab");
	utf8_clean(out, sizeof(out), "a\303\244", 3);
	ck_assert_str_eq(out, "a\303\244");
	utf8_clean(out, 1, "a", 1);
	ck_assert_str_eq(out, "");
}
END_TEST

UNIT_MAIN("utf8", text_that_can_be_read_stays, controls_become_question_marks,
	  marks_that_turn_the_writing_become_question_marks,
	  bytes_that_are_not_utf8_become_question_marks,
	  whole_characters_are_cut_off)
