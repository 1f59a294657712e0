/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record/json.h: RFC 8259, limits, and that written JSON can be read again. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/json.h"
#include "tests/unit/runner.h"

#define DEPTH 8

static uint64_t seed;

static unsigned int some(unsigned int limit)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(seed >> 33) % limit;
}

/* ---- syntax ------------------------------------------------------------------- */

START_TEST(a_text_is_read_by_rfc_8259_and_written_in_its_shortest_form)
{
	static const char *const rows[][2] = {
		{ "null", NULL },
		{ " \t\r\n true \n", "true" },
		{ "false", NULL },
		{ "[]", NULL },
		{ "{ }", "{}" },
		{ "[ [ ] , { \"a\" : 1 } ]", "[[],{\"a\":1}]" },
		{ "{\"a\":1,\"\":2,\"a\":3}", NULL },
		/* numbers */
		{ "0", NULL },
		{ "-0", "0" },
		{ "-7", NULL },
		{ "9223372036854775807", NULL },
		{ "9223372036854775808", "9223372036854775807" },
		{ "-9223372036854775808", NULL },
		{ "-99999999999999999999", "-9223372036854775808" },
		{ "18446744073709551615", "9223372036854775807" },
		{ "[0,10,999999999999999999,1234567890123456789,-1,2,3.5]", NULL },
		{ "[1,9223372036854775808, 2 ,3]", "[1,9223372036854775807,2,3]" },
		{ "1795224862.060", NULL },
		{ "-1.5", NULL },
		{ "0.12345678901234567890123", NULL },
		{ "1E+2", NULL },
		{ "-0.0e-7", NULL },
		{ "1e308", NULL },
		{ "1e-999", NULL },
		/* texts */
		{ "\"\"", NULL },
		{ "\"/mnt/x, y: {z}]\"", NULL },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
		{ "\"\\u0041\\u00e4\\u20AC\"", "\"A\xc3\xa4\xe2\x82\xac\"" },
		{ "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
		{ "\"\\ud83d\"", "\"\xef\xbf\xbd\"" },
		{ "\"\\ud83dx\\ude00\"", "\"\xef\xbf\xbdx\xef\xbf\xbd\"" },
		{ "\"\\ud83d\\u0041\"", "\"\xef\xbf\xbd"
					"A\"" },
		{ "\"a\\u0000b\\u001f\"", NULL },
		{ "{\"a\\u0000b\":1}", NULL },
		{ "\"\x7f\xe4\xff\"", NULL }, /* any byte >= 0x80 is accepted */
	};
	const char *wanted;
	struct json *top;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		top = json_read(rows[i][0], strlen(rows[i][0]), DEPTH, &err);
		wanted = rows[i][1] ? rows[i][1] : rows[i][0];
		ck_assert_msg(top != NULL, "%s: %s", rows[i][0], err.text);
		ck_assert_str_eq(json_line(top), wanted);
		json_free(top);
	}
}
END_TEST

START_TEST(text_that_is_not_json_is_refused_with_the_cause)
{
	static const char *const rows[][2] = {
		{ "", "it ends too early" },
		{ " ", "it ends too early" },
		{ "{\"a\":[1,2", "it ends too early" },
		{ "\"a", "it ends too early" },
		{ "\"a\\", "it ends too early" },
		{ "1.", "it ends too early" },
		{ "1e-", "it ends too early" },
		{ "-", "it ends too early" },
		{ "[[[[[[[[[1]]]]]]]]]", "objects and lists in too many others" },
		{ "1e999", "a number is too large" },
		{ "{\"a\":[-1.0E400]}", "a number is too large" },
		{ "[1,]", "byte 4" },
		{ "[,1]", "byte 2" },
		{ "[1 2]", "byte 4" },
		{ "{\"a\":x}", "byte 6" },
		{ "[01]", "byte 4" },
		{ "+1", "byte 1" },
		{ ".5", "byte 1" },
		{ "1.e5", "byte 3" },
		{ "0x10", "byte 2" },
		{ "NaN", "byte 1" },
		{ "-Infinity", "byte 2" },
		{ "True", "byte 1" },
		{ "nul", "byte 1" },
		{ "nulll", "byte 5" },
		{ "'b'", "byte 1" },
		{ "{a:1}", "byte 2" },
		{ "{1:1}", "byte 2" },
		{ "{\"a\" 1}", "byte 6" },
		{ "{\"a\":1,}", "byte 8" },
		{ "{\"a\":1]", "byte 7" },
		{ "{} {}", "byte 4" },
		{ "[1]//", "byte 4" },
		{ "\"a\nb\"", "byte 3" },
		{ "\"a\tb\"", "byte 3" },
		{ "\"\\x\"", "byte 3" },
		{ "\"\\u00g0\"", "byte 3" },
		{ "\"\\u12\"", "byte 3" },
		{ "\v1", "byte 1" },
		{ "\xef\xbb\xbf{}", "byte 1" },
	};
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		err_set(&err, "none");
		ck_assert_msg(!json_read(rows[i][0], strlen(rows[i][0]), DEPTH, &err), "%s",
			      rows[i][0]);
		ck_assert_msg(!strncmp(err.text, "not JSON: ", 10) &&
				      !strcmp(err.text + 10, rows[i][1]),
			      "%s: %s, not %s", rows[i][0], err.text, rows[i][1]);
	}
	/* a NUL is neither the end nor a blank */
	ck_assert_ptr_null(json_read("{}\0", 3, DEPTH, &err));
	ck_assert_str_eq(err.text, "not JSON: byte 3");
	ck_assert_ptr_null(json_read("\"\0\"", 3, DEPTH, NULL));
}
END_TEST

/* ---- random values ------------------------------------------------------------- */

static struct {
	char text[4096];
	size_t size;
} made;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	made.size += (size_t)vsnprintf(made.text + made.size, sizeof(made.text) - made.size, format,
				       args);
	va_end(args);
	ck_assert_uint_lt(made.size, sizeof(made.text));
}

static void add_value(int depth);

static void add_list(int depth, bool is_object)
{
	unsigned int i, count = some(depth > 4 ? 2 : 5);

	add("%c", is_object ? '{' : '[');
	for (i = 0; i < count; i++) {
		add("%s", i ? "," : "");
		if (is_object)
			add("\"%c%s\":", 'a' + (int)some(4), some(9) ? "" : "\xc3\xa4\\n");
		add_value(depth + 1);
	}
	add("%c", is_object ? '}' : ']');
}

/* Append a random value as it is written. */
static void add_value(int depth)
{
	static const char *const plain[] = { "null",
					     "true",
					     "false",
					     "\"\"",
					     "\"/mnt/x, y: {z}\"",
					     "0",
					     "-7",
					     "9223372036854775807",
					     "1795224862.060",
					     "1.5E-2",
					     "\"\\\"\xc3\xa4/\\n\\u0000\"",
					     "\"\xf0\x9f\x98\x80\xff\"" };

	if (depth < DEPTH && !some(2))
		add_list(depth, some(2));
	else
		add("%s", plain[some(sizeof(plain) / sizeof(plain[0]))]);
}

START_TEST(written_json_can_be_read_again_and_a_changed_byte_causes_no_crash)
{
	static const char wrong[] = "\"\\{}[],:0-.eu \n\x01\x80x";
	unsigned int i, k, count = (unsigned int)rounds(4000);
	struct json *top, *copy;
	struct err err;
	char *line;

	for (i = 0; i < count; i++) {
		seed = i;
		made.size = 0;
		add_list(1, some(2));
		top = json_read(made.text, made.size, DEPTH, &err);
		ck_assert_msg(top != NULL, "%s: %s", made.text, err.text);
		copy = json_new_object();
		json_add_copy(copy, "copy", top);
		ck_assert_str_eq(json_line(json_member(copy, "copy")), made.text);
		ck_assert_uint_eq(top->list.size, made.size);
		json_free(copy);
		ck_assert_str_eq(json_line(top), made.text);
		json_free(top);
		for (k = 0; k < 3; k++) {
			made.text[some((unsigned int)made.size)] = wrong[some(sizeof(wrong))];
			top = json_read(made.text, made.size, DEPTH, &err);
			if (!top)
				continue;
			line = json_line_free(top);
			top = json_read(line, strlen(line), DEPTH, NULL);
			ck_assert_str_eq(json_line(top), line);
			json_free(top);
			free(line);
		}
	}
}
END_TEST

/* ---- members ------------------------------------------------------------------- */

START_TEST(a_member_of_another_type_counts_as_missing)
{
	static const char sample[] =
		"{\"text\":\"a\",\"cut\":\"a\\u0000b\",\"number\":7,\"negative\":-7,\"real\":1.5,\"yes\":true,\"null\":null,\"list\":[-7],\"map\":{\"text\":\"b\"}}";
	static const char *const keys[] = { "text", "cut",  "number", "negative", "real",
					    "yes",  "null", "list",   "map",	  "none" };
	struct json *top = json_parse(sample), *list;
	int64_t number = 0;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ck_assert_int_eq(json_text(top, keys[i]) != NULL, !strcmp(keys[i], "text"));
		ck_assert_int_eq(json_number(top, keys[i]),
				 strcmp(keys[i], "number") ? JSON_UNKNOWN : 7);
		ck_assert_int_eq(json_is_true(top, keys[i]), !strcmp(keys[i], "yes"));
		ck_assert_int_eq(json_list(top, keys[i]) != NULL, !strcmp(keys[i], "list"));
		ck_assert_int_eq(json_map(top, keys[i]) != NULL, !strcmp(keys[i], "map"));
		ck_assert_int_eq(json_member(top, keys[i]) != NULL, keys[i][0] != 'n' || i < 6);
	}
	list = json_list(top, "list");
	ck_assert(json_value_number(json_first(list), &number));
	ck_assert_int_eq(number, -7);
	/* position in the text, for callers that keep a part of it */
	ck_assert_int_eq(strncmp(sample + list->list.at, "[-7],", list->list.size + 1), 0);
	json_free(top);
	ck_assert(!json_text(NULL, "a") && !json_first(NULL) && !json_parse("[1]") &&
		  !json_parse_list("{}"));
	top = json_parse("{\"a\":1,\"a\":null,\"b\":null,\"b\":2}"); /* the last one counts */
	ck_assert(!json_member(top, "a") && json_number(top, "b") == 2);
	json_free(top);
}
END_TEST

START_TEST(members_are_written_in_the_order_of_their_addition)
{
	struct json *top = json_new_object(), *list;
	char *line;

	json_add_text(top, "text", "a\"\x01\xff");
	json_add_text(top, "none", NULL);
	json_add_number(top, "number", -1);
	json_add_known(top, "unknown", -1);
	json_add_real(top, "real", "1.500");
	json_add_real(top, "no_real", NULL);
	json_add_bool(top, "yes", true);
	list = json_add_list(top, "list");
	json_append_number(list, INT64_MIN);
	json_append_text(list, "");
	json_add_bool(json_append_object(list), "a", false);
	json_add_copy(top, "copy", list);
	line = json_line_free(top);
	ck_assert_str_eq(
		line,
		"{\"text\":\"a\\\"\\u0001\xff\",\"none\":null,\"number\":-1,\"unknown\":null,\"real\":1.500,\"no_real\":null,\"yes\":true,\"list\":[-9223372036854775808,\"\",{\"a\":false}],\"copy\":[-9223372036854775808,\"\",{\"a\":false}]}");
	free(line);
}
END_TEST

UNIT_MAIN("json", a_text_is_read_by_rfc_8259_and_written_in_its_shortest_form,
	  text_that_is_not_json_is_refused_with_the_cause,
	  written_json_can_be_read_again_and_a_changed_byte_causes_no_crash,
	  a_member_of_another_type_counts_as_missing,
	  members_are_written_in_the_order_of_their_addition)
