/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio report makes of its command line: whom it asks, what it prints, in which
 * order, and its exit status. What is printed of a job, and where it is known from, is
 * of others, in whose place there is a word here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/command.h"
#include "report/commands.h"
#include "report/job_advice.h"
#include "report/job_list.h"
#include "report/job_print.h"
#include "report/job_report.h"
#include "report/jobs_page.h"
#include "report/live.h"
#include "report/page.h"
#include "report/site.h"
#include "report/tone.h"
#include "tests/unit/append.h"
#include "tests/unit/job_reports.h"
#include "tests/unit/runner.h"

static struct {
	/* what is broken */
	bool has_no_config, is_bad_config, has_no_sacct, has_no_list;
	bool has_no_site, is_page_stuck, is_memory_short;
	/* what was asked, one after the other: "get 7 run -1; " */
	char asked[100000];
	size_t listed; /* jobs of a list */
} world;

static struct config config;

#define ask(...) append(world.asked, sizeof(world.asked), __VA_ARGS__)

/* ---- in the place of others ------------------------------------------------------- */

void tone_init(void)
{
}

int job_advice_config(struct config **found, struct config_advice *limits,
		      const char *conf, const char *command, struct err *why)
{
	ck_assert_str_eq(command, "report");
	if (conf)
		ask("conf %s; ", conf);
	*found = NULL;
	if (world.is_bad_config) {
		fprintf(stderr, "bad config\n");
		return COMMAND_USAGE;
	}
	if (world.has_no_config)
		err_set(why, "there is no jobio.conf");
	else
		*found = &config;
	limits->min_mib = 77;
	return COMMAND_OK;
}

void config_free(struct config *old)
{
	ck_assert(!old || old == &config);
}

int job_source_ask_sacct(struct job_source *source, char *const *ids,
			 size_t count, struct err *err)
{
	size_t i;

	ck_assert(source->is_down == !source->config);
	if (source->is_down)
		ask("down: %s; ", source->why_down.text);
	ask("sacct");
	for (i = 0; i < count; i++)
		ask(" %s", ids[i]);
	ask("; ");
	return world.has_no_sacct ? err_set(err, "no sacct") : 0;
}

void job_source_close(struct job_source *source)
{
	(void)source;
	ask("close");
}

static bool is_known(const char *id)
{
	static const char *const known[] = { "7",   "8",   "5_1", "5_2", "5_3",
					     "6+0", "6+1", "9_1", "9_2" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i], id))
			return true;
	return false;
}

struct job_report *job_report_get(struct job_source *source, const char *id,
				  int64_t restart, struct err *err)
{
	(void)source;
	ask("get %s", id);
	if (restart != RECORD_UNKNOWN)
		ask(" run %lld", (long long)restart);
	ask("; ");
	if (is_known(id))
		return job_report_named(id);
	err_set(err, "job: '%s': nobody knows it", id);
	return NULL;
}

/* The ledger tells all of the odd ones. */
int job_report_many(struct job_source *source, char (*ids)[JOB_ID_SIZE],
		    size_t count, bool is_brief, struct job_report **reports)
{
	size_t i;

	(void)source;
	ask("many%s", is_brief ? " briefly" : "");
	if (world.is_memory_short)
		return -1;
	for (i = 0; i < count; i++) {
		ask(" %s", ids[i]);
		reports[i] = is_known(ids[i]) && strpbrk(ids[i], "13")
				     ? job_report_named(ids[i])
				     : NULL;
	}
	ask("; ");
	return 0;
}

/* 5 is an array that the ledger knows, 9 one of which it knows a task, and 6 a job of
 * two components that sacct knows. */
size_t job_report_family(struct job_source *source, enum job_asked asked,
			 const char *id, char (*ids)[JOB_ID_SIZE], size_t max)
{
	bool is_sacct = asked == JOB_ASKED_SACCT;

	(void)source;
	ck_assert_uint_eq(max, JOB_FAMILY_MAX);
	ask("%s family %s; ", is_sacct ? "sacct's" : "ledger's", id);
	if (!strcmp(id, "5") && !is_sacct)
		return strcpy(ids[0], "5_1"), strcpy(ids[1], "5_2"), 2;
	if (!strcmp(id, "6") && is_sacct)
		return strcpy(ids[0], "6+0"), strcpy(ids[1], "6+1"), 2;
	if (!strcmp(id, "9")) {
		strcpy(ids[0], "9_1");
		strcpy(ids[1], "9_2");
		return is_sacct ? 2 : 1;
	}
	/* an array of which one task has begun */
	if (!strcmp(id, "8") && is_sacct)
		return strcpy(ids[0], "8_1"), 1;
	return 0;
}

void job_group_clear(struct job_group *group)
{
	while (group->count)
		job_report_free(group->reports[--group->count]);
	free(group->reports);
	group->reports = NULL;
}

static void print(FILE *out, const char *how, const struct job_report *r)
{
	ck_assert_uint_eq(r->limits->min_mib, 77);
	fprintf(out, "%s %s%s%s%s%s\n", how, r->id,
		r->is_verbose ? " verbose" : "", r->is_old_run ? " old" : "",
		r->advice == ADVICE_WANT_ALL ? " all" : "",
		r->advice == ADVICE_WANT_NONE ? " none" : "");
}

void job_print_text(const struct job_report *report, FILE *out)
{
	print(out, "text", report);
}

void job_print_csv_head(FILE *out)
{
	fputs("head\n", out);
}

void job_print_csv(const struct job_report *report, FILE *out)
{
	print(out, "csv", report);
}

/* without the end of the line */
void job_print_json(const struct job_report *report, FILE *out)
{
	fprintf(out, "json %s", report->id);
}

void job_print_family(const char *id, struct job_report *const *reports,
		      size_t count, size_t unknown, FILE *out)
{
	size_t i;

	fprintf(out, "family %s:", id);
	for (i = 0; i < count; i++)
		fprintf(out, " %s", reports[i]->id);
	fprintf(out, ", %zu unknown\n", unknown);
}

int page_write(const char *file, const struct job_report *report,
	       struct err *err)
{
	printf("page %s: %s\n", file, report->id);
	return world.is_page_stuck ? err_set(err, "no room") : 0;
}

int jobs_page_write(const char *file, const struct job_group *groups,
		    size_t count, struct err *err)
{
	size_t i, k;

	printf("page %s of jobs:", file);
	for (i = 0; i < count; i++) {
		printf(" %s%s", groups[i].id, groups[i].is_family ? "*" : "");
		for (k = 0; k < groups[i].count; k++)
			printf(" (%s)", groups[i].reports[k]->id);
	}
	printf("\n");
	return world.is_page_stuck ? err_set(err, "no room") : 0;
}

/* ---- a list */

void job_list_init(struct job_list_query *query)
{
	memset(query, 0, sizeof(*query));
	query->limit = JOB_LIST_LIMIT;
}

int job_list_option(struct job_list_query *query, const char *name,
		    const char *value, struct err *err)
{
	const struct {
		const char *name, **value;
	} texts[] = {
		{ "user", &query->users },	{ "account", &query->accounts },
		{ "starttime", &query->since }, { "endtime", &query->until },
		{ "state", &query->states },
	};
	size_t i;

	if (!strcmp(value, "bad"))
		return err_set(err, "--%s: 'bad'", name);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(name, texts[i].name))
			*texts[i].value = value;
	if (!strcmp(name, "limit")) {
		query->limit = strtoul(value, NULL, 10);
		query->has_limit = true;
	} else if (!strcmp(name, "sort")) {
		query->sort = 1;
	} else if (strcmp(name, "user") != 0 && strcmp(name, "account") != 0 &&
		   strcmp(name, "starttime") != 0 &&
		   strcmp(name, "endtime") != 0 && strcmp(name, "state") != 0) {
		return 0;
	}
	query->is_given = true;
	return 1;
}

struct job_list *job_list_get(struct job_source *source,
			      const struct job_list_query *query,
			      struct err *err)
{
	struct job_list *list = calloc(1, sizeof(*list));
	char id[24];

	(void)source;
	ask("list%s%s%s; ", query->is_brief ? " briefly" : "",
	    query->users ? " of " : "", query->users ? query->users : "");
	if (world.has_no_list) {
		free(list);
		err_set(err, "no list");
		return NULL;
	}
	list->reports = calloc(world.listed + 1, sizeof(*list->reports));
	while (list->count < world.listed) {
		snprintf(id, sizeof(id), "%zu", list->count + 1);
		list->reports[list->count++] = job_report_named(id);
	}
	return list;
}

void job_list_free(struct job_list *list)
{
	while (list->count)
		job_report_free(list->reports[--list->count]);
	free(list->reports);
	free(list);
}

void job_list_print(FILE *out, const struct job_list *list,
		    const struct job_list_query *query)
{
	fprintf(out, "table of %zu, at most %zu\n", list->count, query->limit);
}

int job_list_page(const char *file, const struct job_list *list,
		  const struct job_list_query *query, struct err *err)
{
	printf("page %s of a table of %zu, at most %zu\n", file, list->count,
	       query->limit);
	return world.is_page_stuck ? err_set(err, "no room") : 0;
}

/* ---- a site, a job that runs */

int site_check(const char *since, const char *until, struct err *err)
{
	(void)until;
	return since && !strcmp(since, "never") ? err_set(err, "never") : 0;
}

struct site *site_get(struct job_source *source, const char *since,
		      const char *until, struct err *err)
{
	(void)source;
	ask("site from %s to %s; ", since ? since : "-", until ? until : "-");
	if (world.has_no_site) {
		err_set(err, "no site");
		return NULL;
	}
	return calloc(1, sizeof(struct site));
}

void site_free(struct site *site)
{
	free(site);
}

void site_print_text(FILE *out, const struct site *site, size_t limit)
{
	(void)site;
	fprintf(out, "site, %zu lines\n", limit);
}

void site_print_csv(FILE *out, const struct site *site)
{
	(void)site;
	fputs("site csv\n", out);
}

void site_print_json(FILE *out, const struct site *site)
{
	(void)site;
	fputs("site json\n", out);
}

int site_page_write(const char *file, const struct site *site, size_t limit,
		    struct err *err)
{
	(void)site;
	printf("page %s of the site, %zu lines\n", file, limit);
	return world.is_page_stuck ? err_set(err, "no room") : 0;
}

int live_report(struct job_source *source, const struct live_query *query)
{
	(void)source;
	ck_assert_uint_eq(query->limits->min_mib, 77);
	printf("live %s every %u s%s%s%s\n", query->id, query->every_s,
	       query->is_json ? " json" : "",
	       query->is_verbose ? " verbose" : "",
	       query->advice == ADVICE_WANT_ALL ? " all" : "");
	return 3;
}

/* ---- what a test says ------------------------------------------------------------- */

static char *said;

static int run(char *words)
{
	static char empty[1];
	FILE *old_out = stdout, *old_err = stderr, *out;
	char *argv[1100] = { "report" }, *word, *rest = words;
	size_t size = 0;
	int argc = 1, status;

	while ((word = strsep(&rest, " ")))
		argv[argc++] = !strcmp(word, "''") ? empty : word;
	free(said);
	out = open_memstream(&said, &size);
	ck_assert_ptr_nonnull(out);
	world.asked[0] = '\0';
	optind = 0;
	stdout = stderr = out;
	status = report_main(words ? argc : 1, argv);
	stdout = old_out;
	stderr = old_err;
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_uint_eq(job_reports, 0);
	return status;
}

/* This command line ends so, and has printed this. */
static void expect(const char *line, int status, const char *text)
{
	char *words = line ? strdup(line) : NULL;

	ck_assert_msg(run(words) == status && !strcmp(said, text), "%s:\n%s",
		      line ? line : "nothing", said);
	free(words);
}

/* It is refused, for this reason. */
static void refuse(const char *line, const char *why)
{
	char text[1000];

	snprintf(text, sizeof(text), "jobio: report: %s\n", why);
	expect(line, COMMAND_USAGE, text);
	ck_assert_str_eq(world.asked, "");
}

/* ---- jobs -------------------------------------------------------------------------- */

START_TEST(jobs_are_told_in_their_order_with_a_line_between_them)
{
	expect("7", 0, "text 7\n");
	ck_assert_str_eq(world.asked, "sacct 7; ledger's family 7; get 7; "
				      "sacct's family 7; close");
	expect("7 8", 0, "text 7\n\ntext 8\n");
	expect("-j 7,8", 0, "text 7\n\ntext 8\n");
	ck_assert_ptr_nonnull(strstr(world.asked, "sacct 7 8; "));
	expect("--jobs=8 7", 0, "text 8\n\ntext 7\n");
	expect("--csv 7 8", 0, "head\ncsv 7\ncsv 8\n");
	expect("--json 7 8", 0, "json 7\njson 8\n");
	expect("--json --json 7", 0, "json 7\n");
	expect("--csv --csv 7", 0, "head\ncsv 7\n");
	expect("-v 7", 0, "text 7 verbose\n");
	expect("--verbose --advice=all 7", 0, "text 7 verbose all\n");
	expect("--advice=none 7", 0, "text 7 none\n");
}
END_TEST

START_TEST(a_part_of_a_job_is_nobodys_family)
{
	expect("5_1", 0, "text 5_1\n");
	ck_assert_str_eq(world.asked, "sacct 5_1; get 5_1; close");
	expect("6+1", 0, "text 6+1\n");
	ck_assert_str_eq(world.asked, "sacct 6+1; get 6+1; close");
}
END_TEST

START_TEST(an_array_is_one_table_and_else_a_job_after_the_other)
{
	expect("5", 0, "family 5: 5_1 5_2, 0 unknown\n");
	ck_assert_str_eq(world.asked, "sacct 5; ledger's family 5; "
				      "many briefly 5_1 5_2; get 5_2; close");
	expect("5 7", 0, "family 5: 5_1 5_2, 0 unknown\n\ntext 7\n");
	expect("7 5", 0, "text 7\n\nfamily 5: 5_1 5_2, 0 unknown\n");
	expect("5_[1-3]", 0, "family 5_[1-3]: 5_1 5_2 5_3, 0 unknown\n");
	ck_assert_str_eq(world.asked, "sacct 5_[1-3]; many briefly 5_1 5_2 "
				      "5_3; get 5_2; close");
	/* of one task, too */
	expect("5_[2]", 0, "family 5_[2]: 5_2, 0 unknown\n");
	expect("--csv 5", 0, "head\ncsv 5_1\ncsv 5_2\n");
	ck_assert_str_eq(world.asked, "sacct 5; ledger's family 5; "
				      "many 5_1 5_2; get 5_2; close");
	expect("--csv 5_[1-3]", 0, "head\ncsv 5_1\ncsv 5_2\ncsv 5_3\n");
	/* each has its other runs */
	expect("--json 5", 0, "json 5_1\njson 5_2\n");
	ck_assert_str_eq(world.asked, "sacct 5; ledger's family 5; "
				      "get 5_1; get 5_2; close");
	expect("--advice=all --csv 5", 0, "head\ncsv 5_1 all\ncsv 5_2 all\n");
}
END_TEST

START_TEST(of_a_job_of_which_the_ledger_knows_a_part_sacct_tells_the_rest)
{
	expect("6", 0, "family 6: 6+0 6+1, 0 unknown\n");
	expect("9", 0, "family 9: 9_1 9_2, 0 unknown\n");
	ck_assert_str_eq(world.asked,
			 "sacct 9; ledger's family 9; get 9_1; "
			 "sacct's family 9; many briefly 9_1 9_2; get 9_2; "
			 "close");
}
END_TEST

START_TEST(a_job_that_nobody_knows_is_told_and_the_others_are_shown)
{
	expect("3", 1, "jobio: report: job: '3': nobody knows it\n");
	expect("7 3 8", 1,
	       "text 7\njobio: report: job: '3': nobody knows it\n"
	       "\ntext 8\n");
	expect("--csv 3 7", 1,
	       "jobio: report: job: '3': nobody knows it\nhead\ncsv 7\n");
	/* a task of a table is counted */
	expect("5_[1-4]", 0, "family 5_[1-4]: 5_1 5_2 5_3, 1 unknown\n");
	expect("--json 5_[3-4]", 1,
	       "jobio: report: job: '5_4': nobody knows it\njson 5_3\n");
	/* all of them */
	expect("5_[7-8]", 1, "jobio: report: job: '5_8': nobody knows it\n");
	expect("--csv 5_[7-8]", 1,
	       "jobio: report: job: '5_7': nobody knows it\n"
	       "jobio: report: job: '5_8': nobody knows it\n");
}
END_TEST

START_TEST(a_run_is_asked_for_by_its_number)
{
	expect("--restart=0 5", 1,
	       "jobio: report: job: '5': nobody knows it\n");
	ck_assert_str_eq(world.asked, "sacct 5; get 5 run 0; close");
	expect("--restart=0 7", 0, "text 7 old\n");
	expect("--restart=0 5_[1-2]", 0,
	       "family 5_[1-2]: 5_1 5_2, 0 unknown\n");
	ck_assert_ptr_null(strstr(world.asked, "many"));
	expect("--restart=4294967295 7", 0, "text 7 old\n");
	ck_assert_str_eq(world.asked, "sacct 7; get 7 run 4294967295; close");
	expect("--restart=1 5_[1-2]", 0,
	       "family 5_[1-2]: 5_1 5_2, 0 unknown\n");
	ck_assert_str_eq(world.asked, "sacct 5_[1-2]; get 5_1 run 1; get 5_2 "
				      "run 1; close");
	refuse("--restart=0", "--restart: of which job?");
	refuse("--restart=4294967296 7",
	       "--restart: '4294967296': not a number from 0 to 4294967295");
	refuse("--restart=x 7",
	       "--restart: 'x': not a number from 0 to 4294967295");
}
END_TEST

START_TEST(a_page_is_of_a_job_or_of_several)
{
	expect("--html=f 7", 0, "page f: 7\n");
	expect("--html=f 7 8", 0, "page f of jobs: 7 (7) 8 (8)\n");
	expect("--html=f 5", 0, "page f of jobs: 5* (5_1) (5_2)\n");
	ck_assert_str_eq(world.asked, "sacct 5; ledger's family 5; "
				      "many 5_1 5_2; get 5_2; close");
	expect("--html=f 3 7", 1,
	       "jobio: report: job: '3': nobody knows it\n"
	       "page f of jobs: 3 7 (7)\n");
	/* of none the old one stays */
	expect("--html=f 3", 1, "jobio: report: job: '3': nobody knows it\n");
	world.is_page_stuck = true;
	expect("--html=f 7", 1, "page f: 7\njobio: report: no room\n");
	expect("--html=f 7 8", 1,
	       "page f of jobs: 7 (7) 8 (8)\njobio: report: no room\n");
	refuse("--html=f --json 7", "--html: without --json and --csv");
	refuse("--html=f --csv", "--html: without --json and --csv");
}
END_TEST

START_TEST(without_its_config_or_sacct_a_report_says_so)
{
	world.has_no_config = true;
	expect("7", 0, "text 7\n");
	ck_assert_ptr_nonnull(
		strstr(world.asked, "down: there is no jobio.conf; sacct 7"));
	world.has_no_config = false;
	world.has_no_sacct = true;
	expect("--conf=/a 7", 1, "jobio: report: no sacct\ntext 7\n");
	ck_assert_ptr_nonnull(strstr(world.asked, "conf /a; "));
	world.is_bad_config = true;
	expect("7", 2, "bad config\n");
	ck_assert_str_eq(world.asked, "");
}
END_TEST

START_TEST(a_thousand_jobs_are_told_and_one_more_is_refused)
{
	char words[5 * 1001 + 10], *all;
	size_t i;

	strcpy(words, "--csv ");
	for (i = 0; i < 1000; i++)
		strcat(words, i ? ",7" : "-j 7");
	all = strdup(words);
	ck_assert_int_eq(run(all), 0);
	ck_assert_uint_eq(strlen(said), strlen("head\n") + 1000 * 6);
	free(all);
	strcat(words, ",7");
	refuse(words, "more than 1000 jobs");
}
END_TEST

/* ---- lists, sites, jobs that run ----------------------------------------------------- */

START_TEST(without_a_job_there_is_a_list)
{
	world.listed = 2;
	expect(NULL, 0, "table of 2, at most 1000\n");
	ck_assert_str_eq(world.asked, "list briefly; close");
	expect("-u alice --limit=5", 0, "table of 2, at most 5\n");
	ck_assert_str_eq(world.asked, "list briefly of alice; close");
	expect("--csv -A lab", 0, "head\ncsv 1\ncsv 2\n");
	ck_assert_str_eq(world.asked, "list briefly; close");
	expect("--json -S a -E b -s F", 0, "json 1\njson 2\n");
	ck_assert_str_eq(world.asked, "list; close");
	expect("--html=f --sort=x", 0,
	       "page f of a table of 2, at most 1000\n");
	world.is_page_stuck = true;
	expect("--html=f", 1,
	       "page f of a table of 2, at most 1000\n"
	       "jobio: report: no room\n");
	world.listed = 0;
	expect("--csv", 0, "head\n");
	expect("--json", 0, "");
	world.has_no_list = true;
	expect(NULL, 1, "jobio: report: no list\n");
}
END_TEST

START_TEST(words_of_a_list_name_no_job)
{
	static const char only[] =
		"--user, --account, --starttime, --endtime, --state, --sort "
		"and --limit are for lists: name no job";

	refuse("-u alice 7", only);
	refuse("--limit=5 7", only);
	refuse("--user=bad", "--user: 'bad'");
	refuse("-s bad", "--state: 'bad'");
	refuse("--user=", "--user: '': must not be empty");
	refuse("--html= 7", "--html: '': must not be empty");
	refuse("''", "job: '': not a job id like 7, 5_1 or 7+1");
	refuse("--jobs=,", "job: '': not a job id like 7, 5_1 or 7+1");
	refuse("7 x", "job: 'x': not a job id like 7, 5_1 or 7+1");
	refuse("--advice=some 7", "--advice: 'some': expected all or none");
	refuse("--json --csv 7", "--json and --csv exclude each other");
	refuse("--csv --json 7", "--json and --csv exclude each other");
	refuse("--wrong 7", "'--wrong': no such option, or its value is "
			    "missing; see jobio report --help");
	refuse("-u", "'-u': no such option, or its value is missing; see "
		     "jobio report --help");
}
END_TEST

START_TEST(help_is_printed_and_nothing_else)
{
	char words[] = "--help 7";

	ck_assert_int_eq(run(words), 0);
	ck_assert_int_eq(strncmp(said, "usage: jobio report [OPTION]", 28), 0);
	ck_assert_str_eq(world.asked, "");
}
END_TEST

START_TEST(a_site_is_all_jobs_of_a_time)
{
	static const char only[] =
		"--site: of all jobs: only --starttime, --endtime, --limit, "
		"--json, --csv and --html go with it";
	static const char *const not [] = {
		"--site 7",	   "--site --restart=0", "--site -v",
		"--site -u alice", "--site -A lab",	 "--site -s F",
		"--site --sort=x"
	};
	size_t i;

	expect("--site", 0, "site, 20 lines\n");
	ck_assert_str_eq(world.asked, "site from - to -; close");
	expect("--site -S a -E b --limit=3", 0, "site, 3 lines\n");
	ck_assert_str_eq(world.asked, "site from a to b; close");
	expect("--site --json", 0, "site json\n");
	expect("--site --csv", 0, "site csv\n");
	expect("--site --html=f", 0, "page f of the site, 20 lines\n");
	world.is_page_stuck = true;
	expect("--site --html=f", 1,
	       "page f of the site, 20 lines\njobio: report: no room\n");
	world.has_no_site = true;
	expect("--site", 1, "jobio: report: no site\n");
	refuse("--site -S never", "never");
	refuse("--site --html=f --json", "--html: without --json and --csv");
	for (i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		refuse(not [i], only);
}
END_TEST

START_TEST(a_job_that_runs_is_looked_at_again)
{
	static const char one[] = "--live: of one job: 7, 5_1 or 7+1";
	static const char without[] = "--live: without --html, --csv and "
				      "--restart";

	expect("--live 7", 3, "live 7 every 5 s\n");
	ck_assert_str_eq(world.asked, "close");
	expect("--live=1 --json -v --advice=all 5_1", 3,
	       "live 5_1 every 1 s json verbose all\n");
	expect("--live=3600 7", 3, "live 7 every 3600 s\n");
	refuse("--live=0 7", "--live: '0': not a number from 1 to 3600");
	refuse("--live=3601 7", "--live: '3601': not a number from 1 to 3600");
	refuse("--live", one);
	refuse("--live 7 8", one);
	refuse("--live 5_[1-2]", one);
	refuse("--live -u alice 7", one);
	refuse("--live --html=f 7", without);
	refuse("--live --csv 7", without);
	refuse("--live --restart=0 7", without);
}
END_TEST

START_TEST(a_family_for_which_there_is_no_memory_is_none)
{
	world.is_memory_short = true;
	expect("5", 1, "jobio: report: out of memory\n");
}
END_TEST

UNIT_MAIN("report_command",
	  jobs_are_told_in_their_order_with_a_line_between_them,
	  a_part_of_a_job_is_nobodys_family,
	  an_array_is_one_table_and_else_a_job_after_the_other,
	  of_a_job_of_which_the_ledger_knows_a_part_sacct_tells_the_rest,
	  a_job_that_nobody_knows_is_told_and_the_others_are_shown,
	  a_run_is_asked_for_by_its_number, a_page_is_of_a_job_or_of_several,
	  without_its_config_or_sacct_a_report_says_so,
	  a_thousand_jobs_are_told_and_one_more_is_refused,
	  without_a_job_there_is_a_list, words_of_a_list_name_no_job,
	  help_is_printed_and_nothing_else, a_site_is_all_jobs_of_a_time,
	  a_job_that_runs_is_looked_at_again,
	  a_family_for_which_there_is_no_memory_is_none)
