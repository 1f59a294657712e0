/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio report - what jobs read and wrote, and what was done for them. */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/config.h"
#include "lib/number.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/job_advice.h"
#include "report/job_list.h"
#include "report/job_print.h"
#include "report/job_report.h"
#include "report/live.h"
#include "report/site.h"
#include "report/tone.h"

#define NAME "report"
#define JOBS_MAX 1000
#define SITE_LIMIT 20 /* lines of each table */

static const char usage[] =
	"usage: jobio report [OPTION]... [JOB]...\n"
	"\n"
	"Shows what jobs read and wrote, and what was done for them. A JOB is\n"
	"7, 5_1 (array task), 5_[1-3] or 5 (several or all of them), 7+1\n"
	"(component of a heterogeneous job). Without one: a line for each of your\n"
	"jobs of the last day.\n"
	"\n"
	"  -j, --jobs=A,B,C   more jobs\n"
	"  --restart=N        this run of a requeued job, not the newest\n"
	"  --live[=SECONDS]   a job of yours that runs: so far; on a terminal again\n"
	"                     every so many seconds: 5\n"
	"  -v, --verbose      all that is known: every filesystem, source and node,\n"
	"                     quality, summary; what an administrator can do, too\n"
	"  --advice=all|none  more than the five most valuable lines of it, or none\n"
	"  -u, --user=A,B     without JOB: the jobs of these users\n"
	"  -A, --account=A,B  of these accounts, of all users\n"
	"  -S, --starttime=T  from this time on, as sacct has it: now-1days\n"
	"  -E, --endtime=T    until then: now\n"
	"  -s, --state=A,B    in these states: FAILED,TIMEOUT\n"
	"  --sort=KEY         by start (the newest first), end, name, user, state,\n"
	"                     elapsed, nodes, profile, read or written\n"
	"  --limit=N          so many at most: 1000\n"
	"  --site             what all jobs did together, for administrators: bytes,\n"
	"                     metadata, peaks and advice by filesystem, user, account\n"
	"                     and profile; tasks that could run on a client's CPUs;\n"
	"                     with -S, -E and --limit\n"
	"  --json             one JSON object a line\n"
	"  --csv              one line a job\n"
	"  --html=FILE        a job, several of them, or a list, as one page\n"
	"  --conf=FILE        instead of " JOBIO_CONF "\n"
	"\n"
	"Asks the ledger, which shows records to their owner and to root; when\n"
	"it does not answer, the summary in sacct. Exit status: 0; 1 when there\n"
	"is nothing about one of the jobs; 2 bad usage.\n";

enum format {
	TEXT,
	JSON,
	CSV
};

struct options {
	const char *conf, *html;
	enum format format;
	int64_t restart;
	bool is_verbose, is_site;
	unsigned int live_s; /* 0: of jobs that have ended */
	enum advice_want advice;
	struct config_advice limits; /* of advice */
	struct job_list_query list;
	char *jobs[JOBS_MAX];
	size_t job_count;
};

/* A list without a job is none: without any word all of the caller's are shown. */
static int add_jobs(struct options *o, char *list, struct err *err)
{
	size_t before = o->job_count;
	char *id;

	while ((id = job_report_next(&list))) {
		if (job_report_check(id, err) < 0)
			return -1;
		if (o->job_count == JOBS_MAX)
			return err_set(err, "more than %d jobs", JOBS_MAX);
		o->jobs[o->job_count++] = id;
	}
	return o->job_count > before ? 0 : job_report_check("", err);
}

static int set_jobs(void *o, const char *name, const char *value, struct err *err)
{
	(void)name;
	return add_jobs(o, (char *)value, err);
}

static int set_restart(void *options, const char *name, const char *value, struct err *err)
{
	struct options *o = options;
	unsigned long number;

	if (number_parse(value, 0, UINT32_MAX, &number, err) < 0)
		return err_prefix(err, "--%s", name);
	o->restart = (int64_t)number;
	return 0;
}

/* --json, --csv */
static int set_format(void *options, const char *name, const char *value, struct err *err)
{
	struct options *o = options;
	enum format format = *name == 'j' ? JSON : CSV;

	(void)value;
	if (o->format != TEXT && o->format != format)
		return err_set(err, "--json and --csv exclude each other");
	o->format = format;
	return 0;
}

static int set_advice(void *options, const char *name, const char *value, struct err *err)
{
	struct options *o = options;

	if (!strcmp(value, "all"))
		o->advice = ADVICE_WANT_ALL;
	else if (!strcmp(value, "none"))
		o->advice = ADVICE_WANT_NONE;
	else
		return err_set(err, "--%s: '%s': expected all or none", name, value);
	return 0;
}

static int set_live(void *options, const char *name, const char *value, struct err *err)
{
	struct options *o = options;
	unsigned long number = LIVE_SECONDS;

	if (value && number_parse(value, 1, LIVE_SECONDS_MAX, &number, err) < 0)
		return err_prefix(err, "--%s", name);
	o->live_s = (unsigned int)number;
	return 0;
}

static int set_list(void *options, const char *name, const char *value, struct err *err)
{
	struct options *o = options;

	return job_list_option(&o->list, name, value, err) < 0 ? -1 : 0;
}

/* srun knows one job, and it has one run that runs. */
static int check_live(const struct options *o, struct err *err)
{
	if (!o->live_s)
		return 0;
	if (o->job_count != 1 || strchr(o->jobs[0], '[') || o->list.is_given)
		return err_set(err, "--live: of one job: 7, 5_1 or 7+1");
	if (o->html || o->format == CSV || o->restart >= 0)
		return err_set(err, "--live: without --html, --csv and --restart");
	return 0;
}

static int check_html(const struct options *o, struct err *err)
{
	if (o->html && o->format != TEXT)
		return err_set(err, "--html: without --json and --csv");
	return 0;
}

/* Of all jobs of a time, whoever's. */
static int check_site(const struct options *o, struct err *err)
{
	const struct job_list_query *list = &o->list;

	if (o->job_count || o->restart >= 0 || o->is_verbose || list->users || list->accounts ||
	    list->states || list->sort)
		return err_set(
			err,
			"--site: of all jobs: only --starttime, --endtime, --limit, --json, --csv and --html go with it");
	return check_html(o, err) < 0 ? -1 : site_check(list->since, list->until, err);
}

static int check_all(const struct options *o, struct err *err)
{
	if (o->is_site)
		return check_site(o, err);
	if (check_live(o, err) < 0)
		return -1;
	if (o->job_count && o->list.is_given)
		return err_set(
			err,
			"--user, --account, --starttime, --endtime, --state, --sort and --limit are for lists: name no job");
	if (check_html(o, err) < 0)
		return -1;
	if (!o->job_count && o->restart >= 0)
		return err_set(err, "--restart: of which job?");
	return 0;
}

static int check(void *options, int argc, char *argv[], struct err *err)
{
	struct options *o = options;
	int i;

	for (i = 0; i < argc; i++)
		if (add_jobs(o, argv[i], err) < 0)
			return -1;
	o->list.is_brief = o->format != JSON;
	return check_all(o, err);
}

/* clang-format off */
#define LIST_OPTION(name, letter) \
	{ name, letter, .argument = required_argument, .set = set_list }
/* clang-format on */

static const struct command_line line = {
	.name = NAME,
	.usage = { usage },
	.words = COMMAND_WORDS,
	.check = check,
	.table =
		(const struct command_option[]){
			{ "jobs", 'j', .argument = required_argument, .set = set_jobs },
			COMMAND_CALL("restart", set_restart),
			{ "live", .argument = optional_argument, .set = set_live },
			{ "verbose", 'v', .at = offsetof(struct options, is_verbose) },
			COMMAND_CALL("advice", set_advice),
			LIST_OPTION("user", 'u'),
			LIST_OPTION("account", 'A'),
			LIST_OPTION("starttime", 'S'),
			LIST_OPTION("endtime", 'E'),
			LIST_OPTION("state", 's'),
			LIST_OPTION("sort", 0),
			LIST_OPTION("limit", 0),
			COMMAND_FLAG("site", struct options, is_site),
			{ "json", .argument = no_argument, .set = set_format },
			{ "csv", .argument = no_argument, .set = set_format },
			COMMAND_TEXT("html", struct options, html),
			COMMAND_TEXT("conf", struct options, conf),
			{ 0 } },
};

struct reporter {
	const struct options *o;
	struct job_source source;
	bool is_first;
	int rc;
};

static void set_up(struct job_report *report, const struct options *o)
{
	report->is_verbose = o->is_verbose;
	report->is_old_run = o->restart >= 0;
	report->advice = o->advice;
	report->limits = &o->limits;
}

static struct job_report *get_one(struct reporter *rp, const char *id, struct err *err)
{
	struct job_report *report = job_report_get(&rp->source, id, rp->o->restart, err);

	if (report)
		set_up(report, rp->o);
	return report;
}

static void fail_one(struct reporter *rp, const struct err *err)
{
	fflush(stdout);
	rp->rc = command_fail(NAME, COMMAND_FAILED, err);
}

static void print_one(struct reporter *rp, struct job_report *report)
{
	if (rp->o->format == CSV) {
		if (rp->is_first)
			job_print_csv_head(stdout);
		job_print_csv(report, stdout);
	} else if (rp->o->format == JSON) {
		job_print_json(report, stdout);
		putchar('\n');
	} else {
		if (!rp->is_first)
			putchar('\n');
		job_print_text(report, stdout);
	}
	rp->is_first = false;
}

struct job_group {
	const char *id;
	struct job_report **reports;
	size_t count, unknown;
	bool is_family;
	struct err why;
};

static void job_group_clear(struct job_group *group)
{
	while (group->count)
		job_report_free(group->reports[--group->count]);
	free(group->reports);
	group->reports = NULL;
}

static void print_group(struct reporter *rp, const struct job_group *group)
{
	size_t i;

	if (group->is_family && group->count && rp->o->format == TEXT) {
		if (!rp->is_first)
			putchar('\n');
		job_print_family(group->id, group->reports, group->count, group->unknown, stdout);
		rp->is_first = false;
		return;
	}
	for (i = 0; i < group->count; i++)
		print_one(rp, group->reports[i]);
}

/* Those that one question tells all of: in JSON each has its other runs, which it
 * does not. */
static void get_together(struct reporter *rp, struct job_group *group, char (*ids)[JOB_ID_SIZE],
			 size_t count)
{
	const struct options *o = rp->o;
	size_t i;

	if (o->restart >= 0 || o->format == JSON)
		return;
	job_report_many(&rp->source, ids, count, o->format == TEXT && !o->html, group->reports);
	for (i = 0; i < count; i++)
		if (group->reports[i])
			set_up(group->reports[i], o);
}

/* For people their sum and a line for each; else as if each were named. */
static void get_family(struct reporter *rp, struct job_group *group, char (*ids)[JOB_ID_SIZE],
		       size_t count)
{
	struct job_report *report;
	size_t i;

	group->is_family = true;
	group->reports = xcalloc(count, sizeof(struct job_report *));
	get_together(rp, group, ids, count);
	for (i = 0; i < count; i++) {
		report = group->reports[i];
		group->reports[i] = NULL;
		if (!report)
			report = get_one(rp, ids[i], &group->why);
		if (report) {
			group->reports[group->count++] = report;
			continue;
		}
		group->unknown++;
		if (rp->o->format != TEXT)
			fail_one(rp, &group->why);
	}
}

/* 7 may be an array or a heterogeneous job, whose first part has that number,
 * too. The ledger knows which; of a part that it knows alone, or as a job like others,
 * sacct may know the rest, as it does when it is the one who knows the job. */
static size_t find_family(struct reporter *rp, const char *id, enum job_asked asked,
			  char (*ids)[JOB_ID_SIZE])
{
	if (strpbrk(id, "_+") || rp->o->restart >= 0)
		return 0;
	return job_report_family(&rp->source, asked, id, ids, JOB_FAMILY_MAX);
}

/* What one word names. */
static void get_group(struct reporter *rp, struct job_group *group, const char *id,
		      char (*ids)[JOB_ID_SIZE])
{
	bool is_list = strchr(id, '[') != NULL;
	struct job_report *report = NULL;
	size_t count;

	group->id = id;
	if (is_list)
		count = (size_t)job_report_expand(id, ids, JOB_FAMILY_MAX, NULL);
	else
		count = find_family(rp, id, JOB_ASKED_LEDGER, ids);
	if (count < 2 && !is_list) {
		report = get_one(rp, count ? ids[0] : id, &group->why);
		count = find_family(rp, id, JOB_ASKED_SACCT, ids);
	}
	if (count > 1 || is_list) {
		job_report_free(report);
		get_family(rp, group, ids, count);
	} else if (report) {
		group->reports = xcalloc(1, sizeof(struct job_report *));
		group->reports[group->count++] = report;
	}
	if (!group->count && !(group->unknown && rp->o->format != TEXT))
		fail_one(rp, &group->why);
}

static void print_list(struct reporter *rp, const struct job_list *list)
{
	const struct options *o = rp->o;
	size_t i;

	if (o->format == TEXT)
		job_list_print(stdout, list, &o->list);
	else if (o->format == CSV && !list->count)
		job_print_csv_head(stdout);
	for (i = 0; o->format != TEXT && i < list->count; i++)
		print_one(rp, list->reports[i]);
}

static void report_list(struct reporter *rp)
{
	struct err err = { "" };
	struct job_list *list = job_list_get(&rp->source, &rp->o->list, &err);
	size_t i;

	if (!list) {
		fail_one(rp, &err);
		return;
	}
	for (i = 0; i < list->count; i++)
		set_up(list->reports[i], rp->o);
	print_list(rp, list);
	job_list_free(list);
}

static void report_site(struct reporter *rp)
{
	const struct job_list_query *query = &rp->o->list;
	size_t limit = query->has_limit ? query->limit : SITE_LIMIT;
	struct err err = { "" };
	struct site *site = site_get(&rp->source, query->since, query->until, &err);

	if (!site)
		fail_one(rp, &err);
	else if (rp->o->html && site_page_write(rp->o->html, site, limit, &err) < 0)
		fail_one(rp, &err);
	else if (rp->o->format == JSON)
		site_print_json(stdout, site);
	else if (rp->o->format == CSV)
		site_print_csv(stdout, site);
	else if (!rp->o->html)
		site_print_text(stdout, site, limit);
	site_free(site);
}

static void report_groups(struct reporter *rp, struct job_group *groups, char (*ids)[JOB_ID_SIZE])
{
	const struct options *o = rp->o;
	size_t i;

	for (i = 0; i < o->job_count; i++) {
		get_group(rp, &groups[i], o->jobs[i], ids);
		print_group(rp, &groups[i]);
		job_group_clear(&groups[i]);
	}
	for (i = 0; i < o->job_count; i++)
		job_group_clear(&groups[i]);
}

static void report_jobs(struct reporter *rp)
{
	struct job_group *groups = xcalloc(rp->o->job_count, sizeof(struct job_group));
	char(*ids)[JOB_ID_SIZE] = xcalloc(JOB_FAMILY_MAX, JOB_ID_SIZE);

	job_source_ask_sacct(&rp->source, rp->o->jobs, rp->o->job_count);
	report_groups(rp, groups, ids);
	free(groups);
	free(ids);
}

static int report_live(struct reporter *rp)
{
	const struct live_query query = { .id = rp->o->jobs[0],
					  .every_s = rp->o->live_s,
					  .is_json = rp->o->format == JSON,
					  .is_verbose = rp->o->is_verbose,
					  .advice = rp->o->advice,
					  .limits = &rp->o->limits };

	return live_report(&rp->source, &query);
}

/* 'config' NULL: there is none here, for 'why'; sacct may know. */
static int report_all(const struct options *o, const struct config *config, const struct err *why)
{
	struct reporter rp = { .o = o,
			       .source = { .config = config, .is_down = !config },
			       .is_first = true,
			       .rc = COMMAND_OK };

	if (!config)
		rp.source.why_down = *why;
	if (o->is_site)
		report_site(&rp);
	else if (o->live_s)
		rp.rc = report_live(&rp);
	else if (o->job_count)
		report_jobs(&rp);
	else
		report_list(&rp);
	job_source_close(&rp.source);
	return rp.rc;
}

int report_main(int argc, char *argv[])
{
	struct options *o = xcalloc(1, sizeof(*o));
	struct config *config;
	struct err err;
	int rc;

	setlocale(LC_CTYPE, "");
	tone_init();
	o->restart = RECORD_UNKNOWN;
	job_list_init(&o->list);
	rc = command_parse(&line, o, argc, argv);
	if (rc >= 0)
		goto out;
	rc = job_advice_config(&config, &o->limits, o->conf, NAME, &err);
	if (rc == COMMAND_OK)
		rc = report_all(o, config, &err);
	config_free(config);
out:
	free(o);
	return rc;
}
