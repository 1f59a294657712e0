/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/json.h, and lib/json_tree.h, which must read what json-c reads. */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/json_tree.h"
#include "tests/unit/runner.h"

#define DEPTH 8

static uint64_t seed;

static unsigned int some(unsigned int limit)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(seed >> 33) % limit;
}

/* ---- both readers --------------------------------------------------------------- */

static void expect_same_nodes(const struct json_node *a, const struct json_node *b)
{
	const struct json_node *x, *y;
	char key[64];

	ck_assert_int_eq(a->kind, b->kind);
	if (a->kind == JSON_BOOL)
		ck_assert_int_eq(a->is_true, b->is_true);
	if (a->kind == JSON_REAL)
		ck_assert(a->real <= b->real && a->real >= b->real);
	if (a->kind == JSON_WHOLE)
		ck_assert_int_eq(a->whole, b->whole);
	if (a->kind == JSON_TEXT) {
		ck_assert_uint_eq(a->text.size, b->text.size);
		ck_assert(!memcmp(a->text.bytes, b->text.bytes, a->text.size));
	}
	if (a->kind == JSON_LIST) {
		ck_assert_uint_eq(a->list.count, b->list.count);
		for (x = a->list.first, y = b->list.first; x; x = x->next, y = y->next)
			expect_same_nodes(x, y);
	}
	/* as readers see them: of two members with one name the last */
	for (x = a->kind == JSON_OBJECT ? a->list.first : NULL; x; x = x->next) {
		snprintf(key, sizeof(key), "%.*s", (int)x->key_size, x->key);
		y = json_node_member(b, key);
		ck_assert_ptr_nonnull(y);
		expect_same_nodes(json_node_member(a, key), y);
	}
}

/* Is it read? By both the same nodes, or the same words about what is wrong. */
static bool expect_same(const char *text)
{
	struct err one = { "" }, other = { "" };
	struct json_tree *a = json_tree_new(text, strlen(text), DEPTH, &one);
	struct json_tree *b = json_tree_new_slow(text, strlen(text), DEPTH, &other);
	bool is_read = a != NULL;

	ck_assert_msg(!a == !b, "%s: %s%s", text, one.text, other.text);
	ck_assert_str_eq(one.text, other.text);
	if (a)
		expect_same_nodes(json_tree_top(a), json_tree_top(b));
	json_tree_free(a);
	json_tree_free(b);
	return is_read;
}

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

static void add_object(int depth)
{
	static const char *const blanks[] = { "", "", " ", "\n\t" };
	unsigned int i, count = some(depth > 4 ? 2 : 5);

	add("{");
	for (i = 0; i < count; i++) {
		add("%s\"%c%s\":%s", i ? "," : "", 'a' + (int)some(4), some(9) ? "" : "\xc3\xa4",
		    blanks[some(4)]);
		add_value(depth + 1);
	}
	add("}%s", blanks[some(4)]);
}

static void add_list(int depth)
{
	unsigned int i, count = some(depth > 4 ? 2 : 4);

	add("[");
	for (i = 0; i < count; i++) {
		add("%s", i ? "," : "");
		add_value(depth + 1);
	}
	add("]");
}

static void add_value(int depth)
{
	static const char *const plain[] = {
		"null",
		"true",
		"false",
		"\"\"",
		"\"/mnt/x, y: {z}\"",
		"0",
		"-7",
		"999999999999999999",
		"9223372036854775807",
		"18446744073709551615",
		"99999999999999999999999999999",
		"0.1",
		"1795224862.060",
		"-1.5",
		"1e3",
		"1.5E-2",
		"-0",
		"0.12345678901234567890123",
		"13260.430706773991",
		"\"\\\"\\u00e4\\/\\n\"",
		"\"\xc3\xa4\xef\xbf\xbf\xf0\x9f\x98\x80\"",
		"\"\\ud83d\\ude00\"",
		"\"\x7f\"",
	};

	if (depth < 7 && !some(3))
		add_list(depth);
	else if (depth < 7 && !some(2))
		add_object(depth);
	else
		add("%s", plain[some(sizeof(plain) / sizeof(plain[0]))]);
}

START_TEST(texts_at_random_and_with_bytes_changed_are_read_as_json_c_reads_them)
{
	static const char wrong[] = "\"\\{}[],:0-.e \n\x01\x80x";
	unsigned int i, k, read = 0, count = (unsigned int)rounds(4000);

	for (i = 0; i < count; i++) {
		seed = i;
		made.size = 0;
		add_object(1);
		read += expect_same(made.text);
		for (k = 0; k < 3; k++) {
			made.text[some((unsigned int)made.size)] = wrong[some(sizeof(wrong))];
			expect_same(made.text);
		}
	}
	/* json-c 0.19 refuses numbers beyond its range, which no record has */
	ck_assert_uint_gt(read, count / 2);
}
END_TEST

START_TEST(what_is_no_json_object_is_refused_with_the_cause)
{
	static const char *const rows[][2] = {
		{ "", "not JSON: it ends too early" },
		{ "{\"a\":[1,2", "not JSON: it ends too early" },
		{ "null ", "not JSON: no object" },
		{ "[1]", "not an object" },
		{ "7 ", "not an object" },
		{ "{\"a\":\"\xff\"}", "not JSON: invalid utf-8 string" },
		{ "{\"a\":x}", "not JSON: unexpected character" },
		{ "{\"a\":[[[[[[[[[1]]]]]]]]]}", "not JSON: nesting too deep" },
		{ "{\"a\":NaN}", "not JSON: a number that is none, or too large" },
		{ "{\"a\":[1,-Infinity]}", "not JSON: a number that is none, or too large" },
		{ "{\"a\":{\"b\":1e999}}", "not JSON: a number that is none, or too large" },
		{ "{\"a\":[1,]}", NULL },
		{ "{\"a\":01}", NULL },
		{ "{\"a\":+1}", NULL },
		{ "{\"a\":True}", NULL },
		{ "{\"a\":'b'}", NULL },
		{ "{a:1}", NULL },
		{ "{\"a\":1} {}", NULL },
	};
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(!expect_same(rows[i][0]), "%s", rows[i][0]);
		ck_assert_ptr_null(json_tree_new(rows[i][0], strlen(rows[i][0]), DEPTH, &err));
		if (rows[i][1])
			ck_assert_str_eq(err.text, rows[i][1]);
	}
}
END_TEST

/* ---- json.h ------------------------------------------------------------------------ */

START_TEST(a_member_of_another_type_is_as_one_that_is_missing)
{
	static const char sample[] =
		"{\"text\":\"a\",\"cut\":\"a\\u0000b\",\"number\":7,\"negative\":-7,\"real\":1.5,\"yes\":true,\"null\":null,\"list\":[-7],\"map\":{\"text\":\"b\"}}";
	static const char *const keys[] = { "text", "cut",  "number", "negative", "real",
					    "yes",  "null", "list",   "map",	  "none" };
	struct json_object *top = json_parse(sample);
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
	ck_assert(json_value_number(json_object_array_get_idx(json_list(top, "list"), 0), &number));
	ck_assert_int_eq(number, -7);
	json_object_put(top);
	ck_assert(!json_text(NULL, "a") && !json_parse("[1]") && !json_parse_list("{}"));
}
END_TEST

START_TEST(what_comes_from_outside_is_whole_bounded_and_nothing_behind_it)
{
	static const struct {
		const char *text;
		size_t bytes_max;
		int depth_max;
		bool is_taken;
	} rows[] = {
		{ "{\"a\":[1]}", 9, 3, true },	{ "[1] \n\t\r\n", 99, 3, true },
		{ "{\"a\":[1]}", 8, 3, false }, { "{\"a\":[[1]]}", 99, 2, false },
		{ "{\"a\":", 99, 3, false },	{ "[1] [2]", 99, 3, false },
		{ "{}x", 99, 3, false },	{ "", 99, 3, false },
	};
	struct json_object *top;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		top = json_parse_bounded(rows[i].text, strlen(rows[i].text), rows[i].bytes_max,
					 rows[i].depth_max);
		ck_assert_msg((top != NULL) == rows[i].is_taken, "%s", rows[i].text);
		json_object_put(top);
	}
}
END_TEST

START_TEST(the_end_of_an_object_is_found_past_what_its_strings_hold)
{
	ck_assert_str_eq(json_end("{\"a\":\"}]\\\"}\",\"b\":[{}]},7"), ",7");
	ck_assert(!json_end("{\"a\":\"}\"") && !json_end("[\"\\") && !json_end(""));
}
END_TEST

UNIT_MAIN("json", texts_at_random_and_with_bytes_changed_are_read_as_json_c_reads_them,
	  what_is_no_json_object_is_refused_with_the_cause,
	  a_member_of_another_type_is_as_one_that_is_missing,
	  what_comes_from_outside_is_whole_bounded_and_nothing_behind_it,
	  the_end_of_an_object_is_found_past_what_its_strings_hold)
