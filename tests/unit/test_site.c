/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the sums of a site look, and where they come from. With a ledger and a false
 * sacct: tests/scripts/site.bats. */
#include <json-c/json.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/config.h"
#include "lib/json.h"
#include "report/job_source.h"
#include "report/program.h"
#include "report/sacct.h"
#include "report/site.h"
#include "report/tone.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/terminal.h"

#define HOUR 3600
#define GIB (INT64_C(1) << 30)

static struct site site;
static struct use use;

static int tallies = -1; /* so many more there is memory for; -1: enough */

struct tally *__real_tally_new(void);
struct tally *__wrap_tally_new(void)
{
	if (!tallies)
		return NULL;
	tallies -= tallies > 0;
	return __real_tally_new();
}

static void begin(void)
{
	memset(&site, 0, sizeof(site));
	site.source = "ledger";
	site.since_s = 1795219200;
	site.until_s = 1795305600;
	site.tally = tally_new();
	ck_assert_ptr_nonnull(site.tally);
	setenv("TZ", "UTC", 1);
	tzset();
	tone_init();
}

static void end(void)
{
	tally_free(site.tally);
}

/* A run of so many node hours; its filesystems follow. */
static void run(const char *cluster, const char *user, const char *account,
		const char *profile, int64_t hours, const char *advice)
{
	use_init(&use);
	use.cluster = cluster;
	use.user = user;
	use.account = account;
	use.profile = profile;
	use.node_s = hours * HOUR;
	use.nodes = 1;
	use.job = site.tally->jobs + 1;
	use.ended = site.since_s + use.job;
	use.is_judged = true;
	strcpy(use.advice, advice);
}

static void moved(const char *name, const char *type, int64_t read,
		  int64_t written, int64_t meta, int64_t peak)
{
	use.fs[use.fs_count++] =
		(struct use_fs){ name, type, read, written, meta, peak };
}

static void put(void)
{
	ck_assert_int_eq(tally_add(site.tally, &use), 0);
}

/* Jobs of two clusters, of which each number is known somewhere and nowhere. */
static void fill(void)
{
	run("c", "alice", "lab", "stream", 1, "A01");
	moved("/work", "weka", 3 * GIB, GIB, 1000, GIB);
	put();
	run("d", "bob", "lab", "", 200, "A01 A17 A99");
	moved("/work", "weka", 2 * GIB, -1, -1, 0);
	moved("/a filesystem of more than 28 letters", "", 0, 5, 0, -1);
	use.warned = 1;
	use.refused = 2;
	put();
	run("c", "", "", "stream", 0, "");
	use.warned = 2;
	put();
	run("c", "carol", "\"lab\"", "x", 2, "");
	use.is_wide = true;
	put();
	tally_sort(site.tally);
}

/* What 'how' prints; caller frees. */
static char *printed(void (*how)(FILE *out))
{
	static char *text;
	static size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	how(out);
	fclose(out);
	return text;
}

static size_t limit;

static void as_text(FILE *out)
{
	site_print_text(out, &site, limit);
}

static void as_csv(FILE *out)
{
	site_print_csv(out, &site);
}

/* Takes the text. */
static void expect(char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in\n%s", part, text);
	free(text);
}

static void expect_no(char *text, const char *part)
{
	ck_assert_msg(!strstr(text, part), "'%s' in\n%s", part, text);
	free(text);
}

static void expect_kept(const char *name, char *text)
{
	sample_kept(name, text);
	free(text);
}

static char *paged(void)
{
	struct err err = { "" };
	char *text;

	tempdir_make();
	ck_assert_msg(
		site_page_write(tempdir_path("page"), &site, limit, &err) == 0,
		"%s", err.text);
	text = fileio_read(tempdir_path("page"), 1U << 20, NULL, &err);
	ck_assert_ptr_nonnull(text);
	memmove(text, strstr(text, "<main>"),
		strlen(strstr(text, "<main>")) + 1);
	tempdir_remove();
	return text;
}

START_TEST(a_site_looks_as_it_did_when_somebody_looked_at_it_last)
{
	begin();
	fill();
	limit = 20;
	expect_kept("report/site.txt.golden", printed(as_text));
	expect_kept("report/site.csv.golden", printed(as_csv));
	site.silent = 1;
	site.left = 2;
	strcpy(site.why_not_ledger, "no <ledger>");
	limit = 1;
	expect_kept("report/site_less.txt.golden", printed(as_text));
	expect_kept("report/site_less.html.golden", paged());
	end();
}
END_TEST

START_TEST(a_site_without_jobs_has_no_tables)
{
	char *text;

	begin();
	text = printed(as_text);
	ck_assert_str_eq(
		text,
		"0 jobs that ended from 2026-11-21T00:00:00 to "
		"2026-11-22T00:00:00, 0.0 node hours\n"
		"  gate          enforce would have refused none of these "
		"jobs\n");
	free(text);
	expect_no(paged(), "<section>");
	expect(paged(), "</dl>\n<p class=\"dim\">gate: enforce would have "
			"refused none of these jobs.</p>\n</main>");
	end();
}
END_TEST

START_TEST(twenty_jobs_that_the_gate_would_refuse_are_named)
{
	int i;

	begin();
	limit = 20;
	for (i = 0; i < 21; i++) {
		run("c", "alice", "lab", "", 1, "");
		use.warned = 1;
		put();
		if (i == 19)
			expect_no(printed(as_text), "more: --csv has them");
	}
	expect(printed(as_text),
	       "                2 of alice on cluster c, 1 task\n"
	       "                and 1 more: --csv has them\n");
	expect_no(printed(as_text), "\n                1 of alice");
	expect(paged(), "<tr><td>2</td><td>c</td><td>alice</td><td>1</td>"
			"<td>0</td></tr>\n</tbody>");
	expect(paged(), "</table></div>\n<p>and 1 more</p>\n");
	end();
	/* one that it did refuse does not hide those that it would */
	begin();
	limit = 20;
	run("c", "alice", "lab", "", 1, "");
	use.refused = 1;
	put();
	run("c", "bob", "lab", "", 1, "");
	use.warned = 1;
	put();
	expect(printed(as_text), " of bob on cluster c, 1 task\n");
	expect_no(printed(as_text), " of alice on cluster c");
	end();
	/* nor does the last one */
	begin();
	limit = 20;
	run("c", "bob", "lab", "", 1, "");
	use.warned = 1;
	put();
	run("c", "alice", "lab", "", 1, "");
	use.refused = 1;
	put();
	expect(printed(as_text), " of bob on cluster c, 1 task\n");
	expect(printed(as_text),
	       "enforce would have refused 1 job: 1 task could run on");
	end();
}
END_TEST

/* Two filesystems, the second of which was read a byte of. */
static void add_two(const char *cluster, const char *name)
{
	begin();
	limit = 2;
	run("c", "alice", "lab", "", 1, "");
	moved("/a", "nfs", 0, 1, 0, 0);
	put();
	run(cluster, "alice", "lab", "", 1, "");
	moved(name, "nfs", 1, 0, -1, 0);
	put();
}

START_TEST(one_byte_is_moved_and_a_peak_of_nothing_has_its_job)
{
	add_two("c", "/b");
	expect(printed(as_text), "       0B  1\n");
	expect_no(printed(as_text), "more: --limit");
	expect(paged(), "the 2 that moved most.");
	expect(paged(), "<td>0B</td><td>1</td></tr>\n<tr><th scope=\"row\">/b");
	expect(paged(), "<path class=\"rd\" d=\"M200 18h520v14h-520z\"/>");
	expect(paged(), "<path class=\"wr\" d=\"M200 0h520v14h-520z\"/>");
	expect(paged(), "<path class=\"wr\" d=\"M720 18h0v14h-0z\"/>");
	expect_no(paged(), "<p>and ");
	end();
}
END_TEST

START_TEST(filesystems_of_several_clusters_are_told_apart)
{
	add_two("c", "/b");
	expect_no(printed(as_text), " on c ");
	end();
	add_two("d", "/a");
	expect(printed(as_text), "/a (nfs) on c ");
	expect(printed(as_text), "/a (nfs) on d ");
	end();
	add_two("c", "/b");
	run("d", "alice", "lab", "", 1, "");
	moved("/c", "nfs", 0, 0, 0, 0);
	put();
	expect(printed(as_text), "/a (nfs) on c ");
	end();
}
END_TEST

START_TEST(a_name_that_fits_stands_before_its_numbers)
{
	begin();
	limit = 20;
	run("c", "a_user_of_twenty_eight_chars", "lab", "", 1, "A01");
	put();
	expect(printed(as_text), "\na_user_of_twenty_eight_chars       1 ");
	expect(printed(as_text), "1 job that ended from ");
	/* of one job with advice, and of none that was judged */
	expect(printed(as_text), "     100%  ");
	site.tally->judged = 0;
	expect(printed(as_text), "       0%  ");
	end();
	begin();
	run("c", "a_user_of_twenty_nine_chars_x", "lab", "", 1, "");
	put();
	expect(printed(as_text), "\na_user_of_twenty_nine_chars_x\n      ");
	end();
}
END_TEST

START_TEST(ten_bars_are_drawn_and_none_where_nothing_was_moved)
{
	char names[11][8];
	int i;

	begin();
	limit = 20;
	for (i = 0; i < 11; i++) {
		snprintf(names[i], sizeof(names[i]), "/%d", i);
		run("c", "alice", "lab", "", 1, "");
		moved(names[i], "", i == 0 ? 0 : 100 - i, 0, 0, -1);
		put();
	}
	tally_sort(site.tally);
	expect(paged(), "viewBox=\"0 0 720 180\"><title id=\"t1\">Read and "
			"written</title><desc id=\"d1\">Bytes read and written "
			"by filesystems, the 10 that moved most.</desc>");
	expect(paged(), "text-anchor=\"end\">/10</text>\n</svg>");
	end();
	begin();
	run("c", "alice", "lab", "", 1, "");
	moved("/a", "", 0, 0, 0, -1);
	put();
	expect_no(paged(), "<svg");
	end();
}
END_TEST

START_TEST(hours_have_one_digit_behind_the_point_up_to_a_hundred)
{
	char text[SITE_HOURS];

	ck_assert_str_eq(site_hours(0, text), "0.0");
	ck_assert_str_eq(site_hours(1800, text), "0.5");
	ck_assert_str_eq(site_hours(90 * HOUR + 144, text), "90.0");
	ck_assert_str_eq(site_hours(100 * HOUR - 360, text), "99.9");
	ck_assert_str_eq(site_hours(100 * HOUR, text), "100");
	ck_assert_str_eq(site_hours(100 * HOUR + 1800, text), "101");
	ck_assert_str_eq(site_hours(5600 * HOUR, text), "5.6k");
}
END_TEST

START_TEST(on_a_terminal_advice_ends_with_the_line)
{
	char *text, *line;

	terminal_make(100);
	begin();
	run("c", "alice", "lab", "", 1, "A01");
	use.warned = 1;
	put();
	limit = 1;
	text = printed(as_text);
	line = strstr(text, "\nA01");
	ck_assert_ptr_nonnull(line);
	ck_assert_uint_eq(strcspn(line + 1, "\n"), 58 + 44);
	ck_assert_ptr_nonnull(strstr(
		text, "\n\033[1mAdvice                          Jobs Node "
		      "hours  Of jobs  Do\033[0m\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "gate          \033[33menforce would"));
	free(text);
	terminal_make(60); /* a cure has 30 characters at least */
	tone_init();
	text = printed(as_text);
	line = strstr(text, "\nA01");
	ck_assert_uint_eq(strcspn(line + 1, "\n"), 58 + 30);
	free(text);
	end();
}
END_TEST

START_TEST(a_page_that_cannot_be_written_is_told)
{
	struct err err = { "" };

	begin();
	ck_assert_int_eq(site_page_write("/proc/self/no/page", &site, 1, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/proc/self/no/page"));
	end();
}
END_TEST

/* ---- where they come from ------------------------------------------------------- */

#define DAY_S 1794700800 /* 2026-11-15 */
#define ROWS_MAX 12

static struct {
	const char *page[3]; /* what the ledger answers; NULL: it is away */
	char asked[3][200];
	int pages;
	uid_t uid;
	const char *level; /* of the caller in Slurm; NULL: nobody says */
	int levels;
	bool is_slurm_away;
	char since[40], until[40];
	bool has_no_admin;
	struct sacct_row row[ROWS_MAX];
	struct sacct_rows rows;
} world;

static struct config config;
static struct job_source source;

char *__wrap_job_source_call(struct job_source *of, const char *request,
			     struct err *err)
{
	ck_assert_ptr_eq(of, &source);
	ck_assert_int_lt(world.pages, 3);
	snprintf(world.asked[world.pages], sizeof(world.asked[0]), "%s",
		 request);
	if (world.page[world.pages])
		return strdup(world.page[world.pages++]);
	err_set(err, "no ledger");
	return NULL;
}

struct sacct_rows *__wrap_sacct_ask(const struct sacct_query *query,
				    struct err *err)
{
	ck_assert(query->is_everybody && !query->jobs && !query->users);
	strcpy(world.since, query->since);
	strcpy(world.until, query->until);
	world.has_no_admin = query->has_no_admin;
	world.rows.row = world.row;
	if (!world.is_slurm_away)
		return &world.rows;
	err_set(err, "no sacct");
	return NULL;
}

int __wrap_program_run(const char *name, const char *const *words,
		       unsigned int timeout_ms, char **out, struct err *err)
{
	ck_assert_str_eq(name, "sacctmgr");
	ck_assert_str_eq(words[3], "name=alice");
	ck_assert_uint_eq(timeout_ms, 20000);
	world.levels++;
	if (!world.level)
		return err_set(err, "no sacctmgr");
	*out = strdup(world.level);
	return 0;
}

uid_t __wrap_geteuid(void)
{
	return world.uid;
}

struct passwd *__wrap_getpwuid(uid_t uid)
{
	static struct passwd alice = { .pw_name = (char *)"alice" };

	return uid == 1000 ? &alice : NULL;
}

time_t __wrap_time(time_t *at)
{
	(void)at;
	return 1795000000;
}

static void begin_asking(void)
{
	memset(&world, 0, sizeof(world));
	config.ledger.user = (char *)"slurm";
	source = (struct job_source){ .config = &config };
	setenv("TZ", "UTC", 1);
	tzset();
}

static struct site *got(struct err *err)
{
	return site_get(&source, "2026-11-15", "2026-11-16", err);
}

/* An answer with one job of this user; caller frees. */
static char *page_of(const char *user, int64_t left, const char *next)
{
	struct json_object *top = json_object_new_object();

	begin();
	run("c", user, "lab", "stream", 1, "");
	moved("/work", "weka", GIB, 0, 0, 0);
	put();
	json_add_bool(top, "ok", true);
	json_add_number(top, "left", left);
	tally_json(site.tally, top);
	if (next)
		json_object_object_add(top, "next", json_parse_list(next));
	end();
	return json_line_put(top);
}

START_TEST(the_ledgers_pages_are_added_up)
{
	char *first = page_of("alice", 7, "[1,\"n2\"]"),
	     *last = page_of("bob", 3, NULL);
	struct err err = { "" };
	struct site *of;

	begin_asking();
	world.page[0] = first;
	world.page[1] = last;
	of = got(&err);
	ck_assert_msg(of != NULL, "%s", err.text);
	ck_assert_str_eq(of->source, "ledger");
	ck_assert_str_eq(of->why_not_ledger, "");
	ck_assert_int_eq(of->tally->jobs, 2);
	ck_assert_uint_eq(of->tally->counts[TALLY_USERS], 2);
	ck_assert_int_eq(of->left, 3);
	ck_assert_int_eq(of->since_s, DAY_S);
	ck_assert_int_eq(of->until_s, DAY_S + 86400);
	ck_assert_str_eq(world.asked[0], "{\"op\":\"site\",\"since\":"
					 "1794700800,\"until\":1794787200}");
	ck_assert_str_eq(world.asked[1],
			 "{\"op\":\"site\",\"since\":1794700800,\"until\":"
			 "1794787200,\"after\":[1,\"n2\"]}");
	ck_assert_int_eq(world.pages, 2);
	site_free(of);
	free(first);
	free(last);
}
END_TEST

START_TEST(whom_the_ledger_refuses_is_not_told_by_sacct)
{
	struct err err = { "" };

	begin_asking();
	world.page[0] = "{\"ok\":false,\"error\":\"site: for root and x\"}";
	ck_assert_ptr_null(got(&err));
	ck_assert_str_eq(err.text, "ledger: site: for root and x");
}
END_TEST

/* Why sacct was asked; what an earlier page told is not added to its sums. */
static void expect_sacct(const char *second_page, const char *why)
{
	char *first = page_of("alice", 7, "[1]");
	struct err err = { "" };
	struct site *of;

	begin_asking();
	world.page[0] = first;
	world.page[1] = second_page;
	of = got(&err);
	ck_assert_msg(of != NULL, "%s", err.text);
	ck_assert_str_eq(of->source, "sacct");
	ck_assert_str_eq(of->why_not_ledger, why);
	ck_assert_int_eq(of->tally->jobs, 0);
	ck_assert_int_eq(of->left, 0);
	site_free(of);
	free(first);
}

START_TEST(sacct_is_asked_where_the_ledger_does_not_tell_all)
{
	struct err err = { "" };

	expect_sacct(NULL, "no ledger");
	expect_sacct("{\"ok\":false,\"error\":\"busy\"}", "ledger: busy");
	expect_sacct("{\"ok\":false}", "ledger: the answer has no meaning");
	expect_sacct("{\"ok\":true,\"tally\":7}",
		     "ledger: the answer has no meaning");
	expect_sacct("nonsense", "ledger: the answer has no meaning");
	begin_asking();
	world.is_slurm_away = true;
	ck_assert_ptr_null(got(&err));
	ck_assert_str_eq(err.text, "no ledger; no sacct");
}
END_TEST

START_TEST(a_site_for_which_there_is_no_memory_is_none)
{
	struct err err;

	for (int i = 0; i < 2; i++) {
		err = (struct err){ "" };
		begin_asking();
		tallies = i;
		ck_assert_ptr_null(got(&err));
		ck_assert_str_eq(err.text, "out of memory");
		ck_assert_int_eq(*world.since, 0);
	}
}
END_TEST

/* Does sacct tell this caller? */
static bool may_ask(uid_t uid, const char *level)
{
	struct err err = { "" };
	struct site *of;
	bool may;

	begin_asking();
	world.uid = uid;
	world.level = level;
	of = got(&err);
	may = of != NULL;
	if (!of && level)
		ck_assert_str_eq(err.text,
				 "no ledger; --site: for root, SlurmUser and "
				 "operators of Slurm only");
	else if (!of)
		ck_assert_str_eq(err.text, "no ledger; no sacctmgr");
	site_free(of);
	return may;
}

START_TEST(a_site_is_for_root_slurms_user_and_operators)
{
	struct err err = { "" };
	struct site *of;

	ck_assert(may_ask(0, NULL));
	ck_assert_int_eq(world.levels, 0);
	ck_assert(may_ask(1000, "Operator\n"));
	ck_assert(may_ask(1000, "Administrator\nNone\n"));
	ck_assert(!may_ask(1000, "None\n"));
	ck_assert(!may_ask(1000, ""));
	ck_assert(!may_ask(1000, "Operators\n"));
	ck_assert(!may_ask(1000, NULL));
	ck_assert(!may_ask(1001, "Operator\n")); /* who has no name */
	ck_assert_int_eq(world.levels, 0);
	begin_asking();
	world.uid = 1000;
	config.ledger.user = (char *)"alice";
	of = got(&err);
	ck_assert_msg(of != NULL, "%s", err.text);
	ck_assert_int_eq(world.levels, 0);
	site_free(of);
	source.config = NULL; /* whose user is not known */
	ck_assert_ptr_null(got(&err));
	ck_assert_int_eq(world.levels, 1);
}
END_TEST

static struct sacct_row *add_row(int64_t end, const char *summary)
{
	struct sacct_row *row = &world.row[world.rows.count++];

	*row = (struct sacct_row){ .id = "7",
				   .raw_id = "7",
				   .cluster = "c",
				   .user = "alice",
				   .account = "lab",
				   .end = end,
				   .elapsed_s = 100,
				   .nodes = 2,
				   .summary = (char *)summary };
	return row;
}

#define SUMMARY                                                                \
	"jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=2/2 cores=- cpus=- prof=stream "    \
	"fs=/work:nfs4 scope=job src=bpf q=- meta=5 peak=700B/600B"

static struct site *told(void)
{
	struct err err = { "" };
	struct site *of = got(&err);

	ck_assert_msg(of != NULL, "%s", err.text);
	return of;
}

START_TEST(jobs_count_that_ended_in_the_time_that_was_asked_for)
{
	struct site *of;

	begin_asking();
	add_row(DAY_S - 1, SUMMARY);
	add_row(DAY_S, SUMMARY);
	add_row(DAY_S + 86399, SUMMARY);
	add_row(DAY_S + 86400, SUMMARY);
	add_row(DAY_S + 5, NULL);
	add_row(DAY_S + 5, "jobio/1 nonsense");
	add_row(DAY_S - 5, NULL);
	of = told();
	ck_assert_int_eq(of->tally->jobs, 2);
	ck_assert_int_eq(of->silent, 2);
	ck_assert_int_eq(of->tally->node_s, 400);
	site_free(of);
}
END_TEST

START_TEST(a_summary_tells_a_filesystem_its_type_and_its_peak)
{
	const struct tally_sum *sum;
	struct site *of;

	begin_asking();
	add_row(DAY_S, SUMMARY);
	of = told();
	ck_assert_uint_eq(of->tally->counts[TALLY_FILESYSTEMS], 1);
	sum = of->tally->sums[TALLY_FILESYSTEMS];
	ck_assert_str_eq(sum->name, "/work");
	ck_assert_str_eq(sum->type, "nfs4");
	ck_assert_str_eq(sum->cluster, "c");
	ck_assert_int_eq(sum->read, 1024);
	ck_assert_int_eq(sum->written, 2048);
	ck_assert_int_eq(sum->meta, 5);
	ck_assert_int_eq(sum->peak, 700);
	ck_assert_int_eq(sum->peak_job, 7);
	ck_assert_str_eq(of->tally->sums[TALLY_PROFILES]->name, "stream");
	ck_assert_str_eq(of->tally->sums[TALLY_ACCOUNTS]->name, "lab");
	site_free(of);
	/* the first job of a cluster has a number, too */
	begin_asking();
	add_row(DAY_S, SUMMARY)->raw_id = "1";
	of = told();
	ck_assert_int_eq(of->tally->sums[TALLY_FILESYSTEMS]->peak_job, 1);
	site_free(of);
	begin_asking();
	add_row(DAY_S, SUMMARY)->raw_id = "";
	of = told();
	ck_assert_int_eq(of->tally->sums[TALLY_FILESYSTEMS]->peak_job, 0);
	site_free(of);
}
END_TEST

/* The filesystem of a job of this summary; "": there is none. */
static const char *filesystem_of(const char *rest)
{
	static char name[200];
	char summary[400];
	struct site *of;

	begin_asking();
	snprintf(
		summary, sizeof(summary),
		"jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=1/1 cores=- cpus=- prof=a/b "
		"%s src=bpf peak=600B/700B",
		rest);
	add_row(DAY_S, summary);
	of = told();
	*name = '\0';
	if (of->tally->counts[TALLY_FILESYSTEMS]) {
		struct tally_sum *sum = of->tally->sums[TALLY_FILESYSTEMS];

		snprintf(name, sizeof(name), "%s %s", sum->name, sum->type);
		ck_assert_int_eq(sum->peak, 700);
	}
	ck_assert_str_eq(of->tally->sums[TALLY_PROFILES]->name, "a");
	ck_assert_int_eq(of->tally->wide, *name ? 0 : 1);
	site_free(of);
	return name;
}

START_TEST(of_several_filesystems_nobody_knows_which)
{
	ck_assert_str_eq(filesystem_of("fs=/a:nfs,/b:xfs scope=job q=-"),
			 "/a:nfs,/b:xfs ");
	ck_assert_str_eq(filesystem_of("fs=/a scope=job q=-"), "/a ");
	ck_assert_str_eq(filesystem_of("fs=- scope=job q=-"), USE_FS_ALL " ");
	ck_assert_str_eq(filesystem_of("fs=/a:nfs scope=job q=all_files"),
			 USE_FS_ALL " ");
	/* what all jobs of a node did is no job's */
	ck_assert_str_eq(filesystem_of("fs=/a:nfs scope=node q=-"), "");
}
END_TEST

START_TEST(node_hours_need_a_time_and_nodes)
{
	struct site *of;

	begin_asking();
	add_row(DAY_S, SUMMARY)->elapsed_s = -1;
	add_row(DAY_S, SUMMARY)->nodes = -1;
	add_row(DAY_S, SUMMARY)->elapsed_s = 0;
	add_row(DAY_S, SUMMARY)->elapsed_s = 1;
	of = told();
	ck_assert_int_eq(of->tally->node_s, 2);
	ck_assert_int_eq(of->tally->jobs, 4);
	site_free(of);
	begin_asking();
	add_row(DAY_S, SUMMARY)->nodes = 1;
	of = told();
	ck_assert_int_eq(of->tally->node_s, 100);
	site_free(of);
}
END_TEST

START_TEST(admincomment_is_read_where_summaries_are_there)
{
	begin_asking();
	config.ledger.field = LEDGER_FIELD_ADMIN;
	site_free(told());
	ck_assert(!world.has_no_admin);
	config.ledger.field = LEDGER_FIELD_SYSTEM;
	site_free(told());
	ck_assert(world.has_no_admin);
	source.config = NULL;
	site_free(told());
	ck_assert(world.has_no_admin);
}
END_TEST

/* What sacct is asked for, of these times. */
static void expect_times(const char *since, const char *until,
			 const char *asked_since, const char *asked_until)
{
	struct err err = { "" };

	begin_asking();
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	site_free(site_get(&source, since, until, &err));
	ck_assert_str_eq(err.text, "");
	ck_assert_str_eq(world.since, asked_since);
	ck_assert_str_eq(world.until, asked_until);
}

/* On 2026-10-25 the hour from two to three is shown twice. */
START_TEST(an_hour_that_a_clock_shows_twice_is_asked_for_whole)
{
	expect_times("2026-10-25T01:30", "2026-10-25T03:30",
		     "2026-10-25T01:30:00", "2026-10-25T03:30:00");
	/* the first half past two, and the second one */
	expect_times("now-2111800", "now-2108200", "2026-10-25T01:30:00",
		     "2026-10-25T03:30:00");
}
END_TEST

START_TEST(times_are_in_their_order)
{
	struct err err = { "" };

	setenv("TZ", "UTC", 1);
	ck_assert_int_eq(site_check("2026-11-15", "2026-11-15", &err), 0);
	ck_assert_int_eq(site_check("2026-11-15T00:00:01", "2026-11-15", &err),
			 -1);
	ck_assert_str_eq(err.text, "--endtime: it is before --starttime");
	ck_assert_int_eq(site_check("x", "now", &err), -1);
	ck_assert_int_eq(strncmp(err.text, "--starttime: 'x'", 16), 0);
	ck_assert_int_eq(site_check("now", "y", &err), -1);
	ck_assert_int_eq(strncmp(err.text, "--endtime: 'y'", 14), 0);
	site_free(NULL);
}
END_TEST

UNIT_MAIN("site", a_site_looks_as_it_did_when_somebody_looked_at_it_last,
	  a_site_without_jobs_has_no_tables,
	  twenty_jobs_that_the_gate_would_refuse_are_named,
	  ten_bars_are_drawn_and_none_where_nothing_was_moved,
	  hours_have_one_digit_behind_the_point_up_to_a_hundred,
	  on_a_terminal_advice_ends_with_the_line,
	  a_page_that_cannot_be_written_is_told, the_ledgers_pages_are_added_up,
	  whom_the_ledger_refuses_is_not_told_by_sacct,
	  sacct_is_asked_where_the_ledger_does_not_tell_all,
	  a_site_is_for_root_slurms_user_and_operators,
	  jobs_count_that_ended_in_the_time_that_was_asked_for,
	  a_summary_tells_a_filesystem_its_type_and_its_peak,
	  of_several_filesystems_nobody_knows_which,
	  node_hours_need_a_time_and_nodes,
	  admincomment_is_read_where_summaries_are_there,
	  an_hour_that_a_clock_shows_twice_is_asked_for_whole,
	  times_are_in_their_order, a_site_for_which_there_is_no_memory_is_none,
	  one_byte_is_moved_and_a_peak_of_nothing_has_its_job,
	  filesystems_of_several_clusters_are_told_apart,
	  a_name_that_fits_stands_before_its_numbers)
