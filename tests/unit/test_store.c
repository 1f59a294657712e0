/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract of ledger/store.h. With JOBIO_TEST_MARIADB, the path of a server's
 * socket (tests/tools/with-mariadb), on MariaDB; JOBIO_TEST_MARIADB_2 may be another
 * node of the same Galera cluster. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/site.h"
#include "ledger/store.h"
#include "ledger/store_site.h"
#include "record/json.h"
#include "record/record.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define NOW INT64_C(1000000)
#define GRACE_S 300

static char schema[48]; /* one for each test; children use their parent's */

/* 'port' identifies one of several ledgers on the same store. */
static struct config_ledger where(unsigned int port)
{
	const char *socket = getenv("JOBIO_TEST_MARIADB");
	struct config_ledger config = { .port = port, .store = (char *)tempdir_path("s") };

	if (!socket)
		return config;
	if (port == 2 && getenv("JOBIO_TEST_MARIADB_2"))
		socket = getenv("JOBIO_TEST_MARIADB_2");
	config.store = (char *)CONFIG_MARIADB;
	config.storage_host = (char *)socket;
	config.storage_user = (char *)"root";
	config.storage_loc = schema;
	config.storage_pass_file = config.storage_ca = (char *)"";
	return config;
}

/* A store borrows its configuration. */
static struct store *opened_as(unsigned int port)
{
	static struct config_ledger configs[5];
	struct err err = { "" };
	struct store *store;

	configs[port] = where(port);
	store = store_open(&configs[port], &err);
	ck_assert_msg(store && !*err.text, "%s", err.text);
	return store;
}

static struct store *opened(void)
{
	static int count;

	tempdir_make();
	snprintf(schema, sizeof(schema), "t%d_%d", (int)getpid(), count++);
	return opened_as(1);
}

static void closed(struct store *store)
{
	store_close(store);
	tempdir_remove();
}

/* "n1 0 1000 2000 user=1001 cluster=d list=n[1-3]": a node's record of a job: node, restart,
 * start, end; "-": restart or node list unknown. */
static struct record *record_of(uint32_t job, const char *text)
{
	struct record *r = record_new();
	char node[16], restart[16], more[64] = "";
	struct io io;

	ck_assert_int_ge(
		sscanf(text, "%15s %15s %lf %lf %63s", node, restart, &r->start, &r->end, more), 4);
	strcpy(r->cluster, "c");
	strcpy(r->node, node);
	record_set(&r->nodelist, "n[1-2]");
	r->job = job;
	r->uid = 1000;
	r->restart = *restart == '-' ? RECORD_UNKNOWN : atoi(restart);
	if (!strncmp(more, "user=", 5))
		r->uid = (uint32_t)atoi(more + 5);
	if (!strncmp(more, "cluster=", 8))
		strcpy(r->cluster, more + 8);
	if (!strncmp(more, "list=", 5))
		record_set(&r->nodelist, more[5] == '-' ? NULL : more + 5);
	if (!strcmp(more, "rebooted"))
		r->flags = RECORD_FLAG(NODE_REBOOTED);
	io_init(&io);
	strcpy(io.source, "stepd");
	io.numbers[IO_READ_BYTES] = 1024;
	if (!strcmp(more, "blank"))
		r->flags = RECORD_FLAG(START_UNKNOWN) | RECORD_FLAG(NO_STEP);
	if (strcmp(more, "empty") != 0 && strcmp(more, "blank") != 0)
		record_add_app(r, &io);
	return r;
}

static int put_in(struct store *store, struct record *r, int64_t now_s, int64_t *due,
		  struct err *err)
{
	char *text = record_text(r, NULL);
	int rc = store_put(store, r, text, strlen(text), now_s, GRACE_S, due, err);

	free(text);
	record_free(r);
	return rc;
}

/* Store a record in a transaction of its own; returns the result of store_put(). */
static int put_at(struct store *store, uint32_t job, const char *text, int64_t now_s, int64_t *due)
{
	struct err err = { "" };
	int rc;

	ck_assert_int_eq(store_begin(store, &err), 0);
	rc = put_in(store, record_of(job, text), now_s, due, &err);
	ck_assert_msg(rc >= 0, "%s", err.text);
	ck_assert_int_ge(store_commit(store, &err), 0);
	return rc;
}

static int put(struct store *store, uint32_t job, const char *text)
{
	int64_t due;

	return put_at(store, job, text, NOW, &due);
}

static int find(struct store *store, enum store_job_kind kind, uint32_t job, int64_t part,
		int64_t *ids)
{
	const struct store_selector wanted = { kind, job, part, NULL };
	struct err err = { "" };
	int count = store_find(store, &wanted, ids, 32, &err);

	ck_assert_msg(count >= 0, "%s", err.text);
	return count;
}

static int done(struct store *store, struct store_row *row, const char *summary, int64_t now_s,
		int64_t again_s, struct err *err)
{
	free(row->summary);
	row->summary = strdup(summary);
	return store_done(store, row, now_s, again_s, err);
}

static int later(struct store *store, int64_t id, int64_t next_try, const char *why,
		 struct err *err)
{
	const struct store_row row = { .id = id, .summary = (char *)"sum" };

	return store_later(store, &row, next_try, why, err);
}

/* The newest run of a job. */
static struct store_row run_of(struct store *store, uint32_t job)
{
	struct store_row run = { 0 };
	struct err err = { "" };
	int64_t ids[32];

	ck_assert_int_ge(find(store, STORE_JOB, job, RECORD_UNKNOWN, ids), 1);
	ck_assert_int_eq(store_load(store, ids[0], &run, &err), 0);
	return run;
}

static int add_node(const char *text, size_t size, void *arg, struct err *err)
{
	const char *at = strstr(text, "\"node\":\"") + 8;
	char *out = arg;

	(void)size, (void)err;
	snprintf(out + strlen(out), 16, "%s%.*s", *out ? "+" : "", (int)strcspn(at, "\""), at);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The runs of a job as lists of their nodes: "n1 n1+n2". */
static const char *runs_of(struct store *store, uint32_t job)
{
	static char text[512];
	char one[32][128] = { "" };
	struct err err = { "" };
	int64_t ids[32];
	int i, count = find(store, STORE_JOB, job, RECORD_UNKNOWN, ids);

	for (i = 0; i < count; i++)
		ck_assert_int_eq(store_records(store, ids[i], add_node, one[i], &err), 0);
	qsort(one, (size_t)count, sizeof(one[0]), by_text);
	*text = '\0';
	for (i = 0; i < count; i++)
		snprintf(text + strlen(text), 130, "%s%s", i ? " " : "", one[i]);
	return text;
}

/* ---- which run a record belongs to ------------------------------------------ */

/* Records, tried in every order, and the expected runs; "!": in the order given only. Records
 * with large times were received in 2026. */
static const char *const partings[][2] = {
	/* runs of a requeued job */
	{ "n1 0 1000 2000, n1 1 2003 2500, n2 1 2003 2500", "n1 n1+n2" },
	/* requeued runs without a restart number on the same node, the second minutes later */
	{ "n1 - 1000 2000, n1 - 2003 2500, n2 - 2130 2500", "n1 n1+n2" },
	/* a run that starts at once on another node */
	{ "n1 - 1000 2000 list=n1, n2 1 2003 2010 list=n2", "n1 n2" },
	/* runs with the same wrong restart number */
	{ "n1 1 1000 2000, n1 1 2003 2500", "n1 n1" },
	/* a node that knows the restart number and a node that does not */
	{ "n1 - 1000 2000, n2 3 1001 2001", "n1+n2" },
	/* clocks that differ by seconds */
	{ "n1 0 1000 1000.5, n2 0 1004 1004.5", "n1+n2" },
	/* clocks that differ by minutes: restart number and node list are equal */
	{ "n1 0 1000 1020, n2 0 1040 1060", "n1+n2" },
	/* the longest such gap, 300 s */
	{ "n2 2 1320 1340, n1 2 1000 1020", "n1+n2" },
	/* 301 s */
	{ "n1 0 1000 1020, n2 0 1321 1340", "n1 n2" },
	/* minutes apart on one node */
	{ "n1 0 1000 1020, n1 0 1040 1060", "n1 n1" },
	/* minutes apart with another restart number */
	{ "n1 0 1000 1020, n2 1 1040 1060", "n1 n2" },
	/* minutes apart without a restart number */
	{ "n1 - 1000 1020, n2 - 1040 1060", "n1 n2" },
	/* minutes apart with another node list */
	{ "n1 0 1000 1020, n2 0 1040 1060 list=n[2-3]", "n1 n2" },
	/* two runs on nodes with clocks 200 s apart */
	{ "n1 0 1200 2200, n2 0 1000 2000, n2 1 2060 2500, n1 1 2260 2700", "n1+n2 n1+n2" },
	/* a job ID that is used again */
	{ "n1 0 1000 2000, n2 0 5000000 5000100", "n1 n2" },
	/* jobs of two clusters */
	{ "n1 0 1000 2000, n2 0 1000 2000 cluster=d", "n1 n2" },
	/* records of two users */
	{ "n1 0 1000 2000, n2 0 1000 2000 user=1001", "n1 n2" },
	/* two records of one node */
	{ "n1 0 1000 2000, n1 0 1000 2001", "n1" },
	/* of two runs nearby, the record belongs to the nearest */
	{ "n1 - 1000 2000, n1 - 2012 3000, n2 - 2003 2004", "!n1 n1+n2" },
	/* .. that has no record of this node yet */
	{ "n1 - 1000 2000, n1 - 2012 3000, n2 - 2003 2004, n2 - 2005 2006", "!n1+n2 n1+n2" },
	/* if both have a record of this node, it belongs to neither */
	{ "n1 - 1000 2000, n1 - 2012 3000, n2 - 2003 2004, n2 - 2005 2006, n2 - 2004.5 2004.6",
	  "!n1+n2 n1+n2 n2" },
	/* a run that the record overlaps goes before a run nearby */
	{ "n1 - 1000 2000, n1 - 2012 3000, n2 - 1500 2004, n2 - 2011 2900", "!n1+n2 n1+n2" },
	/* records with impossible times do not absorb other runs */
	{ "n1 0 0 99000000000, n2 0 1752024862 1795224862, n1 0 1795221262 1797816862, n1 0 1795224662 1795224762, n1 1 1795224812 1795224862",
	  "n1 n1 n1 n1 n2" },
	/* an epilog that ran again hours later, without a job folder */
	{ "n1 0 1000 2000, n1 - 9000 9000.1 blank", "n1" },
	/* the same without a restart number */
	{ "n1 - 1000 2000, n1 - 3000 4000, n1 - 9000 9000.1 blank", "n1 n1" },
	/* the same with two nodes and two runs */
	{ "n1 0 1000 2000, n2 0 1000 2000, n1 1 3000 4000, n1 - 9000 9000.1 blank", "n1 n1+n2" },
	/* the job is not known on that node */
	{ "n1 0 7000 7100 list=n1, n2 - 9000 9000.1 blank", "n1 n2" },
	/* with the start time from Slurm */
	{ "n1 0 1000 2000, n1 - 1000 9000 blank, n1 1 10000 10100", "n1 n1" },
	/* a long job, one node's clock is ahead */
	{ "n1 1 1795224812 1795224862, n2 1 1795224812 1795228462", "n1+n2" },
};

/* Store the records of a row in the permutation with the number 'order'; false if there is no
 * such permutation. */
static bool put_in_order(struct store *store, const char *const row[2], uint32_t job, int order)
{
	int64_t due, now_s = strstr(row[0], "1795224862") ? 1795224862 : NOW;
	char text[300], *records[5], *rest = text;
	int left, i, k, count, orders = 1;

	snprintf(text, sizeof(text), "%s", row[0]);
	for (count = 0; rest; orders *= count)
		records[count++] = strsep(&rest, ",");
	if (order >= (*row[1] == '!' ? 1 : orders))
		return false;
	for (left = count; left; left--) {
		k = order % left;
		order /= left;
		put_at(store, job, records[k], now_s, &due);
		rest = records[k]; /* every record is sent again */
		for (i = k; i + 1 < count; i++)
			records[i] = records[i + 1];
		records[count - 1] = rest;
	}
	for (i = 0; i < count; i++)
		put_at(store, job, records[i], now_s, &due);
	return true;
}

START_TEST(records_form_the_same_runs_in_any_order_of_arrival)
{
	struct store *store = opened();
	const char *wanted;
	uint32_t job = 0;
	size_t row;
	int order;

	for (row = 0; row < sizeof(partings) / sizeof(partings[0]); row++) {
		wanted = partings[row][1] + (*partings[row][1] == '!');
		for (order = 0; put_in_order(store, partings[row], ++job, order); order++)
			ck_assert_msg(!strcmp(runs_of(store, job), wanted), "%s, order %d: %s",
				      partings[row][0], order, runs_of(store, job));
	}
	closed(store);
}
END_TEST

START_TEST(a_run_is_due_when_all_nodes_reported_or_grace_is_over_since_the_first)
{
	struct store *store = opened();
	char text[64];
	struct store_row run;
	struct err err;
	int64_t due;
	int i;

	ck_assert_int_eq(put_at(store, 7, "n1 0 1000 2000", NOW, &due), 1);
	ck_assert_int_eq(due, NOW + GRACE_S);
	ck_assert_int_eq(put_at(store, 7, "n2 0 1000 2000", NOW + 5, &due), 1);
	ck_assert_int_eq(due, NOW + 5);
	put_at(store, 8, "n1 0 1000 2000 list=-", NOW, &due);
	ck_assert_int_eq(due, NOW + GRACE_S);
	for (i = 1; i <= 9; i++) {
		if (i == 6) { /* written: a late record waits for other late records */
			run = run_of(store, 9);
			run.brief = strdup("{}");
			ck_assert_int_eq(store_begin(store, &err), 0);
			ck_assert_int_eq(done(store, &run, "sum", NOW + 400, NOW + 500, &err), 0);
			ck_assert_int_ge(store_commit(store, &err), 0);
			store_row_clear(&run);
			run = run_of(store, 9);
			ck_assert_str_eq(run.brief, "{}");
			store_row_clear(&run);
		}
		snprintf(text, sizeof(text), "n%d 0 1000 2000 list=n[1-9]", i);
		put_at(store, 9, text, NOW + 100 * i, &due);
		ck_assert_int_eq(due, NOW + (i < 6 ? 100 + GRACE_S : i < 9 ? 600 + GRACE_S : 900));
	}
	closed(store);
}
END_TEST

START_TEST(a_better_record_of_a_node_replaces_the_first)
{
	struct store *store = opened();
	struct store_row run;

	ck_assert_int_eq(put(store, 7, "n1 0 1000 3000 rebooted"), 1);
	ck_assert_int_eq(put(store, 7, "n1 0 1000 2000"), 1);
	ck_assert_int_eq(put(store, 7, "n1 0 1000 3000 rebooted"), 0);
	ck_assert_int_eq(put(store, 7, "n1 0 1000 2500 empty"), 0);
	ck_assert_int_eq(put(store, 7, "n1 0 1000 2000"), 0);
	run = run_of(store, 7);
	ck_assert_int_eq(run.run.nodes_seen, 1);
	ck_assert_int_eq(run.version, 2);
	store_row_clear(&run);
	closed(store);
}
END_TEST

START_TEST(array_tasks_and_het_components_are_found_by_their_ids)
{
	struct store *store = opened();
	struct record *task = record_of(7, "n1 0 1000 2000");
	struct record *part = record_of(8, "n1 0 1000 2000");
	struct err err;
	int64_t ids[32], due;

	task->array_job = 5, task->array_task = 3;
	part->het_job = 7, part->het_offset = 1;
	ck_assert_int_eq(store_begin(store, &err), 0);
	put_in(store, task, NOW, &due, &err);
	put_in(store, part, NOW, &due, &err);
	ck_assert_int_ge(store_commit(store, &err), 0);
	ck_assert_int_eq(find(store, STORE_ARRAY_TASK, 5, 3, ids), 1);
	ck_assert_int_eq(find(store, STORE_ARRAY_TASK, 5, 4, ids), 0);
	ck_assert_int_eq(find(store, STORE_ARRAY_TASK, 5, RECORD_UNKNOWN, ids), 1);
	ck_assert_int_eq(find(store, STORE_HET_COMPONENT, 7, 1, ids), 1);
	closed(store);
}
END_TEST

/* ---- due runs ------------------------------------------------------------------ */

/* IDs of due runs; *next may be NULL. */
static int due_for(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next)
{
	struct err err = { "" };
	int64_t other;
	int count = store_due(store, now_s, ids, max, next ? next : &other, &err);

	ck_assert_msg(count >= 0, "%s", err.text);
	return count;
}

static void expect_backlog(struct store *store, int64_t now_s, const char *wanted)
{
	struct store_backlog b;
	struct err err = { "" };
	char text[100];

	ck_assert_int_eq(store_backlog(store, now_s, &b, &err), 0);
	snprintf(text, sizeof(text), "%" PRId64 " %" PRId64 " %" PRId64 " %.0f", b.for_nodes,
		 b.for_writer, b.for_retry, b.oldest);
	ck_assert_str_eq(text, wanted);
}

START_TEST(the_backlog_counts_collecting_due_and_postponed_runs)
{
	struct store *store = opened();
	struct store_row run;
	struct err err = { "" };
	int64_t ids[4], next;

	expect_backlog(store, NOW, "0 0 0 0");
	put(store, 7, "n1 0 1000 2000");
	put(store, 8, "n1 0 5000 6000");
	expect_backlog(store, NOW, "2 0 0 2000");
	expect_backlog(store, NOW + GRACE_S, "0 2 0 2000");
	ck_assert_int_eq(due_for(store, NOW, ids, 4, &next), 0);
	ck_assert_int_eq(next, NOW + GRACE_S);
	put(store, 7, "n2 0 1000 2000");
	expect_backlog(store, NOW, "1 1 0 2000");
	ck_assert_int_eq(due_for(store, NOW, ids, 4, NULL), 1);
	ck_assert_int_eq(later(store, ids[0], NOW + 60, "no row", &err), 0);
	expect_backlog(store, NOW, "1 0 1 2000");
	run = run_of(store, 7);
	ck_assert_str_eq(run.error, "no row");
	ck_assert_int_eq(run.tries, 1);
	put(store, 7, "n3 0 1000 2000"); /* received while the summary is being written */
	ck_assert_int_eq(done(store, &run, "old", NOW, 0, &err), 0);
	store_row_clear(&run);
	run = run_of(store, 7);
	ck_assert_int_eq(run.dirty, STORE_DIRTY);
	ck_assert_int_eq(done(store, &run, "sum", NOW, NOW + 5, &err), 0);
	store_row_clear(&run);
	run = run_of(store, 7);
	ck_assert_int_eq(run.dirty, STORE_AGAIN);
	ck_assert_str_eq(run.summary, "sum");
	store_row_clear(&run);
	expect_backlog(store, NOW, "1 0 0 6000");
	ck_assert_int_eq(due_for(store, NOW + 5, ids, 4, NULL), 1);
	closed(store);
}
END_TEST

START_TEST(uncommitted_records_are_not_visible_and_gone_after_a_rollback)
{
	struct store *store = opened(), *other = opened_as(2);
	struct err err;
	int64_t due, ids[32];

	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(put_in(store, record_of(7, "n1 0 1000 2000"), NOW, &due, &err), 1);
	ck_assert_int_eq(find(other, STORE_JOB, 7, RECORD_UNKNOWN, ids), 0);
	store_rollback(store);
	ck_assert_int_eq(find(store, STORE_JOB, 7, RECORD_UNKNOWN, ids), 0);
	store_close(other);
	closed(store);
}
END_TEST

/* ---- sums of a site, and removal of old runs --------------------------------------- */

#define RUNS 60
#define USERS 3
#define MOUNTS 3
#define DAYS 6

/* What a run adds: 'used' filesystems from 'first' on, each with these bytes. */
struct used {
	uint32_t job;
	int64_t ended;
	int user, first, used;
	int64_t bytes;
};

static void put_used(struct store *store, const struct used *u)
{
	static const char *const advice[] = { "", "A01", "A01 A17" };
	static const char *const mounts[MOUNTS] = { "/a", "/b", "/c" };
	struct site_run sums = { .node_s = 60, .warned = u->bytes % 7 == 0, .is_judged = true };
	struct store_row run = run_of(store, u->job);
	struct err err = { "" };
	struct site_fs *fs;

	snprintf(sums.user, sizeof(sums.user), "u%d", u->user);
	strcpy(sums.advice, advice[u->used % 3]);
	while (sums.fs_count < (size_t)u->used) {
		fs = &sums.fs[sums.fs_count];
		site_fs_init(fs);
		fs->name = (char *)mounts[(u->first + (int)sums.fs_count++) % MOUNTS];
		fs->numbers[SITE_READ_BYTES] = u->bytes;
		fs->peak = u->bytes % 5;
	}
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_msg(store_site_put(store, &run, &sums, "lab", &err) == 0, "%s", err.text);
	ck_assert_int_ge(store_commit(store, &err), 0);
	store_row_clear(&run);
}

/* Jobs, bytes read, peak and its job of each user and filesystem. */
struct sums {
	int64_t jobs, bytes, peak, job;
};

static void add_sum(struct sums *sum, const struct sums *more)
{
	if (more->peak > sum->peak || (more->peak == sum->peak && more->job < sum->job)) {
		sum->peak = more->peak;
		sum->job = more->job;
	}
	sum->jobs += more->jobs;
	sum->bytes += more->bytes > 0 ? more->bytes : 0;
}

static void sum_runs(const struct used *runs, int64_t since, int64_t until,
		     struct sums all[USERS + MOUNTS])
{
	const struct used *u;
	int i;

	for (u = runs; u < runs + RUNS; u++) {
		struct sums one = { 1, u->bytes, u->bytes % 5, u->job };

		if (u->ended < since || u->ended >= until)
			continue;
		for (i = 0; i < u->used; i++)
			add_sum(&all[USERS + (u->first + i) % MOUNTS], &one);
		one.bytes *= u->used;
		one.peak = u->used ? one.peak : -1;
		add_sum(&all[u->user], &one);
	}
}

/* Add the rows of one page; return its "next". */
static const struct json *add_page(const struct json *page, struct sums all[USERS + MOUNTS])
{
	const struct json *columns = json_list(page, "columns"), *key, *value;
	struct sums *user, *fs, one;
	int64_t number;

	ck_assert(json_is_true(page, "ok"));
	for (value = json_first(json_list(page, "sums")); value;) {
		user = fs = NULL;
		for (key = json_first(columns); key; key = key->next, value = value->next) {
			const char *name = json_value_text(key), *text = json_value_text(value);

			number = RECORD_UNKNOWN;
			json_value_number(value, &number);
			if (!strcmp(name, "user") && text)
				user = &all[text[1] - '0'];
			else if (!strcmp(name, "fs") && text)
				fs = &all[USERS + text[1] - 'a'];
			else if (!strcmp(name, "jobs"))
				one.jobs = number;
			else if (!strcmp(name, "read_bytes"))
				one.bytes = number;
			else if (!strcmp(name, "peak_Bps"))
				one.peak = number;
			else if (!strcmp(name, "peak_job"))
				one.job = number;
		}
		if (user)
			add_sum(user, &one);
		if (fs)
			add_sum(fs, &one);
	}
	return json_list(page, "next");
}

static void ask_site(struct store *store, int64_t since, int64_t until,
		     struct sums all[USERS + MOUNTS])
{
	char request[200], after[80] = "", *answer;
	const struct json *next;
	struct err err = { "" };
	struct json *top;

	do {
		snprintf(request, sizeof(request),
			 "{\"since\":%" PRId64 ",\"until\":%" PRId64 "%s}", since, until, after);
		top = json_parse(request);
		answer = site_answer(store, top, &err);
		ck_assert_msg(answer, "%s", err.text);
		json_free(top);
		top = json_parse(answer);
		next = add_page(top, all);
		if (next)
			snprintf(after, sizeof(after), ",\"after\":%s", json_line(next));
		free(answer);
		json_free(top);
	} while (next);
}

static void expect_sums(struct store *store, const struct used *runs, int64_t since, int64_t until)
{
	struct sums expected[USERS + MOUNTS] = { 0 }, found[USERS + MOUNTS] = { 0 };
	int i;

	for (i = 0; i < USERS + MOUNTS; i++)
		expected[i].peak = found[i].peak = -1;
	sum_runs(runs, since, until, expected);
	ask_site(store, since, until, found);
	for (i = 0; i < USERS + MOUNTS; i++) {
		ck_assert_int_eq(found[i].jobs, expected[i].jobs);
		ck_assert_int_eq(found[i].bytes, expected[i].bytes);
		ck_assert_int_eq(found[i].peak, expected[i].peak);
		if (expected[i].peak >= 0)
			ck_assert_int_eq(found[i].job, expected[i].job);
	}
}

/* Let the run's last record be later, so that its end changes; or begin it. */
static void change_used(struct store *store, struct used *u, int64_t from)
{
	struct store_row run;
	char text[80];
	int64_t due, end = from + random() % (DAYS * SITE_DAY_S - from);

	snprintf(text, sizeof(text), "n%ld 0 %" PRId64 " %" PRId64, 1 + random() % 2, from, end);
	put_at(store, u->job, text, NOW, &due);
	run = run_of(store, u->job);
	u->ended = (int64_t)run.run.last;
	store_row_clear(&run);
	u->user = (int)(random() % USERS);
	u->first = (int)(random() % MOUNTS);
	u->used = (int)(random() % (MOUNTS + 1));
	u->bytes = random() % 1000000;
	put_used(store, u);
}

START_TEST(sums_of_a_site_are_exact_after_late_records_requeues_and_purges_by_two_ledgers)
{
	struct store *stores[] = { opened(), opened_as(2) }, *store;
	struct used runs[RUNS];
	int64_t since, before;
	struct err err = { "" };
	int i, step;

	srandom(7);
	for (i = 0; i < RUNS; i++) {
		runs[i] = (struct used){ .job = (uint32_t)i + 1 };
		change_used(stores[i % 2], &runs[i], 1000);
	}
	for (step = 0; step < 40; step++) {
		store = stores[step % 2];
		change_used(store, &runs[random() % RUNS], 1000);
		if (step % 3 == 0)
			put_used(stores[random() % 2], &runs[random() % RUNS]); /* once more */
		if (step % 10 == 7) {
			before = random() % (2 * SITE_DAY_S);
			ck_assert_int_ge(store_purge(store, before, NOW, 100, &err), 0);
			for (i = 0; i < RUNS; i++)
				if (runs[i].ended < before) /* its job ID is used again */
					change_used(store, &runs[i], before + 1);
		}
		if (step % 4 == 1)
			ck_assert_int_ge(
				store_site_roll_up(store, (DAYS - 1) * SITE_DAY_S, 31, &err), 0);
		since = random() % (DAYS * SITE_DAY_S);
		expect_sums(stores[random() % 2], runs, since,
			    since + random() % (DAYS * SITE_DAY_S));
		expect_sums(stores[random() % 2], runs, 0, DAYS * SITE_DAY_S);
	}
	ck_assert_int_eq(store_site_roll_up(store, (DAYS - 1) * SITE_DAY_S, 31, &err) < 0, 0);
	ck_assert_int_eq(store_site_roll_up(stores[0], (DAYS - 1) * SITE_DAY_S, 31, &err), 0);
	store_close(stores[1]);
	closed(stores[0]);
}
END_TEST

START_TEST(old_runs_are_purged_with_their_records)
{
	struct store *store = opened();
	struct err err;
	int64_t due, ids[32];

	put(store, 1, "n1 0 1000 2000");
	ck_assert_int_eq(find(store, STORE_JOB, 1, RECORD_UNKNOWN, ids), 1);
	put(store, 2, "n1 1 900000 900001");
	ck_assert_int_eq(store_newest(store, NOW, &err), 900001);
	ck_assert_int_eq(store_purge(store, 5000, NOW, 100, &err), 1);
	ck_assert_str_eq(runs_of(store, 1), "");
	ck_assert_str_eq(runs_of(store, 2), "n1");
	/* records with clocks in the far future: by the time of arrival */
	put_at(store, 3, "n1 0 91000000000 92000000000", 1000, &due);
	put_at(store, 4, "n1 1 80000000000 81000000000", 5000, &due);
	put_at(store, 4, "n2 1 80000000000 81000000000", 6000, &due);
	put_at(store, 5, "n1 2 5500 9600", 1000, &due); /* its clock is an hour ahead */
	ck_assert_int_eq(store_purge(store, 5500, 6000, 100, &err), 1);
	ck_assert_str_eq(runs_of(store, 3), "");
	ck_assert_str_eq(runs_of(store, 4), "n1+n2");
	ck_assert_int_eq(store_purge(store, 6001, 6001, 100, &err), 1);
	ck_assert_str_eq(runs_of(store, 5), "n1");
	closed(store);
}
END_TEST

/* ---- several ledgers --------------------------------------------------------------- */

START_TEST(runs_claimed_by_one_ledger_are_due_for_others_after_store_claim_s_only)
{
	struct store *first = opened(), *second = opened_as(2);
	int64_t ids[10], next, due, late = NOW + STORE_CLAIM_S;
	struct store_row run = { 0 };
	struct err err = { "" };
	uint32_t job;

	for (job = 1; job <= 3; job++) {
		put(first, job, "n1 0 1000 2000");
		ck_assert_int_eq(put_at(second, job, "n2 0 1000 2000", NOW, &due), 1);
		ck_assert_int_eq(due, NOW); /* both nodes have reported */
	}
	ck_assert_int_eq(due_for(first, NOW, ids, 2, NULL), 2);
	if (!getenv("JOBIO_TEST_MARIADB")) { /* SQLite: one ledger for a file */
		store_close(second);
		closed(first);
		return;
	}
	ck_assert_int_eq(due_for(second, NOW, ids + 2, 8, &next), 1);
	/* done, or postponed: the run is free again */
	ck_assert_int_eq(store_load(first, ids[0], &run, &err), 0);
	put(second, 1, "n3 0 1000 2000"); /* received meanwhile */
	ck_assert_int_eq(store_begin(first, &err), 0);
	ck_assert_int_eq(done(first, &run, "sum", NOW, 0, &err), 0);
	ck_assert_int_eq(later(first, ids[1], NOW + 2, "no row", &err), 0);
	ck_assert_int_ge(store_commit(first, &err), 0);
	store_row_clear(&run);
	ck_assert_int_eq(due_for(second, NOW + 2, ids + 3, 7, NULL), 3);
	store_close(second);
	ck_assert_int_eq(due_for(first, late + 1, ids, 10, NULL), 0);
	ck_assert_int_eq(due_for(first, late + 2, ids, 10, NULL), 3);
	closed(first);
}
END_TEST

/* Store so many records for each of two jobs, in an order that differs by ledger, so that two
 * ledgers conflict. A record that is refused is sent again, as by a node. */
static int put_many(unsigned int ledger, int records)
{
	struct store *store = opened_as(ledger);
	uint32_t job = 1 + (ledger & 1);
	struct err err = { "" };
	int64_t due;
	char text[64];
	int i, rc, refused = 0;

	for (i = 0; i < records; i += rc >= 0) {
		snprintf(text, sizeof(text), "n%u-%d 0 1000 2000", ledger, i);
		rc = store_begin(store, &err);
		if (rc == 0 && (put_in(store, record_of(job, text), NOW, &due, &err) < 0 ||
				put_in(store, record_of(3 - job, text), NOW, &due, &err) < 0))
			rc = -1;
		rc = rc < 0 ? -1 : store_commit(store, &err);
		if (rc < 0)
			store_rollback(store);
		if (rc < 0 && ++refused > 10)
			return 1;
	}
	store_close(store);
	return 0;
}

START_TEST(two_concurrent_ledgers_lose_no_record)
{
	const int records = getenv("JOBIO_TEST_MARIADB") ? rounds(200) : 5;
	static struct store *store; /* static: not a leak in the child */
	struct store_row run;
	uint32_t job;
	int status;
	pid_t pid;

	store = opened();
	pid = fork();
	if (pid == 0)
		_exit(put_many(2, records));
	ck_assert_int_eq(put_many(1, records), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	for (job = 1; job <= 2; job++) {
		run = run_of(store, job);
		ck_assert_int_eq(run.run.nodes_seen, 2 * records);
		ck_assert_int_eq(run.version, 2 * records);
		store_row_clear(&run);
	}
	closed(store);
}
END_TEST

/* ---- files that are not a store ---------------------------------------------------- */

static void expect_not_opened(const char *why)
{
	struct config_ledger config = where(1);
	struct err err = { "" };
	char wanted[700];

	ck_assert_ptr_null(store_open(&config, &err));
	snprintf(wanted, sizeof(wanted), "'%s': store: %s", config.store, why);
	ck_assert_msg(!strncmp(err.text, wanted, strlen(wanted)), "%s", err.text);
}

static void in_file(const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(tempdir_path("s"), &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

START_TEST(a_file_that_is_not_a_store_of_this_version_is_not_changed)
{
	static const char note[] = "this is not a database, it is a text of a user\n";
	mode_t was = umask(022);
	struct stat st;

	unsetenv("JOBIO_TEST_MARIADB");
	store_close(opened());
	ck_assert_uint_eq(umask(was), 022);
	ck_assert_int_eq(stat(tempdir_path("s"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 077, 0);
	in_file("PRAGMA user_version=1");
	expect_not_opened("made by another version of jobio");
	remove(tempdir_path("s"));
	in_file("CREATE VIEW runs AS SELECT 1 AS id");
	expect_not_opened("views may not be indexed");
	tempdir_put("s", note);
	expect_not_opened("file is not a database");
	tempdir_expect("s", note);
	tempdir_remove();
	strcpy(tempdir_name, "/nonexistent");
	expect_not_opened("unable to open database file");
}
END_TEST

START_TEST(an_error_of_the_database_is_reported_and_no_change_is_partial)
{
	struct store *store;
	struct store_row run = { 0 };
	struct err err = { "" };
	int64_t ids[4], due;

	unsetenv("JOBIO_TEST_MARIADB");
	store = opened();
	put(store, 7, "n1 0 1000 2000");
	in_file("CREATE TRIGGER t BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT,'not this one'); END");
	ck_assert_int_eq(store_purge(store, 9000, NOW, 9, &err), -1);
	ck_assert_str_eq(err.text, "store: not this one");
	ck_assert_str_eq(runs_of(store, 7), "n1");
	ck_assert_int_eq(store_load(store, 5, &run, &err), -1);
	ck_assert_str_eq(err.text, "store: run 5 is gone");
	in_file("DROP TABLE records");
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(put_in(store, record_of(8, "n1 0 1000 2000"), NOW, &due, &err), -1);
	ck_assert_str_eq(err.text, "store: no such table: records");
	store_rollback(store);
	ck_assert_int_eq(find(store, STORE_JOB, 8, RECORD_UNKNOWN, ids), 0);
	closed(store);
}
END_TEST

UNIT_MAIN("store", records_form_the_same_runs_in_any_order_of_arrival,
	  a_run_is_due_when_all_nodes_reported_or_grace_is_over_since_the_first,
	  a_better_record_of_a_node_replaces_the_first,
	  array_tasks_and_het_components_are_found_by_their_ids,
	  the_backlog_counts_collecting_due_and_postponed_runs,
	  uncommitted_records_are_not_visible_and_gone_after_a_rollback,
	  sums_of_a_site_are_exact_after_late_records_requeues_and_purges_by_two_ledgers,
	  old_runs_are_purged_with_their_records,
	  runs_claimed_by_one_ledger_are_due_for_others_after_store_claim_s_only,
	  two_concurrent_ledgers_lose_no_record,
	  a_file_that_is_not_a_store_of_this_version_is_not_changed,
	  an_error_of_the_database_is_reported_and_no_change_is_partial)
