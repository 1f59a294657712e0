/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json_tree.h"
#include "tests/unit/runner.h"

#define DEPTH 8

static void expect_same_nodes(const struct json_node *a, const struct json_node *b);

/* As readers see them: json-c keeps the last of two with one name. */
static void expect_same_members(const struct json_node *a, const struct json_node *b)
{
	const struct json_node *x, *y;
	char key[64];

	for (x = a->list.first; x; x = x->next) {
		snprintf(key, sizeof(key), "%.*s", (int)x->key_size, x->key);
		y = json_node_member(b, key);
		ck_assert_ptr_nonnull(y);
		expect_same_nodes(json_node_member(a, key), y);
	}
	ck_assert_uint_ge(a->list.count, b->list.count);
}

static void expect_same_elements(const struct json_node *a, const struct json_node *b)
{
	const struct json_node *x = a->list.first, *y = b->list.first;

	ck_assert_uint_eq(a->list.count, b->list.count);
	for (; x && y; x = x->next, y = y->next)
		expect_same_nodes(x, y);
	ck_assert(!x && !y);
}

static void expect_same_nodes(const struct json_node *a, const struct json_node *b)
{
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
	if (a->kind == JSON_OBJECT)
		expect_same_members(a, b);
	if (a->kind == JSON_LIST)
		expect_same_elements(a, b);
}

/* Whoever reads it: the same nodes, or the same words about what is wrong. */
static void expect_same(const char *text)
{
	struct err one = { "" }, other = { "" };
	struct json_tree *a = json_tree_new(text, strlen(text), DEPTH, &one);
	struct json_tree *b = json_tree_new_slow(text, strlen(text), DEPTH, &other);

	ck_assert_msg(!a == !b, "%s: %s%s", text, one.text, other.text);
	ck_assert_str_eq(one.text, other.text);
	if (a)
		expect_same_nodes(json_tree_top(a), json_tree_top(b));
	json_tree_free(a);
	json_tree_free(b);
}

START_TEST(plain_text_says_what_json_c_reads_in_it)
{
	static const char *const texts[] = {
		"{}",
		"{\"a\":1}",
		" {\"a\" : [ 1 ,\n-2,0, 999999999999999999 ] , \"b\":{}}",
		"{\"a\":null,\"b\":true,\"c\":false,\"d\":\"\",\"e\":[]}",
		"{\"t\":1795224862.060,\"u\":0.1,\"v\":3.0,\"w\":0.000001}",
		"{\"a\":[true,false,null],\"b\":true,\"c\":null }",
		"{\t\"a\":\r\n1\n}",
		"{\"a\":[{\"b\":[{\"c\":[1,2]}]}],\"text\":\"/mnt/x, y: z\"}",
		"{\"a\":[[],[],[],[],[],[],[],{}],\"b\":[[],{\"c\":{}}]}",
		"{\"a\":[[[[[]]]]],\"b\":\" !~\"}",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_same(texts[i]);
}
END_TEST

START_TEST(what_is_not_plain_is_read_by_json_c)
{
	static const char *const texts[] = {
		"{\"a\":\"\\\"\\u00e4\\/\"}",
		"{\"a\":\"\xc3\xa4\"}",
		"{\"a\":1e3,\"b\":-1.5,\"c\":-0,\"d\":1.5E-2}",
		"{\"a\":9223372036854775807,\"b\":18446744073709551615}",
		"{\"a\":99999999999999999999999999999}",
		"{\"a\":0.12345678901234567890123}",
		/* 53 bits do not hold its digits */
		"{\"a\":13260.430706773991}",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_same(texts[i]);
	expect_same("{\"a\":1,\"a\":2}");
}
END_TEST

START_TEST(what_is_no_json_is_refused_in_the_same_words)
{
	static const char *const texts[] = {
		"",
		"7",
		"[1]",
		"null",
		"{",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,",
		"{\"a\":1,}",
		"{\"a\":[1,]}",
		"{\"a\":[1 2]}",
		"{\"a\":01}",
		"{\"a\":-}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":+1}",
		"{\"a\":1x}",
		"{\"a\":nul}",
		"{\"a\":nullx}",
		"{\"a\":True}",
		"{\"a\":'b'}",
		"{a:1}",
		"{\"a\":\"b}",
		"{\"a\":\"\xff\"}",
		"{\"a\":\"\n\"}",
		"{\"a\":1}}",
		"{\"a\":1} {}",
		"{\"a\":1]",
		"{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":1}}}}}}}}",
		"{\"a\":[[[[[[[[[1]]]]]]]]]}",
		"{:1}",
		"{\":\n1}",
		"{\"a\":\"}",
		"{\"a\":\"\n}",
		"{\"a\":[[[[[[]]]]]}",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		expect_same(texts[i]);
}
END_TEST

START_TEST(what_json_c_takes_for_a_number_and_is_none_is_refused)
{
	static const char *const texts[] = {
		"{\"a\":NaN}",
		"{\"a\":[1,-Infinity]}",
		"{\"a\":{\"b\":1e999}}",
	};
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		expect_same(texts[i]);
		ck_assert_ptr_null(json_tree_new(texts[i], strlen(texts[i]), DEPTH, &err));
		ck_assert_str_eq(err.text, "not JSON: a number that is none, or too large");
	}
}
END_TEST

START_TEST(a_text_with_a_wrong_byte_or_an_end_anywhere_is_read_alike)
{
	static const char whole[] = "{\"a\":[1,2.5,-3],\"b\":{\"c\":\"d\",\"e\":null},\"f\":true}";
	static const char wrong[] = "\"\\{}[],:0-.e \n\x01\x80";
	char text[sizeof(whole)];
	size_t at, i;

	for (at = 0; at < sizeof(whole) - 1; at++) {
		for (i = 0; i < sizeof(wrong) - 1; i++) {
			memcpy(text, whole, sizeof(whole));
			text[at] = wrong[i];
			expect_same(text);
		}
		text[at] = 0;
		expect_same(text);
	}
}
END_TEST

static void expect_why(const char *json, int depth, const char *why)
{
	struct err err = { "" };

	ck_assert_ptr_null(json_tree_new(json, strlen(json), depth, &err));
	ck_assert_str_eq(err.text, why);
}

START_TEST(what_is_wrong_with_a_text_is_told)
{
	expect_why("", DEPTH, "not JSON: it ends too early");
	expect_why("{\"a\":[1,2", DEPTH, "not JSON: it ends too early");
	expect_why("null ", DEPTH, "not JSON: no object");
	expect_why("[1]", DEPTH, "not an object");
	expect_why("7 ", DEPTH, "not an object");
	expect_why("{\"a\":\"\xff\"}", DEPTH, "not JSON: invalid utf-8 string");
	expect_why("{\"a\":x}", DEPTH, "not JSON: unexpected character");
	expect_why("{\"a\":[[[[1]]]]}", 4, "not JSON: nesting too deep");
}
END_TEST

static void expect_text(const char *json, const char *wanted)
{
	struct err err = { "" };
	struct json_tree *tree = json_tree_new(json, strlen(json), DEPTH, &err);
	const struct json_node *a;

	ck_assert_msg(tree != NULL, "%s: %s", json, err.text);
	a = json_node_member(json_tree_top(tree), "a");
	ck_assert_ptr_nonnull(a);
	ck_assert_int_eq(a->kind, JSON_TEXT);
	ck_assert_uint_eq(a->text.size, strlen(wanted));
	ck_assert(!memcmp(a->text.bytes, wanted, a->text.size));
	json_tree_free(tree);
}

START_TEST(a_text_has_the_characters_that_were_written)
{
	expect_text("{\"a\":\"\"}", "");
	expect_text("{\"a\":\"plain\"}", "plain");
	expect_text("{\"a\":\"\x7f\"}", "\x7f");
	expect_text("{\"a\":\"\xc2\x80\xef\xbf\xbf\"}", "\xc2\x80\xef\xbf\xbf");
	/* beyond the first 65,536, as two of \u in what json-c is given */
	expect_text("{\"a\":\"\xf0\x90\x80\x80\"}", "\xf0\x90\x80\x80");
	expect_text("{\"a\":\"\xf0\x9f\x98\x80\"}", "\xf0\x9f\x98\x80");
	expect_text("{\"a\":\"\xf4\x8f\xbf\xbf\"}", "\xf4\x8f\xbf\xbf");
	expect_text("{\"a\":\"\\ud83d\\ude00\"}", "\xf0\x9f\x98\x80");
}
END_TEST

START_TEST(a_long_text_outside_ascii_is_read_whole)
{
	static char json[200100], wanted[200000 + 1];
	size_t i;

	for (i = 0; i < 200000; i += 2)
		memcpy(wanted + i, "\xc3\xa4", 2); /* three times as \u00e4 */
	snprintf(json, sizeof(json), "{\"a\":\"%s\"}", wanted);
	expect_text(json, wanted);
}
END_TEST

START_TEST(of_two_members_with_one_name_the_last_counts)
{
	static const char text[] = "{\"a\":1,\"ab\":2,\"a\":3,\"n\":null}";
	struct err err = { "" };
	struct json_tree *tree = json_tree_new(text, strlen(text), DEPTH, &err);
	const struct json_node *top = json_tree_top(tree);

	ck_assert_int_eq(json_node_member(top, "a")->whole, 3);
	ck_assert_int_eq(json_node_member(top, "ab")->whole, 2);
	ck_assert_int_eq(json_node_member(top, "n")->kind, JSON_NULL);
	ck_assert_ptr_null(json_node_member(top, "b"));
	ck_assert_ptr_null(json_node_member(json_node_member(top, "a"), "a"));
	ck_assert_ptr_null(json_node_member(NULL, "a"));
	json_tree_free(tree);
	json_tree_free(NULL);
}
END_TEST

UNIT_MAIN("json_tree", plain_text_says_what_json_c_reads_in_it, what_is_not_plain_is_read_by_json_c,
	  what_is_no_json_is_refused_in_the_same_words,
	  what_json_c_takes_for_a_number_and_is_none_is_refused,
	  a_text_with_a_wrong_byte_or_an_end_anywhere_is_read_alike,
	  what_is_wrong_with_a_text_is_told, a_text_has_the_characters_that_were_written,
	  a_long_text_outside_ascii_is_read_whole, of_two_members_with_one_name_the_last_counts)
