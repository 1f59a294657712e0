/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What other programs make of it: tests/scripts/js1.bats. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/js1.h"
#include "tests/unit/runner.h"
#include "lib/summary.h"

/* gzip of {"nodes":{},"total_time":61,"gpus":0}, by python's gzip, mtime 0 */
#define REAL                                                                   \
	"JS1:H4sIAAAAAAACA6tWystPSS1Wsqqu1VEqyS9JzIkvycxNVbIyM9RRSi8oBc"       \
	"oY1AIAVjpCiyUAAAA="

static const char text[] = "jobio/1 nodes=1/1 rd=1KiB/3";

static char *merged(const char *comment, const char *summary)
{
	char *out = NULL;
	struct err why = { "" };

	ck_assert_msg(js1_merge(comment, summary, &out, &why) == 1, "%s",
		      why.text);
	return out;
}

static void expect_left(const char *comment, const char *reason)
{
	char *out = NULL;
	struct err why = { "" };

	ck_assert_int_eq(js1_merge(comment, text, &out, &why), -1);
	ck_assert_str_eq(why.text, reason);
	ck_assert_ptr_null(out);
}

START_TEST(a_summary_is_merged_and_found_again)
{
	char *once = merged(REAL, text), found[SUMMARY_MAX];

	ck_assert_int_eq(js1_find(once, found, sizeof(found)), 1);
	ck_assert_str_eq(found, text);
	ck_assert_int_eq(js1_find(once, found, sizeof(text) - 1), 0);
	ck_assert_int_eq(js1_find(REAL, found, sizeof(found)), 0);
	free(once);
}
END_TEST

START_TEST(the_same_summary_again_changes_nothing)
{
	char *once = merged(REAL, text), *twice = NULL;
	struct err why = { "" };

	ck_assert_int_eq(js1_merge(once, text, &twice, &why), 0);
	ck_assert_ptr_null(twice);
	free(once);
}
END_TEST

START_TEST(a_newer_summary_takes_the_place_of_the_older)
{
	char *once = merged(REAL, text);
	char *twice = merged(once, "jobio/1 nodes=2/2");
	char *direct = merged(REAL, "jobio/1 nodes=2/2");

	ck_assert_str_eq(twice, direct);
	free(once);
	free(twice);
	free(direct);
}
END_TEST

START_TEST(what_is_no_js1_is_left_alone)
{
	expect_left(NULL, "no JS1");
	expect_left("", "no JS1");
	expect_left("a note of the operator", "no JS1");
	expect_left("js1:h4si", "no JS1");
	expect_left("JS1", "no JS1");
	expect_left("JS1:", "JS1 without data, or damaged");
	expect_left("JS1:Short", "JS1 without data, or damaged");
	expect_left("JS1:None", "JS1 without data, or damaged");
	expect_left(REAL "AAAA", "JS1 without data, or damaged");
	expect_left(REAL ";x", "JS1 without data, or damaged");
}
END_TEST

/* JS1 of any text; so many bytes at least, zeros behind the data, which do no
 * harm. */
static char *js1_padded(const char *json, size_t size, size_t padded)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				     "opqrstuvwxyz0123456789+/";
	z_stream z = { .next_in = (Bytef *)json, .avail_in = (uInt)size };
	unsigned char *data;
	char *out, *at;
	uLong bound;
	size_t i;
	int shift;

	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, 0), Z_OK);
	bound = deflateBound(&z, (uLong)size);
	data = calloc(1, bound + padded + 3);
	out = at = malloc((bound + padded + 3) / 3 * 4 + 5);
	z.next_out = data;
	z.avail_out = (uInt)bound;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	size = z.total_out > padded ? z.total_out : padded;
	deflateEnd(&z);
	at = stpcpy(at, "JS1:");
	for (i = 0; i < size; i += 3)
		for (shift = 18; shift >= 0; shift -= 6)
			*at++ = digits[((unsigned int)data[i] << 16 |
					(unsigned int)data[i + 1] << 8 |
					data[i + 2]) >>
					       shift &
				       63];
	*at = 0;
	free(data);
	return out;
}

static char *js1_of(const char *json, size_t size)
{
	return js1_padded(json, size, 0);
}

static void expect_left_json(const char *json, size_t size, const char *why)
{
	char *comment = js1_of(json, size);

	expect_left(comment, why);
	free(comment);
}

START_TEST(a_payload_that_is_no_object_is_left_alone)
{
	static const char *const bad[] = {
		"",
		"[]",
		"7",
		"null",
		"{",
		"{}{}",
		"{} x",
		"{\"a\":1,}x",
		"\"jobio\"",
		"{\"a\":\"",
		"[[[[[[[[[[[[[[[[[[[[",
		"{\"jobio\":\"}",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_left_json(bad[i], strlen(bad[i]),
				 "JS1 is not a JSON object");
	expect_left_json("{\"a\":0}\0{}", 10, "JS1 is not a JSON object");
}
END_TEST

START_TEST(a_key_of_our_name_that_we_did_not_write_is_left_alone)
{
	static const char *const bad[] = {
		"{\"jobio\":1}",
		"{\"jobio\":{\"a\":\"b\"}}",
		"{\"jobio\":\"x\",\"nodes\":{}}",
		"{\"jobio\": \"x\"}",
		"{\"jobio\":\"a\\\"b\"}",
		"{\"gpus\":1, \"jobio\":\"x\"}",
		"{\"gpus\":1,\n\"jobio\":\"x\"}",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_left_json(bad[i], strlen(bad[i]),
				 "JS1 has a key 'jobio' of somebody else");
}
END_TEST

START_TEST(what_would_not_be_json_any_more_is_left_alone)
{
	static const char *const bad[] = {
		"{\"jobio\":1,\"jobio\":\"x\"}", "{\"a\":0,}",
		"{//\n}", /* json-c takes comments */
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_left_json(bad[i], strlen(bad[i]),
				 "JS1 would not be JSON any more");
}
END_TEST

START_TEST(our_key_without_a_summary_gets_one)
{
	char *comment = js1_of("{\"jobio\":\"\"}", 12), *once;
	char found[SUMMARY_MAX] = "x";

	ck_assert_int_eq(js1_find(comment, found, sizeof(found)), 1);
	ck_assert_str_eq(found, "");
	once = merged(comment, text);
	ck_assert_int_eq(js1_find(once, found, sizeof(found)), 1);
	ck_assert_str_eq(found, text);
	free(comment);
	free(once);
}
END_TEST

START_TEST(what_only_looks_like_our_key_is_kept)
{
	static const char *const odd[] = {
		"{}",
		"{ }",
		" {\n}",
		"{\"a\":\"\\\"jobio\\\":\\\"b\"}",
		"{\"a\":{\"jobio\":\"b\"}}",
		"{\"a\":\"b\"} \n",
		"{\"xjobio\":\"b\"}",
		"{\"jobix\":\"b\"}",
		"{\"a\":1,\"Jobio\":\"b\"}",
		"{\"a\":NaN}",
	};
	char *comment, *once, *twice, found[SUMMARY_MAX];
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		comment = js1_of(odd[i], strlen(odd[i]));
		ck_assert_int_eq(js1_find(comment, found, sizeof(found)), 0);
		once = merged(comment, text);
		ck_assert_int_eq(js1_find(once, found, sizeof(found)), 1);
		ck_assert_str_eq(found, text);
		twice = merged(once, "jobio/1 nodes=9/9");
		free(once);
		once = merged(comment, "jobio/1 nodes=9/9");
		ck_assert_str_eq(once, twice);
		free(comment);
		free(once);
		free(twice);
	}
}
END_TEST

/* An object of so many bytes, nearly all of them blanks. */
static char *js1_of_blanks(size_t size)
{
	char *json = malloc(size), *comment;

	memset(json, ' ', size);
	json[0] = '{';
	json[size - 1] = '}';
	/* the room for its text is doubled until it is 4 MiB */
	comment = js1_padded(json, size, 8064);
	free(json);
	return comment;
}

START_TEST(a_payload_of_four_mib_is_read_and_no_larger_one)
{
	char *comment = js1_of_blanks(4U << 20);
	struct err why = { "" };
	char *out = NULL;

	ck_assert_int_eq(js1_merge(comment, text, &out, &why), -1);
	ck_assert_str_eq(why.text, "JS1 would not be JSON any more");
	free(comment);
	comment = js1_of_blanks((4U << 20) + 1);
	expect_left(comment, "JS1 without data, or damaged");
	free(comment);
	comment = js1_of_blanks((4U << 20) - sizeof(text) - 10);
	out = merged(comment, text);
	free(out);
	free(comment);
}
END_TEST

START_TEST(what_was_merged_ends_in_padding)
{
	char summary[] = "jobio/1 nodes=1/1 abcdefghijklmnopqrstuvwxyz";
	char *once, found[SUMMARY_MAX];
	size_t i, twice = 0;

	for (i = sizeof(summary) - 1; i > 18; i--) {
		summary[i] = 0;
		once = merged(REAL, summary);
		ck_assert_uint_eq(strlen(once) % 4, 0);
		ck_assert_int_eq(once[strlen(once) - 1], '=');
		twice += once[strlen(once) - 2] == '=';
		ck_assert_int_eq(js1_find(once, found, sizeof(found)), 1);
		ck_assert_str_eq(found, summary);
		free(once);
	}
	/* as much of it as there is room for */
	ck_assert_uint_gt(twice, 0);
	ck_assert_uint_lt(twice, sizeof(summary) - 1 - 18);
}
END_TEST

START_TEST(what_stands_behind_a_payload_makes_it_none)
{
	static const char *const behind[] = { "A", "AA", "AAA", "eHh4",
					      "A===" };
	char *comment = js1_of("{}", 2), more[100];
	size_t i;

	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		snprintf(more, sizeof(more), "%s%s", comment, behind[i]);
		expect_left(more, "JS1 without data, or damaged");
	}
	more[strlen(comment) - 4] = 0; /* it ends too early */
	expect_left(more, "JS1 without data, or damaged");
	free(comment);
	comment = js1_padded("{}", 2, 60);
	free(merged(comment, text));
	free(comment);
}
END_TEST

/* An object of so many bytes that can hardly be made smaller. */
static char *js1_of_noise(size_t size)
{
	char *json = malloc(size), *comment;
	uint32_t state = 1;
	size_t i;

	for (i = 0; i < size; i++) {
		state = state * 1103515245 + 12345;
		json[i] = (char)('A' + (state >> 16) % 58);
		if (json[i] == '\\')
			json[i] = '!';
	}
	memcpy(json, "{\"a\":\"", 6);
	memcpy(json + size - 2, "\"}", 2);
	comment = js1_of(json, size);
	free(json);
	return comment;
}

START_TEST(what_is_merged_has_sixty_thousand_bytes_at_most)
{
	size_t low = 100, high = 65536, middle, longest = 0;
	struct err why = { "" };
	char *comment, *out;

	while (low + 1 < high) {
		middle = low + (high - low) / 2;
		comment = js1_of_noise(middle);
		out = NULL;
		if (js1_merge(comment, text, &out, &why) == 1) {
			low = middle;
			longest = strlen(out);
		} else {
			high = middle;
		}
		free(out);
		free(comment);
	}
	ck_assert_uint_eq(longest, JS1_MAX);
	ck_assert_str_eq(why.text, "JS1 would be longer than 60000 bytes");
}
END_TEST

START_TEST(a_summary_that_would_break_the_json_is_refused)
{
	static const char *const bad[] = { "", "a\"b", "a\\b", "a\nb",
					   "\303\244" };
	char *out = NULL, *longest = calloc(1, 1002);
	struct err why;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_int_eq(js1_merge(REAL, bad[i], &out, &why), -1);
		ck_assert_str_eq(why.text, "the summary has characters that "
					   "JS1 cannot hold");
	}
	memset(longest, 'x', 1001);
	ck_assert_int_eq(js1_merge(REAL, longest, &out, &why), -1);
	longest[1000] = 0;
	out = merged(REAL, longest);
	free(out);
	free(longest);
}
END_TEST

UNIT_MAIN("js1", a_summary_is_merged_and_found_again,
	  the_same_summary_again_changes_nothing,
	  a_newer_summary_takes_the_place_of_the_older,
	  what_is_no_js1_is_left_alone,
	  a_payload_that_is_no_object_is_left_alone,
	  a_key_of_our_name_that_we_did_not_write_is_left_alone,
	  what_would_not_be_json_any_more_is_left_alone,
	  our_key_without_a_summary_gets_one,
	  what_only_looks_like_our_key_is_kept,
	  a_payload_of_four_mib_is_read_and_no_larger_one,
	  what_was_merged_ends_in_padding,
	  what_stands_behind_a_payload_makes_it_none,
	  what_is_merged_has_sixty_thousand_bytes_at_most,
	  a_summary_that_would_break_the_json_is_refused)
