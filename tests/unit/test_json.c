/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>

#include "lib/json.h"
#include "tests/unit/runner.h"

static const char *const sample =
	"{\"text\":\"a\",\"empty\":\"\",\"cut\":\"a\\u0000b\",\"number\":7,"
	"\"zero\":0,\"negative\":-7,\"real\":1.5,\"yes\":true,\"no\":false,"
	"\"null\":null,\"list\":[1],\"map\":{\"text\":\"b\"}}";

START_TEST(only_a_text_is_read_as_a_text)
{
	static const char *const none[] = { "number", "yes",  "null",
					    "list",   "none", "cut" };
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
		ck_assert_msg(json_number(top, none[i]) == JSON_UNKNOWN, "%s",
			      none[i]);
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

START_TEST(an_unknown_number_is_written_as_null_and_slashes_as_they_are)
{
	struct json_object *top = json_object_new_object();

	json_add_text(top, "path", "/mnt/weka");
	json_add_text(top, "none", NULL);
	json_add_number(top, "number", -7);
	json_add_known(top, "known", 7);
	json_add_known(top, "unknown", JSON_UNKNOWN);
	json_add_bool(top, "no", false);
	ck_assert_str_eq(json_line(top),
			 "{\"path\":\"/mnt/weka\",\"none\":null,\"number\":-7,"
			 "\"known\":7,\"unknown\":null,\"no\":false}");
	json_object_put(top);
}
END_TEST

UNIT_MAIN("json", only_a_text_is_read_as_a_text,
	  only_a_whole_number_that_is_not_negative_is_known, only_true_is_true,
	  a_list_is_no_map_and_null_is_not_there,
	  what_is_no_object_has_no_members,
	  an_unknown_number_is_written_as_null_and_slashes_as_they_are)
