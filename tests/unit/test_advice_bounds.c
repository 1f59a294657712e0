/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each bound of each rule: a job on it, and one that is beside it by one. */
#include <stdio.h>
#include <string.h>

#include "advice/advice.h"
#include "tests/unit/advice_jobs.h"
#include "tests/unit/runner.h"

static bool is_told(struct job *j, const char *code)
{
	struct advice_list *list = judge(j);
	bool is = find(list, code);

	advice_free(list);
	return is;
}

static void expect_told(struct job *j, const char *code, int64_t number, bool is)
{
	ck_assert_msg(is_told(j, code) == is, "%s: %lld is %s", code, (long long)number,
		      is ? "enough" : "not meant");
}

/* From so much on the advice is told. */
static void told_from(struct job *j, const char *code, int64_t *number, int64_t least)
{
	int64_t was = *number;

	*number = least;
	expect_told(j, code, least, true);
	*number = least - 1;
	expect_told(j, code, least - 1, false);
	*number = was;
}

/* Up to so much it is. */
static void told_to(struct job *j, const char *code, int64_t *number, int64_t most)
{
	int64_t was = *number;

	*number = most;
	expect_told(j, code, most, true);
	*number = most + 1;
	expect_told(j, code, most + 1, false);
	*number = was;
}

/* Of a run that takes as long, and not of a longer one */
static void told_for(struct job *j, const char *code, double most_s)
{
	j->seconds = most_s;
	expect_told(j, code, (int64_t)most_s, true);
	j->seconds = most_s + 1;
	expect_told(j, code, (int64_t)most_s + 1, false);
	j->seconds = most_s;
}

static void expect_value(struct job *j, const char *code, unsigned int value)
{
	struct advice_list *list = judge(j);
	const struct advice *a = find(list, code);

	ck_assert_msg(a, "%s is not told", code);
	ck_assert_uint_eq(a->value, value);
	advice_free(list);
}

static void expect_words(struct job *j, const char *code, const char *what, const char *why)
{
	struct advice_list *list = judge(j);
	const struct advice *a = find(list, code);

	ck_assert_msg(a, "%s is not told", code);
	ck_assert_msg(strstr(a->what, what), "%s", a->what);
	ck_assert_msg(strstr(a->why, why), "%s", a->why);
	advice_free(list);
}

/* What the job did, and what its client did */
#define IO(of) (&j.io.numbers[RECORD_##of])
#define OP(of) (&j.io.meta[RECORD_META_##of])
#define WIRE(of) (&j.wire.numbers[RECORD_##of])

/* ---- calls --------------------------------------------------------------------- */

START_TEST(reads_are_small_from_10000_of_them_on_and_a_tenth_of_the_time)
{
	struct job j = job_on("weka");

	reads(&j, 10000, 10000 * 4096);
	*IO(READ_US) = 100000000;
	told_from(&j, "A01", IO(READ_CALLS), 10000);
	told_from(&j, "A01", IO(READ_US), 100000000);
	/* to open them costs more */
	meta(&j, RECORD_META_OPEN, 0);
	told_to(&j, "A01", OP(OPEN), 2500);
	/* the page cache had nine of ten */
	wire(&j, 0, 0);
	told_from(&j, "A01", WIRE(READ_CALLS), 1000);
	expect_told(&j, "A01", 0, false);
	*WIRE(READ_CALLS) = RECORD_UNKNOWN;
	expect_told(&j, "A01", RECORD_UNKNOWN, true);
}
END_TEST

START_TEST(what_the_kernel_measured_counts_before_what_the_client_did)
{
	struct job j = job_on("weka");

	reads(&j, 10000, 10000 * 4096);
	wire(&j, 10000, 10000 * 4096);
	*WIRE(READ_US) = 900000000;
	expect_told(&j, "A01", 0, true);
	*IO(READ_US) = 500000;
	expect_told(&j, "A01", 500000, false);
}
END_TEST

START_TEST(more_than_all_of_the_time_is_said_of_what_is_measured)
{
	struct job j = job_on("weka");

	reads(&j, 10000000, 10000000 * 4096L);
	expect_words(&j, "A01", "reads of 4.0 KiB", "may have taken 150 % of the job's time");
	*IO(READ_US) = 1100000000;
	expect_words(&j, "A01", "reads of 4.0 KiB", "1.1 of them were on their way");
}
END_TEST

START_TEST(a_write_for_each_two_fsync_is_none_that_waits_for_itself)
{
	struct job j = job_on("nfs");

	writes(&j, 15000, 15000 * 1700L);
	*IO(WRITE_US) = 300000000;
	meta(&j, RECORD_META_FSYNC, 0);
	told_to(&j, "A02", OP(FSYNC), 7500);
	/* the client wrote little oftener than it was told to */
	*IO(WRITE_US) = RECORD_UNKNOWN;
	wire(&j, 0, 0);
	*WIRE(WRITE_US) = 300000000;
	writes(&j, 10000, 10000 * 1700L);
	*WIRE(WRITE_CALLS) = 1000;
	told_to(&j, "A02", OP(FSYNC), 999);
	writes(&j, 20000, 20000 * 1700L);
	meta(&j, RECORD_META_FSYNC, 9000);
	told_from(&j, "A02", WIRE(WRITE_CALLS), 10001);
}
END_TEST

START_TEST(calls_around_the_page_cache_are_small_from_10000_of_them_on)
{
	struct job j = job_on("weka");

	j.option = "forcedirect";
	reads(&j, 10000, 10000 * 4096);
	*IO(READ_US) = 100000000;
	told_from(&j, "A03", IO(READ_CALLS), 10000);
	told_from(&j, "A03", IO(READ_US), 100000000);
}
END_TEST

START_TEST(metadata_without_a_cache_are_10000_operations_and_a_tenth_of_the_time)
{
	struct job j = job_on("weka");

	j.option = "forcedirect";
	meta(&j, RECORD_META_STAT, 10000);
	wire(&j, 0, 0);
	*WIRE(META_CALLS) = 10000;
	*WIRE(META_US) = 100000000;
	told_from(&j, "A04", OP(STAT), 10000);
	told_from(&j, "A04", WIRE(META_US), 100000000);
}
END_TEST

START_TEST(a_stream_through_the_page_cache_is_large_busy_and_little_else)
{
	struct job j = a05(true);

	j.option = "readcache";
	expect_told(&j, "A05", 0, true);
	*IO(READ_US) = 800000000; /* a fourth of it is the copy */
	expect_value(&j, "A05", 20);
	told_from(&j, "A05", IO(READ_US), 100000000);
	reads(&j, 1, 200000 * MIB);
	expect_told(&j, "A05", 1, true);
	reads(&j, 180000, 180000 * MIB);
	meta(&j, RECORD_META_STAT, 0);
	told_to(&j, "A05", OP(STAT), 20000);
	wire(&j, 180000, 180000 * MIB);
	told_from(&j, "A05", WIRE(READ_CALLS), 18000);
}
END_TEST

START_TEST(few_processes_are_less_than_16_and_leave_a_client_room)
{
	struct job j = job_on("weka");

	reads(&j, 1000, 1000 * MIB);
	*IO(READ_US) = 500000000;
	told_from(&j, "A06", IO(READ_CALLS), 1000);
	told_to(&j, "A06", IO(READ_US), 15999999999);
	told_to(&j, "A06", IO(READ_BYTES), 4010999999999);
	*IO(READ_US) = 1500000000;
	expect_value(&j, "A06", 45);
}
END_TEST

START_TEST(many_processes_are_more_than_16_in_small_calls)
{
	struct job j = job_on("weka");

	reads(&j, 10000, 10000 * 4096);
	*IO(READ_US) = 32000000000;
	told_from(&j, "A07", IO(READ_CALLS), 10000);
	told_from(&j, "A07", IO(READ_US), 16000000001);
	expect_value(&j, "A07", 50);
}
END_TEST

START_TEST(fsync_are_many_from_one_in_10_writes_on)
{
	struct job j = job_on("nfs");

	writes(&j, 10000, 10000 * MIB);
	meta(&j, RECORD_META_FSYNC, 1000);
	wire(&j, 0, 0);
	*WIRE(WRITE_US) = 100000000;
	told_to(&j, "A08", IO(WRITE_CALLS), 10000);
	told_from(&j, "A08", WIRE(WRITE_US), 100000000);
}
END_TEST

START_TEST(stats_are_many_from_10000_on_and_ten_times_all_else)
{
	struct job j = job_on("lustre");

	j.seconds = 10;
	reads(&j, 500, 500);
	meta(&j, RECORD_META_STAT, 10000);
	told_from(&j, "A09", OP(STAT), 10000);
	told_to(&j, "A09", IO(READ_CALLS), 1000);
	/* each name was new */
	meta(&j, RECORD_META_LOOKUP_MISS, 5000);
	told_from(&j, "A09", OP(STAT), 10000);
	meta(&j, RECORD_META_LOOKUP_MISS, 0);
	j.seconds = 1000;
	wire(&j, 500, 500);
	*WIRE(META_CALLS) = 10000;
	told_from(&j, "A09", WIRE(META_US), 100000000);
	/* each was looked up once: ten of eleven operations are stat */
	*WIRE(META_CALLS) = 22000;
	meta(&j, RECORD_META_OPEN, 1000);
	meta(&j, RECORD_META_LOOKUP_MISS, 11000);
	reads(&j, 0, 0);
	*WIRE(META_US) = 111000000;
	expect_told(&j, "A09", 111000000, true);
	*WIRE(META_US) = 109000000;
	expect_told(&j, "A09", 109000000, false);
	/* the client had them all at hand */
	j = a09(true);
	wire(&j, 10000000, 10000000 * MIB);
	*WIRE(META_CALLS) = 0;
	expect_told(&j, "A09", 0, false);
}
END_TEST

START_TEST(names_that_are_asked_for_again_are_10000_and_requests_themselves)
{
	struct job j = job_on("nfs");

	meta(&j, RECORD_META_STAT, 1000);
	wire(&j, 0, 0);
	*WIRE(META_CALLS) = *WIRE(NAME_CALLS) = 10000;
	*WIRE(META_US) = 600000000;
	told_from(&j, "A10", WIRE(NAME_CALLS), 10000);
	told_to(&j, "A10", WIRE(NAME_CALLS), 10000);
	expect_words(&j, "A10", "beside 1000 operations", "10.0 for each: the client asks again");
	expect_words(&j, "A10", "beside 1000 operations", "60 % of the job's time");
	/* nobody got a name in the end */
	meta(&j, RECORD_META_STAT, 0);
	reads(&j, 1, 1);
	expect_words(&j, "A10", "beside 0 operations", "10000.0 for each");
}
END_TEST

/* Of 20,000 names that were looked up 10,000 must have been for nothing. */
START_TEST(names_that_an_operation_is_about_are_not_looked_up_for_nothing)
{
	static const struct {
		enum record_meta op;
		int64_t most;
	} ops[] = {
		{ RECORD_META_STAT, 10000 },	 { RECORD_META_CHMOD, 10000 },
		{ RECORD_META_CHOWN, 10000 },	 { RECORD_META_UTIMES, 10000 },
		{ RECORD_META_TRUNCATE, 10000 }, { RECORD_META_RENAME, 5000 },
		{ RECORD_META_LINK, 5000 },	 { RECORD_META_UNLINK, 10000 },
		{ RECORD_META_MKDIR, 10000 },	 { RECORD_META_RMDIR, 10000 },
		{ RECORD_META_SYMLINK, 10000 },	 { RECORD_META_MKNOD, 10000 },
	};
	struct job j;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		j = job_on("nfs");
		j.seconds = 100;
		meta(&j, RECORD_META_LOOKUP_MISS, 20000);
		told_to(&j, "A10", &j.io.meta[ops[i].op], ops[i].most);
		/* it is changed after it was found */
		meta(&j, RECORD_META_CHMOD, 6000);
		if (ops[i].op == RECORD_META_STAT)
			told_to(&j, "A10", OP(STAT), 10000);
	}
	j = job_on("nfs");
	meta(&j, RECORD_META_LOOKUP_MISS, 10000);
	told_for(&j, "A10", 150); /* a hundredth of it */
}
END_TEST

START_TEST(files_are_opened_again_to_read_from_10000_times_on)
{
	struct job j = job_on("nfs");

	j.seconds = 40;
	reads(&j, 10000, 10000);
	meta(&j, RECORD_META_OPEN, 10000);
	told_from(&j, "A11", OP(OPEN), 10000);
	meta(&j, RECORD_META_OPEN, 12000);
	reads(&j, 12000, 12000);
	told_to(&j, "A11", OP(CREATE), 2000);
	meta(&j, RECORD_META_OPEN, 10000);
	reads(&j, 10000, 10000);
	told_for(&j, "A11", 45);
}
END_TEST

START_TEST(files_are_opened_again_to_append_for_each_two_writes_or_half_a_one)
{
	struct job j = job_on("nfs");

	j.seconds = 10;
	writes(&j, 10000, 10000);
	meta(&j, RECORD_META_OPEN, 10000);
	expect_value(&j, "A11", 30);
	told_from(&j, "A11", OP(OPEN), 10000);
	told_from(&j, "A11", IO(WRITE_CALLS), 5000);
	told_to(&j, "A11", IO(READ_CALLS), 5000);
	told_for(&j, "A11", 15);
	meta(&j, RECORD_META_OPEN, 22000);
	writes(&j, 20000, 20000);
	told_to(&j, "A11", OP(CREATE), 2000);
}
END_TEST

START_TEST(tiny_files_that_are_written_are_10000_and_a_tenth_of_the_time)
{
	struct job j = job_on("nfs");

	writes(&j, 10000, 10000);
	meta(&j, RECORD_META_CREATE, 10000);
	told_for(&j, "A12", 45);
	told_from(&j, "A12", OP(CREATE), 10000);
	/* what the writes took is a part of it */
	j.seconds = 100;
	expect_told(&j, "A12", 0, false);
	wire(&j, 0, 0);
	told_from(&j, "A12", WIRE(WRITE_US), 5500000);
	/* and what the client waited for, but no more than all of that */
	j.seconds = 1000;
	*WIRE(META_CALLS) = 10000;
	told_from(&j, "A12", WIRE(META_US), 100000000);
}
END_TEST

START_TEST(files_of_one_folder_are_10000_at_least)
{
	struct job j = job_on("weka");

	j.seconds = 0.4;
	reads(&j, 10, 10);
	meta(&j, RECORD_META_CREATE, 10000);
	told_from(&j, "A14", OP(CREATE), 10000);
	j.seconds = 0; /* nobody knows how many a second */
	expect_told(&j, "A14", 0, false);
}
END_TEST

/* ---- bytes ----------------------------------------------------------------------- */

START_TEST(mapped_files_are_read_page_by_page)
{
	struct job j = job_on("lustre");

	reads(&j, 0, 0);
	*IO(MMAP_READ_BYTES) = GIB;
	j.seconds = 393.2; /* 262,144 pages take 39.32 s */
	expect_told(&j, "A15", 0, true);
	j.seconds = 393.3;
	expect_told(&j, "A15", 0, false);
	wire(&j, 5, GIB);
	*WIRE(READ_US) = 300000000;
	told_from(&j, "A15", IO(MMAP_READ_BYTES), GIB);
	/* a third of what the client did was for read() */
	j.seconds = 1000;
	*IO(MMAP_READ_BYTES) = 2 * GIB;
	reads(&j, 10, GIB);
	told_from(&j, "A15", WIRE(READ_US), 150000001);
}
END_TEST

START_TEST(what_is_deleted_again_is_1_gib_at_least_and_no_more_than_twice_as_much)
{
	struct job j = a16(true);

	told_from(&j, "A16", IO(WRITE_BYTES), GIB);
	told_to(&j, "A16", OP(UNLINK), 2000);
	*IO(WRITE_BYTES) = 1000 * GIB;
	expect_words(&j, "A16", "with 1000.0 GiB written", "9 in 10");
	/* all gone: however much was read */
	j = a16_spill(true);
	reads(&j, 20000, 20000 * MIB);
	expect_told(&j, "A16", 0, true);
}
END_TEST

START_TEST(buffered_writes_are_large_slow_and_a_tenth_of_the_time)
{
	struct job j = job_on("lustre");

	writes(&j, 512, GIB);
	*IO(WRITE_US) = 500000000;
	expect_value(&j, "A17", 35);
	told_from(&j, "A17", IO(WRITE_BYTES), GIB);
	told_to(&j, "A17", IO(WRITE_CALLS), 1024);
	told_from(&j, "A17", IO(WRITE_CALLS), 1);
	told_from(&j, "A17", IO(WRITE_US), 100000000);
	*IO(WRITE_US) = 1000000000;
	told_to(&j, "A17", IO(WRITE_BYTES), 4999999999999);
	writes(&j, 1000000, 1000 * GIB);
	expect_words(&j, "A17", "1000.0 GiB were written", "5000 MB/s");
	/* several at a time: the node's rate is that of all of them */
	*IO(WRITE_US) = 1500000000;
	*IO(WRITE_BYTES) = 6000000000000;
	expect_told(&j, "A17", 0, false);
}
END_TEST

START_TEST(calls_of_nfs_are_reads_and_writes_together)
{
	struct job j = job_on("nfs");

	reads(&j, 100000000, 100000000 * 4096L);
	writes(&j, 100000000, 100000000 * 4096L);
	wire(&j, 100000000, 100000000 * 4096L);
	told_from(&j, "A18", WIRE(WRITE_CALLS), 100000000);
	*WIRE(READ_CALLS) = RECORD_UNKNOWN;
	told_from(&j, "A18", WIRE(WRITE_CALLS), 200000000);
	j.seconds = 1;
	*WIRE(WRITE_CALLS) = 200000;
	expect_told(&j, "A18", 200000, true);
	j.seconds = 0; /* nobody knows how many a second */
	expect_told(&j, "A18", 200000, false);
}
END_TEST

START_TEST(more_than_asked_for_is_1_gib_at_least_and_asked_of_the_client)
{
	struct job j = a19(true);

	*IO(READ_US) = 1500000000;
	expect_value(&j, "A19", 23);
	*IO(READ_US) = 500000000;
	expect_value(&j, "A19", 11);
	told_from(&j, "A19", WIRE(ASKED_READ_BYTES), 10000);
	*IO(READ_BYTES) = 10000;
	*WIRE(ASKED_READ_BYTES) = 10000;
	told_from(&j, "A19", WIRE(READ_BYTES), GIB);
}
END_TEST

/* ---- what the job asked for -------------------------------------------------------- */

START_TEST(a_job_that_asked_for_no_profile_misses_none)
{
	struct job j = a20(true);

	j.profile = NULL;
	j.cores = 1;
	expect_told(&j, "A20", 0, false);
}
END_TEST

START_TEST(cores_are_missed_on_each_node_and_idle_on_all)
{
	struct job j = a21(true);

	j.nodes = 2;
	expect_words(&j, "A21", "on 2 of 2 nodes", "used by nobody");
	j = a24(true);
	j.nodes = 2;
	expect_words(&j, "A24", "1 io-core(s) a node for 1000 s", "10 %");
	j = a25(true);
	j.nodes = 2;
	expect_words(&j, "A25", "2 io-cores a node", "70 %");
}
END_TEST

START_TEST(of_a_client_that_tells_half_of_its_peak_nobody_knows_what_it_did)
{
	struct job j = a24(true);

	peak(&j, -1, 100000000);
	expect_told(&j, "A24", -1, false);
	peak(&j, 100000000, -1);
	expect_told(&j, "A24", -1, false);
	j = a25(true);
	peak(&j, -1, 2000000000);
	expect_told(&j, "A25", -1, false);
}
END_TEST

START_TEST(a_core_is_at_its_limit_from_four_fifths_on_and_a_quarter_of_it_always)
{
	struct job j = a22(true);
	struct advice_list *list;

	told_from(&j, "A22", &j.io.peak[RECORD_PEAK_READ], 4584000000);
	told_to(&j, "A22", &j.io.peak[RECORD_PEAK_READ], 7449000000);
	told_from(&j, "A22", IO(READ_BYTES), 1146000000000);
	/* the client tells that it has written all */
	wire(&j, 0, 0);
	*WIRE(WRITE_BYTES) = 2000000000000;
	list = judge(&j);
	ck_assert_ptr_nonnull(find(list, "A22"));
	ck_assert_int_eq(find(list, "A22")->trust, ADVICE_LIKELY);
	advice_free(list);
}
END_TEST

START_TEST(cores_are_idle_below_a_tenth_of_one_in_10_minutes_at_least)
{
	struct job j = a24(true);

	told_to(&j, "A24", &j.io.peak[RECORD_PEAK_READ], 572999999);
	told_to(&j, "A24", IO(READ_CALLS), 1445329);
	j.seconds = 1500;
	meta(&j, RECORD_META_STAT, 0);
	told_to(&j, "A24", OP(STAT), 99999);
	j.seconds = 600;
	expect_told(&j, "A24", 600, true);
	j.seconds = 599;
	expect_told(&j, "A24", 599, false);
	j = a24(true);
	j.type = "nfs"; /* others have no cores of their own */
	expect_told(&j, "A24", 0, false);
	j = a24(true);
	peak(&j, 542000000, 0);
	expect_words(&j, "A24", "more than 9 % of one", "10 %");
	peak(&j, 547000000, 0);
	expect_words(&j, "A24", "more than 10 % of one", "10 %");
}
END_TEST

START_TEST(one_core_is_enough_from_a_tenth_to_seven_tenths_of_one)
{
	struct job j = a25(true);

	told_from(&j, "A25", &j.io.peak[RECORD_PEAK_READ], 573000000);
	told_to(&j, "A25", &j.io.peak[RECORD_PEAK_READ], 4010999999);
	told_to(&j, "A25", IO(READ_CALLS), 101173099);
}
END_TEST

START_TEST(whichever_filesystem_stands_first_a_client_of_two_shares_its_cores)
{
	struct job j = a24(true);
	struct config_advice limits;
	struct advice_list *list;
	struct record *r;

	config_advice_init(&limits);
	j.has_other = true;
	r = make(&j, 0);
	record_set(&r->mounts[0].mount, "/other");
	record_set(&r->mounts[1].mount, "/work");
	list = advice_new(&r, 1, true, &limits);
	ck_assert(list->is_judged && !find(list, "A24"));
	advice_free(list);
	record_free(r);
}
END_TEST

START_TEST(a_run_of_which_nobody_knows_how_long_it_took_has_no_rates)
{
	struct job j = a01(true);

	j.seconds = 0;
	expect_told(&j, "A01", 0, false);
	j.seconds = 1;
	expect_told(&j, "A01", 1, true);
}
END_TEST

/* ---- what nodes were found to have ------------------------------------------------- */

START_TEST(requests_are_sent_again_from_1000_on_and_of_writes_too)
{
	struct job j = a29(true);

	*WIRE(RESENT) = 10;
	*WIRE(READ_CALLS) = 1000;
	told_from(&j, "A29", WIRE(READ_CALLS), 1000);
	*WIRE(RESENT) = 1000;
	*WIRE(READ_CALLS) = RECORD_UNKNOWN;
	told_to(&j, "A29", WIRE(WRITE_CALLS), 100000);
}
END_TEST

/* ---- node against node ------------------------------------------------------------- */

START_TEST(one_node_moved_all_from_nine_tenths_on)
{
	struct job j = a26(true);

	j.bytes_part[0] = 0.9;
	j.bytes_part[1] = 0.1;
	expect_told(&j, "A26", 90, true);
	*IO(READ_US) = 500000000; /* half of the run, on each node */
	expect_value(&j, "A26", 50);
	*IO(READ_US) = RECORD_UNKNOWN;
	expect_told(&j, "A27", 90, false);
}
END_TEST

START_TEST(of_two_nodes_that_moved_the_most_the_first_is_named)
{
	struct job j = a27(true);

	j.nodes = 3;
	j.bytes_part[0] = 0.45;
	j.bytes_part[1] = 0.45;
	j.bytes_part[2] = 0.1;
	expect_words(&j, "A27", "c1 moved 1.35 times", "30 %");
}
END_TEST

START_TEST(a_node_may_be_slow_to_write_too)
{
	struct job j = a28(true);

	reads(&j, 0, 0);
	*IO(READ_US) = RECORD_UNKNOWN;
	writes(&j, 204800, 200 * GIB);
	*IO(WRITE_US) = 300000000;
	expect_words(&j, "A28", "c2 moved 39 %", "below 40 %");
	told_from(&j, "A28", IO(WRITE_CALLS), 100);
	j.us_part[1] = 1 / 0.41;
	expect_told(&j, "A28", 41, false);
}
END_TEST

START_TEST(a_node_has_too_much_from_three_tenths_above_the_mean_on)
{
	struct job j = a27(true);

	j.bytes_part[0] = 0.65;
	j.bytes_part[1] = 0.35;
	expect_told(&j, "A27", 65, true);
}
END_TEST

START_TEST(a_node_is_slow_below_four_tenths_of_the_others)
{
	struct job j = a28(true);

	j.us_part[1] = 1 / 0.3945;
	expect_words(&j, "A28", "c2 moved 39 %", "below 40 %");
	j.us_part[1] = 1 / 0.3965;
	expect_words(&j, "A28", "c2 moved 40 %", "below 40 %");
	j.us_part[1] = 1 / 0.403;
	expect_told(&j, "A28", 403, false);
	/* of the first it is not known how long it took */
	j = a28(true);
	j.us_part[0] = 0;
	expect_told(&j, "A28", 0, false);
}
END_TEST

START_TEST(a_node_is_slow_if_it_moved_half_of_the_mean)
{
	struct job j = a28(true);

	j.us_part[1] = 1;
	j.bytes_part[0] = 0.25;
	j.bytes_part[1] = 0.75;
	expect_words(&j, "A28", "c1 moved 33 %", "below 40 %");
	j.bytes_part[0] = 0.24;
	j.bytes_part[1] = 0.76;
	expect_told(&j, "A28", 24, false);
	/* one that did little does not hide the slow one behind it */
	j.nodes = 3;
	j.bytes_part[0] = 0.05;
	j.bytes_part[1] = 0.5;
	j.bytes_part[2] = 0.45;
	j.us_part[0] = 0.1;
	j.us_part[2] = 1 / 0.3;
	expect_words(&j, "A28", "c3 moved 27 %", "below 40 %");
}
END_TEST

START_TEST(nodes_of_a_job_that_hardly_moved_anything_are_not_compared)
{
	static const struct {
		const char *code;
		struct job (*make)(bool is);
	} of[] = { { "A26", a26 }, { "A27", a27 }, { "A28", a28 } };
	struct config_advice limits;
	struct advice_list *list;
	struct job j;
	size_t i, k;

	config_advice_init(&limits);
	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		j = of[i].make(true);
		*IO(READ_BYTES) = GIB / 2;
		expect_told(&j, of[i].code, GIB / 2, false);
		/* nor are some of its nodes */
		j = of[i].make(true);
		for (k = 0; k < j.nodes; k++)
			j.records[k] = make(&j, k);
		list = advice_new(j.records, j.nodes, false, &limits);
		ck_assert(list->is_judged && !find(list, of[i].code));
		advice_free(list);
		for (k = 0; k < j.nodes; k++)
			record_free(j.records[k]);
	}
}
END_TEST

/* ---- whose it is ------------------------------------------------------------------- */

/* Judge these records and forget them. */
static bool is_told_of(struct record **records, size_t count, const char *code, const char *fs)
{
	struct config_advice limits;
	struct advice_list *list;
	const struct advice *a;
	bool is;
	size_t i;

	config_advice_init(&limits);
	list = advice_new(records, count, true, &limits);
	ck_assert_ptr_nonnull(list);
	a = find(list, code);
	is = a && (!fs || !strcmp(a->fs, fs));
	advice_free(list);
	for (i = 0; i < count; i++)
		record_free(records[i]);
	return is;
}

START_TEST(a_filesystem_is_its_clients_whichever_node_and_place_names_it)
{
	struct job j = a01(true);
	struct record *r[2];

	/* the first node has lost its mount */
	j.nodes = 2;
	r[0] = make(&j, 0);
	record_set(&r[0]->mounts[0].mount, "/gone");
	r[1] = make(&j, 1);
	ck_assert(is_told_of(r, 2, "A01", "/work"));
	/* another client's filesystem stands behind it */
	r[0] = make(&j, 0);
	record_add_client(r[0], "home", "nfs", "", NULL);
	record_add_mount(r[0], "/home", "nfs", "server:/home");
	ck_assert(is_told_of(r, 1, "A01", "/work"));
	/* the filesystem is nobody's */
	r[0] = make(&j, 0);
	record_set(&r[0]->mounts[0].mount, "/gone");
	ck_assert(!is_told_of(r, 1, "A01", NULL));
}
END_TEST

START_TEST(what_clients_did_is_the_jobs_where_it_had_all_its_nodes_for_itself)
{
	struct job j = a18(true);
	struct record *r[2];
	struct record_io again;

	j.nodes = 2;
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	ck_assert(is_told_of(r, 2, "A18", "/work"));
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[1]->flags |= RECORD_FLAG(SHARED_NODE);
	ck_assert(!is_told_of(r, 2, "A18", NULL));
	/* one line of it was the job's, one of others, too */
	r[0] = make(&j, 0);
	again = r[0]->wire[0];
	record_add_wire(r[0], &again);
	r[0]->wire[1].shared = 1;
	ck_assert(!is_told_of(r, 1, "A18", NULL));
}
END_TEST

START_TEST(a_site_may_judge_runs_of_any_length)
{
	struct config_advice limits;
	struct advice_list *list;
	struct job j = a01(false);

	config_advice_init(&limits);
	limits.min_seconds = 0;
	reads(&j, 1, 1);
	j.seconds = 1;
	list = judge_with(&j, &limits);
	ck_assert(list->is_judged);
	advice_free(list);
	j.seconds = 0; /* nobody knows how long it was */
	list = judge_with(&j, &limits);
	ck_assert(!list->is_judged);
	advice_free(list);
}
END_TEST

START_TEST(a_code_has_its_cure_and_no_other_has_any)
{
	ck_assert_ptr_nonnull(strstr(advice_cure("A01"), "read 1 MiB at a time"));
	ck_assert_ptr_nonnull(strstr(advice_cure("A40"), "while it computes"));
	ck_assert_ptr_null(advice_cure("A99"));
	ck_assert_str_eq(advice_code(0), "A01");
	ck_assert_str_eq(advice_code(29), "A40");
	ck_assert_ptr_null(advice_code(30));
	ck_assert_ptr_null(advice_code(31));
	ck_assert_ptr_null(advice_code(1000));
}
END_TEST

START_TEST(cores_are_idle_where_each_node_asked_for_them_and_shares_them_with_nobody)
{
	static const struct {
		const char *code;
		struct job (*make)(bool is);
	} of[] = { { "A24", a24 }, { "A25", a25 } };
	struct record *r[2];
	struct job j;
	size_t i;

	for (i = 0; i < 2; i++) {
		j = of[i].make(true);
		j.nodes = 2;
		r[0] = make(&j, 0);
		r[1] = make(&j, 1);
		ck_assert(is_told_of(r, 2, of[i].code, "/work"));
		r[0] = make(&j, 0);
		r[1] = make(&j, 1);
		record_add_mount(r[1], "/other", "fs", "server:/other");
		ck_assert(!is_told_of(r, 2, of[i].code, NULL));
		r[0] = make(&j, 0);
		r[1] = make(&j, 1);
		r[1]->request.io_cores = 0;
		ck_assert(!is_told_of(r, 2, of[i].code, NULL));
		/* they were not the client's */
		j.met = 0;
		ck_assert(!is_told(&j, of[i].code));
	}
}
END_TEST

START_TEST(what_any_node_has_is_found)
{
	struct job j = a03(true);
	struct record *r[2];

	/* the option is the second change of the second node */
	j.option = NULL;
	j.nodes = 2;
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	record_add_change(r[1], "work", "mount-option", "/work", "a", "b", 1, 1);
	record_add_change(r[1], "work", "mount-option", "/work", "other", "forcedirect", 1, 1);
	ck_assert(is_told_of(r, 2, "A03", "/work"));
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	ck_assert(!is_told_of(r, 2, "A03", NULL));
	/* not made */
	r[0] = make(&j, 0);
	record_add_change(r[0], "work", "mount-option", "/work", "other", "forcedirect", 0, 1);
	ck_assert(!is_told_of(r, 1, "A03", NULL));
}
END_TEST

START_TEST(where_a_node_has_fewer_cores_than_another_the_fewest_count)
{
	struct job j = a25(true);
	struct record *r[2];

	j.nodes = 2;
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[1]->io_cores_count = 1;
	ck_assert(!is_told_of(r, 2, "A25", NULL));
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[0]->io_cores_count = 1;
	ck_assert(!is_told_of(r, 2, "A25", NULL));
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[1]->io_cores_count = 3;
	ck_assert(is_told_of(r, 2, "A25", "/work"));
	/* on one of them they are none, or not the client's */
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[1]->has_io_cores = false;
	ck_assert(!is_told_of(r, 2, "A25", NULL));
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[1]->io_cores_count = 0;
	ck_assert(!is_told_of(r, 2, "A25", NULL));
	r[0] = make(&j, 0);
	r[1] = make(&j, 1);
	r[1]->cores_met = 0;
	ck_assert(!is_told_of(r, 2, "A25", NULL));
}
END_TEST

/* ---- when -------------------------------------------------------------------------- */

static void late(struct job *j, int64_t after)
{
	memset(&j->io.timeline, 0, sizeof(j->io.timeline));
	row(j, 0, 0, 25 * GIB);
	row(j, after, 0, 75 * GIB);
}

/* Rows of 16 s from 992 on */
START_TEST(the_last_quarter_is_that_of_the_rows_rounded_up)
{
	struct job j = a40(true);

	j.seconds = 248; /* 16 rows, of which the last 4 begin at 1184 */
	late(&j, 168);
	expect_told(&j, "A40", 168, false);
	late(&j, 184);
	expect_told(&j, "A40", 184, true);
	j.seconds = 264; /* 17 rows, and the last 5 */
	late(&j, 168);
	expect_told(&j, "A40", 168, false);
	late(&j, 184);
	expect_told(&j, "A40", 184, true);
	j.seconds = 120; /* 8 rows */
	late(&j, 110);
	expect_told(&j, "A40", 120, true);
	j.seconds = 104; /* 7 are too few to tell */
	late(&j, 100);
	expect_told(&j, "A40", 104, false);
}
END_TEST

START_TEST(a_run_of_less_than_60_s_has_no_tail)
{
	const int64_t early[TIMELINE_LANES] = { 0, 25 * GIB, 1 };
	const int64_t last[TIMELINE_LANES] = { 0, 75 * GIB, 1 };
	struct job j = a40(true);

	memset(&j.io.timeline, 0, sizeof(j.io.timeline));
	timeline_put(&j.io.timeline, 1000, 4, early);
	timeline_put(&j.io.timeline, 1052, 4, last);
	j.seconds = 60;
	expect_told(&j, "A40", 60, true);
	j.seconds = 59;
	expect_told(&j, "A40", 59, false);
}
END_TEST

UNIT_MAIN("advice_bounds", reads_are_small_from_10000_of_them_on_and_a_tenth_of_the_time,
	  what_the_kernel_measured_counts_before_what_the_client_did,
	  more_than_all_of_the_time_is_said_of_what_is_measured,
	  a_write_for_each_two_fsync_is_none_that_waits_for_itself,
	  calls_around_the_page_cache_are_small_from_10000_of_them_on,
	  metadata_without_a_cache_are_10000_operations_and_a_tenth_of_the_time,
	  a_stream_through_the_page_cache_is_large_busy_and_little_else,
	  few_processes_are_less_than_16_and_leave_a_client_room,
	  many_processes_are_more_than_16_in_small_calls, fsync_are_many_from_one_in_10_writes_on,
	  stats_are_many_from_10000_on_and_ten_times_all_else,
	  names_that_are_asked_for_again_are_10000_and_requests_themselves,
	  names_that_an_operation_is_about_are_not_looked_up_for_nothing,
	  files_are_opened_again_to_read_from_10000_times_on,
	  files_are_opened_again_to_append_for_each_two_writes_or_half_a_one,
	  tiny_files_that_are_written_are_10000_and_a_tenth_of_the_time,
	  files_of_one_folder_are_10000_at_least, mapped_files_are_read_page_by_page,
	  what_is_deleted_again_is_1_gib_at_least_and_no_more_than_twice_as_much,
	  buffered_writes_are_large_slow_and_a_tenth_of_the_time,
	  calls_of_nfs_are_reads_and_writes_together,
	  more_than_asked_for_is_1_gib_at_least_and_asked_of_the_client,
	  a_job_that_asked_for_no_profile_misses_none,
	  cores_are_missed_on_each_node_and_idle_on_all,
	  of_a_client_that_tells_half_of_its_peak_nobody_knows_what_it_did,
	  a_core_is_at_its_limit_from_four_fifths_on_and_a_quarter_of_it_always,
	  cores_are_idle_below_a_tenth_of_one_in_10_minutes_at_least,
	  one_core_is_enough_from_a_tenth_to_seven_tenths_of_one,
	  whichever_filesystem_stands_first_a_client_of_two_shares_its_cores,
	  a_run_of_which_nobody_knows_how_long_it_took_has_no_rates,
	  requests_are_sent_again_from_1000_on_and_of_writes_too,
	  one_node_moved_all_from_nine_tenths_on,
	  of_two_nodes_that_moved_the_most_the_first_is_named, a_node_may_be_slow_to_write_too,
	  a_node_has_too_much_from_three_tenths_above_the_mean_on,
	  a_node_is_slow_below_four_tenths_of_the_others,
	  a_node_is_slow_if_it_moved_half_of_the_mean,
	  nodes_of_a_job_that_hardly_moved_anything_are_not_compared,
	  a_filesystem_is_its_clients_whichever_node_and_place_names_it,
	  what_clients_did_is_the_jobs_where_it_had_all_its_nodes_for_itself,
	  a_site_may_judge_runs_of_any_length, a_code_has_its_cure_and_no_other_has_any,
	  cores_are_idle_where_each_node_asked_for_them_and_shares_them_with_nobody,
	  what_any_node_has_is_found, where_a_node_has_fewer_cores_than_another_the_fewest_count,
	  the_last_quarter_is_that_of_the_rows_rounded_up, a_run_of_less_than_60_s_has_no_tail)
