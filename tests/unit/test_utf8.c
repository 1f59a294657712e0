/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
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
	expect_clean("\302\240\342\200\247\342\200\257", "\302\240\342\200\247\342\200\257");
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
	expect_clean("\342\200\250\342\200\251\342\200\252\342\200\256", "????");
	expect_clean("\342\201\246\342\201\247\342\201\250\342\201\251", "????");
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

/* By RFC 3629, section 3. */
static size_t encode(unsigned int code, char *bytes)
{
	if (code < 0x80) {
		bytes[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		bytes[0] = (char)(0xc0 | code >> 6);
		bytes[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		bytes[0] = (char)(0xe0 | code >> 12);
		bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | code >> 18);
	bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

static bool is_read_as_it_is(unsigned int code)
{
	unsigned int got = 77, half;
	char bytes[4];
	size_t size = encode(code, bytes);

	if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return utf8_character(bytes, size, &got) == 0 && got == 77;
	return utf8_character(bytes, size, &got) == size && got == code &&
	       (size == 1 || utf8_character(bytes, size - 1, &half) == 0);
}

/* A ck_assert() of each of a million would take seconds. */
START_TEST(each_character_is_read_and_half_of_it_is_none)
{
	unsigned int code;

	for (code = 1; code < 0x120000; code++)
		if (!is_read_as_it_is(code))
			ck_abort_msg("U+%04X is not", code);
}
END_TEST

START_TEST(a_longer_way_to_write_a_character_is_none)
{
	static const char *const bad[] = {
		"\xc0\xaf",
		"\xc1\xbf",
		"\xe0\x9f\xbf",
		"\xf0\x8f\xbf\xbf",
		"\xf5\x80\x80\x80",
		"\xf4\x90\x80\x80",
		"\xed\xa0\x80",
		"\x80",
		"\xbf",
		"\xc3\x28",
		"\xe2\x28\xa1",
		"\xe2\x82\x28",
		"\xf0\x28\x8c\xbc",
		"\xf0\x90\x28\xbc",
		"\xf0\x90\x8c\x28",
		"\xc3\xc3",
		"\xff",
		"\xf8\x88\x80\x80",
	};
	unsigned int code;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!utf8_character(bad[i], strlen(bad[i]), &code), "%zu", i);
}
END_TEST

START_TEST(what_turns_a_terminal_is_hidden_and_its_neighbours_are_not)
{
	static const struct {
		unsigned int first, last;
	} hidden[] = { { 0, 0x1f },	   { 0x7f, 0x9f },     { 0x61c, 0x61c },
		       { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 } };
	unsigned int code, i;
	int wanted;

	for (code = 0; code < 0x3000; code++) {
		for (wanted = 0, i = 0; i < 6; i++)
			if (code >= hidden[i].first && code <= hidden[i].last)
				wanted = 1;
		ck_assert_msg(utf8_is_hidden(code) == wanted, "%x", code);
	}
}
END_TEST

START_TEST(text_fills_its_room_to_the_last_byte)
{
	char out[4];

	utf8_clean(out, sizeof(out), "abcd", 4);
	ck_assert_str_eq(out, "abc");
	utf8_clean(out, sizeof(out), "ab\xff", 3);
	ck_assert_str_eq(out, "ab?");
	utf8_clean(out, sizeof(out), "abc\xff", 4);
	ck_assert_str_eq(out, "abc");
	utf8_clean(out, sizeof(out), "a\0b", 3);
	ck_assert_str_eq(out, "a?b");
}
END_TEST

UNIT_MAIN("utf8", text_that_can_be_read_stays, controls_become_question_marks,
	  marks_that_turn_the_writing_become_question_marks,
	  bytes_that_are_not_utf8_become_question_marks, whole_characters_are_cut_off,
	  each_character_is_read_and_half_of_it_is_none, a_longer_way_to_write_a_character_is_none,
	  what_turns_a_terminal_is_hidden_and_its_neighbours_are_not,
	  text_fills_its_room_to_the_last_byte)
