/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 200 made-up jobs that are all right, each near to a rule's threshold and below it:
 * how many of them are told something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "tests/unit/advice_jobs.h"
#include "tests/unit/runner.h"

#define JOBS 200

static unsigned int seed;

static int64_t between(int64_t least, int64_t most)
{
	return least + (int64_t)((double)rand_r(&seed) / RAND_MAX * (double)(most - least));
}

static double part(int64_t least_percent, int64_t most_percent)
{
	return (double)between(least_percent * 1000, most_percent * 1000) / 1e5;
}

/* So many seconds, of which 'spent' are this part. */
static void last(struct job *j, double spent, int64_t least_percent, int64_t most_percent)
{
	j->seconds = spent / part(least_percent, most_percent);
	j->seconds = j->seconds < 60 ? 60 : j->seconds;
}

/* What each of so many calls takes at least */
static double calls_s(double calls)
{
	return calls * 150e-6;
}

/* ---- streams and metadata as programs have them ------------------------------- */

static void nothing_near(struct job *j, const char *arg)
{
	int64_t bytes, n = between(60, 36000);
	size_t i;

	(void)arg;
	j->seconds = (double)n;
	j->nodes = (size_t)between(1, NODES_MAX);
	bytes = n * between(100000, 300000000);
	reads(j, bytes / between(MIB, 8 * MIB) + 1, bytes);
	bytes = n * between(100000, 100000000);
	writes(j, bytes / between(MIB, 8 * MIB) + 1, bytes);
	meta(j, RECORD_META_OPEN, n * between(1, 20));
	meta(j, RECORD_META_CREATE, n / between(5, 60));
	meta(j, RECORD_META_STAT, n * between(1, 60));
	meta(j, RECORD_META_LOOKUP_MISS, n * between(0, 30));
	meta(j, RECORD_META_UNLINK, n / 600);
	meta(j, RECORD_META_FSYNC, n / 100);
	peak(j, between(700000000, 3000000000), between(10000000, 1000000000));
	j->cores = between(0, 2);
	for (i = 0; i < j->nodes; i++)
		j->bytes_part[i] = part(90, 110);
	if (between(0, 3))
		return;
	j->io.numbers[RECORD_READ_US] = n * between(1000, 300000);
	j->io.numbers[RECORD_WRITE_US] = n * between(1000, 90000);
}

/* The client has the cores that it was to have, and the profile. */
static void as_asked(struct job *j, const char *arg)
{
	nothing_near(j, arg);
	j->profile = "stream";
	j->cores = 1;
}

/* ---- near to a rule about calls ----------------------------------------------- */

static void few_small(struct job *j, const char *arg)
{
	int64_t calls = between(5000, 9900), size = between(4096, 30000);

	*arg == 'r' ? reads(j, calls, calls * size) : writes(j, calls, calls * size);
	last(j, calls_s((double)calls), 2, 30);
}

static void not_so_small(struct job *j, const char *arg)
{
	int64_t calls = between(100000, 1000000);

	*arg == 'r' ? reads(j, calls, calls * between(41000, 80000))
		    : writes(j, calls, calls * between(71000, 130000));
	last(j, calls_s((double)calls), 10, 60);
}

static void direct_calls(struct job *j, const char *arg)
{
	int64_t calls = between(20000, 1000000);

	(void)arg;
	j->option = "forcedirect";
	reads(j, calls, calls * between(65 * 1024, 100 * 1024));
	last(j, calls_s((double)calls), 2, 60);
}

static void direct_names(struct job *j, const char *arg)
{
	int64_t names = between(5000, 9900);

	(void)arg;
	j->option = "forcedirect";
	meta(j, RECORD_META_STAT, names);
	reads(j, names / 2, names / 2 * MIB);
	last(j, calls_s((double)names), 1, 2);
}

static void cached(struct job *j, const char *arg)
{
	int64_t calls = between(20000, 100000);

	(void)arg;
	j->option = "writecache";
	reads(j, calls, calls * between(600 * 1024, 1000 * 1024));
	meta(j, RECORD_META_OPEN, calls / 20);
	last(j, (double)calls * 800 * 1024 / 5730e6, 2, 10);
}

/* Of 17 to 30 processes, in large calls: enough */
static void enough_at_once(struct job *j, const char *arg)
{
	int64_t n = between(60, 3600);

	(void)arg;
	j->seconds = (double)n;
	j->nodes = (size_t)between(1, NODES_MAX);
	reads(j, n * 500, n * 500 * between(MIB, 3 * MIB));
	j->io.numbers[RECORD_READ_US] = n * between(17000000, 30000000);
}

/* Of as many, few small ones */
static void few_at_once(struct job *j, const char *arg)
{
	int64_t calls = between(5000, 9900), n = between(60, 600);

	(void)arg;
	j->seconds = (double)n;
	reads(j, calls, calls * between(2048, 16384));
	j->io.numbers[RECORD_READ_US] = n * between(17000000, 30000000);
}

/* ---- near to a rule about names ----------------------------------------------- */

static void fsyncs(struct job *j, const char *arg)
{
	int64_t syncs = between(1000, 5000);

	(void)arg;
	writes(j, syncs * between(1, 10), syncs * 10 * MIB);
	meta(j, RECORD_META_FSYNC, syncs);
	last(j, calls_s((double)syncs) * 10, 2, 9);
}

static void stats(struct job *j, const char *arg)
{
	int64_t n = between(60, 600), count = n * between(11000, 19900);

	(void)arg;
	j->seconds = (double)n;
	meta(j, RECORD_META_STAT, count);
	meta(j, RECORD_META_READDIR, count / 8);
}

static void lookups(struct job *j, const char *arg)
{
	int64_t misses = between(5000, 9900), opens = misses / between(3, 20);

	(void)arg;
	meta(j, RECORD_META_OPEN, opens);
	meta(j, RECORD_META_LOOKUP_MISS, misses + opens);
	last(j, calls_s((double)misses), 1, 2);
}

/* The client tells how long its requests took: of fewer names nearly a tenth of the
 * job's time, of few names ("f") as much as there is. */
static void waited_for(struct job *j, const char *arg)
{
	bool is_few = *arg == 'f';
	int64_t names = is_few ? between(100, 990) : between(1000, 9900);
	enum record_meta op = arg[1] == 's' ? RECORD_META_STAT : RECORD_META_LOOKUP_MISS;

	j->seconds = (double)between(60, 600);
	meta(j, op, names);
	meta(j, RECORD_META_OPEN, names / between(20, 40));
	wire(j, 0, 0);
	j->wire.numbers[RECORD_META_CALLS] = names * between(1, 3);
	j->wire.numbers[RECORD_META_US] =
		(int64_t)(j->seconds * 1e6 * (is_few ? part(20, 90) : part(2, 9)));
}

static void appends(struct job *j, const char *arg)
{
	int64_t opens = between(7000, 9900);

	(void)arg;
	meta(j, RECORD_META_OPEN, opens);
	writes(j, opens, opens * between(10, 2000));
	last(j, calls_s((double)opens), 1, 3);
}

static void tiny_files(struct job *j, const char *arg)
{
	int64_t files = between(5000, 9900), size = between(10, 60000);

	meta(j, RECORD_META_OPEN, files);
	meta(j, RECORD_META_LOOKUP_MISS, files); /* each is new to the node */
	if (*arg == 'w')
		meta(j, RECORD_META_CREATE, files);
	*arg == 'w' ? writes(j, files, files * size) : reads(j, files, files * size);
	last(j, calls_s((double)files * 3), 2, 8);
}

static void one_folder(struct job *j, const char *arg)
{
	int64_t n = between(60, 600), files = n * between(12000, 20500);

	(void)arg;
	j->seconds = (double)n;
	meta(j, RECORD_META_OPEN, files);
	meta(j, RECORD_META_CREATE, files);
	writes(j, files, files * between(72 * 1024, 100 * 1024));
}

static void scratch(struct job *j, const char *arg)
{
	int64_t files = between(1000, 9000);

	(void)arg;
	j->seconds = (double)between(60, 3600);
	meta(j, RECORD_META_CREATE, files);
	meta(j, RECORD_META_UNLINK, files - files / 20);
	writes(j, files, between(300, 1000) * MIB);
}

/* ---- near to a rule about bytes ----------------------------------------------- */

static void mapped(struct job *j, const char *arg)
{
	int64_t bytes = between(1, 5) * GIB;

	(void)arg;
	reads(j, 100, 100 * MIB);
	j->io.numbers[RECORD_MMAP_READ_BYTES] = bytes;
	last(j, calls_s((double)bytes / 4096), 2, 9);
}

static void fast_writes(struct job *j, const char *arg)
{
	int64_t n = between(60, 300), us = n * between(120000, 450000);
	int64_t bytes = us * between(5100, 9000);

	(void)arg;
	j->seconds = (double)n;
	writes(j, bytes / between(MIB, 4 * MIB), bytes);
	j->io.numbers[RECORD_WRITE_US] = us;
}

static void nfs_calls(struct job *j, const char *arg)
{
	int64_t n = between(60, 600), calls = n * between(100000, 199000);

	(void)arg;
	j->seconds = (double)n;
	reads(j, calls / 128, calls * 8192);
	wire(j, calls, calls * 8192);
}

static void read_ahead(struct job *j, const char *arg)
{
	int64_t bytes = between(2, 100) * GIB;

	(void)arg;
	reads(j, bytes / MIB, bytes);
	wire(j, bytes / MIB, (int64_t)((double)bytes * part(101, 129)));
	j->wire.numbers[RECORD_ASKED_READ_BYTES] = bytes;
}

/* ---- near to a rule about cores and nodes ------------------------------------- */

static void core_at_work(struct job *j, const char *arg)
{
	int64_t n = between(60, 3600), most = between(2300000000, 4500000000);
	int64_t bytes = (int64_t)((double)(n * most) * part(50, 90));

	(void)arg;
	j->seconds = (double)n;
	j->cores = 1;
	reads(j, bytes / MIB, bytes);
	peak(j, most, 0);
}

static void core_with_calls(struct job *j, const char *arg)
{
	int64_t n = between(60, 300), calls = n * between(58000, 64000);
	int64_t size = between(65536, 67584);

	(void)arg;
	j->option = "forcedirect";
	j->seconds = (double)n;
	j->cores = 1;
	reads(j, calls, calls * size);
	peak(j, calls / n * size, 0);
}

static void idle_for_a_while(struct job *j, const char *arg)
{
	(void)arg;
	j->seconds = (double)between(200, 599);
	j->cores = between(1, 3);
	reads(j, between(100, 1000), 1000 * MIB);
	peak(j, between(1000000, 500000000), 0);
}

static void two_cores_at_work(struct job *j, const char *arg)
{
	(void)arg;
	j->seconds = (double)between(60, 3600);
	j->cores = 2;
	reads(j, 10000, 10 * GIB);
	peak(j, between(4100000000, 5700000000), 0);
}

/* Of two nodes one moves up to 64 %, of four up to 32 %. */
static void uneven(struct job *j, const char *arg)
{
	double more = part(110, 129);
	size_t i;

	j->nodes = *arg == '2' ? 2 : 4;
	reads(j, 204800, 200 * GIB);
	j->bytes_part[0] = more;
	for (i = 1; i < j->nodes; i++)
		j->bytes_part[i] = ((double)j->nodes - more) / ((double)j->nodes - 1);
}

static void slower_node(struct job *j, const char *arg)
{
	(void)arg;
	j->nodes = 2;
	reads(j, 204800, 200 * GIB);
	j->io.numbers[RECORD_READ_US] = (int64_t)(j->seconds * 100000);
	j->us_part[1] = 1 / part(45, 95);
}

static void resent(struct job *j, const char *arg)
{
	int64_t calls = between(10000, 1000000);

	(void)arg;
	reads(j, calls, calls * MIB);
	wire(j, calls, calls * MIB);
	j->wire.numbers[RECORD_RESENT] = calls / between(105, 1000);
}

static void late_writes(struct job *j, const char *arg)
{
	int64_t late = (int64_t)(100 * GIB * part(40, 74));

	(void)arg;
	writes(j, 102400, 100 * GIB);
	row(j, between(0, 600), 0, 100 * GIB - late);
	row(j, between(760, 980), 0, late);
}

/* ---- 200 of them --------------------------------------------------------------- */

static const struct {
	const char *type; /* NULL: any */
	void (*draw)(struct job *j, const char *arg);
	const char *arg;
} kinds[] = {
	{ NULL, nothing_near, "" },
	{ "weka", as_asked, "" },
	{ NULL, few_small, "r" },
	{ NULL, few_small, "w" },
	{ NULL, not_so_small, "r" },
	{ NULL, not_so_small, "w" },
	{ "weka", direct_calls, "" },
	{ "weka", direct_names, "" },
	{ "weka", cached, "" },
	{ NULL, enough_at_once, "" },
	{ NULL, few_at_once, "" },
	{ NULL, fsyncs, "" },
	{ NULL, stats, "" },
	{ NULL, lookups, "" },
	{ "nfs", waited_for, "ml" },
	{ "nfs", waited_for, "ms" },
	{ "nfs", waited_for, "fl" },
	{ "nfs", waited_for, "fs" },
	{ NULL, appends, "" },
	{ NULL, tiny_files, "w" },
	{ NULL, tiny_files, "r" },
	{ NULL, one_folder, "" },
	{ NULL, scratch, "" },
	{ NULL, mapped, "" },
	{ "lustre", fast_writes, "" },
	{ "nfs", nfs_calls, "" },
	{ NULL, read_ahead, "" },
	{ "weka", core_at_work, "" },
	{ "weka", core_with_calls, "" },
	{ "weka", idle_for_a_while, "" },
	{ "weka", two_cores_at_work, "" },
	{ NULL, uneven, "2" },
	{ NULL, uneven, "4" },
	{ NULL, slower_node, "" },
	{ "nfs", resent, "" },
	{ NULL, late_writes, "" },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct job ordinary(size_t i)
{
	static const char *const types[] = { "weka", "nfs", "lustre" };
	const char *type = kinds[i % KINDS].type;
	struct job j = job_on(type ? type : types[between(0, 3) % 3]);

	kinds[i % KINDS].draw(&j, kinds[i % KINDS].arg);
	return j;
}

START_TEST(of_200_ordinary_jobs_none_is_told_anything)
{
	struct advice_list *list;
	size_t i, told = 0;
	struct job j;

	seed = 20261122;
	for (i = 0; i < JOBS; i++) {
		j = ordinary(i);
		list = judge(&j);
		ck_assert_msg(list->is_judged, "job %zu: too little", i);
		if (list->count)
			printf("# job %zu on %s: %s: %s; %s\n", i, j.type, list->list[0].code,
			       list->list[0].what, list->list[0].why);
		told += list->count > 0;
		advice_free(list);
	}
	printf("# advice to %zu of %zu ordinary jobs: %.1f %%\n", told, i,
	       100.0 * (double)told / (double)i);
	ck_assert_uint_eq(told, 0);
}
END_TEST

UNIT_MAIN("advice_ordinary", of_200_ordinary_jobs_none_is_told_anything)
