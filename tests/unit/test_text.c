/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lib/text.h"
#include "tests/unit/runner.h"

static void expect(const char *escaped, const char *plain)
{
	char text[64];

	strcpy(text, escaped);
	text_unescape_octal(text);
	ck_assert_str_eq(text, plain);
}

START_TEST(what_the_kernel_escaped_is_read)
{
	expect("/mnt/a\\040b\\011c", "/mnt/a b\tc");
	expect("\\134040", "\\040");
	expect("\\043\\012", "#\n");
	expect("\\377", "\377");
}
END_TEST

START_TEST(other_backslashes_stay)
{
	expect("\\04", "\\04");
	expect("\\48\\", "\\48\\");
	expect("\\777", "\\777");
	expect("", "");
}
END_TEST

START_TEST(whole_lines_end_and_fit)
{
	ck_assert(text_is_lines("\n", 1));
	ck_assert(text_is_lines("a\nbc\n", 3));
	ck_assert(!text_is_lines("a\nbc\n", 2));
	ck_assert(!text_is_lines("a\nbc", 3));
	ck_assert(!text_is_lines("", 3));
}
END_TEST

START_TEST(an_escape_has_three_octal_digits)
{
	expect("\\000x", ""); /* and what is behind it is not seen */
	expect("\\100\\170", "@x");
	expect("\\400", "\\400");
	expect("\\080", "\\080");
	expect("\\008", "\\008");
	expect("\\/00", "\\/00");
	expect("\\0/0", "\\0/0");
	expect("\\00/", "\\00/");
	expect("\\077\\070", "?8");
}
END_TEST

START_TEST(lines_that_do_not_fit_are_passed_over)
{
	const char *text = "four\n\nlonger\nabc", *all = text;
	char line[5];

	ck_assert(text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(line, "four");
	ck_assert(text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(line, "");
	ck_assert(text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(line, "abc");
	ck_assert_str_eq(text, "");
	ck_assert(!text_next_line(&text, line, sizeof(line)));
	text = all;
	ck_assert(text_next_line(&text, line, 4)); /* "four" does not */
	ck_assert_str_eq(line, "");
	text = "longer";
	ck_assert(!text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(a_copy_is_cut_to_its_room)
{
	char copy[4];

	text_copy(copy, sizeof(copy), "abc");
	ck_assert_str_eq(copy, "abc");
	text_copy(copy, sizeof(copy), "abcd");
	ck_assert_str_eq(copy, "abc");
	text_copy(copy, sizeof(copy), "");
	ck_assert_str_eq(copy, "");
	text_copy(copy, 1, "a");
	ck_assert_str_eq(copy, "");
}
END_TEST

UNIT_MAIN("text", what_the_kernel_escaped_is_read, other_backslashes_stay, whole_lines_end_and_fit,
	  an_escape_has_three_octal_digits, lines_that_do_not_fit_are_passed_over,
	  a_copy_is_cut_to_its_room)
