/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of jobs, from a sacct of a few lines of shell. With a ledger: report.bats. */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/job_list.h"
#include "report/list_row.h"
#include "report/tone.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/terminal.h"

static struct err err;
static struct job_list_query query;
static struct job_source source;
static bool is_ledger_down, has_records, has_more_read;
static struct config_advice limits;

/* A job of small reads, which is advised of them. */
static void put_record(struct job_report *r)
{
	char *text = sample_read("advice/A01-small-reads.json");

	config_advice_init(&limits);
	r->limits = &limits;
	r->records = calloc(1, sizeof(*r->records));
	r->records[0] = record_parse(text, strlen(text), &err);
	ck_assert_msg(r->records[0] != NULL, "%s", err.text);
	r->record_count = 1;
	free(text);
}

/* In its place: what the ledger adds is another test's. */
int __wrap_job_report_fill(struct job_source *from, struct job_report **reports, size_t count,
			   bool is_brief, struct err *why)
{
	(void)from, (void)is_brief;
	if (has_records && count)
		put_record(reports[0]);
	if (has_more_read && !is_ledger_down)
		reports[2]->summary.rd_bytes = INT64_MAX;
	return is_ledger_down ? err_set(why, "the ledger is down") : 0;
}

#define JOBS                                                                                       \
	"beta;jobio/1 nodes=4/4 prof=stream rd=1GiB/1k wr=2GiB/2k scope=job "                      \
	"src=bpf;alice;lab;p;c;COMPLETED;0:0;1000;2000;1000;4;7;7\n"                               \
	"alpha;jobio/1 nodes=1/1 rd=3GiB/1k wr=1GiB/2k scope=node src=weka;"                       \
	"bob;lab;p;c;CANCELLED by 0;0:0;900;1900;86461;1;8;8\n"                                    \
	"gamma;;alice;lab;p;c;RUNNING;0:0;1500;Unknown;5;2;9;9_1\n"                                \
	"delta;;alice;lab;p;c;PENDING;0:0;Unknown;Unknown;0;2;10;10\n"

/* sacct knows these jobs; what it was told is in "words". */
static void start(const char *jobs)
{
	char text[1000];

	tempdir_make();
	tempdir_put("jobs", jobs);
	snprintf(text, sizeof(text),
		 "#!/bin/sh\n"
		 "for a; do case $a in --delimiter=*) d=${a#*=};; esac; done\n"
		 "echo \"$@\" >%s/words\nexec sed \"s/;/$d/g\" %s/jobs\n",
		 tempdir_name, tempdir_name);
	chmod(tempdir_put("sacct", text), 0755);
	snprintf(text, sizeof(text), "%s:/usr/bin:/bin", tempdir_name);
	setenv("PATH", text, 1);
	memset(&source, 0, sizeof(source));
	job_list_init(&query);
}

static void option(const char *name, const char *value)
{
	ck_assert_msg(job_list_option(&query, name, value, &err) == 1, "%s", err.text);
}

static struct job_list *get(void)
{
	struct job_list *list = job_list_get(&source, &query, &err);

	ck_assert_msg(list != NULL, "%s", err.text);
	return list;
}

static void end(struct job_list *list)
{
	job_list_free(list);
	sacct_free(source.slurm);
	source.slurm = NULL;
}

/* "10 9_1 7 8 " */
static const char *ids(void)
{
	static char text[200];
	struct job_list *list = get();
	size_t i;

	*text = '\0';
	for (i = 0; i < list->count; i++) {
		strcat(text, list->reports[i]->id);
		strcat(text, " ");
	}
	end(list);
	return text;
}

static const char *sorted(const char *word)
{
	option("sort", word);
	ck_assert_str_eq(job_list_sorted_by(&query), word);
	return ids();
}

START_TEST(jobs_are_sorted_by_what_is_asked_for_then_by_their_start)
{
	start(JOBS);
	ck_assert_str_eq(job_list_sorted_by(&query), "start");
	ck_assert_str_eq(ids(), "10 9_1 7 8 "); /* what waits is the newest */
	ck_assert_str_eq(sorted("end"), "7 8 10 9_1 ");
	ck_assert_str_eq(sorted("name"), "8 7 10 9_1 ");
	ck_assert_str_eq(sorted("user"), "10 9_1 7 8 ");
	ck_assert_str_eq(sorted("state"), "8 7 10 9_1 ");
	ck_assert_str_eq(sorted("elapsed"), "8 7 9_1 10 ");
	ck_assert_str_eq(sorted("nodes"), "7 10 9_1 8 ");
	ck_assert_str_eq(sorted("profile"), "10 9_1 8 7 ");
	ck_assert_str_eq(sorted("read"), "8 7 10 9_1 ");
	ck_assert_str_eq(sorted("written"), "7 8 10 9_1 ");
	ck_assert_str_eq(sorted("start"), "10 9_1 7 8 ");
	ck_assert_int_eq(job_list_option(&query, "sort", "size", &err), -1);
	ck_assert_str_eq(
		err.text,
		"--sort: 'size': must be start, end, name, user, state, elapsed, nodes, profile, read or written");
	tempdir_remove();
}
END_TEST

START_TEST(tasks_of_one_second_stay_as_sacct_has_them)
{
	start("a;;u;a;p;c;COMPLETED;0:0;1000;2000;1000;1;7;5_1\n"
	      "a;;u;a;p;c;COMPLETED;0:0;1000;2000;1000;1;8;5_2\n"
	      "a;;u;a;p;c;COMPLETED;0:0;1000;2000;1000;1;9;5_3\n");
	ck_assert_str_eq(ids(), "5_1 5_2 5_3 ");
	tempdir_remove();
}
END_TEST

START_TEST(what_began_in_1970_comes_last_and_what_has_not_begun_first)
{
	start("a;;u;a;p;c;COMPLETED;0:0;0;2000;1000;1;7;7\n"
	      "a;;u;a;p;c;COMPLETED;0:0;1000;2000;1000;1;8;8\n"
	      "a;;u;a;p;c;PENDING;0:0;Unknown;Unknown;0;1;9;9\n");
	ck_assert_str_eq(ids(), "9 8 7 ");
	tempdir_remove();
}
END_TEST

START_TEST(states_are_chosen_before_the_limit)
{
	struct job_list *list;

	start(JOBS);
	option("state", "cd,CANCELLED");
	ck_assert_str_eq(ids(), "7 8 ");
	option("state", "R");
	ck_assert_str_eq(ids(), "9_1 ");
	option("state", "F");
	ck_assert_str_eq(ids(), "");
	job_list_init(&query);
	option("limit", "2");
	list = get();
	ck_assert_uint_eq(list->count, 2);
	ck_assert_uint_eq(list->left_out, 2);
	ck_assert_str_eq(list->reports[1]->id, "9_1");
	end(list);
	option("limit", "4");
	list = get();
	ck_assert_uint_eq(list->count, 4);
	ck_assert_uint_eq(list->left_out, 0);
	end(list);
	tempdir_remove();
}
END_TEST

static void refuse(const char *name, const char *value, const char *sentence)
{
	ck_assert_int_eq(job_list_option(&query, name, value, &err), -1);
	ck_assert_str_eq(err.text, sentence);
}

START_TEST(words_that_sacct_would_take_for_something_else_are_refused)
{
	char longest[4002];

	job_list_init(&query);
	ck_assert(!query.is_given);
	refuse("user", "", "--user: '': not a word that sacct takes");
	refuse("user", "-u", "--user: '-u': not a word that sacct takes");
	refuse("user", "a b", "--user: 'a b': not a word that sacct takes");
	refuse("account", "a@b", "--account: 'a@b': not a word that sacct takes");
	refuse("starttime", "a,b", "--starttime: 'a,b': not a word that sacct takes");
	refuse("endtime", "$x", "--endtime: '$x': not a word that sacct takes");
	refuse("state", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyy",
	       "--state: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx': not a state like COMPLETED, FAILED or TO");
	refuse("state", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,CD",
	       "--state: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx': not a state like COMPLETED, FAILED or TO");
	refuse("state", "x", "--state: 'x': not a state like COMPLETED, FAILED or TO");
	refuse("state", "CD,x,TO", "--state: 'x': not a state like COMPLETED, FAILED or TO");
	refuse("state", "COMPLETEDCOMPLETEDCOMPLETED",
	       "--state: 'COMPLETEDCOMPLETEDCOMPLETED': not a state like COMPLETED, FAILED or TO");
	refuse("limit", "0", "--limit: '0': not a number from 1 to 100000");
	refuse("limit", "100001", "--limit: '100001': not a number from 1 to 100000");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[4001] = '\0';
	ck_assert_int_eq(job_list_option(&query, "user", longest, &err), -1);
	ck_assert(!query.is_given && !query.has_limit);
	ck_assert_int_eq(job_list_option(&query, "other", "x", &err), 0);
	ck_assert(!query.is_given);
	longest[4000] = '\0';
	option("user", longest);
	ck_assert(query.is_given);
	/* it stays so, whatever comes behind it */
	ck_assert_int_eq(job_list_option(&query, "other", "x", &err), 0);
	ck_assert(query.is_given);
	option("user", "alice,b$,x.y_z-1@d\\e");
	option("account", "a.b_c-d,e");
	option("starttime", "2026-11-15T12:30:00");
	option("endtime", "now+1days/x.y");
	option("limit", "1");
	ck_assert(query.has_limit && query.limit == 1);
	option("limit", "100000");
}
END_TEST

static const char *told_sacct(void)
{
	static char text[600];
	char *whole, *at;

	ids();
	whole = fileio_read(tempdir_path("words"), 4096, NULL, &err);
	ck_assert_msg(whole != NULL, "%s", err.text);
	/* behind the mark, before the list of fields */
	at = strstr(whole, "| ");
	*strstr(at, " -o JobName,SystemComment,") = '\0';
	snprintf(text, sizeof(text), "%s", at + 2);
	free(whole);
	return text;
}

START_TEST(sacct_is_asked_for_ones_own_jobs_unless_others_are_named)
{
	struct passwd *me = getpwuid(geteuid());
	char wanted[300];

	start(JOBS);
	snprintf(wanted, sizeof(wanted), "-u %s -S now-1days -E now", me ? me->pw_name : "?");
	if (me)
		ck_assert_str_eq(told_sacct(), wanted);
	option("account", "lab");
	ck_assert_str_eq(told_sacct(), "-A lab -a -S now-1days -E now");
	option("user", "bob");
	option("starttime", "2026-11-15");
	option("endtime", "now-1hours");
	ck_assert_str_eq(told_sacct(), "-u bob -A lab -S 2026-11-15 -E now-1hours");
	tempdir_remove();
}
END_TEST

START_TEST(a_list_is_sorted_by_what_the_ledger_adds)
{
	start(JOBS);
	has_more_read = true;
	ck_assert_str_eq(sorted("read"), "10 8 7 9_1 ");
	/* it does not answer: as sacct has it */
	is_ledger_down = true;
	ck_assert_str_eq(sorted("read"), "8 7 10 9_1 ");
	tempdir_remove();
}
END_TEST

START_TEST(a_sacct_that_fails_is_told)
{
	start(JOBS);
	chmod(tempdir_put("sacct", "#!/bin/sh\necho 'error: no' >&2\nexit 3\n"), 0755);
	ck_assert_ptr_null(job_list_get(&source, &query, &err));
	ck_assert_str_eq(err.text, "sacct: exit status 3: error: no");
	tempdir_remove();
}
END_TEST

/* ---- the table --------------------------------------------------------------------- */

static const char *printed(void)
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct job_list *list = get();

	job_list_print(out, list, &query);
	fclose(out);
	end(list);
	return text;
}

START_TEST(columns_are_as_wide_as_they_must_be)
{
	start(JOBS);
	ck_assert_str_eq(
		printed(),
		"JobID  User   JobName  State         Elapsed  Nodes  Profile   Read  Written  Advice\n"
		"10     alice  delta    PENDING      00:00:00      2  -            -        -  -\n"
		"9_1    alice  gamma    RUNNING      00:00:05      2  -            -        -  -\n"
		"7      alice  beta     COMPLETED    00:16:40      4  stream    1GiB     2GiB  -\n"
		"8      bob    alpha    CANCELLED  1-00:01:01      1  -        3GiB*    1GiB*  -\n"
		"* NODE-WIDE, with whatever else ran there\n");
	option("state", "CD");
	option("limit", "1");
	is_ledger_down = true;
	ck_assert_str_eq(
		printed(),
		"JobID  JobName  State       Elapsed  Nodes  Profile  Read  Written  Advice\n"
		"7      beta     COMPLETED  00:16:40      4  stream   1GiB     2GiB  -\n"
		"from sacct alone, without advice: the ledger is down\n");
	job_list_init(&query);
	option("limit", "1");
	ck_assert_ptr_nonnull(strstr(printed(), "\n3 more: --limit=4 shows them\n"));
	option("state", "F");
	ck_assert_str_eq(printed(), "no jobs from now-1days to now\n");
	tempdir_remove();
	/* no less wide than their heads */
	is_ledger_down = false;
	start("a;;alice;lab;p;c;RUNNING;0:0;1500;Unknown;5;2;12;123456_7\n");
	ck_assert_ptr_nonnull(strstr(printed(), "JobID     JobName"));
	tempdir_remove();
	start("a;;alice;lab;p;c;RUNNING;0:0;1500;Unknown;5;2;9;9\n");
	ck_assert_str_eq(
		printed(),
		"JobID  JobName  State     Elapsed  Nodes  Profile  Read  Written  Advice\n"
		"9      a        RUNNING  00:00:05      2  -           -        -  -\n");
	tempdir_remove();
}
END_TEST

/* ---- a row ---------------------------------------------------------------- */

static struct sacct_row slurm_row[3];
static struct job_report tasks[3];
static struct job_report *const family[] = { &tasks[0], &tasks[1], &tasks[2] };
static struct list_row row;

static void task(size_t at, const char *id, const char *state, const char *summary)
{
	slurm_row[at] = (struct sacct_row){ .id = id,
					    .user = "alice",
					    .name = "train",
					    .state = state,
					    .start = 1000,
					    .end = 2000,
					    .elapsed_s = 1000,
					    .nodes = 1 };
	memset(&tasks[at], 0, sizeof(tasks[at]));
	tasks[at].id = (char *)id;
	tasks[at].source = "sacct";
	tasks[at].slurm = &slurm_row[at];
	if (summary)
		summary_parse(summary, &tasks[at].summary, &err);
	else
		summary_init(&tasks[at].summary);
}

/* "ID USER NAME STATE ELAPSED NODES PROFILE READ WRITTEN" */
static const char *words(void)
{
	static char text[LIST_COLUMNS * sizeof(row.word[0])];
	int i;

	*text = '\0';
	for (i = 0; i < LIST_COLUMNS; i++) {
		strcat(text, i ? "|" : "");
		strcat(text, row.word[i]);
	}
	return text;
}

static void sums_to(size_t count, const char *wanted, enum tone tone)
{
	list_row_sum(&row, family, count);
	ck_assert_str_eq(words(), wanted);
	ck_assert_int_eq(row.tone, tone);
}

#define READ(rd, more)                                                                             \
	"jobio/1 rd=" rd "/1 wr=1KiB/1 nodes=1/1 cores=- cpus=- prof=a fs=- "                      \
	"scope=" more " src=bpf q=-"

START_TEST(tasks_of_an_array_are_a_row_that_says_what_differs)
{
	task(0, "5_1", "COMPLETED", READ("1KiB", "job"));
	sums_to(1, "1 task of 5|alice|train|COMPLETED|-|-|a|1KiB|1KiB", TONE_GOOD);
	task(1, "5_2", "COMPLETED", READ("2KiB", "job"));
	sums_to(2, "2 tasks of 5|alice|train|COMPLETED|-|-|a|3KiB|2KiB", TONE_GOOD);
	task(2, "5_3", "FAILED", READ("4KiB", "node"));
	slurm_row[2].user = "bob";
	slurm_row[2].name = "b";
	strcpy(tasks[2].summary.prof, "b");
	sums_to(3, "3 tasks of 5|mixed|mixed|2 of 3 COMPLETED|-|-|mixed|7KiB*|3KiB*", TONE_BAD);
	task(0, "7+0", "RUNNING", NULL);
	task(1, "7+1", "RUNNING", NULL);
	sums_to(2, "2 components of 7|alice|train|RUNNING|-|-|-|-|-", TONE_FAINT);
}
END_TEST

/* What went wrong is what matters, then what is not done. */
START_TEST(the_colour_of_many_is_that_of_the_worst_in_any_order)
{
	static const struct {
		const char *one, *other, *state;
		enum tone tone;
	} of[] = {
		{ "COMPLETED", "FAILED", "1 of 2 COMPLETED", TONE_BAD },
		{ "FAILED", "COMPLETED", "1 of 2 COMPLETED", TONE_BAD },
		{ "RUNNING", "FAILED", "0 of 2 COMPLETED", TONE_BAD },
		{ "FAILED", "RUNNING", "0 of 2 COMPLETED", TONE_BAD },
		{ "RUNNING", "COMPLETED", "1 of 2 COMPLETED", TONE_FAINT },
		{ "COMPLETED", "RUNNING", "1 of 2 COMPLETED", TONE_FAINT },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		task(0, "5_1", of[i].one, NULL);
		task(1, "5_2", of[i].other, NULL);
		list_row_sum(&row, family, 2);
		ck_assert_str_eq(row.word[LIST_STATE], of[i].state);
		ck_assert_int_eq(row.tone, of[i].tone);
	}
}
END_TEST

static void row_is(const char *wanted)
{
	list_row_fill(&row, &tasks[0]);
	ck_assert_str_eq(words(), wanted);
}

START_TEST(a_row_has_what_slurm_says_and_else_what_the_nodes_do)
{
	task(0, "7", "COMPLETED", READ("0B", "job"));
	row_is("7|alice|train|COMPLETED|00:16:40|1|a|0B|1KiB");
	slurm_row[0].elapsed_s = 0;
	row_is("7|alice|train|COMPLETED|00:00:00|1|a|0B|1KiB");
	/* slurmdbd has not heard how long it took */
	slurm_row[0].elapsed_s = RECORD_UNKNOWN;
	row_is("7|alice|train|COMPLETED|00:16:40|1|a|0B|1KiB");
	slurm_row[0].end = 1001;
	row_is("7|alice|train|COMPLETED|00:00:01|1|a|0B|1KiB");
	slurm_row[0].end = 1000;
	row_is("7|alice|train|COMPLETED|-|1|a|0B|1KiB");
	slurm_row[0].end = RECORD_UNKNOWN;
	row_is("7|alice|train|COMPLETED|-|1|a|0B|1KiB");
	slurm_row[0].start = RECORD_UNKNOWN;
	slurm_row[0].end = 2000;
	row_is("7|alice|train|COMPLETED|-|1|a|0B|1KiB");
	/* without a summary Slurm's number of nodes, if it has one */
	task(0, "7", "COMPLETED", NULL);
	row_is("7|alice|train|COMPLETED|00:16:40|1|-|-|-");
	slurm_row[0].nodes = 0;
	row_is("7|alice|train|COMPLETED|00:16:40|-|-|-|-");
	tasks[0].summary.nodes_expected = 0;
	row_is("7|alice|train|COMPLETED|00:16:40|0|-|-|-");
}
END_TEST

/* Slurm speaks of the newest run. */
START_TEST(an_older_run_is_not_what_slurm_speaks_of)
{
	task(0, "7", "COMPLETED", NULL);
	tasks[0].source = "ledger";
	tasks[0].restart = 0;
	tasks[0].newest = 0;
	tasks[0].is_old_run = true;
	row_is("7|alice|train|COMPLETED|00:16:40|1|-|-|-");
	tasks[0].newest = 1;
	row_is("7|alice|train|-|-|-|-|-|-");
	tasks[0].newest = RECORD_UNKNOWN;
	row_is("7|alice|train|-|-|-|-|-|-");
	ck_assert(!list_is_of_slurm(&tasks[0]));
	/* of the newest it has not heard the end */
	tasks[0].is_old_run = false;
	slurm_row[0].state = "RUNNING";
	row_is("7|alice|train|RUNNING|00:16:40|-|-|-|-");
}
END_TEST

START_TEST(users_are_told_where_there_are_several_and_node_wide_where_one_is)
{
	struct job_list list = { .reports = (struct job_report **)family, .count = 2 };

	task(0, "7", "COMPLETED", READ("1KiB", "job"));
	task(1, "8", "COMPLETED", READ("1KiB", "job"));
	ck_assert(!list_has_users(family, 2));
	ck_assert(!list_is_wide(&list));
	slurm_row[1].user = "bob";
	ck_assert(list_has_users(family, 2));
	task(2, "9", "COMPLETED", NULL);
	slurm_row[2].user = "bob";
	ck_assert(list_has_users(family, 3));
	tasks[0].summary.scope = SUMMARY_SCOPE_NODE;
	ck_assert(list_is_wide(&list));
	tasks[0].summary.scope = SUMMARY_SCOPE_JOB;
	tasks[1].summary.scope = SUMMARY_SCOPE_NODE;
	ck_assert(list_is_wide(&list));
}
END_TEST

#define ADVICE "A01 11000 reads of 4.0 KiB on average, 202 a second on a node"
#define COLOURED                                                                                   \
	"\033[1mJobID\033[0m  \033[1mJobName\033[0m  \033[1mState\033[0m    "                      \
	"   \033[1mElapsed\033[0m  \033[1mNodes\033[0m  \033[1mProfile"                            \
	"\033[0m  \033[1mRead\033[0m  \033[1mWritten\033[0m  \033[1mAdvice"                        \
	"\033[0m\n"                                                                                \
	"7      beta     \033[32mCOMPLETED\033[0m  00:16:40      4  stream   "                     \
	"1GiB     2GiB  "

START_TEST(on_a_terminal_states_have_colours_and_advice_ends_with_the_line)
{
	has_records = true;
	start(JOBS);
	option("state", "CD");
	ck_assert_ptr_nonnull(strstr(printed(), "  " ADVICE "\n"));
	terminal_make(100);
	tone_init();
	ck_assert_str_eq(printed(), COLOURED "A01 11000 reads of 4.0 KiB on a+\n");
	terminal_make(68 + 16);
	tone_init();
	ck_assert_str_eq(printed(), COLOURED "A01 11000 reads+\n");
	/* it has so many characters on every terminal */
	terminal_make(60);
	tone_init();
	ck_assert_str_eq(printed(), COLOURED "A01 11000 reads+\n");
	terminal_make(68 + (unsigned short)strlen(ADVICE));
	tone_init();
	ck_assert_str_eq(printed(), COLOURED ADVICE "\n");
	setenv("NO_COLOR", "", 1); /* as good as none */
	tone_init();
	ck_assert_str_eq(printed(), COLOURED ADVICE "\n");
	/* the room is there without colours, too */
	setenv("NO_COLOR", "1", 1);
	terminal_make(68 + 17);
	setenv("NO_COLOR", "1", 1);
	tone_init();
	ck_assert_ptr_nonnull(strstr(printed(), "  A01 11000 reads +\n"));
	tempdir_remove();
}
END_TEST

START_TEST(a_terminal_of_less_than_forty_columns_has_no_width)
{
	terminal_make(39);
	tone_init();
	ck_assert_int_eq(tone_width(), 0);
	terminal_make(40);
	tone_init();
	ck_assert_int_eq(tone_width(), 40);
	setenv("TERM", "dumb", 1);
	tone_init();
	ck_assert_str_eq(tone(TONE_BAD), "");
	setenv("TERM", "", 1);
	tone_init();
	ck_assert_str_eq(tone(TONE_BAD), "");
	unsetenv("TERM");
	tone_init();
	ck_assert_str_eq(tone(TONE_BAD), "");
	setenv("TERM", "vt100", 1);
	tone_init();
	ck_assert_str_eq(tone(TONE_WARN), "\033[33m");
	ck_assert_str_eq(tone(TONE_FAINT), "\033[2m");
}
END_TEST

/* A bar of this share, without colours. */
static const char *bar(double share)
{
	static char text[128];
	FILE *out = fmemopen(text, sizeof(text), "w");

	tone_bar(out, TONE_GOOD, share);
	fclose(out);
	return text;
}

START_TEST(a_bar_has_thirty_places)
{
	tone_init();
	ck_assert_str_eq(bar(0.5), "");
	terminal_make(100);
	tone_init();
	ck_assert_str_eq(bar(0.5), "[\033[32m|||||||||||||||               \033[0m  50%] ");
	ck_assert_str_eq(bar(0.05), "[\033[32m||                            \033[0m   5%] ");
	ck_assert_str_eq(bar(-1), "[\033[32m                              \033[0m   0%] ");
	ck_assert_str_eq(bar(2), "[\033[32m||||||||||||||||||||||||||||||\033[0m 100%] ");
}
END_TEST

START_TEST(a_long_name_is_cut_at_a_character)
{
	char text[64];

	start("abcdefghijklmnopqrst;;u;a;p;c;FAILED;0:0;1;2;1;1;7;7\n"
	      "abcdefghijklmnopqrstu;;u;a;p;c;FAILED;0:0;1;2;1;1;8;8\n");
	ck_assert_ptr_nonnull(strstr(printed(), " abcdefghijklmnopqrst  "));
	ck_assert_ptr_nonnull(strstr(printed(), " abcdefghijklmnopqrs+  "));
	tempdir_remove();
	strcpy(text, "a\xc3\xa4\xe2\x82\xac");
	ck_assert_int_eq(list_width_of(text), 3);
	list_cut(text, 3);
	ck_assert_str_eq(text, "a\xc3\xa4\xe2\x82\xac");
	list_cut(text, 2);
	ck_assert_str_eq(text, "a+");
	list_cut(text, 1);
	ck_assert_str_eq(text, "+");
}
END_TEST

/* The page, where the picture of a job's page is kept, too. */
static char *paged(void)
{
	struct job_list *list = get();
	char *text;

	ck_assert_msg(job_list_page(tempdir_path("page"), list, &query, &err) == 0, "%s", err.text);
	end(list);
	text = fileio_read(tempdir_path("page"), 1U << 20, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

START_TEST(a_page_of_a_list_has_its_table)
{
	char *text;

	setenv("TZ", "UTC", 1);
	start(JOBS);
	option("starttime", "2026-11-20");
	option("endtime", "2026-11-22T12:30");
	option("state", "CD,CA,R");
	text = paged();
	ck_assert_ptr_nonnull(strstr(text, "<h1>Jobs</h1>\n<dl>\n"));
	ck_assert_ptr_nonnull(strstr(text, "2026-11-20T00:00:00"));
	ck_assert_ptr_nonnull(strstr(text, "2026-11-22T12:30:00"));
	ck_assert_ptr_nonnull(strstr(text, "<dd>CD,CA,R</dd>"));
	ck_assert_ptr_nonnull(strstr(text, "<dt>Jobs</dt><dd>3</dd>"));
	ck_assert_ptr_nonnull(strstr(text, "<td>alice</td>"));
	ck_assert_ptr_nonnull(strstr(
		text,
		"<tr><th scope=\"row\">7</th><td>alice</td><td>beta</td><td class=\"good\">COMPLETED</td>"));
	ck_assert_ptr_nonnull(strstr(text, "<td class=\"bad\">CANCELLED</td>"));
	ck_assert_ptr_nonnull(strstr(text, "<td>RUNNING</td>"));
	ck_assert_ptr_nonnull(strstr(text, "<p class=\"warn\">* NODE-WIDE"));
	free(text);
	option("state", "CD,R");
	option("limit", "1");
	is_ledger_down = true;
	text = paged();
	ck_assert_ptr_nonnull(strstr(text, "<h1>Jobs of alice</h1>"));
	ck_assert_ptr_nonnull(strstr(text, "<dt>Jobs</dt><dd>2</dd>"));
	ck_assert_ptr_null(strstr(text, "<td>alice</td>"));
	ck_assert_ptr_nonnull(strstr(text, "<p>1 more: --limit=2 shows them.</p>"));
	ck_assert_ptr_nonnull(
		strstr(text, "From sacct alone, without advice: the ledger is down.</p>"));
	ck_assert_ptr_null(strstr(text, "NODE-WIDE"));
	free(text);
	option("state", "F");
	text = paged();
	ck_assert_ptr_nonnull(strstr(text, "<h1>Jobs</h1>"));
	ck_assert_ptr_nonnull(strstr(text, "<p>No jobs.</p>"));
	free(text);
	tempdir_remove();
}
END_TEST

static char *page_of(size_t count, size_t left_out)
{
	static struct job_report *many[1001];
	struct job_list all = { .reports = many, .count = count, .left_out = left_out };
	char *text;
	size_t i;

	task(0, "7", "COMPLETED", NULL);
	for (i = 0; i < count; i++)
		many[i] = &tasks[0];
	many[count < 1001 ? count : 0] = count < 1001 ? NULL : &tasks[0];
	ck_assert_int_eq(job_list_page(tempdir_path("page"), &all, &query, &err), 0);
	text = fileio_read(tempdir_path("page"), 1U << 20, NULL, &err);
	ck_assert_ptr_nonnull(text);
	return text;
}

static size_t lines_of(const char *text)
{
	size_t count = 0;

	while ((text = strstr(text, "<tr><th scope=\"row\">"))) {
		text++;
		count++;
	}
	return count;
}

START_TEST(a_page_of_a_list_has_a_thousand_lines)
{
	char *text;

	tempdir_make();
	job_list_init(&query);
	text = page_of(1, 0);
	ck_assert_ptr_nonnull(strstr(text, "<h1>Jobs of alice</h1>"));
	ck_assert_uint_eq(lines_of(text), 1);
	free(text);
	text = page_of(1000, 0);
	ck_assert_uint_eq(lines_of(text), 1000);
	ck_assert_ptr_null(strstr(text, " more: "));
	free(text);
	text = page_of(1001, 5);
	ck_assert_uint_eq(lines_of(text), 1000);
	ck_assert_ptr_nonnull(strstr(
		text, "<p>6 more: a page has 1000 jobs at most, --csv has all of them.</p>"));
	free(text);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("list", jobs_are_sorted_by_what_is_asked_for_then_by_their_start,
	  tasks_of_one_second_stay_as_sacct_has_them, states_are_chosen_before_the_limit,
	  words_that_sacct_would_take_for_something_else_are_refused,
	  sacct_is_asked_for_ones_own_jobs_unless_others_are_named,
	  a_list_is_sorted_by_what_the_ledger_adds, a_sacct_that_fails_is_told,
	  columns_are_as_wide_as_they_must_be, tasks_of_an_array_are_a_row_that_says_what_differs,
	  the_colour_of_many_is_that_of_the_worst_in_any_order,
	  a_row_has_what_slurm_says_and_else_what_the_nodes_do,
	  an_older_run_is_not_what_slurm_speaks_of,
	  users_are_told_where_there_are_several_and_node_wide_where_one_is,
	  on_a_terminal_states_have_colours_and_advice_ends_with_the_line,
	  a_terminal_of_less_than_forty_columns_has_no_width, a_bar_has_thirty_places,
	  a_long_name_is_cut_at_a_character, a_page_of_a_list_has_its_table,
	  what_began_in_1970_comes_last_and_what_has_not_begun_first,
	  a_page_of_a_list_has_a_thousand_lines)
