/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run makes of the site's filesystems, from the records of its nodes. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/usage.h"
#include "lib/use.h"
#include "tests/unit/runner.h"

static struct use use;

static struct record *node(void)
{
	struct record *r = record_new();

	strcpy(r->cluster, "c");
	strcpy(r->node, "n1");
	strcpy(r->user, "alice");
	r->job = 7;
	r->uid = 1000;
	r->start = 1000;
	r->end = 2000;
	return r;
}

/* A line of its own: so much read, and twice as much written. */
static struct record_io *add(struct record *r, enum record_scope scope, const char *source,
			     const char *fs, int64_t bytes)
{
	struct record_io io;

	record_io_init(&io);
	io.scope = scope;
	strcpy(io.source, source);
	io.fs = (char *)fs;
	io.numbers[RECORD_READ_BYTES] = bytes;
	io.numbers[RECORD_WRITE_BYTES] = 2 * bytes;
	record_add_app(r, &io);
	return &r->app[r->app_count - 1];
}

/* The use of these nodes of a run that has so many. */
static const struct use *used_of(struct record *const records[], size_t count, int64_t expected)
{
	static char *line;
	struct store_run run = { .cluster = (char *)"c",
				 .job = 7,
				 .uid = 1000,
				 .last = 2000.75,
				 .nodes_expected = expected };
	struct config_advice limits;
	struct usage *usage = usage_new();
	size_t i;

	config_advice_init(&limits);
	for (i = 0; i < count; i++)
		usage_add(usage, records[i]);
	free(line);
	line = usage_text(usage, &run, "physics", &limits);
	usage_free(usage);
	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(use_parse(line, &use), 0);
	return &use;
}

static const struct use *used(struct record *r)
{
	return used_of(&r, 1, 1);
}

static const struct use_fs *fs_named(const char *name)
{
	size_t i;

	for (i = 0; i < use.fs_count; i++)
		if (!strcmp(use.fs[i].name, name))
			return &use.fs[i];
	ck_abort_msg("no %s", name);
}

START_TEST(who_ran_it_and_how_long_is_in_the_use)
{
	struct record *two[] = { node(), node() };

	two[0]->has_request = two[1]->has_request = true;
	strcpy(two[0]->request.profile, "stream");
	strcpy(two[1]->request.profile, "other");
	strcpy(two[1]->user, "bob");
	two[0]->gate_warned = 2;
	two[1]->gate_warned = 3;
	two[1]->gate_refused = 4;
	two[1]->end = 1500;
	used_of(two, 2, 2);
	ck_assert_str_eq(use.cluster, "c");
	ck_assert_str_eq(use.user, "alice");
	ck_assert_str_eq(use.account, "physics");
	ck_assert_str_eq(use.profile, "stream");
	ck_assert_int_eq(use.job, 7);
	ck_assert_int_eq(use.uid, 1000);
	ck_assert_int_eq(use.ended, 2000);
	ck_assert_int_eq(use.nodes, 2);
	ck_assert_int_eq(use.node_s, 1500);
	ck_assert_int_eq(use.warned, 5);
	ck_assert_int_eq(use.refused, 4);
	ck_assert_uint_eq(use.fs_count, 0);
	ck_assert(!use.is_wide);
}
END_TEST

START_TEST(a_node_that_does_not_say_who_leaves_it_to_the_others)
{
	struct record *two[] = { node(), node() };

	*two[0]->user = '\0';
	strcpy(two[1]->user, "bob");
	strcpy(two[0]->request.profile, "was not asked for");
	two[1]->has_request = true;
	strcpy(two[1]->request.profile, "stream");
	used_of(two, 2, 2);
	ck_assert_str_eq(use.user, "bob");
	ck_assert_str_eq(use.profile, "stream");
}
END_TEST

static int64_t node_seconds(double start, double end)
{
	struct record *r = node();

	r->start = start;
	r->end = end;
	return used(r)->node_s;
}

START_TEST(a_clock_that_is_wrong_adds_a_year_at_most)
{
	ck_assert_int_eq(node_seconds(1000, 1000), 0);
	ck_assert_int_eq(node_seconds(1000, 1001), 1);
	ck_assert_int_eq(node_seconds(1000, -1), 0);
	ck_assert_int_eq(node_seconds(0, 366 * 86400.0), 366 * 86400);
	ck_assert_int_eq(node_seconds(0, 366 * 86400.0 - 5), 366 * 86400 - 5);
	ck_assert_int_eq(node_seconds(0, 367 * 86400.0), 366 * 86400);
}
END_TEST

START_TEST(each_filesystem_of_the_best_source_is_told_with_its_type)
{
	struct record *two[] = { node(), node() };
	int i;

	for (i = 0; i < 2; i++) {
		add(two[i], RECORD_SCOPE_JOB, "vfs", "/a", 100);
		add(two[i], RECORD_SCOPE_JOB, "vfs", "/b", 7);
		add(two[i], RECORD_SCOPE_JOB, "stepd", NULL, 5000);
		add(two[i], RECORD_SCOPE_NODE, "vfs", "/a", 90000);
		record_add_client(two[i], "x", "nfs", NULL, NULL);
		record_add_mount(two[i], "/b", "nfs4", "srv:/b");
		record_add_mount(two[i], "/a", "wekafs", "default");
	}
	used_of(two, 2, 2);
	ck_assert_uint_eq(use.fs_count, 2);
	ck_assert_str_eq(use.fs[0].name, "/a");
	ck_assert_str_eq(use.fs[0].type, "wekafs");
	ck_assert_int_eq(use.fs[0].read, 200);
	ck_assert_int_eq(use.fs[0].written, 400);
	ck_assert_int_eq(use.fs[0].meta, USE_UNKNOWN);
	ck_assert_int_eq(use.fs[0].peak, USE_UNKNOWN);
	ck_assert_str_eq(use.fs[1].name, "/b");
	ck_assert_str_eq(use.fs[1].type, "nfs4");
	ck_assert_int_eq(use.fs[1].read, 14);
	ck_assert(!use.is_wide);
}
END_TEST

START_TEST(all_files_are_told_where_no_filesystem_is)
{
	struct record *r = node();

	add(r, RECORD_SCOPE_JOB, "exit", NULL, 100);
	used(r);
	ck_assert_uint_eq(use.fs_count, 1);
	ck_assert_str_eq(use.fs[0].name, USE_FS_ALL);
	ck_assert_str_eq(use.fs[0].type, "");
	ck_assert_int_eq(use.fs[0].read, 100);
	/* of one source the filesystems are in it */
	r = node();
	add(r, RECORD_SCOPE_JOB, "vfs", NULL, 100);
	add(r, RECORD_SCOPE_JOB, "vfs", "/a", 10);
	add(r, RECORD_SCOPE_JOB, "vfs", NULL, 100);
	used(r);
	ck_assert_uint_eq(use.fs_count, 1);
	ck_assert_str_eq(use.fs[0].name, "/a");
	ck_assert_int_eq(use.fs[0].read, 10);
}
END_TEST

START_TEST(metadata_and_the_highest_peak_are_told)
{
	struct record *two[] = { node(), node() };
	struct record_io *io;

	io = add(two[0], RECORD_SCOPE_JOB, "vfs", "/a", 1);
	io->has_meta = true;
	io->meta[0] = 5;
	io->meta[1] = 6;
	io->meta[RECORD_META_COUNT - 1] = 7;
	io->peak[RECORD_PEAK_READ] = 10;
	io->peak[RECORD_PEAK_WRITE] = 30;
	io = add(two[1], RECORD_SCOPE_JOB, "vfs", "/a", 1);
	io->meta[0] = 1000; /* not counted there */
	io->peak[RECORD_PEAK_READ] = 20;
	used_of(two, 2, 2);
	ck_assert_int_eq(use.fs[0].meta, 18);
	ck_assert_int_eq(use.fs[0].peak, 30);
}
END_TEST

START_TEST(numbers_of_the_whole_node_are_not_the_jobs)
{
	struct record *r = node();
	struct record *two[2];

	add(r, RECORD_SCOPE_NODE, "vfs", "/a", 100);
	used(r);
	ck_assert(use.is_wide);
	ck_assert_uint_eq(use.fs_count, 0);
	used(node());
	ck_assert(!use.is_wide);
	/* the job's own, of one node, are told */
	two[0] = node();
	two[1] = node();
	add(two[0], RECORD_SCOPE_NODE, "vfs", "/a", 100);
	add(two[1], RECORD_SCOPE_JOB, "vfs", "/a", 1);
	used_of(two, 2, 2);
	ck_assert(!use.is_wide);
	ck_assert_int_eq(fs_named("/a")->read, 1);
	/* and one that says nothing takes nothing back */
	two[0] = node();
	two[1] = node();
	add(two[0], RECORD_SCOPE_NODE, "vfs", "/a", 100);
	used_of(two, 2, 2);
	ck_assert(use.is_wide);
}
END_TEST

/* A record of so many filesystems, each of which read its number. */
static struct record *with_fs(int count)
{
	struct record *r = node();
	char name[32];
	int i;

	for (i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), "/fs%d", i);
		add(r, RECORD_SCOPE_JOB, "vfs", name, i);
	}
	return r;
}

START_TEST(of_more_filesystems_than_there_is_room_for_the_rest_is_one)
{
	struct record *two[2];

	used(with_fs(15));
	ck_assert_uint_eq(use.fs_count, 15);
	ck_assert_int_eq(fs_named("/fs15")->read, 15);
	used(with_fs(18));
	ck_assert_uint_eq(use.fs_count, USE_FS_MAX);
	ck_assert_int_eq(fs_named("/fs1")->read, 1);
	ck_assert_int_eq(fs_named("/fs15")->read, 15);
	ck_assert_int_eq(fs_named(USE_FS_REST)->read, 16 + 17 + 18);
	ck_assert_str_eq(fs_named(USE_FS_REST)->type, "");
	/* those that have a place keep it on the next node */
	two[0] = with_fs(18);
	two[1] = with_fs(17);
	used_of(two, 2, 2);
	ck_assert_uint_eq(use.fs_count, USE_FS_MAX);
	ck_assert_int_eq(fs_named("/fs3")->read, 6);
	ck_assert_int_eq(fs_named("/fs15")->read, 30);
	ck_assert_int_eq(fs_named(USE_FS_REST)->read, 16 + 17 + 18 + 16 + 17);
}
END_TEST

START_TEST(a_name_that_no_row_can_hold_is_one_of_the_rest)
{
	char longest[USE_NAME_MAX + 1];
	struct record *r = node();

	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	longest[USE_NAME_MAX] = '\0';
	add(r, RECORD_SCOPE_JOB, "vfs", longest, 5);
	longest[USE_NAME_MAX - 1] = '\0';
	add(r, RECORD_SCOPE_JOB, "vfs", longest, 3);
	record_add_client(r, "x", "nfs", NULL, NULL);
	record_add_mount(r, longest, "nfs4", "srv:/");
	used(r);
	ck_assert_uint_eq(use.fs_count, 2);
	ck_assert_int_eq(fs_named(USE_FS_REST)->read, 5);
	ck_assert_int_eq(fs_named(longest)->read, 3);
	ck_assert_str_eq(fs_named(longest)->type, "nfs4");
}
END_TEST

/* ---- what is advised ----------------------------------------------------------------- */

/* On each of these filesystems so many reads and as many writes, of so many bytes. */
static struct record *busy(const char *first, const char *second, int64_t calls, int64_t bytes)
{
	const char *const names[] = { first, second };
	struct record *r = node();
	struct record_io *io;
	size_t i;

	record_add_client(r, "work", "weka", "", NULL);
	for (i = 0; i < 2 && names[i]; i++) {
		record_add_mount(r, names[i], "wekafs", "default");
		io = add(r, RECORD_SCOPE_JOB, "bpf", names[i], bytes);
		io->numbers[RECORD_WRITE_BYTES] = bytes;
		io->numbers[RECORD_READ_CALLS] = calls;
		io->numbers[RECORD_WRITE_CALLS] = calls;
	}
	return r;
}

START_TEST(what_is_advised_is_told_each_code_once)
{
	const struct use *of = used(busy("/a", "/b", 1000000, 30000000000));

	ck_assert_str_eq(of->advice, "A01 A02");
	ck_assert(of->is_judged);
	of = used(busy("/a", NULL, 1000, 200 * (INT64_C(1) << 30)));
	ck_assert_str_eq(of->advice, "");
	ck_assert(of->is_judged);
	of = used(node());
	ck_assert_str_eq(of->advice, "");
	ck_assert(!of->is_judged);
}
END_TEST

/* What is advised about two nodes of a job of so many, of which one did nearly all. */
static const char *advised_of_two(int64_t expected)
{
	const int64_t gib = INT64_C(1) << 30;
	struct record *two[] = { busy("/a", NULL, 204800, 190 * gib),
				 busy("/a", NULL, 204800, 10 * gib) };

	return used_of(two, 2, expected)->advice;
}

START_TEST(nodes_are_compared_where_all_of_them_are_here)
{
	ck_assert_ptr_nonnull(strstr(advised_of_two(2), "A26"));
	ck_assert_ptr_nonnull(strstr(advised_of_two(1), "A26"));
	ck_assert_ptr_nonnull(strstr(advised_of_two(0), "A26"));
	ck_assert_ptr_null(strstr(advised_of_two(3), "A26"));
	ck_assert_ptr_null(strstr(advised_of_two(RECORD_UNKNOWN), "A26"));
}
END_TEST

START_TEST(advice_is_by_so_many_records_and_a_use_of_all)
{
	struct store_run run = { .cluster = (char *)"c", .nodes_expected = USAGE_RECORDS + 1 };
	struct usage *usage = usage_new();
	struct config_advice limits;
	char *line;
	int i;

	config_advice_init(&limits);
	for (i = 0; i <= USAGE_RECORDS; i++)
		usage_add(usage, node());
	line = usage_text(usage, &run, "physics", &limits);
	usage_free(usage);
	ck_assert_int_eq(use_parse(line, &use), 0);
	ck_assert_int_eq(use.nodes, USAGE_RECORDS + 1);
	free(line);
}
END_TEST

UNIT_MAIN("usage", who_ran_it_and_how_long_is_in_the_use,
	  a_node_that_does_not_say_who_leaves_it_to_the_others,
	  a_clock_that_is_wrong_adds_a_year_at_most,
	  each_filesystem_of_the_best_source_is_told_with_its_type,
	  all_files_are_told_where_no_filesystem_is, metadata_and_the_highest_peak_are_told,
	  numbers_of_the_whole_node_are_not_the_jobs,
	  of_more_filesystems_than_there_is_room_for_the_rest_is_one,
	  a_name_that_no_row_can_hold_is_one_of_the_rest, what_is_advised_is_told_each_code_once,
	  nodes_are_compared_where_all_of_them_are_here,
	  advice_is_by_so_many_records_and_a_use_of_all)
