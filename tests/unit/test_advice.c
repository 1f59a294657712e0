/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "lib/fileio.h"
#include "tests/unit/advice_jobs.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"

START_TEST(each_rule_has_a_job_that_it_is_about_and_one_that_it_just_is_not)
{
	struct advice_list *list;
	const struct advice *a;
	struct job j;
	size_t i;

	for (i = 0; i < CASES; i++) {
		j = cases[i].make(true);
		list = judge(&j);
		a = find(list, cases[i].code);
		ck_assert_msg(a, "%s is not told", cases[i].code);
		ck_assert_msg(*a->what && *a->why && *a->cure && *a->source, "%s lacks a text",
			      cases[i].code);
		ck_assert_uint_le(a->value, 100);
		advice_free(list);
		j = cases[i].make(false);
		list = judge(&j);
		ck_assert_msg(list->is_judged, "%s: too little", cases[i].code);
		ck_assert_msg(!find(list, cases[i].code),
			      "%s is told of a job that it is not about", cases[i].code);
		advice_free(list);
	}
}
END_TEST

START_TEST(a_cure_that_is_an_option_says_which)
{
	static const struct {
		const char *code;
		enum advice_option option;
	} wanted[] = {
		{ "A01", ADVICE_NO_OPTION }, { "A03", ADVICE_CACHED },	 { "A04", ADVICE_CACHED },
		{ "A05", ADVICE_DIRECT },    { "A21", ADVICE_NO_CORES }, { "A22", ADVICE_CORES },
		{ "A23", ADVICE_CORES },     { "A24", ADVICE_NO_CORES }, { "A25", ADVICE_CORES },
		{ "A28", ADVICE_WITHOUT },
	};
	struct advice_list *list;
	const struct advice *a;
	struct job j;
	size_t i, k;
	char cure[64];

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		for (k = 0; strcmp(cases[k].code, wanted[i].code) != 0; k++)
			;
		j = cases[k].make(true);
		list = judge(&j);
		a = find(list, wanted[i].code);
		ck_assert_int_eq(a->option, wanted[i].option);
		ck_assert_int_eq(a->cores > 0, a->option == ADVICE_CORES);
		snprintf(cure, sizeof(cure), "sbatch --io-cores=%u", a->cores);
		if (a->cores)
			ck_assert_str_eq(a->cure, cure);
		ck_assert_int_eq(*a->node != 0, a->option == ADVICE_WITHOUT);
		advice_free(list);
	}
}
END_TEST

START_TEST(every_rule_has_such_jobs)
{
	const char *code;
	size_t i, k;

	for (i = 0; (code = advice_code(i)); i++) {
		for (k = 0; k < CASES && strcmp(cases[k].code, code); k++)
			;
		ck_assert_msg(k < CASES, "no job for %s", code);
	}
	ck_assert_uint_ge(i, 28);
}
END_TEST

START_TEST(where_all_wait_for_one_node_what_it_has_above_the_mean_is_at_stake)
{
	struct advice_list *list;
	struct job j;
	size_t i;

	for (i = 0; strcmp(cases[i].code, "A27") != 0; i++)
		;
	j = cases[i].make(true);
	j.io.numbers[RECORD_READ_US] = 500000000; /* half of the run */
	list = judge(&j);
	ck_assert_ptr_nonnull(find(list, "A27"));
	ck_assert_uint_eq(find(list, "A27")->value, 15);
	advice_free(list);
}
END_TEST

static void tell(FILE *out, const struct advice_list *list)
{
	const struct advice *a;
	size_t i;

	for (i = 0; i < list->count; i++) {
		a = &list->list[i];
		fprintf(out, "%s %u %%, %s%s%s: %s\n\twhy: %s\n\tcure: %s\n", a->code, a->value,
			advice_trust_name(a->trust), *a->fs ? ", " : "", a->fs, a->what, a->why,
			a->cure);
	}
}

/* What all of these jobs are told. */
static char *told(void)
{
	struct advice_list *list;
	char *text = NULL;
	size_t size = 0, i;
	struct job j;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	for (i = 0; i < CASES; i++) {
		fprintf(out, "%s# %s\n", i ? "\n" : "", cases[i].code);
		j = cases[i].make(true);
		list = judge(&j);
		tell(out, list);
		advice_free(list);
	}
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

START_TEST(jobs_are_told_the_same_as_when_somebody_read_it_last)
{
	char *text = told();

	sample_kept("advice/told.golden", text);
	free(text);
}
END_TEST

/* A row of the page's table is "A01", tab. */
START_TEST(the_manual_has_the_codes_of_the_table_and_no_others)
{
	FILE *page = fopen(SRCDIR "/man/jobio-advice.7", "r");
	char line[1000];
	size_t i = 0;

	ck_assert_ptr_nonnull(page);
	while (fgets(line, sizeof(line), page)) {
		if (line[0] != 'A' || line[3] != '\t')
			continue;
		line[3] = '\0';
		ck_assert_msg(advice_code(i), "the table has no %s", line);
		ck_assert_str_eq(line, advice_code(i));
		i++;
	}
	fclose(page);
	ck_assert_msg(!advice_code(i), "the page has no %s", advice_code(i));
}
END_TEST

/* As json has it: half of one is no text. */
START_TEST(a_long_mount_point_is_cut_between_two_characters)
{
	struct job j = cases[0].make(true);
	struct config_advice limits;
	struct record *r = make(&j, 0);
	struct advice_list *list;
	char fs[300];

	memset(fs, 'x', 254);
	strcpy(fs + 254, "\xc3\xa9y"); /* 255 bytes are told */
	fs[0] = '/';
	record_set(&r->mounts[0].mount, fs);
	record_set(&r->app[0].fs, fs);
	config_advice_init(&limits);
	list = advice_new(&r, 1, true, &limits);
	ck_assert_ptr_nonnull(find(list, "A01"));
	ck_assert_uint_eq(strlen(find(list, "A01")->fs), 254);
	advice_free(list);
	record_free(r);
}
END_TEST

/* ---- before any advice ------------------------------------------------------ */

static bool is_judged(struct job *j)
{
	struct advice_list *list = judge(j);
	bool is = list->is_judged;

	if (!is)
		ck_assert_uint_eq(list->count, 0);
	advice_free(list);
	return is;
}

START_TEST(below_60_s_1_gib_and_10000_calls_there_is_too_little_to_judge)
{
	struct job j = job_on("nfs");

	j.seconds = 59;
	reads(&j, 9999, GIB - 1);
	ck_assert(!is_judged(&j));
	j.seconds = 60;
	ck_assert(is_judged(&j));
	j.seconds = 59;
	reads(&j, 10000, GIB - 1);
	ck_assert(is_judged(&j));
	reads(&j, 9999, GIB);
	ck_assert(is_judged(&j));
	/* a job that did nothing, however long */
	j.seconds = 6000;
	reads(&j, 0, 0);
	ck_assert(!is_judged(&j));
	reads(&j, 1, 0);
	ck_assert(is_judged(&j));
}
END_TEST

static bool is_told(struct job *j, const char *code)
{
	struct advice_list *list = judge(j);
	bool is = find(list, code);

	advice_free(list);
	return is;
}

START_TEST(where_a_client_has_two_filesystems_nobody_knows_whose_its_cores_are)
{
	static const char *const codes[] = { "A24", "A25" };
	struct job j;
	size_t i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; strcmp(cases[i].code, codes[k]) != 0; i++)
			;
		j = cases[i].make(true);
		ck_assert(is_told(&j, codes[k]));
		j.has_other = true;
		ck_assert(!is_told(&j, codes[k]));
	}
}
END_TEST

START_TEST(a_client_that_did_nothing_has_idle_cores_and_one_that_does_not_tell_has_none)
{
	struct job j;
	size_t i;

	for (i = 0; strcmp(cases[i].code, "A24") != 0; i++)
		;
	j = cases[i].make(true);
	peak(&j, 0, 0);
	ck_assert(is_told(&j, "A24"));
	peak(&j, -1, 0);
	ck_assert(!is_told(&j, "A24"));
	peak(&j, 0, -1);
	ck_assert(!is_told(&j, "A24"));
}
END_TEST

START_TEST(bytes_of_mapped_files_are_enough_to_judge)
{
	struct job j = job_on("nfs");

	j.seconds = 59;
	reads(&j, 1, 1);
	j.io.numbers[RECORD_MMAP_READ_BYTES] = GIB - 2;
	ck_assert(!is_judged(&j));
	j.io.numbers[RECORD_MMAP_READ_BYTES] = GIB - 1;
	ck_assert(is_judged(&j));
}
END_TEST

START_TEST(bytes_of_mapped_files_are_not_read_for_nothing)
{
	struct job j = a19(true);

	j.io.numbers[RECORD_READ_BYTES] = 70 * GIB;
	j.wire.numbers[RECORD_ASKED_READ_BYTES] = 70 * GIB;
	j.io.numbers[RECORD_MMAP_READ_BYTES] = 30 * GIB;
	ck_assert(is_told(&j, "A19"));
	j.io.numbers[RECORD_MMAP_READ_BYTES] = 31 * GIB;
	ck_assert(!is_told(&j, "A19"));
}
END_TEST

/* llite has not counted asynchronous direct I/O since Lustre 2.14. */
START_TEST(a19_compares_with_what_the_job_read_where_the_client_was_asked_for_less)
{
	struct job j = a19(true);

	j.wire.numbers[RECORD_ASKED_READ_BYTES] = GIB;
	j.wire.numbers[RECORD_READ_BYTES] = 100 * GIB;
	ck_assert(!is_told(&j, "A19"));
	j.wire.numbers[RECORD_READ_BYTES] = 130 * GIB;
	ck_assert(is_told(&j, "A19"));
	j.io.numbers[RECORD_READ_BYTES] = -1;
	ck_assert(!is_told(&j, "A19"));
}
END_TEST

/* 4 KiB a time would be less than 10 % of the time. */
START_TEST(the_clients_time_counts_for_mapped_files)
{
	struct job j = job_on("nfs");

	reads(&j, 0, 0);
	wire(&j, 100000, 2 * GIB);
	j.io.numbers[RECORD_MMAP_READ_BYTES] = 2 * GIB;
	j.wire.numbers[RECORD_READ_US] = 99000000;
	ck_assert(!is_told(&j, "A15"));
	j.wire.numbers[RECORD_READ_US] = 101000000;
	ck_assert(is_told(&j, "A15"));
}
END_TEST

/* 10,000 pages are 39 MiB; what read() asked for is not of a mapped file. */
START_TEST(many_requests_for_pages_of_mapped_files_are_enough)
{
	struct job j = job_on("nfs");

	meta(&j, RECORD_META_OPEN, 1);
	reads(&j, 0, 0);
	wire(&j, 10000, 10000 * 4096);
	j.io.numbers[RECORD_MMAP_READ_BYTES] = 10000 * 4096;
	j.wire.numbers[RECORD_READ_US] = 110000000;
	ck_assert(is_told(&j, "A15"));
	reads(&j, 1, 4096);
	ck_assert(!is_told(&j, "A15"));
	reads(&j, 0, 0);
	j.wire.numbers[RECORD_READ_CALLS] = 9999;
	ck_assert(!is_told(&j, "A15"));
}
END_TEST

START_TEST(numbers_of_the_whole_node_are_not_judged)
{
	struct job j = a01(true);

	j.scope = RECORD_SCOPE_NODE;
	ck_assert(!is_judged(&j));
}
END_TEST

START_TEST(what_the_client_of_a_shared_node_did_is_no_evidence)
{
	struct job j = a18(true);
	struct advice_list *list;

	j.wire.shared = 1;
	list = judge(&j);
	ck_assert(list->is_judged && !find(list, "A18"));
	advice_free(list);
	j.wire.shared = RECORD_UNKNOWN;
	list = judge(&j);
	ck_assert(!find(list, "A18"));
	advice_free(list);
}
END_TEST

START_TEST(what_a_client_did_is_evidence_of_the_filesystem_that_it_has_alone)
{
	struct job j = a22(true);

	wire(&j, 1000000, 999999999999);
	j.wire.numbers[RECORD_WRITE_BYTES] = 0;
	j.is_whole = true;
	ck_assert(!is_told(&j, "A22"));
	j.has_other = true;
	ck_assert(is_told(&j, "A22"));
}
END_TEST

/* Files that are opened and read nine times of ten, and four times at most. */
START_TEST(tiny_files_are_read_about_as_often_as_they_are_opened)
{
	static const struct {
		int64_t calls;
		bool is_told;
	} of[] = { { 269999, false }, { 270000, true }, { 1200000, true }, { 1200001, false } };
	struct job j = a13(true);
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		reads(&j, of[i].calls, 300000 * 65535L);
		ck_assert_msg(is_told(&j, "A13") == of[i].is_told, "%ld", (long)of[i].calls);
	}
}
END_TEST

START_TEST(a_profile_is_missed_on_the_nodes_that_do_not_have_it)
{
	struct advice_list *list;
	const struct advice *a;
	struct job j = a20(true);

	j.nodes = 3;
	j.applied_first = 1;
	list = judge(&j);
	a = find(list, "A20");
	ck_assert_ptr_nonnull(a);
	ck_assert_str_eq(a->what, "profile stream was asked for, and not applied on 2 of 3 nodes");
	advice_free(list);
	j.applied_first = 3;
	ck_assert(!is_told(&j, "A20"));
}
END_TEST

static bool is_why(struct job *j, const char *code, const char *words)
{
	struct advice_list *list = judge(j);
	const struct advice *a = find(list, code);
	bool is = a && strstr(a->why, words);

	advice_free(list);
	return is;
}

START_TEST(small_calls_take_no_more_than_all_of_the_time)
{
	struct job j = a01(true);

	j.io.numbers[RECORD_READ_US] = 1000000000;
	ck_assert(is_why(&j, "A01", "they took 100 % of the job's time"));
	j.io.numbers[RECORD_READ_US] = 10700000000;
	ck_assert(is_why(&j, "A01", "10.7 of them were on their way at a time"));
}
END_TEST

/* As SQLite does, of whose 15,000 writes the client made 6,000 at its 6,000 fsync */
START_TEST(writes_that_wait_for_their_fsync_are_not_small)
{
	struct job j = job_on("nfs");

	writes(&j, 15000, 15000 * 1700L);
	meta(&j, RECORD_META_FSYNC, 6000);
	wire(&j, 0, 0);
	j.wire.numbers[RECORD_WRITE_CALLS] = 6666;
	j.wire.numbers[RECORD_WRITE_US] = 300000000;
	ck_assert(!is_told(&j, "A02"));
	ck_assert(is_told(&j, "A08"));
	j.wire.numbers[RECORD_WRITE_CALLS] = 6667;
	ck_assert(is_told(&j, "A02"));
	j.wire.numbers[RECORD_WRITE_CALLS] = 6666;
	j.io.numbers[RECORD_WRITE_US] = 300000000; /* the writes waited */
	ck_assert(is_told(&j, "A02"));
}
END_TEST

START_TEST(small_reads_from_the_page_cache_are_nobodys_trouble)
{
	struct job j = a01(true);
	struct advice_list *list;

	wire(&j, 99999, GIB);
	list = judge(&j);
	ck_assert(!find(list, "A01"));
	advice_free(list);
	wire(&j, 100000, GIB);
	list = judge(&j);
	ck_assert_ptr_nonnull(find(list, "A01"));
	advice_free(list);
}
END_TEST

/* 2,000 calls that took half of the time */
START_TEST(time_in_calls_that_the_page_cache_serves_is_no_waiting)
{
	struct job j = a06(true);

	wire(&j, 199, 199 * MIB);
	ck_assert(!is_told(&j, "A06"));
	wire(&j, 200, 200 * MIB);
	ck_assert(is_told(&j, "A06"));
}
END_TEST

START_TEST(the_nearer_to_full_a_client_is_the_less_more_processes_are_worth)
{
	struct job j = a06(true);
	struct advice_list *one, *twelve;

	j.io.numbers[RECORD_READ_US] = 1000000000;
	one = judge(&j);
	j.io.numbers[RECORD_READ_US] = 12000000000;
	twelve = judge(&j);
	ck_assert_uint_eq(find(one, "A06")->value, 46);
	ck_assert_uint_eq(find(twelve, "A06")->value, 12);
	advice_free(one);
	advice_free(twelve);
}
END_TEST

/* 2,000 GB were read, 4.6 GB in the best second: a core moves 5.73 */
START_TEST(a_core_is_not_at_its_limit_for_what_the_page_cache_served)
{
	struct job j = a22(true);
	struct advice_list *list = judge(&j);

	ck_assert_int_eq(find(list, "A22")->trust, ADVICE_PERHAPS);
	advice_free(list);
	wire(&j, 1000000, 999999999999);
	j.wire.numbers[RECORD_WRITE_BYTES] = 0;
	ck_assert(!is_told(&j, "A22"));
	j.wire.numbers[RECORD_WRITE_BYTES] = 1;
	list = judge(&j);
	ck_assert_int_eq(find(list, "A22")->trust, ADVICE_LIKELY);
	advice_free(list);
	j.wire.numbers[RECORD_READ_BYTES] = INT64_MAX; /* or more */
	ck_assert(is_told(&j, "A22"));
	j = a22(true);
	peak(&j, 7449000001, 0); /* 30 % more than a core moves */
	ck_assert(!is_told(&j, "A22"));
	j.option = "forcedirect";
	ck_assert(is_told(&j, "A22"));
}
END_TEST

START_TEST(cores_that_the_job_did_not_ask_for_are_not_its_to_leave_out)
{
	struct job j = a24(true);
	struct advice_list *list;
	struct record *r = make(&j, 0);
	struct config_advice limits;

	config_advice_init(&limits);
	r->request.io_cores = 0;
	list = advice_new(&r, 1, true, &limits);
	ck_assert(list->is_judged && !find(list, "A24"));
	advice_free(list);
	record_free(r);
}
END_TEST

START_TEST(a_sites_own_threshold_counts)
{
	struct config_advice limits;
	struct job j = a01(false);
	struct advice_list *list;

	config_advice_init(&limits);
	limits.small_read_kb = 41;
	list = judge_with(&j, &limits);
	ck_assert_ptr_nonnull(find(list, "A01"));
	ck_assert_ptr_nonnull(strstr(find(list, "A01")->why, "below 41 kB"));
	advice_free(list);
}
END_TEST

START_TEST(what_was_measured_is_sure_and_comes_before_what_is_estimated)
{
	struct job j = a01(true);
	struct advice_list *list;
	size_t i;

	meta(&j, RECORD_META_LOOKUP_MISS, 200000);
	j.io.numbers[RECORD_READ_US] = 900000000;
	list = judge(&j);
	ck_assert_uint_ge(list->count, 2);
	ck_assert_str_eq(list->list[0].code, "A01");
	ck_assert_int_eq(list->list[0].trust, ADVICE_SURE);
	ck_assert_uint_eq(list->list[0].value, 90);
	for (i = 1; i < list->count; i++)
		ck_assert_uint_le(list->list[i].value * (1 + list->list[i].trust),
				  list->list[i - 1].value * (1 + list->list[i - 1].trust));
	advice_free(list);
}
END_TEST

START_TEST(files_that_are_kept_or_few_are_no_scratch_however_much_is_read_of_them)
{
	struct job j = a16_spill(true);

	meta(&j, RECORD_META_UNLINK, 6);
	ck_assert(!is_told(&j, "A16"));
	meta(&j, RECORD_META_UNLINK, 17);
	ck_assert(!is_told(&j, "A16"));
	meta(&j, RECORD_META_UNLINK, 7);
	meta(&j, RECORD_META_CREATE, 7);
	ck_assert(!is_told(&j, "A16"));
}
END_TEST

START_TEST(a_file_that_is_opened_again_and_again_is_not_many_files)
{
	struct job j = a11_again(true);

	ck_assert(!is_told(&j, "A13"));
	j = a11_again(false);
	ck_assert(is_told(&j, "A13"));
}
END_TEST

START_TEST(what_is_deleted_again_is_worth_the_time_that_it_took)
{
	struct job j = a16(true);
	struct advice_list *list;

	wire(&j, 0, 0);
	j.wire.numbers[RECORD_META_CALLS] = 3000;
	j.wire.numbers[RECORD_META_US] = 400000000;
	list = judge(&j);
	ck_assert_ptr_nonnull(find(list, "A16"));
	ck_assert_uint_eq(find(list, "A16")->value, 40);
	advice_free(list);
}
END_TEST

/* 20,000,000 stat, and half of the time in requests that are a tenth of them */
START_TEST(names_that_the_client_had_at_hand_are_no_storm)
{
	struct job j = a09(true);

	wire(&j, 10000000, 10000000 * MIB);
	j.wire.numbers[RECORD_META_CALLS] = 2000000;
	j.wire.numbers[RECORD_META_US] = 50000000;
	ck_assert(is_told(&j, "A09"));
	j.wire.numbers[RECORD_META_CALLS] = 1999999;
	ck_assert(!is_told(&j, "A09"));
	meta(&j, RECORD_META_STAT, 101000000);
	ck_assert(!is_told(&j, "A09"));
	j.wire.numbers[RECORD_META_US] = 500000000;
	ck_assert(is_told(&j, "A09"));
}
END_TEST

START_TEST(a_name_that_its_stat_looks_up_is_one_operation)
{
	struct job j = a09(true);

	wire(&j, 10000000, 10000000 * MIB);
	meta(&j, RECORD_META_STAT, 101000000);
	meta(&j, RECORD_META_LOOKUP_MISS, 101000000);
	j.wire.numbers[RECORD_META_CALLS] = 1999999;
	j.wire.numbers[RECORD_META_US] = 120000000;
	ck_assert(is_told(&j, "A09"));
	j.wire.numbers[RECORD_META_US] = 80000000;
	ck_assert(!is_told(&j, "A09"));
}
END_TEST

/* 15,000 a second, and 9 or 11 for each folder made */
START_TEST(a_stat_beside_each_change_is_no_storm)
{
	struct job j = job_on("nfs");

	meta(&j, RECORD_META_STAT, 15000000);
	meta(&j, RECORD_META_MKDIR, 15000000 / 11);
	ck_assert(is_told(&j, "A09"));
	meta(&j, RECORD_META_MKDIR, 15000000 / 9);
	ck_assert(!is_told(&j, "A09"));
}
END_TEST

START_TEST(a_few_calls_of_a_node_are_not_its_speed)
{
	struct job j = a28(true);

	j.io.numbers[RECORD_READ_CALLS] = 100;
	ck_assert(is_told(&j, "A28"));
	j.io.numbers[RECORD_READ_CALLS] = 99;
	ck_assert(!is_told(&j, "A28"));
}
END_TEST

/* The first takes three times as long for a byte; the second moved hardly any. */
START_TEST(a_node_is_not_slow_beside_one_that_hardly_moved_anything)
{
	struct job j = a28(false);

	j.bytes_part[0] = 0.76;
	j.bytes_part[1] = 0.24;
	j.us_part[0] = 0.9;
	j.us_part[1] = 0.1;
	ck_assert(!is_told(&j, "A28"));
	j.bytes_part[0] = 0.74;
	j.bytes_part[1] = 0.26;
	ck_assert(is_told(&j, "A28"));
}
END_TEST

START_TEST(not_all_nodes_are_not_compared_with_each_other)
{
	struct job j = a26(true);
	struct config_advice limits;
	struct advice_list *list;
	size_t i;

	config_advice_init(&limits);
	for (i = 0; i < j.nodes; i++)
		j.records[i] = make(&j, i);
	list = advice_new(j.records, j.nodes, false, &limits);
	ck_assert(list->is_judged && !find(list, "A26"));
	advice_free(list);
	for (i = 0; i < j.nodes; i++)
		record_free(j.records[i]);
}
END_TEST

/* ---- when, how many, how much ------------------------------------------------- */

START_TEST(what_is_read_at_the_end_is_no_tail)
{
	struct job j = a40(true);

	reads(&j, 102400, 100 * GIB);
	writes(&j, 0, 0);
	memset(&j.io.timeline, 0, sizeof(j.io.timeline));
	row(&j, 100, 25 * GIB, 0);
	row(&j, 900, 75 * GIB, 0);
	ck_assert(!is_told(&j, "A40"));
}
END_TEST

/* The run is 1,000 s from 1000 on: of rows of 16 s the last quarter begins at 1744. */
START_TEST(a_tail_is_in_the_last_quarter_of_the_run_not_of_the_io)
{
	struct job j = a40(true);

	memset(&j.io.timeline, 0, sizeof(j.io.timeline));
	row(&j, 0, 0, 25 * GIB);
	row(&j, 743, 0, 75 * GIB);
	ck_assert(!is_told(&j, "A40"));
	memset(&j.io.timeline, 0, sizeof(j.io.timeline));
	row(&j, 0, 0, 25 * GIB);
	row(&j, 744, 0, 75 * GIB);
	ck_assert(is_told(&j, "A40"));
}
END_TEST

START_TEST(a_tail_that_clocks_may_have_made_is_none)
{
	struct job j = a40(true);

	j.nodes = 2;
	ck_assert(is_told(&j, "A40"));
	j.ahead = 40;
	ck_assert(!is_told(&j, "A40"));
	j.ahead = 9;
	ck_assert(is_told(&j, "A40"));
}
END_TEST

/* 60 s at least, on one node */
START_TEST(clocks_that_are_apart_make_no_job_longer)
{
	struct job j = a01(false);
	struct advice_list *list;

	reads(&j, 10, 10);
	j.nodes = 2;
	j.seconds = 50;
	j.ahead = 40;
	list = judge(&j);
	ck_assert(!list->is_judged);
	advice_free(list);
	j.seconds = 60;
	list = judge(&j);
	ck_assert(list->is_judged);
	advice_free(list);
}
END_TEST

START_TEST(a_job_without_a_timeline_has_no_tail)
{
	struct job j = a40(true);

	memset(&j.io.timeline, 0, sizeof(j.io.timeline));
	ck_assert(!is_told(&j, "A40"));
}
END_TEST

/* ---- what to do --------------------------------------------------------------- */

static bool is_cured_by(struct job *j, const char *code, const char *words)
{
	struct advice_list *list = judge(j);
	const struct advice *a = find(list, code);
	bool is;

	ck_assert_msg(a, "%s is not told", code);
	is = strstr(a->cure, words);
	advice_free(list);
	return is;
}

START_TEST(calls_of_16_kib_may_be_several_at_a_time_and_larger_ones_gain_nothing)
{
	struct job j = a01(true);

	ck_assert(!is_cured_by(&j, "A01", "libaio"));
	reads(&j, 1000000, 1000000 * 16385L);
	ck_assert(!is_cured_by(&j, "A01", "libaio"));
	reads(&j, 1000000, 1000000 * 16384L);
	ck_assert(is_cured_by(&j, "A01", "libaio"));
	ck_assert(is_cured_by(&j, "A01", "read 1 MiB at a time"));
	j = a02(true);
	writes(&j, 1000000, 1000000 * 4096L);
	ck_assert(is_cured_by(&j, "A02", "libaio"));
	ck_assert(is_cured_by(&j, "A02", "write 1 MiB at a time"));
	j = a06(true);
	ck_assert(!is_cured_by(&j, "A06", "libaio"));
	reads(&j, 2000, 2000 * 16384L);
	ck_assert(is_cured_by(&j, "A06", "libaio"));
}
END_TEST

/* find(1) looks up each name that is new, Python's the same ones again and again. */
START_TEST(names_that_are_asked_for_again_and_again_are_a_search_path)
{
	struct job j = a09(true);

	meta(&j, RECORD_META_LOOKUP_MISS, 5000000);
	ck_assert(!is_cured_by(&j, "A09", "PYTHONPATH"));
	meta(&j, RECORD_META_LOOKUP_MISS, 4999999);
	ck_assert(is_cured_by(&j, "A09", "PYTHONPATH"));
	ck_assert(is_cured_by(&j, "A09", "os.scandir()"));
}
END_TEST

/* 1,000 names, which take 100 s of 1,000 */
START_TEST(fewer_names_are_a_search_path_where_what_they_took_is_measured)
{
	struct job j = job_on("nfs"), python = job_on("nfs");

	meta(&j, RECORD_META_LOOKUP_MISS, 1000);
	ck_assert(!is_told(&j, "A10")); /* nobody has measured */
	wire(&j, 0, 0);
	j.wire.numbers[RECORD_META_CALLS] = 1000;
	j.wire.numbers[RECORD_META_US] = 100000000;
	ck_assert(is_told(&j, "A10"));
	j.wire.numbers[RECORD_META_US] = 99000000;
	ck_assert(!is_told(&j, "A10"));
	j.wire.numbers[RECORD_META_US] = 100000000;
	meta(&j, RECORD_META_LOOKUP_MISS, 999);
	ck_assert(!is_told(&j, "A10"));

	meta(&python, RECORD_META_STAT, 1000);
	wire(&python, 0, 0);
	python.wire.numbers[RECORD_META_CALLS] = 1000;
	python.wire.numbers[RECORD_META_US] = 100000000;
	ck_assert(is_cured_by(&python, "A09", "PYTHONPATH"));
	meta(&python, RECORD_META_LOOKUP_MISS, 250); /* each is new: a list */
	ck_assert(!is_told(&python, "A09"));
	meta(&python, RECORD_META_LOOKUP_MISS, 0);
	meta(&python, RECORD_META_STAT, 999);
	ck_assert(!is_told(&python, "A09"));
}
END_TEST

/* NFS with actimeo=0: what does not exist is known, and asked for each time. 18,000
 * requests, which take 180 s of 1,000: 10,000 more than 2,000 stat explain */
START_TEST(names_that_the_client_asks_the_servers_again_for_are_a_search_path)
{
	struct job j = job_on("nfs");
	int64_t *n = j.wire.numbers;
	struct advice_list *list;

	meta(&j, RECORD_META_STAT, 2000);
	wire(&j, 0, 0);
	n[RECORD_META_CALLS] = n[RECORD_NAME_CALLS] = 18000;
	n[RECORD_META_US] = 180000000;
	list = judge(&j);
	ck_assert_ptr_nonnull(find(list, "A10"));
	ck_assert_int_eq(find(list, "A10")->trust, ADVICE_PERHAPS);
	ck_assert_uint_eq(find(list, "A10")->value, 10);
	advice_free(list);
	ck_assert(is_cured_by(&j, "A10", "mount without noac"));
	ck_assert(is_cured_by(&j, "A10", "unset PYTHONPATH LD_LIBRARY_PATH"));
	n[RECORD_META_US] = 179000000; /* too little of the time */
	ck_assert(!is_told(&j, "A10"));
	n[RECORD_META_US] = 180000000;
	n[RECORD_NAME_CALLS] = 17999; /* explained by the job's own */
	ck_assert(!is_told(&j, "A10"));
	n[RECORD_NAME_CALLS] = 18000;
	reads(&j, 1, 1); /* who reads asks whether it still holds */
	ck_assert(!is_told(&j, "A10"));
}
END_TEST

/* Twice as many as operations */
START_TEST(names_that_took_most_of_the_time_are_a_search_path)
{
	struct job j = job_on("nfs");
	int64_t *n = j.wire.numbers;

	meta(&j, RECORD_META_STAT, 9000);
	wire(&j, 0, 0);
	n[RECORD_META_CALLS] = n[RECORD_NAME_CALLS] = 18000;
	n[RECORD_META_US] = 500000000;
	ck_assert(is_told(&j, "A10"));
	n[RECORD_META_US] = 499000000;
	ck_assert(!is_told(&j, "A10"));
	n[RECORD_META_US] = 500000000;
	meta(&j, RECORD_META_STAT, 9001);
	ck_assert(!is_told(&j, "A10"));
}
END_TEST

START_TEST(requests_that_ask_for_no_name_are_no_search_path)
{
	struct job j = job_on("nfs");
	int64_t *n = j.wire.numbers;

	meta(&j, RECORD_META_STAT, 2000);
	wire(&j, 0, 0);
	n[RECORD_META_CALLS] = 1000000; /* locks, nearly all of them */
	n[RECORD_META_US] = 900000000;
	ck_assert(!is_told(&j, "A10"));
	n[RECORD_NAME_CALLS] = 18000;
	ck_assert(!is_told(&j, "A10"));
	n[RECORD_NAME_CALLS] = 900000;
	ck_assert(is_told(&j, "A10"));
}
END_TEST

UNIT_MAIN("advice", a_profile_is_missed_on_the_nodes_that_do_not_have_it,
	  each_rule_has_a_job_that_it_is_about_and_one_that_it_just_is_not,
	  a_cure_that_is_an_option_says_which, every_rule_has_such_jobs,
	  the_manual_has_the_codes_of_the_table_and_no_others,
	  a_long_mount_point_is_cut_between_two_characters,
	  below_60_s_1_gib_and_10000_calls_there_is_too_little_to_judge,
	  bytes_of_mapped_files_are_enough_to_judge, bytes_of_mapped_files_are_not_read_for_nothing,
	  a19_compares_with_what_the_job_read_where_the_client_was_asked_for_less,
	  the_clients_time_counts_for_mapped_files,
	  many_requests_for_pages_of_mapped_files_are_enough,
	  numbers_of_the_whole_node_are_not_judged,
	  what_the_client_of_a_shared_node_did_is_no_evidence,
	  what_a_client_did_is_evidence_of_the_filesystem_that_it_has_alone,
	  tiny_files_are_read_about_as_often_as_they_are_opened,
	  small_calls_take_no_more_than_all_of_the_time,
	  writes_that_wait_for_their_fsync_are_not_small,
	  small_reads_from_the_page_cache_are_nobodys_trouble,
	  time_in_calls_that_the_page_cache_serves_is_no_waiting,
	  the_nearer_to_full_a_client_is_the_less_more_processes_are_worth,
	  a_core_is_not_at_its_limit_for_what_the_page_cache_served,
	  cores_that_the_job_did_not_ask_for_are_not_its_to_leave_out, a_sites_own_threshold_counts,
	  what_was_measured_is_sure_and_comes_before_what_is_estimated,
	  files_that_are_kept_or_few_are_no_scratch_however_much_is_read_of_them,
	  a_file_that_is_opened_again_and_again_is_not_many_files,
	  what_is_deleted_again_is_worth_the_time_that_it_took,
	  names_that_the_client_had_at_hand_are_no_storm,
	  a_name_that_its_stat_looks_up_is_one_operation, a_stat_beside_each_change_is_no_storm,
	  a_few_calls_of_a_node_are_not_its_speed,
	  a_node_is_not_slow_beside_one_that_hardly_moved_anything,
	  not_all_nodes_are_not_compared_with_each_other, what_is_read_at_the_end_is_no_tail,
	  a_tail_is_in_the_last_quarter_of_the_run_not_of_the_io,
	  a_tail_that_clocks_may_have_made_is_none, clocks_that_are_apart_make_no_job_longer,
	  a_job_without_a_timeline_has_no_tail,
	  calls_of_16_kib_may_be_several_at_a_time_and_larger_ones_gain_nothing,
	  names_that_are_asked_for_again_and_again_are_a_search_path,
	  fewer_names_are_a_search_path_where_what_they_took_is_measured,
	  names_that_the_client_asks_the_servers_again_for_are_a_search_path,
	  names_that_took_most_of_the_time_are_a_search_path,
	  requests_that_ask_for_no_name_are_no_search_path,
	  where_a_client_has_two_filesystems_nobody_knows_whose_its_cores_are,
	  a_client_that_did_nothing_has_idle_cores_and_one_that_does_not_tell_has_none,
	  where_all_wait_for_one_node_what_it_has_above_the_mean_is_at_stake,
	  jobs_are_told_the_same_as_when_somebody_read_it_last)
