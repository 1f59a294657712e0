/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/mounts.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"

static struct mounts *parse(const char *table)
{
	struct err err;
	struct mounts *mounts = mounts_parse(table, "wekafs");

	ck_assert_msg(mounts != NULL, "%s", err.text);
	return mounts;
}

START_TEST(lines_of_a_wekafs_client_are_understood)
{
	char *table = sample_read("weka/mounts.txt");
	struct mounts *mounts = parse(table);
	const struct client_mount *mount = mounts_find(mounts, "/mnt/weka");
	char value[64];

	ck_assert_uint_eq(mounts->count, 5); /* the first line is there twice */
	ck_assert_str_eq(mount->source, "198.51.100.1,198.51.100.2/home");
	ck_assert(options_get(mount->options, "readcache", NULL, 0));
	ck_assert(!options_get(mount->options, "writecache", NULL, 0));
	ck_assert(options_get(mount->options, "container_name", value, sizeof(value)));
	ck_assert_str_eq(value, "client");
	ck_assert_str_eq(mounts->mount[1].target, "/mnt/my scratch");
	ck_assert_ptr_eq(mounts_find(mounts, "/mnt/my scratch"), &mounts->mount[1]);
	ck_assert_ptr_null(mounts_find(mounts, "/mnt"));
	ck_assert(!options_get(mounts->mount[2].options, "container_name", NULL, 0));
	mounts_free(mounts);
	free(table);
}
END_TEST

START_TEST(other_file_systems_are_passed_over)
{
	struct mounts *mounts = parse("proc /proc proc rw 0 0\n"
				      "a /a wekafs rw 0 0\n"
				      "b /b wekafs2 rw 0 0\n"
				      "nonsense\n\n");

	ck_assert_uint_eq(mounts->count, 1);
	ck_assert_ptr_null(mounts_find(mounts, "/b"));
	mounts_free(mounts);
}
END_TEST

START_TEST(a_comment_of_fstab_is_no_mount)
{
	struct mounts *mounts = parse("#be0/a /a wekafs net=ib0 0 0\n"
				      "# be0/b /b wekafs net=ib0 0 0\n"
				      "\\043c /c wekafs rw 0 0\n");

	ck_assert_uint_eq(mounts->count, 1);
	ck_assert_str_eq(mounts->mount[0].source, "#c");
	mounts_free(mounts);
}
END_TEST

START_TEST(blanks_in_names_are_unescaped)
{
	struct mounts *mounts = parse("a\\040b /mnt/x\\011y\\134z wekafs rw 0 0\n");

	ck_assert_str_eq(mounts->mount[0].source, "a b");
	ck_assert_str_eq(mounts->mount[0].target, "/mnt/x\ty\\z");
	mounts_free(mounts);
}
END_TEST

START_TEST(of_two_mounts_on_one_place_the_upper_counts)
{
	struct mounts *mounts = parse("a /m wekafs rw,writecache 0 0\n"
				      "b /m wekafs rw,readcache 0 0\n");

	ck_assert_uint_eq(mounts->count, 1);
	ck_assert_str_eq(mounts->mount[0].source, "b");
	mounts_free(mounts);
}
END_TEST

START_TEST(an_option_is_found_by_its_whole_name)
{
	char value[16] = "kept";

	ck_assert(!options_get("noatime,x=1", "atime", value, 16));
	ck_assert_str_eq(value, "kept");
	ck_assert(options_get("x=1,y,x=2", "x", value, 16));
	ck_assert_str_eq(value, "2");
	ck_assert(options_get(",,y,", "y", value, 16));
	ck_assert_str_eq(value, "");
}
END_TEST

START_TEST(a_comma_between_quotes_is_part_of_its_option)
{
	char value[64];

	ck_assert(options_get("rw,context=\"u:r:t:s0:c1,c2\",net=ib0", "context", value,
			      sizeof(value)));
	ck_assert_str_eq(value, "\"u:r:t:s0:c1,c2\"");
	ck_assert(!options_get("rw,context=\"s0:c1,c2\",net=ib0", "c2\"", NULL, 0));
	ck_assert(options_get("rw,context=\"s0:c1,c2\",net=ib0", "net", value, sizeof(value)));
	ck_assert_str_eq(value, "ib0");
	/* mount(8) refuses it: nothing is made up of its rest */
	ck_assert(!options_get("rw,context=\"s0:c1,c2,net=ib0", "net", NULL, 0));
}
END_TEST

struct told {
	char text[200];
	int calls, stop_at, rc;
};

static int tell(void *arg, const char *option, const char *key, const char *value)
{
	struct told *told = arg;

	sprintf(told->text + strlen(told->text), "%s:%s:%s;", option, key, value);
	return ++told->calls == told->stop_at ? told->rc : 0;
}

START_TEST(options_are_told_in_their_order_until_somebody_has_enough)
{
	struct told told = { "", 0, 0, 0 };

	ck_assert_int_eq(options_each(",rw,,a=b=c,d=,", tell, &told), 0);
	ck_assert_str_eq(told.text, "rw:rw:;a=b=c:a:b=c;d=:d:;");
	told = (struct told){ "", 0, 2, 7 };
	ck_assert_int_eq(options_each("a,b,c", tell, &told), 7);
	ck_assert_str_eq(told.text, "a:a:;b:b:;");
	told = (struct told){ "", 0, 1, -1 };
	ck_assert_int_eq(options_each("a,b,c", tell, &told), -1);
	ck_assert_int_eq(told.calls, 1);
	ck_assert_int_eq(options_each("", tell, &told), 0);
	ck_assert_int_eq(told.calls, 1);
}
END_TEST

START_TEST(an_option_that_is_appended_has_a_comma_before_it)
{
	char *list = options_append(NULL, "rw");

	ck_assert_str_eq(list, "rw");
	list = options_append(list, "a=1");
	list = options_append(list, "b");
	ck_assert_str_eq(list, "rw,a=1,b");
	free(list);
	list = options_append(strdup(""), "rw");
	ck_assert_str_eq(list, "rw");
	free(list);
}
END_TEST

START_TEST(half_a_line_is_no_mount)
{
	struct mounts *mounts = parse("s /a wekafs\ns /b wekafs rw\n\n \t\n"
				      "s\t/c\twekafs\trw\t0\t0\n");

	ck_assert_uint_eq(mounts->count, 2);
	ck_assert_str_eq(mounts->mount[0].target, "/b");
	ck_assert_str_eq(mounts->mount[1].target, "/c");
	ck_assert_str_eq(mounts->mount[1].options, "rw");
	ck_assert_ptr_null(mounts_find(mounts, "/a"));
	mounts_free(mounts);
	mounts_free(NULL);
}
END_TEST

START_TEST(an_empty_word_list_holds_every_word)
{
	ck_assert(mounts_word_in("", "/mnt/weka"));
	ck_assert(mounts_word_in(" \t ", "/mnt/weka"));
	ck_assert(mounts_word_in("/a  /mnt/weka", "/mnt/weka"));
	ck_assert(!mounts_word_in("/mnt/weka2 /mnt", "/mnt/weka"));
}
END_TEST

UNIT_MAIN("mounts", lines_of_a_wekafs_client_are_understood, other_file_systems_are_passed_over,
	  a_comment_of_fstab_is_no_mount, blanks_in_names_are_unescaped,
	  of_two_mounts_on_one_place_the_upper_counts, an_option_is_found_by_its_whole_name,
	  a_comma_between_quotes_is_part_of_its_option, an_empty_word_list_holds_every_word,
	  options_are_told_in_their_order_until_somebody_has_enough,
	  an_option_that_is_appended_has_a_comma_before_it, half_a_line_is_no_mount)
