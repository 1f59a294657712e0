/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/tally.h"
#include "lib/use.h"
#include "tests/unit/runner.h"

#define GIB (INT64_C(1) << 30)

/* Job N of a user, of 2 nodes for an hour. */
static struct use used(int64_t job, const char *user, const char *fs,
		       int64_t read)
{
	struct use use;

	use_init(&use);
	use.cluster = "c";
	use.user = user;
	use.account = "lab";
	use.profile = "stream";
	use.job = job;
	use.ended = 1000 + job;
	use.nodes = 2;
	use.node_s = 7200;
	use.is_judged = true;
	use.fs[0] = (struct use_fs){ fs, "wekafs", read, USE_UNKNOWN, 5, read };
	use.fs_count = 1;
	return use;
}

static void add(struct tally *tally, const struct use *use)
{
	ck_assert_int_eq(tally_add(tally, use), 0);
}

static const struct tally_sum *sum_of(const struct tally *tally,
				      enum tally_kind kind, const char *name)
{
	size_t i;

	for (i = 0; i < tally->counts[kind]; i++)
		if (!strcmp(tally->sums[kind][i].name, name))
			return &tally->sums[kind][i];
	ck_abort_msg("no sum of '%s'", name);
}

START_TEST(a_use_is_read_back_as_it_was_written)
{
	struct use use = used(7, "al\tice", "/mnt/a b", 10), again;
	char *line, *text;

	use.uid = 1000;
	use.is_wide = true;
	use.warned = 3;
	strcpy(use.advice, "A01 A17");
	use.fs[1] = (struct use_fs){ USE_FS_ALL, "", 1, 2, USE_UNKNOWN, 3 };
	use.fs_count = 2;
	line = use_text(&use);
	ck_assert_str_eq(line,
			 "1\tc\tal?ice\tlab\tstream\t7\t1000\t1007\t2\t7200\t3"
			 "\t3\t0\tA01 A17\t\n/mnt/a b\twekafs\t10\t\t5\t10\t"
			 "\n(all files)\t\t1\t2\t\t3\t");
	text = strdup(line);
	ck_assert_int_eq(use_parse(text, &again), 0);
	ck_assert_str_eq(again.user, "al?ice");
	ck_assert(again.is_wide && again.is_judged);
	ck_assert_int_eq(again.fs_count, 2);
	ck_assert_int_eq(again.fs[0].written, USE_UNKNOWN);
	ck_assert_int_eq(again.fs[1].peak, 3);
	free(text);
	free(line);
}
END_TEST

START_TEST(what_is_no_use_is_refused_wherever_it_ends)
{
	struct use use = used(7, "alice", "/mnt/a", 10), again;
	char *line = use_text(&use), *copy;
	size_t at, size = strlen(line);

	for (at = 0; at < size; at++) {
		copy = strndup(line, at);
		/* all of the head and no filesystem is one */
		if (use_parse(copy, &again) == 0)
			ck_assert_int_eq(line[at], '\n');
		free(copy);
	}
	*line = '2';
	ck_assert_int_eq(use_parse(line, &again), -1);
	free(line);
}
END_TEST

START_TEST(jobs_are_added_up_by_filesystem_user_account_profile_and_advice)
{
	struct tally *tally = tally_new();
	struct use a = used(7, "alice", "/mnt/weka", GIB);
	struct use b = used(8, "bob", "/mnt/weka", 2 * GIB);
	const struct tally_sum *sum;

	strcpy(a.advice, "A01");
	strcpy(b.advice, "A01 A17");
	b.account = "";
	b.fs[1] = (struct use_fs){ "/home", "", 3, 4, 6, USE_UNKNOWN };
	b.fs_count = 2;
	add(tally, &a);
	add(tally, &b);
	tally_sort(tally);
	ck_assert_int_eq(tally->jobs, 2);
	ck_assert_int_eq(tally->node_s, 14400);
	ck_assert_int_eq(tally->judged, 2);
	sum = sum_of(tally, TALLY_FILESYSTEMS, "/mnt/weka");
	ck_assert_ptr_eq(sum, tally->sums[TALLY_FILESYSTEMS]);
	ck_assert_int_eq(sum->jobs, 2);
	ck_assert_int_eq(sum->read, 3 * GIB);
	ck_assert_int_eq(sum->written, USE_UNKNOWN);
	ck_assert_int_eq(sum->meta, 10);
	ck_assert_int_eq(sum->peak, 2 * GIB);
	ck_assert_int_eq(sum->peak_job, 8);
	ck_assert_str_eq(sum->type, "wekafs");
	ck_assert_int_eq(sum_of(tally, TALLY_USERS, "bob")->read, 2 * GIB + 3);
	ck_assert_int_eq(sum_of(tally, TALLY_USERS, "bob")->meta, 11);
	ck_assert_int_eq(sum_of(tally, TALLY_ACCOUNTS, "lab")->jobs, 1);
	ck_assert_int_eq(sum_of(tally, TALLY_ACCOUNTS, "")->jobs, 1);
	ck_assert_int_eq(sum_of(tally, TALLY_PROFILES, "stream")->jobs, 2);
	ck_assert_int_eq(sum_of(tally, TALLY_ADVICE, "A01")->jobs, 2);
	ck_assert_int_eq(sum_of(tally, TALLY_ADVICE, "A01")->node_s, 14400);
	ck_assert_int_eq(sum_of(tally, TALLY_ADVICE, "A17")->jobs, 1);
	ck_assert_int_eq(tally->warned_jobs, 0);
	tally_free(tally);
}
END_TEST

START_TEST(filesystems_of_one_name_on_two_clusters_are_kept_apart)
{
	struct tally *tally = tally_new();
	struct use a = used(7, "alice", "/scratch", 1);
	struct use b = used(7, "alice", "/scratch", 2);

	b.cluster = "d";
	add(tally, &a);
	add(tally, &b);
	ck_assert_uint_eq(tally->counts[TALLY_FILESYSTEMS], 2);
	ck_assert_uint_eq(tally->counts[TALLY_USERS], 1);
	tally_free(tally);
}
END_TEST

START_TEST(the_jobs_that_the_gate_warned_of_are_named_the_last_first)
{
	struct tally *tally = tally_new();
	struct use use;
	int i;

	for (i = 1; i <= TALLY_JOBS_MAX + 10; i++) {
		use = used(i, "alice", "/a", 1);
		use.warned = 2;
		add(tally, &use);
	}
	use = used(9999, "bob", "/a", 1);
	use.refused = 1;
	add(tally, &use);
	ck_assert_int_eq(tally->warned_jobs, TALLY_JOBS_MAX + 10);
	ck_assert_int_eq(tally->warned_tasks, 2 * (TALLY_JOBS_MAX + 10));
	ck_assert_int_eq(tally->refused_jobs, 1);
	ck_assert_uint_eq(tally->gate_count, TALLY_JOBS_MAX);
	ck_assert_int_eq(tally->gate[0].job, 9999);
	ck_assert_int_eq(tally->gate[1].job, TALLY_JOBS_MAX + 10);
	ck_assert_int_eq(tally->gate[TALLY_JOBS_MAX - 1].job, 12);
	tally_free(tally);
}
END_TEST

static char *text_of(const struct tally *tally)
{
	struct json_object *top = json_object_new_object();

	tally_json(tally, top);
	return json_line_put(top);
}

START_TEST(parts_in_any_order_are_the_whole)
{
	struct tally *whole = tally_new(), *joined = tally_new();
	struct tally *parts[4];
	char user[16], fs[16], *a, *b;
	struct json_object *top;
	struct use use;
	int i;

	for (i = 0; i < 4; i++)
		parts[i] = tally_new();
	for (i = 0; i < 2000; i++) {
		snprintf(user, sizeof(user), "u%d", i % 700);
		snprintf(fs, sizeof(fs), "/fs%d", i % 9);
		use = used(i, user, fs, i % 11 ? i * 100 : USE_UNKNOWN);
		use.warned = i % 50 == 0;
		strcpy(use.advice, i % 3 ? "A01" : "A02 A03");
		use.is_wide = i % 20 == 0;
		add(whole, &use);
		add(parts[i % 4], &use);
	}
	for (i = 3; i >= 0; i--) {
		a = text_of(parts[i]);
		top = json_parse(a);
		ck_assert_int_eq(tally_join(joined, top), 0);
		json_object_put(top);
		free(a);
		tally_free(parts[i]);
	}
	tally_sort(whole);
	tally_sort(joined);
	a = text_of(whole);
	b = text_of(joined);
	ck_assert_str_eq(a, b);
	ck_assert_uint_eq(whole->counts[TALLY_USERS], 700);
	ck_assert_uint_eq(whole->counts[TALLY_FILESYSTEMS], 9);
	ck_assert_uint_eq(whole->counts[TALLY_ADVICE], 3);
	/* what it takes is not more than it says */
	ck_assert_uint_ge(whole->bytes, strlen(a) / 2);
	ck_assert_uint_le(strlen(a), whole->bytes + 1000);
	free(a);
	free(b);
	tally_free(whole);
	tally_free(joined);
}
END_TEST

START_TEST(what_is_no_tally_is_not_added)
{
	static const char *const texts[] = { "{}", "{\"tally\":7}",
					     "{\"tally\":{}}" };
	struct tally *tally = tally_new();
	struct json_object *top;
	size_t i;

	for (i = 0; i < 3; i++) {
		top = json_parse(texts[i]);
		ck_assert_int_eq(tally_join(tally, top), -1);
		json_object_put(top);
	}
	ck_assert_uint_eq(tally->bytes, 0);
	tally_free(tally);
	tally_free(NULL);
}
END_TEST

UNIT_MAIN("tally", a_use_is_read_back_as_it_was_written,
	  what_is_no_use_is_refused_wherever_it_ends,
	  jobs_are_added_up_by_filesystem_user_account_profile_and_advice,
	  filesystems_of_one_name_on_two_clusters_are_kept_apart,
	  the_jobs_that_the_gate_warned_of_are_named_the_last_first,
	  parts_in_any_order_are_the_whole, what_is_no_tally_is_not_added)
