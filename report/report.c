/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio report - what jobs read and wrote, and what was done for them. */
#include <getopt.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/config.h"
#include "lib/number.h"
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

#define NAME "report"
#define JOBS_MAX 1000
#define SITE_LIMIT 20 /* lines of each table */

static const char usage[] =
	"usage: jobio report [OPTION]... [JOB]...\n"
	"\n"
	"Shows what jobs read and wrote, and what was done for them. A JOB is\n"
	"7, 5_1 (array task), 5_[1-3] or 5 (several or all of them), 7+1\n"
	"(component of a heterogeneous job). Without one: a line for each of "
	"your\n"
	"jobs of the last day.\n"
	"\n"
	"  -j, --jobs=A,B,C   more jobs\n"
	"  --restart=N        this run of a requeued job, not the newest\n"
	"  --live[=SECONDS]   a job of yours that runs: so far; on a terminal "
	"again\n"
	"                     every so many seconds: 5\n"
	"  -v, --verbose      all that is known: every filesystem, source and "
	"node,\n"
	"                     quality, summary; what an administrator can do, "
	"too\n"
	"  --advice=all|none  more than the five most valuable lines of it, or "
	"none\n"
	"  -u, --user=A,B     without JOB: the jobs of these users\n"
	"  -A, --account=A,B  of these accounts, of all users\n"
	"  -S, --starttime=T  from this time on, as sacct has it: now-1days\n"
	"  -E, --endtime=T    until then: now\n"
	"  -s, --state=A,B    in these states: FAILED,TIMEOUT\n"
	"  --sort=KEY         by start (the newest first), end, name, user, "
	"state,\n"
	"                     elapsed, nodes, profile, read or written\n"
	"  --limit=N          so many at most: 1000\n"
	"  --site             what all jobs did together, for administrators: "
	"bytes,\n"
	"                     metadata, peaks and advice by filesystem, user, "
	"account\n"
	"                     and profile; tasks that could run on a client's "
	"CPUs;\n"
	"                     with -S, -E and --limit\n"
	"  --json             one JSON object a line\n"
	"  --csv              one line a job\n"
	"  --html=FILE        a job, several of them, or a list, as one page\n"
	"  --conf=FILE        instead of " JOBIO_CONF "\n"
	"\n"
	"Asks the ledger, which shows records to their owner and to root; "
	"when\n"
	"it does not answer, the summary in sacct. Exit status: 0; 1 when "
	"there\n"
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

static int set_restart(struct options *o, const char *text, struct err *err)
{
	unsigned long number;

	if (number_parse(text, 0, UINT32_MAX, &number, err) < 0)
		return err_prefix(err, "--restart");
	o->restart = (int64_t)number;
	return 0;
}

static int set_format(struct options *o, enum format format, struct err *err)
{
	if (o->format != TEXT && o->format != format)
		return err_set(err, "--json and --csv exclude each other");
	o->format = format;
	return 0;
}

static int set_advice(struct options *o, const char *text, struct err *err)
{
	if (!strcmp(text, "all"))
		o->advice = ADVICE_WANT_ALL;
	else if (!strcmp(text, "none"))
		o->advice = ADVICE_WANT_NONE;
	else
		return err_set(err, "--advice: '%s': expected all or none",
			       text);
	return 0;
}

static int set_live(struct options *o, const char *text, struct err *err)
{
	unsigned long number = LIVE_SECONDS;

	if (text && number_parse(text, 1, LIVE_SECONDS_MAX, &number, err) < 0)
		return err_prefix(err, "--live");
	o->live_s = (unsigned int)number;
	return 0;
}

static int take(struct options *o, int c, char *value, struct err *err)
{
	switch (c) {
	case 'L':
		return set_live(o, value, err);
	case 'j':
		return add_jobs(o, value, err);
	case 'r':
		return set_restart(o, value, err);
	case 'v':
		o->is_verbose = true;
		return 0;
	case 'a':
		return set_advice(o, value, err);
	case 'H':
		o->html = value;
		return 0;
	case 'i':
		o->is_site = true;
		return 0;
	case 'J':
	case 'C':
		return set_format(o, c == 'J' ? JSON : CSV, err);
	default:
		o->conf = value;
		return 0;
	}
}

static const struct option options[] = {
	{ "jobs", required_argument, NULL, 'j' },
	{ "restart", required_argument, NULL, 'r' },
	{ "live", optional_argument, NULL, 'L' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "advice", required_argument, NULL, 'a' },
	{ "user", required_argument, NULL, 'u' },
	{ "account", required_argument, NULL, 'A' },
	{ "starttime", required_argument, NULL, 'S' },
	{ "endtime", required_argument, NULL, 'E' },
	{ "state", required_argument, NULL, 's' },
	{ "sort", required_argument, NULL, 'o' },
	{ "limit", required_argument, NULL, 'l' },
	{ "site", no_argument, NULL, 'i' },
	{ "json", no_argument, NULL, 'J' },
	{ "csv", no_argument, NULL, 'C' },
	{ "html", required_argument, NULL, 'H' },
	{ "conf", required_argument, NULL, 'c' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The long name of an option, however it was written. */
static const char *name_of(int c)
{
	const struct option *o = options;

	while (o->name && o->val != c)
		o++;
	return o->name;
}

static int take_option(struct options *o, int c, char *value, struct err *err)
{
	int rc;

	if (command_empty_value(name_of(c), value, err) < 0)
		return -1;
	rc = value ? job_list_option(&o->list, name_of(c), value, err) : 0;
	if (rc)
		return rc < 0 ? -1 : 0;
	return take(o, c, value, err);
}

/* srun knows one job, and it has one run that runs. */
static int check_live(const struct options *o, struct err *err)
{
	if (!o->live_s)
		return 0;
	if (o->job_count != 1 || strchr(o->jobs[0], '[') || o->list.is_given)
		return err_set(err, "--live: of one job: 7, 5_1 or 7+1");
	if (o->html || o->format == CSV || o->restart >= 0)
		return err_set(err, "--live: without --html, --csv and "
				    "--restart");
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

	if (o->job_count || o->restart >= 0 || o->is_verbose || list->users ||
	    list->accounts || list->states || list->sort)
		return err_set(err, "--site: of all jobs: only "
				    "--starttime, --endtime, --limit, "
				    "--json, --csv and --html go with it");
	return check_html(o, err) < 0
		       ? -1
		       : site_check(list->since, list->until, err);
}

static int check(const struct options *o, struct err *err)
{
	if (o->is_site)
		return check_site(o, err);
	if (check_live(o, err) < 0)
		return -1;
	if (o->job_count && o->list.is_given)
		return err_set(err, "--user, --account, --starttime, "
				    "--endtime, --state, --sort and --limit "
				    "are for lists: name no job");
	if (check_html(o, err) < 0)
		return -1;
	if (!o->job_count && o->restart >= 0)
		return err_set(err, "--restart: of which job?");
	return 0;
}

/* -1: go on; else the exit status. */
static int parse(struct options *o, int argc, char *argv[])
{
	struct err err;
	int c, rc = 0;

	opterr = 0;
	while (rc == 0 && (c = getopt_long(argc, argv, "j:vu:A:S:E:s:", options,
					   NULL)) != -1) {
		if (c == 'h')
			return fputs(usage, stdout), COMMAND_OK;
		rc = c == '?' ? command_bad_option(NAME, argv[optind - 1], &err)
			      : take_option(o, c, optarg, &err);
	}
	for (; rc == 0 && optind < argc; optind++)
		rc = add_jobs(o, argv[optind], &err);
	if (rc == 0)
		rc = check(o, &err);
	o->list.is_brief = o->format != JSON;
	return rc < 0 ? (int)command_fail(NAME, COMMAND_USAGE, &err) : -1;
}

static void print(const struct job_report *report, enum format format,
		  bool is_first)
{
	if (format == CSV) {
		if (is_first)
			job_print_csv_head(stdout);
		job_print_csv(report, stdout);
	} else if (format == JSON) {
		job_print_json(report, stdout);
		putchar('\n');
	} else {
		if (!is_first)
			putchar('\n');
		job_print_text(report, stdout);
	}
}

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

static struct job_report *get_one(struct reporter *rp, const char *id,
				  struct err *err)
{
	struct job_report *report =
		job_report_get(&rp->source, id, rp->o->restart, err);

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
	print(report, rp->o->format, rp->is_first);
	rp->is_first = false;
}

static void print_group(struct reporter *rp, const struct job_group *group)
{
	size_t i;

	if (group->is_family && group->count && rp->o->format == TEXT) {
		if (!rp->is_first)
			putchar('\n');
		job_print_family(group->id, group->reports, group->count,
				 group->unknown, stdout);
		rp->is_first = false;
		return;
	}
	for (i = 0; i < group->count; i++)
		print_one(rp, group->reports[i]);
}

/* Those that one question tells all of: in JSON each has its other runs, which it
 * does not. */
static int get_together(struct reporter *rp, struct job_group *group,
			char (*ids)[JOB_ID_SIZE], size_t count)
{
	const struct options *o = rp->o;
	size_t i;

	if (o->restart >= 0 || o->format == JSON)
		return 0;
	if (job_report_many(&rp->source, ids, count,
			    o->format == TEXT && !o->html, group->reports) < 0)
		return -1;
	for (i = 0; i < count; i++)
		if (group->reports[i])
			set_up(group->reports[i], o);
	return 0;
}

/* For people their sum and a line for each; else as if each were named. */
static void get_family(struct reporter *rp, struct job_group *group,
		       char (*ids)[JOB_ID_SIZE], size_t count)
{
	struct job_report *report;
	size_t i;

	group->is_family = true;
	group->reports = calloc(count, sizeof(struct job_report *));
	if (!group->reports || get_together(rp, group, ids, count) < 0) {
		err_set(&group->why, "out of memory");
		return;
	}
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

static void take_one(struct job_group *group, struct job_report *report)
{
	group->reports = calloc(1, sizeof(struct job_report *));
	if (group->reports) {
		group->reports[group->count++] = report;
	} else {
		err_set(&group->why, "out of memory");
		job_report_free(report);
	}
}

/* 7 may be an array or a heterogeneous job, whose first part has that number,
 * too. The ledger knows which; of a part that it knows alone, or as a job like others,
 * sacct may know the rest, as it does when it is the one who knows the job. */
static size_t find_family(struct reporter *rp, const char *id,
			  enum job_asked asked, char (*ids)[JOB_ID_SIZE])
{
	if (strpbrk(id, "_+") || rp->o->restart >= 0)
		return 0;
	return job_report_family(&rp->source, asked, id, ids, JOB_FAMILY_MAX);
}

/* What one word names. */
static void get_group(struct reporter *rp, struct job_group *group,
		      const char *id, char (*ids)[JOB_ID_SIZE])
{
	bool is_list = strchr(id, '[') != NULL;
	struct job_report *report = NULL;
	size_t count;

	group->id = id;
	if (is_list)
		count = (size_t)job_report_expand(id, ids, JOB_FAMILY_MAX,
						  NULL);
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
		take_one(group, report);
	}
	if (!group->count && !(group->unknown && rp->o->format != TEXT))
		fail_one(rp, &group->why);
}

static void print_list(struct reporter *rp, const struct job_list *list)
{
	const struct options *o = rp->o;
	struct err err = { "" };
	size_t i;

	if (o->html) {
		if (job_list_page(o->html, list, &o->list, &err) < 0)
			fail_one(rp, &err);
		return;
	}
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
	struct site *site =
		site_get(&rp->source, query->since, query->until, &err);

	if (!site)
		fail_one(rp, &err);
	else if (rp->o->html &&
		 site_page_write(rp->o->html, site, limit, &err) < 0)
		fail_one(rp, &err);
	else if (rp->o->format == JSON)
		site_print_json(stdout, site);
	else if (rp->o->format == CSV)
		site_print_csv(stdout, site);
	else if (!rp->o->html)
		site_print_text(stdout, site, limit);
	site_free(site);
}

/* Of jobs of which nobody knows one the old page stays. */
static void write_page(struct reporter *rp, const struct job_group *groups,
		       size_t count)
{
	struct err err = { "" };
	size_t i, known = 0;
	int rc = 0;

	for (i = 0; i < count; i++)
		known += groups[i].count;
	if (known && count == 1 && !groups->is_family)
		rc = page_write(rp->o->html, groups->reports[0], &err);
	else if (known)
		rc = jobs_page_write(rp->o->html, groups, count, &err);
	if (rc < 0)
		fail_one(rp, &err);
}

static void report_groups(struct reporter *rp, struct job_group *groups,
			  char (*ids)[JOB_ID_SIZE])
{
	const struct options *o = rp->o;
	size_t i;

	for (i = 0; i < o->job_count; i++) {
		get_group(rp, &groups[i], o->jobs[i], ids);
		if (o->html)
			continue;
		print_group(rp, &groups[i]);
		job_group_clear(&groups[i]);
	}
	if (o->html)
		write_page(rp, groups, o->job_count);
	for (i = 0; i < o->job_count; i++)
		job_group_clear(&groups[i]);
}

static void report_jobs(struct reporter *rp)
{
	struct job_group *groups =
		calloc(rp->o->job_count, sizeof(struct job_group));
	char(*ids)[JOB_ID_SIZE] = calloc(JOB_FAMILY_MAX, JOB_ID_SIZE);
	struct err err = { "out of memory" };

	if (!groups || !ids ||
	    job_source_ask_sacct(&rp->source, rp->o->jobs, rp->o->job_count,
				 &err) < 0)
		fail_one(rp, &err);
	if (groups && ids)
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
static int report_all(const struct options *o, const struct config *config,
		      const struct err *why)
{
	struct reporter rp = { .o = o,
			       .source = { .config = config,
					   .is_down = !config },
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
	struct options *o = calloc(1, sizeof(*o));
	struct config *config;
	struct err err;
	int rc;

	if (!o)
		return COMMAND_FAILED;
	setlocale(LC_CTYPE, "");
	tone_init();
	o->restart = RECORD_UNKNOWN;
	job_list_init(&o->list);
	rc = parse(o, argc, argv);
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
