/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lib/err.h"
#include "tests/unit/runner.h"

START_TEST(a_sentence_is_kept_and_minus_one_returned)
{
	struct err err;

	ck_assert_int_eq(err_set(&err, "file '%s': %s", "x", "gone"), -1);
	ck_assert_str_eq(err.text, "file 'x': gone");
}
END_TEST

START_TEST(a_prefix_goes_in_front)
{
	struct err err;

	err_set(&err, "gone");
	err_prefix(&err, "file '%s'", "x");
	ck_assert_str_eq(err.text, "file 'x': gone");
}
END_TEST

START_TEST(control_characters_cannot_forge_a_log_line)
{
	struct err err;

	err_set(&err, "value '%s'", "a\njobio: all is well\x1b[2J");
	ck_assert_str_eq(err.text, "value 'a?jobio: all is well?[2J'");
}
END_TEST

START_TEST(a_long_sentence_is_cut_not_overrun)
{
	struct err err;
	char big[2000];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	err_set(&err, "%s", big);
	ck_assert_uint_eq(strlen(err.text), ERR_MAX - 1);
	err_prefix(&err, "p");
	ck_assert_uint_eq(strlen(err.text), ERR_MAX - 1);
	ck_assert_int_eq(strncmp(err.text, "p: aaa", 6), 0);
}
END_TEST

START_TEST(nobody_listening_is_fine)
{
	ck_assert_int_eq(err_set(NULL, "x"), -1);
	ck_assert_int_eq(err_prefix(NULL, "x"), -1);
}
END_TEST

START_TEST(a_prefix_stands_with_a_colon_and_is_made_printable)
{
	struct err err;

	err_set(&err, "b");
	ck_assert_int_eq(err_prefix(&err, "%s %d", "a\n", 7), -1);
	ck_assert_str_eq(err.text, "a? 7: b");
}
END_TEST

START_TEST(a_prefix_writes_nothing_behind_the_sentence)
{
	struct {
		struct err err;
		char behind[ERR_MAX];
	} box;
	char big[ERR_MAX], wall[sizeof(box.behind)];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	memset(wall, 'w', sizeof(wall));
	memset(box.behind, 'w', sizeof(box.behind));
	err_set(&box.err, "%s", big);
	err_prefix(&box.err, "%.100s", big);
	ck_assert(!memcmp(box.behind, wall, sizeof(wall)));
	ck_assert_uint_eq(strlen(box.err.text), ERR_MAX - 1);
	ck_assert_int_eq(strncmp(box.err.text + 99, "a: aa", 5), 0);
	err_prefix(&box.err, "%s", big); /* no room for more */
	ck_assert_str_eq(box.err.text, big);
}
END_TEST

UNIT_MAIN("err", a_sentence_is_kept_and_minus_one_returned,
	  a_prefix_goes_in_front, control_characters_cannot_forge_a_log_line,
	  a_long_sentence_is_cut_not_overrun, nobody_listening_is_fine,
	  a_prefix_stands_with_a_colon_and_is_made_printable,
	  a_prefix_writes_nothing_behind_the_sentence)
