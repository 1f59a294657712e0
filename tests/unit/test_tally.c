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
static struct use used(int64_t job, const char *user, const char *fs, int64_t read)
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
	tally_add(tally, use);
}

static const struct tally_sum *sum_of(const struct tally *tally, enum tally_kind kind,
				      const char *name)
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
	ck_assert_str_eq(
		line,
		"1\tc\tal?ice\tlab\tstream\t7\t1000\t1007\t2\t7200\t3\t3\t0\tA01 A17\t\n/mnt/a b\twekafs\t10\t\t5\t10\t\n(all files)\t\t1\t2\t\t3\t");
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

START_TEST(jobs_of_the_gate_stand_in_their_order_whenever_they_are_told)
{
	struct tally *tally = tally_new();
	struct use use;
	char *text;
	int i;

	/* the last that ended first, then one in between, and one too early */
	for (i = TALLY_JOBS_MAX; i > 0; i--) {
		use = used(10 * i, "alice", "/a", 1);
		use.warned = 1;
		add(tally, &use);
	}
	use = used(55, "bob", "/a", 1);
	use.refused = 1;
	add(tally, &use);
	use = used(19, "bob", "/a", 1);
	use.refused = 1;
	add(tally, &use);
	ck_assert_uint_eq(tally->gate_count, TALLY_JOBS_MAX);
	for (i = 0; i < TALLY_JOBS_MAX - 5; i++)
		ck_assert_int_eq(tally->gate[i].job, 10 * (TALLY_JOBS_MAX - i));
	ck_assert_int_eq(tally->gate[TALLY_JOBS_MAX - 5].job, 55);
	ck_assert_str_eq(tally->gate[TALLY_JOBS_MAX - 5].user, "bob");
	ck_assert_int_eq(tally->gate[TALLY_JOBS_MAX - 4].job, 50);
	text = text_of(tally);
	ck_assert_ptr_nonnull(strstr(text, "\"user\":\"bob\",\"job\":55,"));
	ck_assert_ptr_nonnull(strstr(text, "\"user\":\"alice\",\"job\":20,"));
	free(text);
	ck_assert_int_eq(tally->gate[TALLY_JOBS_MAX - 1].job, 20);
	ck_assert_int_eq(tally->refused_jobs, 2);
	tally_free(tally);
}
END_TEST

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
	static const char *const texts[] = { "{}", "{\"tally\":7}", "{\"tally\":{}}" };
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

/* "b a c": names of sums in their order. */
static const char *order_of(struct tally *tally, enum tally_kind kind)
{
	static char names[200];
	size_t i;

	tally_sort(tally);
	*names = '\0';
	for (i = 0; i < tally->counts[kind]; i++)
		sprintf(names + strlen(names), "%s%s%s", i ? " " : "", tally->sums[kind][i].name,
			tally->sums[kind][i].cluster);
	return names;
}

START_TEST(sums_stand_by_bytes_then_jobs_then_name)
{
	struct tally *tally = tally_new();
	struct use use = used(1, "bob", "/b", 10);

	add(tally, &use);
	use.user = "alice";
	add(tally, &use);
	use.user = "carl";
	use.fs[0].written = 1;
	add(tally, &use);
	use.user = "dora";
	use.fs[0].read = 5;
	use.fs[0].written = 0;
	add(tally, &use);
	add(tally, &use);
	ck_assert_str_eq(order_of(tally, TALLY_USERS), "carl dora alice bob");
	use = used(9, "bob", "/b", 0);
	use.cluster = "a";
	use.fs[0].name = "/z";
	add(tally, &use);
	use.cluster = "b";
	add(tally, &use);
	ck_assert_str_eq(order_of(tally, TALLY_FILESYSTEMS), "/bc /za /zb");
	tally_free(tally);
}
END_TEST

START_TEST(advice_stands_by_hours_of_nodes_then_jobs_then_name)
{
	struct tally *tally = tally_new();
	struct use use = used(1, "bob", "/b", 10);

	strcpy(use.advice, "A03 A02");
	add(tally, &use);
	strcpy(use.advice, "A01");
	use.node_s = 7201;
	use.fs[0].read = 1;
	add(tally, &use);
	strcpy(use.advice, "A04");
	use.node_s = 3600;
	add(tally, &use);
	add(tally, &use);
	strcpy(use.advice, "A05");
	use.node_s = USE_UNKNOWN;
	add(tally, &use);
	ck_assert_str_eq(order_of(tally, TALLY_ADVICE), "A01 A04 A02 A03 A05");
	ck_assert_int_eq(sum_of(tally, TALLY_ADVICE, "A05")->node_s, 0);
	/* and each is found again */
	strcpy(use.advice, "A01");
	add(tally, &use);
	ck_assert_uint_eq(tally->counts[TALLY_ADVICE], 5);
	ck_assert_int_eq(sum_of(tally, TALLY_ADVICE, "A01")->jobs, 2);
	tally_free(tally);
}
END_TEST

START_TEST(the_first_job_with_the_highest_peak_is_named)
{
	struct tally *tally = tally_new();
	struct use a = used(7, "alice", "/a", 5), b = used(8, "alice", "/a", 5);
	const struct tally_sum *sum;

	a.fs[0].type = "";
	b.is_wide = true;
	b.is_judged = false;
	add(tally, &a);
	add(tally, &b);
	sum = sum_of(tally, TALLY_FILESYSTEMS, "/a");
	ck_assert_int_eq(sum->peak, 5);
	ck_assert_int_eq(sum->peak_job, 7);
	ck_assert_str_eq(sum->type, "wekafs");
	ck_assert_int_eq(sum_of(tally, TALLY_USERS, "alice")->peak, 5);
	ck_assert_int_eq(sum_of(tally, TALLY_USERS, "alice")->peak_job, 7);
	ck_assert_str_eq(sum_of(tally, TALLY_USERS, "alice")->type, "");
	ck_assert_int_eq(tally->wide, 1);
	ck_assert_int_eq(tally->judged, 1);
	tally_free(tally);
}
END_TEST

START_TEST(a_tally_is_written_as_its_readers_expect_it)
{
	struct tally *tally = tally_new();
	struct use use = used(7, "alice", "/a", 5);
	char *text;

	use.refused = 2;
	use.warned = 3;
	use.is_wide = true;
	add(tally, &use);
	text = text_of(tally);
	ck_assert_str_eq(
		text,
		"{\"tally\":{\"jobs\":1,\"node_s\":7200,\"node_wide\":1,\"judged\":1,\"warned_jobs\":1,\"warned_tasks\":3,\"refused_jobs\":1,\"refused_tasks\":2,\"filesystems\":[{\"name\":\"/a\",\"cluster\":\"c\",\"type\":\"wekafs\",\"jobs\":1,\"node_s\":7200,\"read_bytes\":5,\"write_bytes\":null,\"meta\":5,\"peak_Bps\":5,\"peak_job\":7}],\"users\":[{\"name\":\"alice\",\"jobs\":1,\"node_s\":7200,\"read_bytes\":5,\"write_bytes\":null,\"meta\":5,\"peak_Bps\":5,\"peak_job\":7}],\"accounts\":[{\"name\":\"lab\",\"jobs\":1,\"node_s\":7200,\"read_bytes\":5,\"write_bytes\":null,\"meta\":5,\"peak_Bps\":5,\"peak_job\":7}],\"profiles\":[{\"name\":\"stream\",\"jobs\":1,\"node_s\":7200,\"read_bytes\":5,\"write_bytes\":null,\"meta\":5,\"peak_Bps\":5,\"peak_job\":7}],\"advice\":[],\"gate\":[{\"cluster\":\"c\",\"user\":\"alice\",\"job\":7,\"ended\":1007,\"warned\":3,\"refused\":2}]}}");
	free(text);
	tally_free(tally);
}
END_TEST

START_TEST(a_filesystem_keeps_the_type_that_was_told_first)
{
	struct tally *tally = tally_new();
	struct use use = used(7, "alice", "/a", 5);

	use.fs[0].type = "nfs";
	add(tally, &use);
	use.fs[0].type = "nfs4";
	add(tally, &use);
	ck_assert_str_eq(sum_of(tally, TALLY_FILESYSTEMS, "/a")->type, "nfs");
	tally_free(tally);
}
END_TEST

START_TEST(of_jobs_that_ended_together_the_first_that_was_told_stands_first)
{
	struct tally *tally = tally_new();
	struct use use = used(7, "alice", "/a", 5);

	use.warned = 1;
	add(tally, &use);
	use.job = 8;
	add(tally, &use);
	use.job = 9;
	use.ended++;
	add(tally, &use);
	ck_assert_uint_eq(tally->gate_count, 3);
	ck_assert_int_eq(tally->gate[0].job, 9);
	ck_assert_int_eq(tally->gate[1].job, 7);
	ck_assert_int_eq(tally->gate[2].job, 8);
	tally_free(tally);
}
END_TEST

START_TEST(a_second_of_a_node_counts)
{
	struct tally *tally = tally_new();
	struct use use = used(7, "alice", "/a", 5);

	use.node_s = 1;
	add(tally, &use);
	ck_assert_int_eq(tally->node_s, 1);
	ck_assert_int_eq(sum_of(tally, TALLY_USERS, "alice")->node_s, 1);
	tally_free(tally);
}
END_TEST

START_TEST(the_length_of_names_counts)
{
	static char name[1001];
	struct tally *tally = tally_new();
	struct use use;
	size_t before;
	char *text;

	memset(name, 'n', sizeof(name) - 1);
	use = used(7, name, name, 5);
	use.cluster = name;
	add(tally, &use);
	before = tally->bytes;
	use.warned = 1;
	add(tally, &use);
	text = text_of(tally);
	/* name and cluster of the filesystem, the user; both once more */
	ck_assert_uint_gt(before, 3000);
	ck_assert_uint_gt(tally->bytes, 5000);
	ck_assert_uint_lt(tally->bytes, 2 * strlen(text));
	free(text);
	tally_free(tally);
}
END_TEST

START_TEST(sums_stand_in_their_order_where_there_is_no_filesystem)
{
	struct tally *tally = tally_new();
	struct use use = used(1, "bob", "/b", 10);

	use.fs_count = 0;
	add(tally, &use);
	use.user = "alice";
	add(tally, &use);
	ck_assert_str_eq(order_of(tally, TALLY_FILESYSTEMS), "");
	ck_assert_str_eq(order_of(tally, TALLY_USERS), "alice bob");
	tally_free(tally);
}
END_TEST

static int parse_use(const char *text, struct use *use)
{
	static char line[1000];

	snprintf(line, sizeof(line), "%s", text);
	return use_parse(line, use);
}

START_TEST(numbers_of_a_use_are_unknown_or_end_at_the_largest)
{
	struct use use;

	ck_assert_int_eq(
		parse_use(
			"1\tc\tu\ta\tp\t99999999999999999999\t\t0\t9\t922337203685477580\t2\t\t5\tA01\t",
			&use),
		0);
	ck_assert_int_ge(use.job, INT64_MAX - 20);
	ck_assert_int_eq(use.uid, USE_UNKNOWN);
	ck_assert_int_eq(use.ended, 0);
	ck_assert_int_eq(use.nodes, 9);
	ck_assert_int_eq(use.node_s, INT64_C(922337203685477580));
	ck_assert(!use.is_wide && use.is_judged);
	ck_assert_int_eq(use.warned, USE_UNKNOWN);
	ck_assert_int_eq(use.refused, 5);
	ck_assert_int_eq(parse_use("1\tc\tu\ta\tp\t1\t\t0\t9\t9\t1\t\t5\t\t", &use), 0);
	ck_assert(use.is_wide && !use.is_judged);
	ck_assert_int_eq(
		parse_use("1\tc\tu\ta\tp\t9000000000000000000\t\t0\t9\t1\t0\t\t5\t\t", &use), 0);
	ck_assert_int_eq(use.job, INT64_C(9000000000000000000));
	ck_assert_int_eq(use.node_s, 1);
	/* no flags, no number, something behind it, and no advice either */
	ck_assert_int_eq(parse_use("1\tc\tu\ta\tp\t1\t\t0\t9\t9\t1\t\tx\t", &use), -1);
	ck_assert_int_eq(parse_use("1\tc\tu\ta\tp\t1\t\t0\t9\t9\t\t\t5\t\t", &use), -1);
	ck_assert_int_eq(parse_use("1\tc\tu\ta\tp\t1\t\t0\t9\tx\t1\t\t5\t\t", &use), -1);
	ck_assert_int_eq(parse_use("1\tc\tu\ta\tp\t1\t\t0\t9\t9:\t1\t\t5\t\t", &use), -1);
	ck_assert_int_eq(parse_use("1\tc\tu\ta\tp\t1\t\t0\t9\t9\t1\t\t5\t\tx", &use), -1);
}
END_TEST

UNIT_MAIN("tally", a_second_of_a_node_counts,
	  of_jobs_that_ended_together_the_first_that_was_told_stands_first,
	  a_filesystem_keeps_the_type_that_was_told_first, a_use_is_read_back_as_it_was_written,
	  what_is_no_use_is_refused_wherever_it_ends,
	  jobs_are_added_up_by_filesystem_user_account_profile_and_advice,
	  filesystems_of_one_name_on_two_clusters_are_kept_apart,
	  the_jobs_that_the_gate_warned_of_are_named_the_last_first,
	  jobs_of_the_gate_stand_in_their_order_whenever_they_are_told,
	  parts_in_any_order_are_the_whole, what_is_no_tally_is_not_added,
	  sums_stand_by_bytes_then_jobs_then_name,
	  advice_stands_by_hours_of_nodes_then_jobs_then_name,
	  the_first_job_with_the_highest_peak_is_named, a_tally_is_written_as_its_readers_expect_it,
	  sums_stand_in_their_order_where_there_is_no_filesystem, the_length_of_names_counts,
	  numbers_of_a_use_are_unknown_or_end_at_the_largest)
