/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the next run should ask for; the rest is in tests/scripts/advise.bats. */
#include <stdlib.h>
#include <string.h>

#include "report/next_run.h"
#include "tests/unit/advice_jobs.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"

static struct config_advice limits;
/* A job, with other names for its nodes. */
static struct job_report report_on(struct job made, const char *node)
{
	static struct job job;
	struct job_report r = { .id = (char *)"7", .limits = &limits };
	size_t i;

	config_advice_init(&limits);
	job = made;
	r.records = job.records;
	for (i = 0; i < job.nodes; i++) {
		job.records[i] = make(&job, i);
		snprintf(job.records[i]->node, sizeof(job.records[i]->node), "%s%zu", node, i);
	}
	r.record_count = job.nodes;
	r.summary.nodes_seen = r.summary.nodes_expected = (int64_t)job.nodes;
	return r;
}

/* That of a rule. */
static struct job_report report_of(const char *code, const char *node)
{
	size_t i;

	for (i = 0; strcmp(cases[i].code, code) != 0; i++)
		;
	return report_on(cases[i].make(true), node);
}

static void release(struct job_report *r)
{
	while (r->record_count)
		record_free(r->records[--r->record_count]);
}

/* How the advice of this code came out when two runs say the same. */
static struct next_step step_of(const char *code, const char *node)
{
	struct job_report r = report_of(code, node), *runs[] = { &r };
	struct next_step found = { .has_advice = false };
	struct next_run next;
	size_t i;

	next_run_find(&next, &r, runs, 1, NULL);
	for (i = 0; i < next.count; i++)
		if (next.step[i].has_advice && !strcmp(next.step[i].advice.code, code))
			found = next.step[i];
	ck_assert_msg(found.has_advice, "%s is not told", code);
	release(&r);
	return found;
}

START_TEST(a_name_that_a_shell_would_read_is_in_no_option)
{
	static const char *const names[] = { "c$(id)", "a b", "c;", "*", "-c", "c'", "c\n" };
	struct next_step step = step_of("A28", "node-");
	size_t i;

	ck_assert(step.is_taken);
	ck_assert_int_eq(strncmp(step.option, "--exclude=node-", 15), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		step = step_of("A28", names[i]);
		ck_assert_msg(!step.is_taken && !*step.option, "'%s': '%s'", names[i], step.option);
	}
}
END_TEST

START_TEST(without_jobio_conf_there_is_no_profile_to_ask_for)
{
	struct next_step step = step_of("A05", "c");

	ck_assert(!step.is_taken);
	ck_assert_str_eq(step.option, "");
	ck_assert_str_eq(step.note, "jobio.conf has no profile with forcedirect on this host");
}
END_TEST

/* ---- profiles ------------------------------------------------------------------------ */

static struct next_run next;

/* What the advice of this code comes to, beside these runs. */
static const struct next_step *find_step(const char *code, struct job_report *job,
					 struct job_report *const *runs, size_t count,
					 const char *conf)
{
	struct config *config = conf ? conf_load(conf) : NULL;
	size_t i;

	next_run_find(&next, job, runs, count, config);
	config_free(config);
	for (i = 0; i < next.count; i++)
		if (code ? next.step[i].has_advice && !strcmp(next.step[i].advice.code, code)
			 : !next.step[i].has_advice)
			return &next.step[i];
	ck_assert_msg(!code, "%s is not told", code);
	return NULL;
}

#define DIRECT(name) "[profile " name "]\nmount_options = forcedirect\n"
#define CLIENT "[client x]\ntype = weka\n"

/* Which profile is proposed to the job, which is released. */
static const char *option_of(struct job_report *r, const char *conf)
{
	static char option[NEXT_WORDS];

	snprintf(option, sizeof(option), "%s", find_step("A05", r, NULL, 0, conf)->option);
	release(r);
	return option;
}

static const char *proposed(const char *conf, const char *own)
{
	struct job_report r = report_of("A05", "c");

	if (own) {
		r.records[0]->has_request = true;
		snprintf(r.records[0]->request.profile, sizeof(r.records[0]->request.profile), "%s",
			 own);
	}
	return option_of(&r, conf);
}

START_TEST(of_several_profiles_that_fit_it_is_stream_or_the_first)
{
	ck_assert_str_eq(proposed(CLIENT DIRECT("a") DIRECT("b"), NULL), "--io-profile=a");
	ck_assert_str_eq(proposed(CLIENT DIRECT("a") DIRECT("stream") DIRECT("z"), NULL),
			 "--io-profile=stream");
	/* not the one that the job had, nor one that does something else */
	ck_assert_str_eq(proposed(CLIENT DIRECT("a") DIRECT("b"), "a"), "--io-profile=b");
	ck_assert_str_eq(
		proposed(CLIENT "[profile a]\nmount_options = readcache\n" DIRECT("b"), NULL),
		"--io-profile=b");
	ck_assert_str_eq(proposed(CLIENT "[profile a]\nmount_options = readcache\n", NULL), "");
}
END_TEST

START_TEST(an_option_is_a_whole_word_of_a_profile)
{
	ck_assert_str_eq(
		proposed(CLIENT "[profile a]\nmount_options = noatime,forcedirect\n", NULL),
		"--io-profile=a");
	ck_assert_str_eq(
		proposed(CLIENT "[profile a]\nmount_options = noatime,forcedirect,sync\n", NULL),
		"--io-profile=a");
	ck_assert_str_eq(
		proposed(CLIENT "[profile a]\nmount_options = noatime,forcedirects\n", NULL), "");
	ck_assert_str_eq(proposed(CLIENT "[profile a]\nmount_options = forcedirecs,force\n", NULL),
			 "");
}
END_TEST

#define OF_WORK "[client work]\ntype = weka\n"
#define OF_HOME "[client home]\ntype = weka\n"

/* Where the client is one of this host's jobio.conf. */
START_TEST(a_profile_is_for_the_clients_of_the_job)
{
	ck_assert_str_eq(proposed(OF_WORK DIRECT("a"), NULL), "--io-profile=a");
	/* its own section of the profile is the one that counts */
	ck_assert_str_eq(proposed(OF_WORK DIRECT("a") "[profile a:work]\n"
						      "mount_options = readcache\n",
				  NULL),
			 "");
	ck_assert_str_eq(proposed(OF_WORK "[profile a]\nmount_options = readcache\n"
					  "[profile a:work]\nmount_options = forcedirect\n",
				  NULL),
			 "--io-profile=a");
	/* what its client would refuse is no advice */
	ck_assert_str_eq(proposed(OF_WORK "[profile a]\nmount_options = forcedirect,ro\n", NULL),
			 "");
}
END_TEST

/* On each node a second client, /home, is there, too; what is proposed then. */
static const char *proposed_beside(const char *conf, size_t nodes)
{
	struct job job = a05(true);
	struct job_report r;
	size_t i;

	job.nodes = nodes;
	r = report_on(job, "c");
	for (i = nodes - 1; i < nodes; i++) {
		record_add_client(r.records[i], "home", "weka", "", NULL);
		record_add_mount(r.records[i], "/home", "fs", "server:/home");
	}
	return option_of(&r, conf);
}

START_TEST(all_clients_of_all_nodes_must_have_the_profile)
{
	size_t nodes;

	for (nodes = 1; nodes <= 2; nodes++) {
		ck_assert_str_eq(proposed_beside(CLIENT DIRECT("a"), nodes), "--io-profile=a");
		/* the other one needs no option, and may not cache writes */
		ck_assert_str_eq(
			proposed_beside(OF_WORK OF_HOME DIRECT("a") "[profile a:home]\n"
								    "mount_options = readcache\n",
					nodes),
			"--io-profile=a");
		ck_assert_str_eq(
			proposed_beside(OF_WORK OF_HOME DIRECT("a") "[profile a:home]\n"
								    "mount_options = writecache\n",
					nodes),
			"");
	}
}
END_TEST

/* ---- several advices of one option ----------------------------------------------------- */

/* The job of a rule, that did on two other filesystems what it did on /work. */
static struct job_report on_three(const char *code)
{
	static const char *const more[] = { "/more", "/most" };
	struct job_report r = report_of(code, "c");
	struct record *record = r.records[0];
	struct record_io io;
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		record_add_mount(record, more[i], "fs", "server:/more");
		if (record->change_count)
			record_add_change(record, "work", "mount-option", more[i], "other",
					  record->changes[0].new_value, 1, 1);
		io = record->app[0];
		io.fs = (char *)more[i];
		record_add_app(record, &io);
	}
	return r;
}

/* What is proposed: options that are taken are the first one's alone. */
static void expect_first(const char *code, const char *option)
{
	struct job_report r = on_three(code);
	struct config *config = conf_load(CLIENT DIRECT("a"));
	size_t i, told = 0;

	next_run_find(&next, &r, NULL, 0, config);
	config_free(config);
	for (i = 0; i < next.count; i++) {
		const struct next_step *step = &next.step[i];

		if (!step->has_advice || strcmp(step->advice.code, code) != 0)
			continue;
		told++;
		ck_assert_str_eq(step->option, option);
		ck_assert_int_eq(step->is_taken, told == 1);
		ck_assert_str_eq(step->note, told == 1 ? "" : "another advice is worth more");
	}
	ck_assert_uint_eq(told, 3);
	ck_assert_str_eq(next.options, option);
	release(&r);
}

START_TEST(of_several_advices_of_one_option_the_first_is_taken_alone)
{
	expect_first("A05", "--io-profile=a");
	expect_first("A23", "--io-cores=2");
}
END_TEST

static void expect_cores(const char *keys, const char *option, const char *note)
{
	struct job_report r = report_of("A23", "c");
	char conf[200];
	const struct next_step *step;

	snprintf(conf, sizeof(conf), "[option]\n%s" CLIENT, keys);
	step = find_step("A23", &r, NULL, 0, conf);
	ck_assert_str_eq(step->option, option);
	ck_assert_str_eq(step->note, note);
	ck_assert_int_eq(step->is_taken, *option != '\0');
	ck_assert_str_eq(next.options, option);
	release(&r);
}

START_TEST(as_many_cores_are_proposed_as_the_site_allows)
{
	expect_cores("io_cores_min = 1\nio_cores_max = 4\n", "--io-cores=2", "");
	expect_cores("io_cores_min = 2\nio_cores_max = 2\n", "--io-cores=2", "");
	expect_cores("io_cores_min = 3\nio_cores_max = 4\n", "",
		     "this site allows 3 to 4 io-cores");
	expect_cores("io_cores_min = 1\nio_cores_max = 1\n", "",
		     "this site allows 1 to 1 io-cores");
}
END_TEST

START_TEST(what_is_taken_is_one_line_of_options)
{
	struct job job = a22(true);
	struct job_report r;

	job.option = "writecache";
	reads(&job, 1900000, 1900000L * MIB);
	r = report_on(job, "c");
	find_step("A22", &r, NULL, 0, CLIENT DIRECT("a"));
	find_step("A05", &r, NULL, 0, CLIENT DIRECT("a"));
	ck_assert_str_eq(next.options, "--io-cores=2 --io-profile=a");
	release(&r);
}
END_TEST

/* ---- runs ---------------------------------------------------------------------------- */

#define RUNS_MAX 8

static struct job_report runs[RUNS_MAX], *run_list[RUNS_MAX];
static struct record *run_records[RUNS_MAX];
static size_t run_count;
static char run_ids[RUNS_MAX][8];

/* What it read and wrote, as the ledger has it of the job alone. */
static void did(struct job_report *r, int64_t read, int64_t written)
{
	r->source = "ledger";
	r->summary.scope = SUMMARY_SCOPE_JOB;
	r->summary.rd_bytes = read;
	r->summary.wr_bytes = written;
}

/* A run of one node that read GIB and wrote nothing, in so many seconds, with this
 * profile and so many io-cores. */
static struct job_report *ran(double seconds, const char *profile, unsigned int cores)
{
	struct job_report *r = &runs[run_count];
	struct record *record = record_new();

	memset(r, 0, sizeof(*r));
	snprintf(run_ids[run_count], sizeof(run_ids[0]), "%zu", 20 + run_count);
	r->id = run_ids[run_count];
	summary_init(&r->summary);
	did(r, GIB, 0);
	r->summary.nodes_expected = r->summary.nodes_seen = 1;
	record->start = 1000;
	record->end = 1000 + seconds;
	record->has_request = true;
	record->request.io_cores = cores;
	strcpy(record->request.profile, profile);
	record->profile_applied = 1;
	run_records[run_count] = record;
	r->records = &run_records[run_count];
	r->record_count = 1;
	run_list[run_count] = r;
	run_count++;
	return r;
}

static void forget_runs(void)
{
	while (run_count)
		record_free(run_records[--run_count]);
}

/* What the job of among_runs() read and wrote. */
static int64_t job_read = GIB, job_written;

/* A job of 1000 s for which profile a is proposed; its runs are forgotten. */
static const struct next_step *among_runs(void)
{
	struct job_report r = report_of("A05", "c");
	const struct next_step *step;

	did(&r, job_read, job_written);
	step = find_step("A05", &r, run_list, run_count, CLIENT DIRECT("a"));
	release(&r);
	forget_runs();
	return step;
}

static void expect_step(bool is_taken, const char *note)
{
	const struct next_step *step = among_runs();

	ck_assert_str_eq(step->note, note);
	ck_assert_int_eq(step->is_taken, is_taken);
	ck_assert_int_eq(strstr(next.options, "--io-profile=a") != NULL, is_taken);
}

START_TEST(a_run_that_had_it_speaks_for_or_against)
{
	expect_step(true, "");
	ran(800, "a", 0);
	expect_step(true, "run 20 had it: 20 % less time");
	ran(1200, "a", 0);
	expect_step(false, "run 20 had it: 20 % more time");
	/* with any number of io-cores */
	ran(800, "a", 3);
	expect_step(true, "run 20 had it: 20 % less time");
	ran(800, "b", 0);
	expect_step(true, "");
	ran(960, "a", 0);
	expect_step(false, "run 20 had it: no difference in time");
	ran(950, "a", 0); /* of single runs 5 % are a difference */
	expect_step(true, "run 20 had it: 5 % less time");
	ran(700, "a", 0);
	ran(900, "a", 1);
	ran(800, "b", 1);
	expect_step(true, "run 20 and 1 more had it: 20 % less time");
	ran(800, "a", 0)->records[0]->profile_applied = 0;
	expect_step(true, "");
	ran(400, "a", 0);
	expect_step(true, "run 20 had it: 60 % less time");
	ran(1, "a", 0);
	expect_step(true, "run 20 had it: 100 % less time");
	/* nobody knows how long it took, or what it was */
	ran(1200, "a", 0)->records[0]->end = RECORD_UNKNOWN;
	expect_step(true, "");
	ran(1200, "a", 0)->record_count = 0;
	expect_step(true, "");
	ran(1200, "a", 0)->records[0]->has_request = false;
	expect_step(true, "");
}
END_TEST

START_TEST(runs_that_were_repeated_are_told_apart_by_chance)
{
	/* little, and sure */
	ran(1000.1, "", 0);
	ran(1006, "a", 0);
	ran(1006.1, "a", 0);
	expect_step(false, "run 21 and 1 more had it: 1 % more time");
	/* much, and not sure */
	ran(1500, "", 0);
	ran(900, "a", 0);
	ran(1400, "a", 0);
	expect_step(false, "run 21 and 1 more had it: no difference in time");
}
END_TEST

/* A core less that costs no time is a core for somebody else. */
START_TEST(fewer_cores_are_taken_when_no_run_with_them_was_slower)
{
	static const struct {
		double seconds;
		bool is_taken;
		const char *note;
	} of[] = {
		{ 1000, true, "run 20 had it: no difference in time" },
		{ 1200, false, "run 20 had it: 20 % more time" },
		{ 800, true, "run 20 had it: 20 % less time" },
	};
	const struct next_step *step;
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct job_report r = report_of("A25", "c");

		did(&r, GIB, 0);
		ran(of[i].seconds, "", 1);
		step = find_step("A25", &r, run_list, run_count, NULL);
		ck_assert_str_eq(step->option, "--io-cores=1");
		ck_assert_str_eq(step->note, of[i].note);
		ck_assert_int_eq(step->is_taken, of[i].is_taken);
		release(&r);
		forget_runs();
	}
}
END_TEST

START_TEST(a_run_that_did_other_work_says_nothing)
{
	ran(1200, "a", 0)->summary.rd_bytes = GIB + GIB / 5;
	expect_step(true, "");
	ran(1200, "a", 0)->summary.rd_bytes = GIB - GIB / 10;
	expect_step(false, "run 20 had it: 20 % more time");
	ran(1200, "a", 0)->summary.rd_bytes = GIB - GIB / 10 - MIB;
	expect_step(true, "");
	ran(1200, "a", 0)->summary.wr_bytes = MIB;
	expect_step(false, "run 20 had it: 20 % more time");
	ran(1200, "a", 0)->summary.wr_bytes = MIB + 1;
	expect_step(true, "");
	ran(1200, "a", 0)->summary.wr_bytes = SUMMARY_UNKNOWN;
	expect_step(true, "");
	ran(1200, "a", 0)->summary.nodes_expected = 2;
	expect_step(true, "");
	ran(1200, "a", 0)->summary.scope = SUMMARY_SCOPE_NODE;
	expect_step(true, "");
	/* less than a MiB, or a tenth, is no other work */
	job_written = 4 * MIB;
	ran(1200, "a", 0)->summary.wr_bytes = 5 * MIB;
	expect_step(false, "run 20 had it: 20 % more time");
	ran(1200, "a", 0)->summary.wr_bytes = 5 * MIB + 1;
	expect_step(true, "");
	job_written = 0;
	job_read = 1000 * MIB;
	ran(1200, "a", 0)->summary.rd_bytes = 900 * MIB;
	expect_step(false, "run 20 had it: 20 % more time");
	ran(1200, "a", 0)->summary.rd_bytes = 900 * MIB - 1;
	expect_step(true, "");
}
END_TEST

START_TEST(what_repeated_runs_show_is_proposed_without_any_advice)
{
	struct job_report r = report_of("A05", "c");
	const struct next_step *step;

	did(&r, GIB, 0);
	ran(1010, "", 0);
	ran(1020, "", 0);
	ran(800, "b", 2);
	ran(810, "b", 2);
	ran(820, "b", 2);
	step = find_step(NULL, &r, run_list, run_count, NULL);
	ck_assert_ptr_nonnull(step);
	ck_assert_str_eq(step->option, "--io-cores=2 --io-profile=b");
	ck_assert_str_eq(step->note, "run 22 and 2 more took 20 % less time than 3 like this one");
	ck_assert(step->is_taken);
	ck_assert_str_eq(next.options, "--io-cores=2 --io-profile=b");
	ck_assert_uint_eq(next.like, 5);
	/* no option takes a profile away */
	r.records[0]->has_request = true;
	strcpy(r.records[0]->request.profile, "a");
	run_records[0]->has_request = run_records[1]->has_request = true;
	strcpy(run_records[0]->request.profile, "a");
	strcpy(run_records[1]->request.profile, "a");
	strcpy(run_records[2]->request.profile, "");
	strcpy(run_records[3]->request.profile, "");
	strcpy(run_records[4]->request.profile, "");
	step = find_step(NULL, &r, run_list, run_count, NULL);
	ck_assert_ptr_nonnull(step);
	ck_assert_str_eq(step->option, "--io-cores=2");
	ck_assert(!step->is_taken);
	ck_assert_str_eq(next.options, "");
	/* nor is what a chance may be proposed */
	run_records[2]->end = run_records[3]->end = 1000 + 1015;
	ck_assert_ptr_null(find_step(NULL, &r, run_list, run_count, NULL));
	release(&r);
	forget_runs();
}
END_TEST

/* Of a job with this setup: what its runs, of which the best had the other one, come
 * to without any advice. */
static void expect_best(const char *profile, unsigned int cores, const char *best,
			unsigned int best_cores, const char *option, bool is_taken)
{
	struct job_report r = report_of("A05", "c");
	const struct next_step *step;

	did(&r, GIB, 0);
	r.records[0]->has_request = true;
	strcpy(r.records[0]->request.profile, profile);
	r.records[0]->request.io_cores = cores;
	ran(800, best, best_cores);
	ran(810, best, best_cores);
	ran(1010, profile, cores);
	ran(1020, profile, cores);
	/* slower, as slow, and as fast, but later */
	ran(900, "z", 4);
	ran(910, "z", 4);
	ran(800, "y", 4);
	ran(810, "y", 4);
	step = find_step(NULL, &r, run_list, run_count, NULL);
	ck_assert_ptr_nonnull(step);
	ck_assert_str_eq(step->option, option);
	ck_assert_str_eq(step->note, "run 20 and 1 more took 20 % less time than 3 like this one");
	ck_assert_int_eq(step->is_taken, is_taken);
	ck_assert_str_eq(next.options, is_taken ? option : "");
	release(&r);
	forget_runs();
}

START_TEST(of_the_best_runs_only_what_differs_is_asked_for)
{
	expect_best("", 0, "b", 0, "--io-profile=b", true);
	expect_best("", 0, "", 2, "--io-cores=2", true);
	expect_best("b", 0, "b", 2, "--io-cores=2", true);
	expect_best("b", 1, "c", 1, "--io-profile=c", true);
	expect_best("b", 1, "c", 2, "--io-cores=2 --io-profile=c", true);
	/* no option takes cores away */
	expect_best("", 2, "b", 0, "--io-profile=b", false);
}
END_TEST

START_TEST(a_better_setup_may_come_behind_a_worse_one)
{
	const struct next_step *step;
	struct job_report r = report_of("A05", "c");

	did(&r, GIB, 0);
	ran(1200, "z", 1);
	ran(1210, "z", 1);
	ran(1010, "", 0);
	ran(800, "b", 2);
	ran(810, "b", 2);
	step = find_step(NULL, &r, run_list, run_count, NULL);
	ck_assert_ptr_nonnull(step);
	ck_assert_str_eq(step->option, "--io-cores=2 --io-profile=b");
	release(&r);
	forget_runs();
}
END_TEST

/* A run of two nodes, the second of which was slow, or was not. */
static struct job_report ran_on(const char *node, bool is_slow, bool is_small)
{
	struct job job = a28(is_slow);
	struct job_report r = { .id = (char *)"8", .limits = &limits };
	size_t i;

	config_advice_init(&limits);
	if (is_small) /* that is worth more than another node */
		reads(&job, 200 * GIB / 4096, 200 * GIB);
	r.records = calloc(job.nodes, sizeof(*r.records));
	for (i = 0; i < job.nodes; i++) {
		r.records[i] = make(&job, i);
		snprintf(r.records[i]->node, sizeof(r.records[i]->node), "%s%zu", node, i);
	}
	r.record_count = job.nodes;
	r.summary.nodes_seen = r.summary.nodes_expected = (int64_t)job.nodes;
	return r;
}

static void swap_records(struct job_report *r)
{
	struct record *first = r->records[0];

	r->records[0] = r->records[1];
	r->records[1] = first;
}

/* What is said of node c1 after these runs: 's' slow, 'f' fast, 'o' on others, 'r'
 * slow, and the first of the nodes, 'x' on it, and the other one was slow, 'm'
 * slow, and much else is to be said of it. */
static const struct next_step *after_runs(const char *kinds)
{
	struct job_report job = ran_on("c", true, false), r[4], *list[4];
	const struct next_step *step;
	size_t i, count = strlen(kinds);

	for (i = 0; i < count; i++) {
		r[i] = ran_on(kinds[i] == 'o' ? "d" : "c", kinds[i] != 'f', kinds[i] == 'm');
		if (kinds[i] == 'r')
			swap_records(&r[i]);
		if (kinds[i] == 'x') {
			strcpy(r[i].records[0]->node, "c1");
			strcpy(r[i].records[1]->node, "c0");
		}
		list[i] = &r[i];
	}
	step = find_step("A28", &job, list, count, NULL);
	for (i = 0; i < count; i++) {
		release(&r[i]);
		free(r[i].records);
	}
	release(&job);
	free(job.records);
	ck_assert_ptr_nonnull(step);
	ck_assert_str_eq(step->option, "--exclude=c1");
	return step;
}

START_TEST(a_node_is_left_out_when_most_runs_on_it_found_it_slow)
{
	static const struct {
		const char *runs, *note;
		bool is_taken;
	} of[] = {
		{ "", "it was slow in 0 of 0 other runs on it", false },
		{ "s", "it was slow in 1 of 1 other runs on it", true },
		{ "f", "it was slow in 0 of 1 other runs on it", false },
		{ "o", "it was slow in 0 of 0 other runs on it", false },
		{ "r", "it was slow in 1 of 1 other runs on it", true },
		{ "m", "it was slow in 1 of 1 other runs on it", true },
		{ "x", "it was slow in 0 of 1 other runs on it", false },
		{ "sf", "it was slow in 1 of 2 other runs on it", false },
		{ "sfos", "it was slow in 2 of 3 other runs on it", true },
	};
	const struct next_step *step;
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		step = after_runs(of[i].runs);
		ck_assert_str_eq(step->note, of[i].note);
		ck_assert_int_eq(step->is_taken, of[i].is_taken);
	}
}
END_TEST

/* Does a job of two nodes, of which one did nearly all, hear of that? */
static bool is_compared(int64_t seen, int64_t expected, int64_t left_out)
{
	struct job_report r = report_of("A26", "c");
	bool is = false;
	size_t i;

	r.summary.nodes_seen = seen;
	r.summary.nodes_expected = expected;
	r.left_out = left_out;
	next_run_find(&next, &r, NULL, 0, NULL);
	for (i = 0; i < next.count; i++)
		is |= next.step[i].has_advice && !strcmp(next.step[i].advice.code, "A26");
	release(&r);
	return is;
}

START_TEST(nodes_are_compared_when_all_of_them_have_reported)
{
	ck_assert(is_compared(2, 2, 0));
	ck_assert(is_compared(2, 0, 0)); /* of none nobody is missing */
	ck_assert(!is_compared(2, 3, 0));
	ck_assert(!is_compared(2, RECORD_UNKNOWN, 0));
	ck_assert(!is_compared(2, 2, 1));
}
END_TEST

UNIT_MAIN("next_run", a_name_that_a_shell_would_read_is_in_no_option,
	  of_several_profiles_that_fit_it_is_stream_or_the_first,
	  of_several_advices_of_one_option_the_first_is_taken_alone,
	  a_run_that_had_it_speaks_for_or_against, a_run_that_did_other_work_says_nothing,
	  what_repeated_runs_show_is_proposed_without_any_advice,
	  a_node_is_left_out_when_most_runs_on_it_found_it_slow,
	  an_option_is_a_whole_word_of_a_profile, nodes_are_compared_when_all_of_them_have_reported,
	  a_profile_is_for_the_clients_of_the_job, all_clients_of_all_nodes_must_have_the_profile,
	  as_many_cores_are_proposed_as_the_site_allows, what_is_taken_is_one_line_of_options,
	  runs_that_were_repeated_are_told_apart_by_chance,
	  fewer_cores_are_taken_when_no_run_with_them_was_slower,
	  of_the_best_runs_only_what_differs_is_asked_for,
	  a_better_setup_may_come_behind_a_worse_one,
	  without_jobio_conf_there_is_no_profile_to_ask_for)
