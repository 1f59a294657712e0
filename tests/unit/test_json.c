/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <string.h>

#include "lib/json.h"
#include "tests/unit/runner.h"

static const char *const sample =
	"{\"text\":\"a\",\"empty\":\"\",\"cut\":\"a\\u0000b\",\"number\":7,\"zero\":0,\"negative\":-7,\"real\":1.5,\"yes\":true,\"no\":false,\"null\":null,\"list\":[1],\"map\":{\"text\":\"b\"}}";

START_TEST(only_a_text_is_read_as_a_text)
{
	static const char *const none[] = { "number", "yes", "null", "list", "none", "cut" };
	struct json_object *top = json_parse(sample);
	size_t i;

	ck_assert_str_eq(json_text(top, "text"), "a");
	ck_assert_str_eq(json_text(top, "empty"), "");
	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert_msg(!json_text(top, none[i]), "%s", none[i]);
	json_object_put(top);
}
END_TEST

START_TEST(only_a_whole_number_that_is_not_negative_is_known)
{
	static const char *const none[] = { "negative", "real", "text", "yes",
					    "null",	"list", "none" };
	struct json_object *top = json_parse(sample);
	size_t i;

	ck_assert_int_eq(json_number(top, "number"), 7);
	ck_assert_int_eq(json_number(top, "zero"), 0);
	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert_msg(json_number(top, none[i]) == JSON_UNKNOWN, "%s", none[i]);
	json_object_put(top);
}
END_TEST

START_TEST(only_true_is_true)
{
	struct json_object *top = json_parse(sample);

	ck_assert(json_is_true(top, "yes"));
	ck_assert(!json_is_true(top, "no"));
	ck_assert(!json_is_true(top, "number"));
	ck_assert(!json_is_true(top, "text"));
	ck_assert(!json_is_true(top, "none"));
	json_object_put(top);
}
END_TEST

START_TEST(a_list_is_no_map_and_null_is_not_there)
{
	struct json_object *top = json_parse(sample);

	ck_assert_ptr_nonnull(json_list(top, "list"));
	ck_assert_ptr_null(json_list(top, "map"));
	ck_assert_ptr_null(json_map(top, "list"));
	ck_assert_str_eq(json_text(json_map(top, "map"), "text"), "b");
	ck_assert_ptr_null(json_member(top, "null"));
	ck_assert_ptr_nonnull(json_member(top, "negative"));
	json_object_put(top);
}
END_TEST

START_TEST(what_is_no_object_has_no_members)
{
	struct json_object *list = json_tokener_parse("[1]");

	ck_assert_ptr_null(json_parse("[1]"));
	ck_assert_ptr_null(json_parse("{\"a\":"));
	ck_assert_ptr_null(json_parse(""));
	ck_assert_ptr_null(json_member(NULL, "a"));
	ck_assert_ptr_null(json_text(list, "a"));
	ck_assert_int_eq(json_number(list, "a"), JSON_UNKNOWN);
	json_object_put(list);
}
END_TEST

START_TEST(a_value_of_a_list_is_read_like_a_member)
{
	struct json_object *list = json_parse_list("[-7,\"a\",1.5,null,\"a\\u0000b\"]");
	int64_t number = 3;
	size_t i;

	ck_assert_ptr_nonnull(list);
	ck_assert(json_value_number(json_object_array_get_idx(list, 0), &number));
	ck_assert_int_eq(number, -7);
	ck_assert_str_eq(json_value_text(json_object_array_get_idx(list, 1)), "a");
	for (i = 1; i < 5; i++)
		ck_assert(!json_value_number(json_object_array_get_idx(list, i), &number));
	for (i = 2; i < 5; i++)
		ck_assert_ptr_null(json_value_text(json_object_array_get_idx(list, i)));
	ck_assert_int_eq(number, -7);
	json_object_put(list);
	ck_assert_ptr_null(json_parse_list("{}"));
	ck_assert_ptr_null(json_parse_list("["));
}
END_TEST

static bool is_taken(const char *text, size_t bytes_max, int depth_max)
{
	struct json_object *top = json_parse_bounded(text, strlen(text), bytes_max, depth_max);
	bool taken = top != NULL;

	json_object_put(top);
	return taken;
}

START_TEST(what_comes_from_outside_is_whole_bounded_and_nothing_behind_it)
{
	ck_assert(is_taken("{\"a\":[1]}", 9, 3));
	ck_assert(is_taken("[1] \n\t\r\n", 99, 3));
	ck_assert(!is_taken("{\"a\":[1]}", 8, 3));
	ck_assert(!is_taken("{\"a\":[[1]]}", 99, 2));
	ck_assert(!is_taken("{\"a\":", 99, 3));
	ck_assert(!is_taken("[1] [2]", 99, 3));
	ck_assert(!is_taken("{}x", 99, 3));
	ck_assert(!is_taken("", 99, 3));
}
END_TEST

START_TEST(an_unknown_number_is_written_as_null_and_slashes_as_they_are)
{
	struct json_object *top = json_object_new_object();

	json_add_text(top, "path", "/mnt/weka");
	json_add_text(top, "none", NULL);
	json_add_number(top, "number", -7);
	json_add_known(top, "known", 7);
	json_add_known(top, "unknown", JSON_UNKNOWN);
	json_add_bool(top, "no", false);
	ck_assert_str_eq(
		json_line(top),
		"{\"path\":\"/mnt/weka\",\"none\":null,\"number\":-7,\"known\":7,\"unknown\":null,\"no\":false}");
	json_object_put(top);
}
END_TEST

START_TEST(the_end_of_an_object_is_found_past_what_its_strings_hold)
{
	static const char text[] = "{\"a\":\"}]\\\"}\",\"b\":[{}]},7";

	ck_assert_str_eq(json_end(text), ",7");
	ck_assert_ptr_null(json_end("{\"a\":\"}\""));
	ck_assert_ptr_null(json_end("[\"\\"));
	ck_assert_ptr_null(json_end(""));
}
END_TEST

UNIT_MAIN("json", the_end_of_an_object_is_found_past_what_its_strings_hold,
	  only_a_text_is_read_as_a_text, only_a_whole_number_that_is_not_negative_is_known,
	  only_true_is_true, a_list_is_no_map_and_null_is_not_there,
	  what_is_no_object_has_no_members, a_value_of_a_list_is_read_like_a_member,
	  what_comes_from_outside_is_whole_bounded_and_nothing_behind_it,
	  an_unknown_number_is_written_as_null_and_slashes_as_they_are)
