/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our summary beside other text in SystemComment. */
#include <stdlib.h>
#include <string.h>

#include "lib/comment.h"
#include "tests/unit/runner.h"

#define OLD "jobio/1 nodes=1/2 cores=-"
#define NEW "jobio/1 nodes=2/2 cores=2"

static void expect_with(const char *wanted, const char *text)
{
	struct err err = { "" };
	char *got = comment_with(text, NEW, &err);

	ck_assert_msg(got != NULL, "%s", err.text);
	ck_assert_str_eq(got, wanted);
	free(got);
}

static void expect_found(const char *wanted, const char *text)
{
	size_t size = 0;
	const char *found = comment_find(text, &size);

	if (!wanted) {
		ck_assert_ptr_null(found);
		return;
	}
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(size, strlen(wanted));
	ck_assert_int_eq(strncmp(found, wanted, size), 0);
}

START_TEST(an_empty_comment_becomes_ours)
{
	expect_with(NEW, NULL);
	expect_with(NEW, "");
}
END_TEST

START_TEST(an_older_summary_is_replaced)
{
	expect_with(NEW, OLD);
	expect_with(NEW, NEW);
}
END_TEST

START_TEST(other_text_stays_as_it_is_before_and_behind)
{
	expect_with("see ticket 7 " NEW, "see ticket 7");
	expect_with("see ticket 7 " NEW, "see ticket 7 " OLD);
	expect_with("a: it's\nb: \\n| " NEW, "a: it's\nb: \\n|");
	expect_with(NEW "\n11/21/26 burst_buffer/lua: teardown: failed",
		    OLD "\n11/21/26 burst_buffer/lua: teardown: failed");
	expect_with(NEW " was looked at", OLD " was looked at");
	expect_with("JOBIO/1 a=1 xjobio/1 a=1 jobio/1 jobio/12 a=1 " NEW,
		    "JOBIO/1 a=1 xjobio/1 a=1 jobio/1 jobio/12 a=1");
}
END_TEST

START_TEST(a_summary_is_found_wherever_it_stands)
{
	expect_found(OLD, OLD);
	expect_found(OLD, "see ticket 7 " OLD "\nmore=1");
	expect_found(NEW, OLD "\n" NEW " it's");
	expect_found(OLD, "xjobio/1 a=1 " OLD);
	expect_found(OLD, "jobio/1 " OLD);
	expect_found(NULL, "see jobio/1");
	expect_found(NULL, "");
	expect_found(NULL, NULL);
}
END_TEST

START_TEST(a_comment_that_slurmdbd_would_cut_is_left_alone)
{
	char *text = malloc(COMMENT_MAX + 1);
	struct err err = { "" };

	memset(text, 'x', COMMENT_MAX);
	text[COMMENT_MAX] = 0;
	ck_assert_ptr_null(comment_with(text, NEW, &err));
	ck_assert_str_eq(err.text, "SystemComment: other text takes all of its 60000 bytes");
	free(text);
}
END_TEST

START_TEST(a_comment_as_long_as_slurmdbd_keeps_is_whole)
{
	char *text = malloc(COMMENT_MAX + 1), *got;
	size_t most = COMMENT_MAX - strlen(NEW) - 2;
	struct err err = { "" };

	memset(text, 'x', COMMENT_MAX);
	text[most] = 0;
	got = comment_with(text, NEW, &err);
	ck_assert_msg(got != NULL, "%s", err.text);
	ck_assert_uint_eq(strlen(got), COMMENT_MAX - 1);
	free(got);
	text[most] = 'x';
	text[most + 1] = 0;
	ck_assert_ptr_null(comment_with(text, NEW, &err));
	free(text);
}
END_TEST

START_TEST(what_is_no_token_ends_a_summary)
{
	expect_found("jobio/1 a=1", "jobio/1 a=1 B=2");
	expect_found("jobio/1 a=1", "jobio/1 a=1 b");
	expect_found("jobio/1 a=1", "jobio/1 a=1  b=2");
	expect_found("jobio/1 a=1", "jobio/1 a=1 b=2|3");
	expect_found("jobio/1 a=1 b=", "jobio/1 a=1 b=\nc=3");
	expect_found("jobio/1 a=1", "jobio/1 =2 jobio/1 a=1");
	expect_found(NULL, "jobio/1 a");
	expect_found(NULL, "jobio/1  a=1");
}
END_TEST

UNIT_MAIN("comment", an_empty_comment_becomes_ours, an_older_summary_is_replaced,
	  other_text_stays_as_it_is_before_and_behind, a_summary_is_found_wherever_it_stands,
	  a_comment_that_slurmdbd_would_cut_is_left_alone,
	  a_comment_as_long_as_slurmdbd_keeps_is_whole, what_is_no_token_ends_a_summary)
