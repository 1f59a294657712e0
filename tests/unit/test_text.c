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

START_TEST(behind_the_last_line_is_the_end)
{
	const char *text = "a\n\nbc";

	text = text_behind_line(text);
	ck_assert_str_eq(text, "\nbc");
	text = text_behind_line(text);
	ck_assert_str_eq(text, "bc");
	text = text_behind_line(text);
	ck_assert_str_eq(text, "");
	ck_assert_str_eq(text_behind_line(text), "");
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

UNIT_MAIN("text", what_the_kernel_escaped_is_read, other_backslashes_stay,
	  behind_the_last_line_is_the_end, whole_lines_end_and_fit)
