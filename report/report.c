/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio report - what jobs read and wrote, and what was done for them. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/config.h"
#include "lib/number.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/job_print.h"
#include "report/job_report.h"

#define NAME "report"
#define JOBS_MAX 1000

static const char usage[] =
	"usage: jobio report [OPTION]... JOB...\n"
	"\n"
	"Shows what jobs read and wrote, and what was done for them. A JOB is\n"
	"7, 5_1 (array task) or 7+1 (component of a heterogeneous job).\n"
	"\n"
	"  -j, --jobs=A,B,C   more jobs\n"
	"  --restart=N        this run of a requeued job, not the newest\n"
	"  --json             one JSON object a line\n"
	"  --csv              one line a job\n"
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
	const char *conf;
	enum format format;
	int64_t restart;
	char *jobs[JOBS_MAX];
	size_t job_count;
};

static int add_jobs(struct options *o, char *list, struct err *err)
{
	char *id, *rest = NULL;

	for (id = strtok_r(list, ",", &rest); id;
	     id = strtok_r(NULL, ",", &rest)) {
		if (job_report_check_id(id, err) < 0)
			return -1;
		if (o->job_count == JOBS_MAX)
			return err_set(err, "more than %d jobs", JOBS_MAX);
		o->jobs[o->job_count++] = id;
	}
	return 0;
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

/* -1: go on; else the exit status. */
static int parse(struct options *o, int argc, char *argv[])
{
	static const struct option options[] = {
		{ "jobs", required_argument, NULL, 'j' },
		{ "restart", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'J' },
		{ "csv", no_argument, NULL, 'C' },
		{ "conf", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct err err;
	int c, index = 0, rc = 0;

	opterr = 0;
	while (rc == 0 &&
	       (c = getopt_long(argc, argv, "j:", options, &index)) != -1) {
		if (c != '?' && c != 'j' &&
		    command_empty_value(options[index].name, optarg, &err) < 0)
			rc = -1;
		else if (c == 'j')
			rc = add_jobs(o, optarg, &err);
		else if (c == 'r')
			rc = set_restart(o, optarg, &err);
		else if (c == 'J')
			rc = set_format(o, JSON, &err);
		else if (c == 'C')
			rc = set_format(o, CSV, &err);
		else if (c == 'c')
			o->conf = optarg;
		else if (c == 'h')
			return fputs(usage, stdout), COMMAND_OK;
		else
			rc = command_bad_option(NAME, argv[optind - 1], &err);
	}
	for (; rc == 0 && optind < argc; optind++)
		rc = add_jobs(o, argv[optind], &err);
	if (rc == 0 && !o->job_count)
		rc = err_set(&err, "which job? see jobio report --help");
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

/* 'config' NULL: there is none here, for 'why'; sacct may know. */
static int report_all(const struct options *o, const struct config *config,
		      const struct err *why)
{
	struct job_source source = { .config = config, .is_down = !config };
	struct job_report *report;
	int rc = COMMAND_OK, is_first = 1;
	struct err err;
	size_t i;

	if (!config)
		source.why_down = *why;
	for (i = 0; i < o->job_count; i++) {
		report = job_report_get(&source, o->jobs[i], o->restart, &err);
		if (!report) {
			fflush(stdout);
			rc = command_fail(NAME, COMMAND_FAILED, &err);
			continue;
		}
		print(report, o->format, is_first);
		is_first = 0;
		job_report_free(report);
	}
	ledger_link_close(source.link);
	return rc;
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
	o->restart = RECORD_UNKNOWN;
	rc = parse(o, argc, argv);
	if (rc >= 0)
		goto out;
	config = config_load(o->conf, &err);
	if (!config && (o->conf || errno != ENOENT)) {
		rc = command_fail(
			NAME, o->conf ? COMMAND_USAGE : COMMAND_FAILED, &err);
		goto out;
	}
	rc = report_all(o, config, &err);
	config_free(config);
out:
	free(o);
	return rc;
}
