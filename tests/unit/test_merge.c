/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/merge.h"
#include "lib/record.h"
#include "tests/unit/runner.h"
#include "lib/summary.h"

#define NODES 5

static struct record *node(int number)
{
	struct record *r = record_new();

	strcpy(r->cluster, "c");
	snprintf(r->node, sizeof(r->node), "n%d", number);
	record_set(&r->nodelist, "n[1-5]");
	r->job = 7;
	r->restart = 0;
	r->start = 1000;
	r->end = 2000;
	return r;
}

static void app(struct record *r, enum record_scope scope, const char *source, const char *fs,
		int64_t bytes)
{
	struct record_io io;

	record_io_init(&io);
	io.scope = scope;
	strcpy(io.source, source);
	io.fs = (char *)fs;
	io.numbers[RECORD_READ_BYTES] = bytes;
	io.numbers[RECORD_WRITE_BYTES] = 2 * bytes;
	io.numbers[RECORD_READ_CALLS] = 1;
	record_add_app(r, &io);
}

static struct record *worker(int number)
{
	struct record *r = node(number);

	app(r, RECORD_SCOPE_JOB, "stepd", NULL, 1024 * number);
	r->has_io_cores = true;
	r->io_cores_count = 1;
	record_set(&r->io_cores_os, "1,3");
	r->has_request = true;
	strcpy(r->request.profile, "stream");
	record_add_client(r, "weka", "weka", NULL, NULL);
	record_add_mount(r, "/mnt/weka", "wekafs", "default");
	return r;
}

/* The record's first line moved so much at a time. */
static void moved_at(struct record *r, int64_t when, int64_t width, int64_t bytes)
{
	const int64_t row[TIMELINE_LANES] = { bytes, 0, 1 };

	timeline_put(&r->app[0].timeline, when, width, row);
}

/* Add and forget; the digest is that of the record's text. */
static void add(struct merge *m, struct record *r)
{
	char *text = record_text(r, NULL);

	ck_assert_ptr_nonnull(text);
	merge_add(m, r, merge_digest(text, strlen(text)));
	free(text);
	record_free(r);
}

static void expect_summary(struct merge *m, const char *wanted)
{
	struct summary s;
	char text[SUMMARY_MAX];

	merge_summary(m, &s);
	summary_text(&s, text);
	ck_assert_str_eq(text, wanted);
}

static void expect_token(struct merge *m, const char *wanted)
{
	struct summary s;
	char text[SUMMARY_MAX + 1];

	merge_summary(m, &s);
	summary_text(&s, text);
	strcat(text, " ");
	ck_assert_msg(strstr(text, wanted) != NULL, "no '%s' in: %s", wanted, text);
}

START_TEST(all_nodes_of_a_job_become_one_line)
{
	struct merge *m = merge_new();
	int i;

	for (i = 1; i <= NODES; i++)
		add(m, worker(i));
	expect_summary(
		m,
		"jobio/1 rd=15KiB/5 wr=30KiB/- nodes=5/5 cores=1 cpus=1,3 prof=stream fs=/mnt/weka:wekafs scope=job src=stepd q=- imb=1.67@n5");
	merge_free(m);
}
END_TEST

START_TEST(nodes_that_did_not_report_are_named)
{
	struct merge *m = merge_new();

	add(m, worker(2));
	add(m, worker(4));
	expect_token(m, " nodes=2/5 ");
	expect_token(m, " miss=n1,n3,n5 ");
	merge_free(m);
}
END_TEST

START_TEST(many_missing_nodes_are_counted)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	record_set(&r->nodelist, "n[1-16384]");
	add(m, r);
	expect_token(m, " nodes=1/16.4k ");
	expect_token(m, ",+16");
	merge_free(m);
}
END_TEST

START_TEST(missing_nodes_are_named_while_there_is_room_for_the_rest)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	/* n18 would end where ",+48" has no room any more */
	record_set(&r->nodelist, "n[1-60]");
	strcpy(r->node, "n60");
	add(m, r);
	add(m, worker(59));
	expect_token(m, " miss=n1,n10,");
	expect_token(m, ",n16,n17,+49 ");
	merge_free(m);
}
END_TEST

static void expect_fs(size_t size, bool fits)
{
	struct merge *m = merge_new();
	struct record *r = node(1);
	char path[256], wanted[300];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[size] = 0;
	record_add_mount(r, path, "t", "default");
	add(m, r);
	snprintf(wanted, sizeof(wanted), " fs=%s%s ", fits ? path : "+1", fits ? ":t" : "");
	expect_token(m, wanted);
	merge_free(m);
}

START_TEST(a_path_is_told_whole_or_counted)
{
	expect_fs(SUMMARY_FS - 9, true);
	expect_fs(SUMMARY_FS - 8, false);
	expect_fs(200, false);
}
END_TEST

START_TEST(a_node_list_that_cannot_be_read_hides_no_numbers)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	record_set(&r->nodelist, "n[1-99999999]");
	add(m, r);
	expect_token(m, " nodes=1/- ");
	expect_token(m, " rd=1KiB/1 ");
	merge_free(m);
}
END_TEST

START_TEST(nodes_that_differ_are_called_mixed)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	r->io_cores_count = 2;
	record_set(&r->io_cores_os, "5");
	strcpy(r->request.profile, "cached");
	add(m, r);
	add(m, worker(2));
	expect_token(m, " cores=mixed cpus=mixed prof=mixed ");
	merge_free(m);
}
END_TEST

START_TEST(two_sources_of_a_node_are_never_added)
{
	struct merge *m = merge_new();
	struct record *r = node(1);

	app(r, RECORD_SCOPE_JOB, "vfs", "/a", 1024);
	app(r, RECORD_SCOPE_JOB, "stepd", NULL, 1 << 20);
	app(r, RECORD_SCOPE_JOB, "vfs", "/b", 1024);
	add(m, r);
	expect_token(m, " rd=2KiB/2 ");
	expect_token(m, " src=vfs ");
	merge_free(m);
}
END_TEST

START_TEST(the_line_of_all_files_is_not_added_to_its_filesystems)
{
	struct merge *m = merge_new();
	struct record *r = node(1);

	app(r, RECORD_SCOPE_JOB, "vfs", "/a", 1024);
	app(r, RECORD_SCOPE_JOB, "vfs", NULL, 4096);
	add(m, r);
	expect_token(m, " rd=4KiB/1 ");
	merge_free(m);
}
END_TEST

START_TEST(filesystems_besides_the_clients_are_not_added_to_them)
{
	struct merge *m = merge_new();
	struct record *other = node(1);

	app(other, RECORD_SCOPE_JOB, "bpf", "/mnt/weka", 2048);
	app(other, RECORD_SCOPE_JOB, "bpf", "/scratch", 4096);
	app(other, RECORD_SCOPE_JOB, "exit", NULL, 1 << 20);
	app(other, RECORD_SCOPE_JOB, "stepd", NULL, 1 << 20);
	record_add_mount(other, "/mnt/weka", "wekafs", "default");
	add(m, other);
	expect_token(m, " rd=2KiB/1 wr=4KiB/- ");
	expect_token(m, " scope=job src=bpf ");
	merge_free(m);

	/* no client: what the site names */
	m = merge_new();
	other = node(1);
	app(other, RECORD_SCOPE_JOB, "bpf", "/home", 2048);
	app(other, RECORD_SCOPE_JOB, "bpf", "/scratch", 4096);
	app(other, RECORD_SCOPE_JOB, "exit", NULL, 1 << 20);
	add(m, other);
	expect_token(m, " rd=6KiB/2 ");
	merge_free(m);

	/* what is not the client's does not pass for it */
	m = merge_new();
	other = node(1);
	app(other, RECORD_SCOPE_JOB, "bpf", "/scratch", 4096);
	app(other, RECORD_SCOPE_JOB, "exit", NULL, 1024);
	app(other, RECORD_SCOPE_JOB, "stepd", NULL, 1 << 20);
	record_add_mount(other, "/mnt/weka", "wekafs", "default");
	add(m, other);
	expect_token(m, " rd=1KiB/1 ");
	expect_token(m, " src=exit ");
	merge_free(m);
}
END_TEST

START_TEST(node_wide_numbers_never_pass_for_the_jobs)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	app(r, RECORD_SCOPE_NODE, "weka", NULL, 1 << 30);
	add(m, r);
	r = node(2);
	app(r, RECORD_SCOPE_NODE, "weka", NULL, 1 << 30);
	add(m, r);
	expect_token(m, " rd=1KiB/1 ");
	expect_token(m, " scope=job ");
	merge_free(m);

	m = merge_new();
	r = node(2);
	app(r, RECORD_SCOPE_NODE, "weka", NULL, 1 << 30);
	add(m, r);
	expect_token(m, " rd=1GiB/1 ");
	expect_token(m, " scope=node ");
	merge_free(m);
}
END_TEST

static void wire(struct record *r, int64_t bytes)
{
	struct record_io io;

	record_io_init(&io);
	io.scope = RECORD_SCOPE_NODE;
	strcpy(io.source, "container.sock");
	io.numbers[RECORD_READ_BYTES] = bytes;
	io.numbers[RECORD_WRITE_BYTES] = 2 * bytes;
	record_add_wire(r, &io);
}

START_TEST(what_the_clients_moved_is_summed_apart)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	wire(r, 1 << 20);
	add(m, r);
	r = worker(2);
	wire(r, 3 << 20);
	add(m, r);
	r = worker(3);
	r->flags = RECORD_FLAG(WIRE_RESET);
	add(m, r);
	expect_token(m, " rd=6KiB/3 wr=12KiB/- ");
	expect_token(m, " scope=job src=stepd ");
	expect_token(m, " q=wire_reset wire=4MiB/8MiB ");
	merge_free(m);
}
END_TEST

/* A worker whose filesystem was counted. */
static struct record *counted(int number, int64_t peak_rd, int64_t us)
{
	struct record *r = node(number);
	struct record_io io;

	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.fs = (char *)"/mnt/weka";
	io.numbers[RECORD_READ_BYTES] = 4096;
	io.numbers[RECORD_READ_US] = us;
	io.peak[RECORD_PEAK_READ] = peak_rd;
	io.peak_window_s = 1;
	record_add_app(r, &io);
	record_add_mount(r, "/mnt/weka", "wekafs", "default");
	return r;
}

/* 1000 s long, as all of them; nodes write one after the other */
START_TEST(the_shape_is_that_of_all_nodes_from_first_start_to_last_end)
{
	struct merge *m = merge_new();
	struct record *r;
	int i, k;

	for (i = 1; i <= NODES; i++) {
		r = worker(i);
		for (k = 0; k < 4; k++)
			moved_at(r, 1000 + 100 * (i - 1) + 10 * k, 1, 1 << 20);
		add(m, r);
		if (i == 1)
			expect_token(m, " shape=head ");
	}
	expect_token(m, " shape=bursts:5 ");
	r = node(6); /* of less time, or an unknown one */
	r->start = 1200;
	r->end = 1250;
	add(m, r);
	r = node(7);
	r->start = 1100;
	r->end = -1;
	add(m, r);
	expect_token(m, " shape=bursts:5 ");
	r = node(8);
	r->end = 30000;
	add(m, r);
	expect_token(m, " shape=head ");
	merge_free(m);
}
END_TEST

/* Both write all the time; by their clocks it would be two bursts. */
START_TEST(clocks_that_are_apart_are_told_and_have_no_shape)
{
	struct merge *m = merge_new();
	struct record *r;
	struct summary s;
	int i, k;

	for (i = 0; i < 2; i++) {
		r = worker(i + 1);
		r->start = 1000 + 40 * i;
		r->end = r->start + 16;
		for (k = 0; k < 16; k++)
			moved_at(r, (int64_t)r->start + k, 1, 1 << 20);
		r->flags = i ? RECORD_FLAG(BASELINE_MISSING) : 0;
		add(m, r);
		if (!i)
			expect_token(m, " shape=steady ");
	}
	/* beside what else is wrong with the numbers */
	expect_token(m, " q=baseline_missing,clocks_apart ");
	merge_summary(m, &s);
	ck_assert_int_eq(s.shape, TIMELINE_SHAPE_NONE);
	merge_free(m);
}
END_TEST

START_TEST(without_the_times_of_one_node_there_is_no_shape)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);
	struct summary s;

	moved_at(r, 1990, 1, 1 << 20);
	add(m, r);
	expect_token(m, " shape=tail ");
	add(m, worker(2));
	merge_summary(m, &s);
	ck_assert_int_eq(s.shape, TIMELINE_SHAPE_NONE);
	merge_free(m);
}
END_TEST

START_TEST(peaks_of_nodes_are_never_added)
{
	struct merge *m = merge_new();

	add(m, counted(1, 2 << 20, RECORD_UNKNOWN));
	add(m, counted(2, 3 << 20, RECORD_UNKNOWN));
	add(m, counted(3, RECORD_UNKNOWN, RECORD_UNKNOWN));
	expect_token(m, " rd=12KiB/- ");
	expect_token(m, " peak=3MiB/- imb=1.00@n1 ");
	merge_free(m);
}
END_TEST

START_TEST(the_node_that_waited_longest_is_the_slowest)
{
	struct merge *m = merge_new();

	add(m, counted(1, 1, 1500));
	expect_token(m, " peak=1B/- "); /* one node alone is not slow */
	add(m, counted(2, 1, 4100000));
	add(m, counted(3, 1, RECORD_UNKNOWN));
	expect_token(m, " slow=4.1s@n2 ");
	merge_free(m);
}
END_TEST

START_TEST(nodes_that_never_waited_are_not_slow)
{
	struct merge *m = merge_new();
	struct summary summary;

	add(m, counted(1, 1, 0));
	add(m, counted(2, 1, 0));
	merge_summary(m, &summary);
	ck_assert_int_eq(summary.slowest_ns, SUMMARY_UNKNOWN);
	ck_assert_str_eq(summary.slowest, "");
	merge_free(m);
}
END_TEST

START_TEST(numbers_that_nobody_knows_stay_unknown)
{
	struct merge *m = merge_new();
	struct record *r = node(1);

	r->flags = RECORD_FLAG(BASELINE_MISSING);
	add(m, r);
	expect_token(m, " rd=-/- wr=-/- ");
	expect_token(m, " scope=- src=- q=baseline_missing ");
	merge_free(m);
}
END_TEST

START_TEST(changes_findings_and_refusals_are_counted)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	record_add_change(r, "weka", "mount-option", "/m", "a", "b", 1, 1);
	record_add_change(r, "weka", "mount-option", "/m", "a", "b", 1, 0);
	record_add_change(r, "weka", "mount-option", "/m", "a", "c", 0, 1);
	/* its maker was killed: nobody knows whether it was made */
	record_add_change(r, "weka", "mount-option", "/m", "a", "d", -1, 1);
	record_add_change(r, "weka", "mount-option", "/m", "a", "d", -1, -1);
	record_add_change(r, "weka", "mount-option", "/n", "a", "b", 1, 1);
	record_add_finding(r, "W01", "error", "x", NULL);
	record_add_finding(r, "W02", "warning", "x", NULL);
	record_add_finding(r, "W02", "info", "x", NULL);
	record_set(&r->refused, "no");
	add(m, r);
	expect_token(m, " chg=2/3 find=1/1 refused=1 ");
	expect_token(m, "jobio/1 not=started rd=");
	merge_free(m);
}
END_TEST

static struct record *beside(int number, int is_beside)
{
	struct record *r = worker(number);
	struct cpuset nodes = { 0 };

	cpuset_add(&nodes, 1);
	record_add_client(r, "work", "nfs", NULL, NULL);
	record_set_cards(r, "ib0", &nodes);
	r->clients[r->client_count - 1].is_beside = is_beside;
	return r;
}

START_TEST(nodes_without_a_core_beside_the_card_are_counted)
{
	struct merge *m = merge_new();
	char text[SUMMARY_MAX];
	struct summary s;

	add(m, beside(1, 1));
	add(m, beside(2, -1));
	merge_summary(m, &s);
	summary_text(&s, text);
	ck_assert_ptr_null(strstr(text, "far="));
	add(m, beside(3, 0));
	add(m, beside(4, 0));
	add(m, beside(4, 0)); /* the same record again */
	merge_summary(m, &s);
	ck_assert_int_eq(s.far, 2);
	summary_text(&s, text);
	ck_assert_ptr_nonnull(strstr(text, " far=2"));
	merge_free(m);
}
END_TEST

START_TEST(a_profile_that_was_not_applied_does_not_look_applied)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	r->has_request = true;
	strcpy(r->request.profile, "stream");
	r->profile_applied = 0;
	add(m, r);
	expect_token(m, " prof=stream/not-applied ");
	r = worker(2);
	r->has_request = true;
	strcpy(r->request.profile, "stream");
	r->profile_applied = 1;
	add(m, r);
	expect_token(m, " prof=mixed ");
	merge_free(m);
}
END_TEST

START_TEST(histograms_give_the_half_and_the_tail)
{
	struct merge *m = merge_new();
	struct record *r = node(1);
	struct record_io io;

	record_io_init(&io);
	strcpy(io.source, "vfs");
	io.numbers[RECORD_READ_BYTES] = 1;
	io.has_hist[RECORD_READ_SIZES] = true;
	io.hist[RECORD_READ_SIZES][12] = 980;
	io.hist[RECORD_READ_SIZES][20] = 20;
	io.has_hist[RECORD_READ_NS] = true;
	io.hist[RECORD_READ_NS][9] = 1;
	io.has_meta = true;
	io.meta[RECORD_META_OPEN] = 30;
	io.meta[RECORD_META_STAT] = 12;
	record_add_app(r, &io);
	add(m, r);
	expect_token(m, " meta=42 rsz=8KiB/2MiB rlat=1.02us/1.02us ");
	merge_free(m);
}
END_TEST

/* Of two records of one node the better counts, whatever comes first. */
START_TEST(a_reboot_record_gives_way_to_the_real_one)
{
	int order;

	for (order = 0; order < 2; order++) {
		struct merge *m = merge_new();
		struct record *a = worker(1), *b = node(1);

		b->flags = RECORD_FLAG(NODE_REBOOTED);
		b->end = 5000;
		add(m, order ? b : a);
		add(m, order ? a : b);
		expect_token(m, " nodes=1/5 ");
		expect_token(m, " rd=1KiB/1 ");
		expect_token(m, " q=- ");
		merge_free(m);
	}
}
END_TEST

/* Records of the property test: five nodes, two of them said two things. */
static struct record *sample(int i)
{
	struct record *r = worker(i % NODES + 1);

	moved_at(r, 1000 + i, 1, INT64_C(1) << 20);
	moved_at(r, 1024 + 128 * i, 1 << i, INT64_C(1) << 21);
	if (i >= NODES) {
		r->end += i;
		r->flags = i == NODES ? RECORD_FLAG(NODE_REBOOTED) : RECORD_FLAG(STEP_MISSING);
		r->io_cores_count = i;
	}
	return r;
}

#define SAMPLES 7

static void merge_order(const int *order, int count, char *text)
{
	struct merge *m = merge_new();
	struct summary s;
	int i;

	for (i = 0; i < count; i++)
		add(m, sample(order[i]));
	merge_summary(m, &s);
	summary_text(&s, text);
	merge_free(m);
}

static int next_permutation(int *p, int n)
{
	int i = n - 2, j = n - 1, swap;

	while (i >= 0 && p[i] >= p[i + 1])
		i--;
	if (i < 0)
		return 0;
	while (p[j] <= p[i])
		j--;
	swap = p[i], p[i] = p[j], p[j] = swap;
	for (i++, j = n - 1; i < j; i++, j--)
		swap = p[i], p[i] = p[j], p[j] = swap;
	return 1;
}

START_TEST(every_order_gives_the_same_summary)
{
	int order[SAMPLES] = { 0, 1, 2, 3, 4, 5, 6 }, n = 0;
	char wanted[SUMMARY_MAX], text[SUMMARY_MAX];

	merge_order(order, SAMPLES, wanted);
	ck_assert_ptr_nonnull(strstr(wanted, "nodes=5/5 cores=mixed"));
	ck_assert_ptr_nonnull(strstr(wanted, "q=step_missing"));
	ck_assert_ptr_nonnull(strstr(wanted, " shape=bursts:"));
	do {
		if (n++ % rounds_share())
			continue;
		merge_order(order, SAMPLES, text);
		ck_assert_str_eq(text, wanted);
	} while (next_permutation(order, SAMPLES));
	ck_assert_int_eq(n, 5040);
}
END_TEST

START_TEST(duplicates_of_everything_change_nothing)
{
	int order[2 * SAMPLES];
	char wanted[SUMMARY_MAX], text[SUMMARY_MAX];
	int i;

	for (i = 0; i < 2 * SAMPLES; i++)
		order[i] = i % SAMPLES;
	merge_order(order, SAMPLES, wanted);
	merge_order(order, 2 * SAMPLES, text);
	ck_assert_str_eq(text, wanted);
}
END_TEST

START_TEST(sixteen_thousand_nodes_that_all_differ_fit_into_a_line)
{
	struct merge *m = merge_new();
	struct summary s;
	char text[SUMMARY_MAX];
	int i;

	for (i = 1; i <= 16384; i++) {
		struct record *r = worker(i);

		record_set(&r->nodelist, "n[1-16400]");
		snprintf(r->mounts[0].mount, 10, "/m%d", i % 1000);
		r->flags = UINT32_C(1) << (i % RECORD_FLAG_COUNT);
		add(m, r);
	}
	merge_summary(m, &s);
	summary_text(&s, text);
	ck_assert_uint_le(strlen(text), 1000);
	expect_token(m, " nodes=16.4k/16.4k ");
	expect_token(m, " miss=n16385,");
	merge_free(m);
}
END_TEST

/* The keys of a summary, in their order: "nodes cores cpus .." */
static void keys_of(const char *text, char *keys)
{
	char copy[SUMMARY_MAX], *token, *rest = NULL;

	strcpy(copy, text);
	*keys = 0;
	strtok_r(copy, " ", &rest);
	while ((token = strtok_r(NULL, " ", &rest))) {
		token[strcspn(token, "=")] = 0;
		strcat(keys, token);
		strcat(keys, " ");
	}
}

/* 'count' nodes that are as different as nodes are; one more is missing. */
static void merged_text(int count, char *text)
{
	struct merge *m = merge_new();
	struct summary s, again;
	char list[32], second[SUMMARY_MAX];
	struct err err = { "" };
	int i;

	snprintf(list, sizeof(list), "n[1-%d]", count + 1);
	for (i = 1; i <= count; i++) {
		struct record *r = node(i);
		struct record_io io;

		record_set(&r->nodelist, list);
		record_io_init(&io);
		strcpy(io.source, "vfs");
		io.fs = (char *)"/mnt/weka";
		io.numbers[RECORD_READ_BYTES] = INT64_C(1) << (i % 50);
		io.numbers[RECORD_READ_CALLS] = i;
		io.numbers[RECORD_READ_US] = i;
		io.peak[RECORD_PEAK_READ] = i;
		io.peak_window_s = 1;
		io.has_meta = io.has_hist[RECORD_READ_SIZES] = true;
		io.has_hist[RECORD_READ_NS] = true;
		memset(io.meta, 0, sizeof(io.meta));
		memset(io.hist, 0, sizeof(io.hist));
		io.meta[RECORD_META_OPEN] = i;
		io.hist[RECORD_READ_SIZES][i % 40] = i;
		io.hist[RECORD_READ_NS][i % 30] = i;
		record_add_mount(r, "/mnt/weka", "wekafs", "default");
		record_add_app(r, &io);
		record_add_finding(r, "W01", "warning", "text", NULL);
		record_add_change(r, "weka", "mount-option", "/m", "a", "b", 1, 1);
		add(m, r);
	}
	merge_summary(m, &s);
	merge_free(m);
	summary_text(&s, text);
	ck_assert_msg(summary_parse(text, &again, &err) == 0, "%s: %s", err.text, text);
	summary_text(&again, second);
	ck_assert_str_eq(text, second);
}

START_TEST(a_summary_has_the_same_form_for_any_number_of_nodes)
{
	static const int counts[] = { 1, 2, 3, 10, 99, 100, 999, 1000, 1023, 4096, 9999, 16384 };
	char text[SUMMARY_MAX], wanted[SUMMARY_MAX], keys[SUMMARY_MAX];
	size_t i;

	merged_text(1, text);
	keys_of(text, keys);
	ck_assert_str_eq(
		keys,
		"rd wr nodes cores cpus prof fs scope src q meta rsz rlat peak chg find miss ");
	merged_text(2, text); /* they can differ */
	keys_of(text, wanted);
	ck_assert_str_eq(
		wanted,
		"rd wr nodes cores cpus prof fs scope src q meta rsz rlat peak imb slow chg find miss ");
	for (i = 1; i < sizeof(counts) / sizeof(*counts) && counts[i] <= rounds(16384); i++) {
		merged_text(counts[i], text);
		keys_of(text, keys);
		ck_assert_msg(!strcmp(keys, wanted), "%d nodes: %s", counts[i], text);
		ck_assert_uint_le(strlen(text), 1000);
	}
}
END_TEST

/* Every character that a record can hold, in every text of it. */
static struct record *hostile(int number, const char *text)
{
	struct record *r = node(number);
	struct record_io io;

	record_io_init(&io);
	snprintf(io.source, sizeof(io.source), "%s", text);
	io.numbers[RECORD_READ_BYTES] = 1;
	record_add_app(r, &io);
	r->has_request = r->has_io_cores = true;
	record_add_client(r, text, text, text, text);
	snprintf(r->request.profile, sizeof(r->request.profile), "%s", text);
	record_set(&r->io_cores_os, text);
	record_add_mount(r, text, text, text);
	record_set(&r->refused, text);
	return r;
}

START_TEST(nothing_that_a_record_says_leaves_its_token)
{
	static const char *const texts[] = {
		"x rd=9EiB/1", "<b>", "a,b", "a|b",	 "a'b\"c",
		"a\nb",	       "=",   "%",   "\xc3\xa4", ";`$(x)",
	};
	struct summary s;
	struct err err;
	char text[SUMMARY_MAX];
	struct merge *m;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		m = merge_new();
		add(m, hostile(1, texts[i]));
		merge_summary(m, &s);
		summary_text(&s, text);
		ck_assert_msg(summary_parse(text, &s, &err) == 0, "%s: %s", err.text, text);
		ck_assert_int_eq(s.rd_bytes, 1);
		merge_free(m);
	}
	m = merge_new();
	add(m, hostile(1, "a,b c"));
	add(m, hostile(2, "d"));
	expect_token(m, " src=a%2Cb%20c,d ");
	merge_free(m);
	m = merge_new();
	add(m, hostile(1, "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<"));
	expect_token(m, " src=long ");
	merge_free(m);
}
END_TEST

START_TEST(what_the_job_did_not_get_comes_first)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	r->profile_applied = r->cores_met = 1;
	add(m, r);
	expect_token(m, "jobio/1 rd=1KiB/1 wr=2KiB/- nodes=");
	r = worker(2);
	r->profile_applied = 0;
	add(m, r);
	expect_token(m, "jobio/1 not=profile rd=");
	expect_token(m, " prof=mixed ");
	r = worker(3);
	r->cores_met = 0;
	r->has_gate = true;
	r->gate_warned = 3;
	r->gate_refused = 1;
	add(m, r);
	r = worker(4);
	r->has_gate = true;
	r->gate_warned = 2;
	add(m, r);
	expect_token(m, "jobio/1 not=profile,cores,gate rd=");
	expect_token(m, " gate=warn:5,refuse:1 ");
	merge_free(m);
}
END_TEST

START_TEST(numbers_of_all_files_are_not_said_to_be_the_clients)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	r->flags = RECORD_FLAG(ALL_FILES);
	add(m, r);
	expect_token(m, "jobio/1 rd=1KiB/1 wr=2KiB/- of=all_files nodes=");
	merge_free(m);
	m = merge_new();
	r = node(1);
	r->flags = RECORD_FLAG(ALL_FILES);
	add(m, r);
	expect_token(m, "jobio/1 rd=-/- wr=-/- nodes=");
	merge_free(m);
}
END_TEST

/* Texts of every byte that a text can hold, of any length. */
static void put_noise(char *out, size_t room, unsigned int *seed)
{
	size_t length, i;

	*seed = *seed * 1103515245u + 12345u;
	length = 1 + (*seed >> 16) % (room - 1);
	for (i = 0; i < length; i++) {
		*seed = *seed * 1103515245u + 12345u;
		out[i] = (char)(1 + (*seed >> 16) % 255);
	}
	out[length] = 0;
}

static struct record *noise(unsigned int *seed)
{
	char text[RECORD_WORD_MAX], node_name[40];
	struct record *r;

	put_noise(text, sizeof(text), seed);
	r = hostile(1, text);
	put_noise(node_name, sizeof(node_name), seed);
	snprintf(r->node, sizeof(r->node), "%s", node_name);
	snprintf(r->cluster, sizeof(r->cluster), "%s", text);
	snprintf(r->user, sizeof(r->user), "%s", text);
	record_set(&r->nodelist, *seed & 1 << 20 ? text : "c[1-9]");
	put_noise(text, sizeof(text), seed);
	record_add_mount(r, "/x", text, text);
	r->app[0].numbers[RECORD_READ_US] = 5 + (*seed >> 16);
	r->app[0].numbers[RECORD_READ_BYTES] = 5 + (*seed >> 20);
	r->has_gate = true;
	r->gate_warned = 1;
	record_set(&r->gate_text, text);
	record_add_change(r, text, text, text, text, text, 1, 1);
	record_add_finding(r, text, "error", text, text);
	return r;
}

/* What other readers of sacct rely on: no blank, quote, '|', newline or letter
 * of another alphabet of a name, a mount, a profile or a source gets there. */
START_TEST(a_summary_keeps_to_its_alphabet_whatever_records_say)
{
	char text[SUMMARY_MAX];
	unsigned int seed = 11;
	struct record *r;
	struct summary s;
	struct merge *m;
	regex_t form;
	int i, k;

	ck_assert_int_eq(regcomp(&form, "^jobio/1( [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+$",
				 REG_EXTENDED | REG_NOSUB),
			 0);
	for (i = 0; i < rounds(2000); i++) {
		m = merge_new();
		for (k = 0; k < 3; k++) {
			r = noise(&seed);
			merge_add(m, r, seed);
			record_free(r);
		}
		merge_summary(m, &s);
		summary_text(&s, text);
		ck_assert_msg(regexec(&form, text, 0, NULL, 0) == 0, "seed %u: %s", seed, text);
		ck_assert_uint_le(strlen(text), 1000);
		merge_free(m);
	}
	regfree(&form);
}
END_TEST

START_TEST(numbers_that_do_not_fit_stay_at_the_largest)
{
	struct merge *m = merge_new();
	struct record_io io;
	struct record *r;
	int i, k;

	for (i = 1; i <= 3; i++) {
		r = node(i);
		record_io_init(&io);
		strcpy(io.source, "bpf");
		io.has_meta = true;
		for (k = 0; k < RECORD_META_COUNT; k++)
			io.meta[k] = INT64_MAX;
		for (k = 0; k < RECORD_NUMBER_COUNT; k++)
			io.numbers[k] = INT64_MAX;
		for (k = 0; k < RECORD_HIST_COUNT; k++) {
			io.has_hist[k] = true;
			io.hist[k][0] = io.hist[k][RECORD_BINS - 2] = io.hist[k][RECORD_BINS - 1] =
				INT64_MAX;
		}
		record_add_app(r, &io);
		add(m, r);
	}
	expect_token(m, " rd=8EiB/9.22E ");
	expect_token(m, " meta=9.22E rsz=2B/2B ");
	merge_free(m);
	m = merge_new();
	r = node(1);
	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = 1;
	io.has_hist[RECORD_READ_NS] = io.has_hist[RECORD_READ_SIZES] = true;
	io.hist[RECORD_READ_SIZES][RECORD_BINS - 1] = 1;
	io.hist[RECORD_READ_NS][RECORD_BINS - 2] = 1;
	record_add_app(r, &io);
	add(m, r);
	expect_token(m, " rsz=8EiB/8EiB rlat=9223372037s/9223372037s ");
	merge_free(m);
}
END_TEST

START_TEST(a_flag_of_one_node_is_the_jobs_whichever_node_it_is)
{
	int flagged;

	for (flagged = 1; flagged <= 3; flagged++) {
		struct merge *m = merge_new();
		int i;

		for (i = 1; i <= 3; i++) {
			struct record *r = worker(i);

			if (i == flagged)
				r->flags = RECORD_FLAG(WIRE_RESET);
			add(m, r);
		}
		expect_token(m, " q=wire_reset ");
		merge_free(m);
	}
}
END_TEST

START_TEST(a_node_may_lack_several_things)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	r->profile_applied = r->cores_met = 0;
	r->has_gate = true;
	r->gate_warned = 1;
	add(m, r);
	expect_token(m, "jobio/1 not=profile,cores,gate rd=");
	merge_free(m);
	/* of a job that was refused nothing else is said */
	m = merge_new();
	r = worker(1);
	r->profile_applied = r->cores_met = 0;
	record_set(&r->refused, "no");
	add(m, r);
	expect_token(m, "jobio/1 not=started rd=");
	merge_free(m);
	/* nor of one that asked for nothing */
	m = merge_new();
	r = worker(1);
	r->has_request = false;
	r->profile_applied = r->cores_met = 0;
	add(m, r);
	expect_token(m, "jobio/1 rd=");
	merge_free(m);
}
END_TEST

/* ---- nodes that say nothing stand in nobody's way -------------------------- */

START_TEST(a_node_without_numbers_does_not_end_the_search)
{
	struct merge *m = merge_new();
	struct record *r = node(1);

	record_set(&r->nodelist, NULL);
	add(m, r); /* not counted, no list of nodes */
	add(m, counted(2, 1, 4100000));
	add(m, counted(3, 1, 1500)); /* less than the one before */
	add(m, counted(4, 1, 9100000));
	expect_token(m, " nodes=4/5 ");
	expect_token(m, " imb=1.00@n2 slow=9.1s@n4 miss=n5 ");
	merge_free(m);
}
END_TEST

START_TEST(the_longest_list_of_nodes_counts)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	record_set(&r->nodelist, "n[1-20]");
	add(m, worker(2));
	add(m, r);
	add(m, worker(3));
	expect_token(m, " nodes=3/20 ");
	merge_free(m);
}
END_TEST

START_TEST(of_lists_as_long_the_later_one_in_the_alphabet_counts)
{
	static const char *const lists[] = { "n[1-3]", "n[1-9]", "n[1-7]" };
	struct merge *m = merge_new();
	struct record *r;
	int i;

	for (i = 0; i < 3; i++) {
		r = worker(i + 1);
		record_set(&r->nodelist, lists[i]);
		add(m, r);
	}
	expect_token(m, " nodes=3/9 ");
	merge_free(m);
}
END_TEST

START_TEST(a_run_without_records_has_a_summary)
{
	struct merge *m = merge_new();

	expect_token(m, "jobio/1 rd=-/- wr=-/- nodes=0/- ");
	merge_free(m);
}
END_TEST

/* Of one node's records the later counts, then the one of the larger digest. */
START_TEST(two_records_of_one_second_count_as_one_in_any_order)
{
	char text[2][SUMMARY_MAX];
	struct summary s;
	int order;

	for (order = 0; order < 2; order++) {
		struct merge *m = merge_new();
		int i;

		for (i = 0; i < 2; i++) {
			struct record *r = node(1);

			app(r, RECORD_SCOPE_JOB, "stepd", NULL, i == order ? 1024 : 2048);
			merge_add(m, r, i == order ? 5 : 9);
			record_free(r);
		}
		merge_summary(m, &s);
		summary_text(&s, text[order]);
		merge_free(m);
	}
	ck_assert_str_eq(text[0], text[1]);
	ck_assert_ptr_nonnull(strstr(text[0], " rd=2KiB/1 "));
	ck_assert_ptr_nonnull(strstr(text[0], " nodes=1/5 "));
}
END_TEST

START_TEST(the_better_of_two_records_is_told)
{
	struct record *a = node(1), *b = node(1);

	ck_assert(merge_is_better(a, 2, b, 1));
	ck_assert(!merge_is_better(a, 1, b, 2));
	ck_assert(!merge_is_better(a, 1, b, 1)); /* the same one */
	b->end = a->end + 1;
	ck_assert(merge_is_better(b, 1, a, 2));
	ck_assert(!merge_is_better(a, 2, b, 1));
	b->flags = RECORD_FLAG(NODE_REBOOTED);
	ck_assert(merge_is_better(a, 1, b, 2));
	ck_assert(!merge_is_better(b, 2, a, 1));
	record_free(b);
	b = node(1);
	b->end = a->end + 1; /* an epilog that came when nothing was left */
	app(a, RECORD_SCOPE_JOB, "bpf", NULL, 0);
	ck_assert(merge_is_better(a, 1, b, 2));
	ck_assert(!merge_is_better(b, 2, a, 1));
	record_free(a);
	record_free(b);
}
END_TEST

static void two_mounts(size_t size, const char *wanted)
{
	struct merge *m = merge_new();
	struct record *r = node(1);
	char path[64];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[size] = 0;
	record_add_mount(r, path, "t", "default");
	record_add_mount(r, "/b", "u", "default");
	record_add_mount(r, "/c", "v", "default");
	add(m, r);
	expect_token(m, wanted);
	merge_free(m);
}

START_TEST(mounts_are_joined_while_there_is_room_for_the_rest)
{
	two_mounts(10, " fs=/aaaaaaaaa:t,/b:u,/c:v ");
	/* with ":t,/b:u" 65 characters, and one more */
	two_mounts(58, ":t,/b:u,+1 ");
	two_mounts(59, ":t,+2 ");
}
END_TEST

START_TEST(filesystems_of_all_nodes_are_joined_once_each)
{
	struct merge *m = merge_new();
	struct record *r;
	int i;

	for (i = 1; i <= 4; i++) {
		r = node(i);
		record_add_mount(r, i % 2 ? "/b" : "/a", "t", "default");
		add(m, r);
	}
	expect_token(m, " fs=/a:t,/b:t ");
	merge_free(m);
}
END_TEST

START_TEST(more_than_nine_filesystems_left_out_are_not_counted)
{
	struct merge *m = merge_new();
	char path[32];
	int i;

	for (i = 1; i <= 40; i++) {
		struct record *r = node(i);

		snprintf(path, sizeof(path), "/scratch/number/%02d", i);
		record_add_mount(r, path, "t", "default");
		add(m, r);
	}
	expect_token(m, " fs=/scratch/number/01:t,/scratch/number/02:t,/scratch/number/03:t,+9 ");
	merge_free(m);
}
END_TEST

static void expect_sizes(int64_t a, int64_t b, const char *wanted)
{
	struct merge *m = merge_new();
	struct record *r = node(1);
	struct record_io io;

	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = 1;
	io.has_hist[RECORD_READ_SIZES] = true;
	io.hist[RECORD_READ_SIZES][10] = a;
	io.hist[RECORD_READ_SIZES][20] = b;
	record_add_app(r, &io);
	add(m, r);
	expect_token(m, wanted);
	merge_free(m);
}

START_TEST(half_of_the_calls_means_more_than_half)
{
	expect_sizes(1, 1, " rsz=2MiB/2MiB ");
	expect_sizes(2, 1, " rsz=2KiB/2MiB ");
	expect_sizes(99, 1, " rsz=2KiB/2MiB ");
	expect_sizes(100, 1, " rsz=2KiB/2KiB ");
	expect_sizes(199, 1, " rsz=2KiB/2KiB ");
	expect_sizes(150, 149, " rsz=2KiB/2MiB ");
	expect_sizes(149, 150, " rsz=2MiB/2MiB ");
	expect_sizes(1, 0, " rsz=2KiB/2KiB ");
}
END_TEST

START_TEST(cpus_that_are_no_list_are_not_told)
{
	struct merge *m = merge_new();
	struct record *r = worker(1);

	record_set(&r->io_cores_os, "1;3");
	add(m, r);
	expect_token(m, " cpus=- ");
	merge_free(m);
	m = merge_new();
	r = worker(1);
	record_set(&r->io_cores_os, "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33");
	add(m, r);
	expect_token(m, " cpus=many ");
	merge_free(m);
	m = merge_new();
	r = worker(1);
	record_set(&r->io_cores_os, "1,3,5,7,9,11,13,15,17,19,21,23,25,27-30");
	add(m, r); /* 39 characters */
	expect_token(m, " cpus=1,3,5,7,9,11,13,15,17,19,21,23,25,27-30 ");
	merge_free(m);
}
END_TEST

START_TEST(of_nodes_that_are_alike_the_first_is_named)
{
	struct merge *m = merge_new();

	add(m, counted(3, 1, 4100000));
	add(m, counted(2, 1, 4100000));
	expect_token(m, " imb=1.00@n2 slow=4.1s@n2 ");
	merge_free(m);
}
END_TEST

START_TEST(of_few_bytes_the_imbalance_is_exact)
{
	struct merge *m = merge_new();
	struct record *r = node(1);

	app(r, RECORD_SCOPE_JOB, "stepd", NULL, 1); /* 1 read, 2 written */
	add(m, r);
	r = node(2);
	app(r, RECORD_SCOPE_JOB, "stepd", NULL, 0);
	add(m, r);
	expect_token(m, " imb=2.00@n1 ");
	merge_free(m);
}
END_TEST

/* A node that knows one number of its job alone. */
static void add_knowing(struct merge *m, int at, enum record_number which, int64_t number)
{
	struct record *r = node(at);
	struct record_io io;

	record_io_init(&io);
	io.scope = RECORD_SCOPE_JOB;
	strcpy(io.source, "stepd");
	io.numbers[which] = number;
	record_add_app(r, &io);
	add(m, r);
}

/* Where that number is none. */
static enum summary_scope scope_of(enum record_number which)
{
	struct merge *m = merge_new();
	struct summary summary;

	add_knowing(m, 1, which, 0);
	merge_summary(m, &summary);
	merge_free(m);
	return summary.scope;
}

START_TEST(nothing_at_all_is_known_too)
{
	ck_assert_int_eq(scope_of(RECORD_READ_BYTES), SUMMARY_SCOPE_JOB);
	ck_assert_int_eq(scope_of(RECORD_WRITE_BYTES), SUMMARY_SCOPE_JOB);
	ck_assert_int_eq(scope_of(RECORD_READ_CALLS), SUMMARY_SCOPE_JOB);
	ck_assert_int_eq(scope_of(RECORD_WRITE_CALLS), SUMMARY_SCOPE_JOB);
	ck_assert_int_eq(scope_of(RECORD_READ_US), SUMMARY_SCOPE_NONE);
}
END_TEST

/* Two nodes whose calls took so long. */
static int64_t slowest_ns(int64_t us, int64_t other_us)
{
	struct merge *m = merge_new();
	struct summary summary;

	add_knowing(m, 1, RECORD_READ_US, us);
	add_knowing(m, 2, RECORD_READ_US, other_us);
	merge_summary(m, &summary);
	merge_free(m);
	return summary.slowest_ns;
}

START_TEST(a_node_that_waited_for_nothing_is_faster_than_the_slowest)
{
	ck_assert_int_eq(slowest_ns(2, 0), 2000);
	ck_assert_int_eq(slowest_ns(0, 3), 3000);
	ck_assert_int_eq(slowest_ns(0, 0), RECORD_UNKNOWN);
	ck_assert_int_eq(slowest_ns(2, RECORD_UNKNOWN), RECORD_UNKNOWN);
}
END_TEST

UNIT_MAIN("merge", nothing_at_all_is_known_too,
	  a_node_that_waited_for_nothing_is_faster_than_the_slowest,
	  all_nodes_of_a_job_become_one_line, what_the_job_did_not_get_comes_first,
	  numbers_of_all_files_are_not_said_to_be_the_clients,
	  a_summary_keeps_to_its_alphabet_whatever_records_say, nodes_that_did_not_report_are_named,
	  many_missing_nodes_are_counted, missing_nodes_are_named_while_there_is_room_for_the_rest,
	  a_path_is_told_whole_or_counted, a_node_list_that_cannot_be_read_hides_no_numbers,
	  nodes_that_differ_are_called_mixed, two_sources_of_a_node_are_never_added,
	  the_line_of_all_files_is_not_added_to_its_filesystems,
	  filesystems_besides_the_clients_are_not_added_to_them,
	  node_wide_numbers_never_pass_for_the_jobs,
	  the_shape_is_that_of_all_nodes_from_first_start_to_last_end,
	  clocks_that_are_apart_are_told_and_have_no_shape,
	  without_the_times_of_one_node_there_is_no_shape, peaks_of_nodes_are_never_added,
	  the_node_that_waited_longest_is_the_slowest, what_the_clients_moved_is_summed_apart,
	  nodes_that_never_waited_are_not_slow, numbers_that_nobody_knows_stay_unknown,
	  changes_findings_and_refusals_are_counted,
	  nodes_without_a_core_beside_the_card_are_counted,
	  a_profile_that_was_not_applied_does_not_look_applied,
	  histograms_give_the_half_and_the_tail, a_reboot_record_gives_way_to_the_real_one,
	  every_order_gives_the_same_summary, duplicates_of_everything_change_nothing,
	  a_summary_has_the_same_form_for_any_number_of_nodes,
	  sixteen_thousand_nodes_that_all_differ_fit_into_a_line,
	  nothing_that_a_record_says_leaves_its_token, numbers_that_do_not_fit_stay_at_the_largest,
	  a_flag_of_one_node_is_the_jobs_whichever_node_it_is, a_node_may_lack_several_things,
	  a_node_without_numbers_does_not_end_the_search, the_longest_list_of_nodes_counts,
	  of_lists_as_long_the_later_one_in_the_alphabet_counts,
	  a_run_without_records_has_a_summary, two_records_of_one_second_count_as_one_in_any_order,
	  the_better_of_two_records_is_told, mounts_are_joined_while_there_is_room_for_the_rest,
	  filesystems_of_all_nodes_are_joined_once_each,
	  more_than_nine_filesystems_left_out_are_not_counted,
	  half_of_the_calls_means_more_than_half, cpus_that_are_no_list_are_not_told,
	  of_nodes_that_are_alike_the_first_is_named, of_few_bytes_the_imbalance_is_exact)
