/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_bench store FILE  - make a ledger's store with the jobs of tests/bench/report
 * report_bench site FILE N - make a store with the sums of N jobs of the last seven days:
 *                            500 users, 50 accounts, 4 filesystems
 * sacct ...                - under that name: print the rows of sacct for the jobs of
 *                            the first
 *
 * Jobs 1 to REPORT_JOBS of one node each, job REPORT_WIDE of REPORT_NODES nodes,
 * job REPORT_SMALL of 4, all of yesterday. Each node has a full record:
 * two filesystems with timeline, sizes, times and metadata operations, and the
 * totals of slurmstepd.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config_load.h"
#include "ledger/store.h"
#include "ledger/store_site.h"
#include "ledger/writer.h"
#include "record/record.h"

#define REPORT_JOBS 1000
#define REPORT_WIDE 5000
#define REPORT_NODES 1000
#define REPORT_SMALL 6000
#define ROWS 57

static void die(const char *what)
{
	fprintf(stderr, "report_bench: %s\n", what);
	exit(1);
}

/* ---- records ------------------------------------------------------------- */

struct made {
	uint32_t job;
	int node, nodes;
	int64_t start;
};

static void fill_times(struct io *io, const struct made *made, int every)
{
	int64_t amounts[TIMELINE_LANES] = { 0 };
	int64_t *n = io->numbers;
	int i;

	n[IO_READ_BYTES] = n[IO_WRITE_BYTES] = 0;
	n[IO_READ_CALLS] = n[IO_WRITE_CALLS] = 0;
	for (i = 0; i < ROWS; i++) {
		amounts[TIMELINE_READ] = i % every ? 0 : (i * 7919 + made->node) % 4000000;
		amounts[TIMELINE_WRITE] = i % 5 ? 0 : (i * 6947 + (int64_t)made->job) % 4000000;
		amounts[TIMELINE_CALLS] = 11;
		timeline_put(&io->timeline, made->start / 64 * 64 + i * 64, 64, amounts);
		n[IO_READ_BYTES] += amounts[TIMELINE_READ];
		n[IO_WRITE_BYTES] += amounts[TIMELINE_WRITE];
		n[IO_READ_CALLS] += 6;
		n[IO_WRITE_CALLS] += 5;
	}
}

static void add_bpf(struct record *r, const struct made *made, const char *fs, int every)
{
	struct io io;
	int i, k;

	io_init(&io);
	strcpy(io.source, "bpf");
	fill_times(&io, made, every);
	io.numbers[IO_READ_US] = 9000000;
	io.numbers[IO_WRITE_US] = 1000 + made->node;
	io.numbers[IO_PEAK_READ] = 3000000;
	io.numbers[IO_PEAK_WRITE] = 2000000;
	io.numbers[IO_PEAK_WINDOW_S] = 1;
	for (i = 0; i < IO_OPS; i++)
		io.numbers[IO_OP_OPEN + i] = i < 8 ? 30000 / (i + 1) : 0;
	for (k = 0; k < IO_HISTS; k++) {
		io.has_hist[k] = true;
		for (i = 3; i < 24; i++)
			io.hist[k][i] = (i * 37 + k) % 500;
	}
	io.fs = (char *)fs;
	record_add_app(r, &io);
}

static char *make_text(const struct made *made)
{
	struct record *r = record_new();
	struct io io;
	char text[64], *out;

	strcpy(r->cluster, "bench");
	snprintf(r->node, sizeof(r->node), "node%05d", made->node);
	snprintf(text, sizeof(text), "node[%05d-%05d]", 1, made->nodes);
	record_set(&r->nodelist, made->nodes > 1 ? text : r->node);
	strcpy(r->user, "alice");
	strcpy(r->boot_id, "a5e1cbbc-2265-43d4-b56a-ab7d5623d02e");
	r->job = made->job;
	r->restart = 0;
	r->uid = getuid();
	r->start = (double)made->start;
	r->end = (double)made->start + 3600;
	r->has_request = r->has_io_cores = true;
	r->request.io_cores = 2;
	r->profile_applied = r->cores_met = 1;
	r->io_cores_count = 2;
	strcpy(r->request.profile, "stream");
	record_set(&r->io_cores_abstract, "23");
	record_set(&r->io_cores_os, "46-47");
	record_add_client(r, "weka", "weka", "4.4.4", "46-47");
	record_add_mount(r, "/mnt/weka", "wekafs", "backend0/default");
	changes_add(&r->changes, &(struct change){ .client = "weka",
						   .kind = "mount-option",
						   .target = "/mnt/weka",
						   .old_value = "writecache",
						   .new_value = "forcedirect",
						   .state = CHANGE_RESTORED,
						   .was_done = true });
	findings_add(&r->findings, "W01", FINDING_WARNING, "what to do about it",
		     "something that was seen");
	add_bpf(r, made, "/mnt/weka", 7);
	add_bpf(r, made, "/home", 3);
	io_init(&io);
	strcpy(io.source, "stepd");
	io.numbers[IO_READ_BYTES] = 3000000 + made->node;
	io.numbers[IO_WRITE_BYTES] = 2000000;
	io.numbers[IO_READ_CALLS] = io.numbers[IO_WRITE_CALLS] = 100;
	record_add_app(r, &io);
	out = record_text(r, NULL);
	record_free(r);
	if (!out)
		die("cannot make a record");
	return out;
}

/* ---- store --------------------------------------------------------------- */

static int fake_write(void *acct, struct acct_job *jobs, size_t count, struct err *err)
{
	size_t i;

	(void)acct;
	(void)err;
	for (i = 0; i < count; i++)
		jobs[i].result = ACCT_WRITTEN;
	return 0;
}

static int64_t start_of(uint32_t job)
{
	return time(NULL) / 86400 * 86400 - 43200 + job % 3600;
}

static void put_job(struct store *store, uint32_t job, int nodes)
{
	struct made made = { job, 1, nodes, start_of(job) };
	struct record *record;
	struct err err = { "" };
	int64_t due;
	char *text;

	for (; made.node <= nodes; made.node++) {
		text = make_text(&made);
		record = record_parse(text, strlen(text), &err);
		if (!record || store_put(store, record, text, strlen(text), 1, 0, &due, &err) < 0)
			die(err.text);
		record_free(record);
		free(text);
	}
}

static int make_store(const char *path)
{
	struct config_ledger config = { .retention_days = 36500, .store = (char *)path };
	struct metrics metrics = { 0 };
	struct config_advice advice;
	struct writer writer = { .config = &config, .advice = &advice, .metrics = &metrics };
	struct err err = { "" };
	uint32_t job;
	int64_t next;
	int count;

	config_advice_init(&advice);
	writer.store = store_open(&config, &err);
	writer.acct.write = fake_write;
	if (!writer.store || store_begin(writer.store, &err) < 0)
		die(err.text);
	for (job = 1; job <= REPORT_JOBS; job++)
		put_job(writer.store, job, 1);
	put_job(writer.store, REPORT_WIDE, REPORT_NODES);
	put_job(writer.store, REPORT_SMALL, 4);
	if (store_commit(writer.store, &err) < 0)
		die(err.text);
	while ((count = writer_round(&writer, 1, &next, &err)) > 0)
		;
	store_close(writer.store);
	return count < 0 ? 1 : 0;
}

/* ---- site ---------------------------------------------------------------- */

static void put_use(struct store *store, int64_t at, int64_t ended)
{
	static const char *const profiles[] = { "stream", "metadata", "" };
	static const char *const advice[] = { "A01", "A01 A17", "", "A24 A09", "" };
	static const char *const mounts[] = { "/mnt/weka", "/home", "/scratch", "/work" };
	struct site_run sums = { .node_s = (1 + at % 4) * 1800,
				 .is_judged = true,
				 .warned = at % 1000 == 0 };
	const struct store_row row = {
		.id = at, .run = { .key = { "bench", (uint32_t)at }, .last = (double)ended }
	};
	struct err err = { "" };
	char account[32];
	struct site_fs *fs;

	snprintf(account, sizeof(account), "lab%d", (int)(at % 50));
	snprintf(sums.user, sizeof(sums.user), "user%d", (int)(at * 7 % 500));
	strcpy(sums.profile, profiles[at % 3]);
	strcpy(sums.advice, advice[at % 5]);
	for (; (int64_t)sums.fs_count <= at % 2; sums.fs_count++) {
		fs = &sums.fs[sums.fs_count];
		site_fs_init(fs);
		fs->name = (char *)mounts[(at + (int64_t)sums.fs_count) % 4];
		fs->type = (char *)"wekafs";
		fs->numbers[SITE_READ_BYTES] = 1048576 + at * 37;
		fs->numbers[SITE_WRITE_BYTES] = 2097152;
		fs->numbers[SITE_META_CALLS] = at % 5000;
		fs->peak = at * 13 % 900000000;
	}
	if (store_site_put(store, &row, &sums, account, &err) < 0)
		die(err.text);
}

static int make_site(const char *path, int64_t count)
{
	int64_t at, first = time(NULL) - 7 * 86400 + 60;
	struct err err = { "" };
	const struct config_ledger config = { .store = (char *)path };
	struct store *store = store_open(&config, &err);

	if (!store)
		die(err.text);
	for (at = 1; at <= count; at++) {
		if (at % 10000 == 1 && store_begin(store, &err) < 0)
			die(err.text);
		put_use(store, at, first + at * (7 * 86400 - 120) / count);
		if ((at % 10000 == 0 || at == count) && store_commit(store, &err) < 0)
			die(err.text);
	}
	if (store_site_roll_up(store, time(NULL), 31, &err) < 0) /* as the writer does hourly */
		die(err.text);
	store_close(store);
	return 0;
}

/* ---- sacct --------------------------------------------------------------- */

/* The fields of -o, in its order; 'step': name of a step, "" for the job. */
static void print_row(const char *mark, const char *fields, uint32_t job, const char *step,
		      int nodes)
{
	long long start = (long long)start_of(job);
	size_t length;
	char number[24];

	for (; *fields; fields += length + (fields[length] == ',')) {
		const char *value = "";

		length = strcspn(fields, ",");
		if (!strncmp(fields, "JobName,", 8))
			value = "a job of alice";
		else if (!strncmp(fields, "User,", 5))
			value = "alice";
		else if (!strncmp(fields, "Cluster,", 8))
			value = "bench";
		else if (!strncmp(fields, "State,", 6))
			value = "COMPLETED";
		else if (!strncmp(fields, "ExitCode,", 9))
			value = "0:0";
		else if (!strncmp(fields, "TotalCPU,", 9))
			value = "07:12:40";
		else if (!strncmp(fields, "AllocTRES,", 10))
			value = "billing=16,cpu=16,mem=64G,node=1";
		else if (*step && !strncmp(fields, "TRESUsageInTot,", 15))
			value = "cpu=07:12:38,energy=0,fs/disk=2147483648,mem=50331648K,pages=12,vmem=60000000K";
		else if (!*step && !strncmp(fields, "SystemComment,", 14)) {
			printf("jobio/1 rd=33.1MiB/342 wr=19.9MiB/285 nodes=%d/%d cores=2 cpus=46-47 prof=stream fs=/mnt/weka:wekafs scope=job src=bpf q=- meta=81.5k rsz=4MiB/16MiB wsz=4MiB/16MiB shape=steady chg=1/1 find=0/1",
			       nodes, nodes);
		} else {
			long long n = !strncmp(fields, "Start,", 6)	    ? start
				      : !strncmp(fields, "End,", 4)	    ? start + 3600
				      : !strncmp(fields, "ElapsedRaw,", 11) ? 3600
				      : !strncmp(fields, "AllocCPUS,", 10)  ? 16
				      : !strncmp(fields, "NNodes,", 7)	    ? nodes
				      : !strncmp(fields, "JobID", 5)	    ? (long long)job
									    : -1;

			snprintf(number, sizeof(number), "%lld%s", n,
				 strncmp(fields, "JobID", 5) ? "" : step);
			value = n < 0 ? "" : number;
		}
		printf("%s%s", value, fields[length] ? mark : "\n");
	}
}

static void print_job(const char *mark, const char *fields, uint32_t job, int nodes, bool steps)
{
	print_row(mark, fields, job, "", nodes);
	if (!steps)
		return;
	print_row(mark, fields, job, ".batch", nodes);
	print_row(mark, fields, job, ".extern", nodes);
	print_row(mark, fields, job, ".0", nodes);
}

static int sacct(int argc, char *argv[])
{
	bool steps = argc > 1 && !strchr(argv[1], 'X');
	const char *mark = "|", *fields = argv[argc - 1];
	uint32_t job = 0, i;
	int at;

	for (at = 1; at < argc; at++) {
		if (!strncmp(argv[at], "--delimiter=", 12))
			mark = argv[at] + 12;
		else if (!strcmp(argv[at], "-j") && at + 1 < argc)
			job = (uint32_t)strtoul(argv[at + 1], NULL, 10);
	}
	if (job)
		print_job(mark, fields, job, job == REPORT_WIDE ? REPORT_NODES : 4, steps);
	for (i = 1; !job && i <= REPORT_JOBS; i++)
		print_job(mark, fields, i, 1, steps);
	return 0;
}

int main(int argc, char *argv[])
{
	const char *name = strrchr(argv[0], '/');

	if (!strcmp(name ? name + 1 : argv[0], "sacct"))
		return sacct(argc, argv);
	if (argc == 3 && !strcmp(argv[1], "store"))
		return make_store(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "site"))
		return make_site(argv[2], strtoll(argv[3], NULL, 10));
	die("usage: report_bench store|site FILE [N]");
	return 2;
}
