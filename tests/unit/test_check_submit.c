/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job of jobio check --submit: what srun is called with, what its output says, and
 * for how long the ledger and sacct are asked. srun, both of them and the clock are the
 * test's; with real ones: tests/scripts/check_site.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/child.h"
#include "lib/ledger_link.h"
#include "report/check_submit.h"
#include "report/job_report.h"
#include "report/program.h"
#include "report/sacct.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"

static struct {
	bool has_no_srun;
	const char *out, *errtext; /* of srun; out NULL: it does not end */
	int status;
	/* after so many questions there is a record; 0: never */
	unsigned int record_at, summary_at;
	bool is_known; /* by sacct alone */
	const char *code, *severity;
	unsigned long long now_ms;
	/* what was seen */
	char called[1000];
	unsigned int asked, listed, links, pauses;
	size_t reports, rows;
} world;

static struct config config;
static struct findings findings;
static struct doctor doctor = { .findings = &findings,
				.config = &config,
				.slurm_conf_path = "/etc/s.conf" };

/* ---- in the place of others ------------------------------------------------------- */

int program_find(const char *name, char path[PROGRAM_PATH], struct err *err)
{
	ck_assert_str_eq(name, "srun");
	strcpy(path, "/bin/srun");
	return world.has_no_srun ? err_set(err, "no srun") : 0;
}

int __wrap_child_run(char *const argv[], char *const env[],
		     unsigned int timeout_ms, struct child_result *result,
		     struct err *err)
{
	ck_assert_uint_eq(timeout_ms, 120000);
	ck_assert_str_eq(env[0], "SLURM_CONF=/etc/s.conf");
	ck_assert_ptr_null(env[1]);
	*world.called = '\0';
	for (; *argv; argv++)
		strcat(strcat(world.called, *argv), " ");
	if (!world.out)
		return err_set(err, "'srun' did not end");
	result->status = world.status;
	result->out = strdup(world.out);
	result->errtext = strdup(world.errtext);
	return 0;
}

unsigned long long __wrap_child_now_ms(void)
{
	return world.now_ms;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	ck_assert(!time->tv_sec && time->tv_nsec == 500000000);
	world.pauses++;
	world.now_ms += 500;
	return 0;
}

void __wrap_ledger_link_close(struct ledger_link *link)
{
	(void)link;
	world.links--;
}

struct job_report *job_report_get(struct job_source *source, const char *id,
				  int64_t restart, struct err *err)
{
	static struct record_finding finding, two[2];
	static struct record of_node, *record = &of_node;
	struct job_report *r;

	ck_assert_ptr_eq(source->config, &config);
	ck_assert(!source->is_down && !source->link);
	ck_assert_str_eq(id, "7");
	ck_assert_int_eq(restart, RECORD_UNKNOWN);
	world.links++;
	world.asked++;
	strcpy(of_node.node, "n1");
	if (world.code) {
		strcpy(finding.code, world.code);
		strcpy(finding.severity, world.severity);
		finding.text = (char *)"odd";
		finding.cure = (char *)"mend it";
		two[0] = two[1] = finding;
		strcpy(two[1].code, "W11");
		of_node.findings = two;
		of_node.finding_count = 2;
	}
	if (world.asked != world.record_at && !world.is_known) {
		err_set(err, "nobody knows it");
		return NULL;
	}
	r = calloc(1, sizeof(*r));
	r->summary_text = (char *)"jobio/1 rd=1";
	strcpy(r->why_not_ledger, "not in the ledger");
	r->records = &record;
	r->record_count = world.asked == world.record_at;
	world.reports++;
	return r;
}

void job_report_free(struct job_report *report)
{
	world.reports -= report != NULL;
	free(report);
}

/* At first sacct is away, then it does not know the job, then there is no summary. */
struct sacct_rows *sacct_ask(const struct sacct_query *query, struct err *err)
{
	static struct sacct_row row;
	struct sacct_rows *rows;

	ck_assert_str_eq(query->jobs, "7");
	ck_assert(!query->users && !query->since);
	if (++world.listed == 1 && world.summary_at != 1) {
		err_set(err, "sacct is away");
		return NULL;
	}
	rows = calloc(1, sizeof(*rows));
	rows->row = &row;
	rows->count = world.listed != 2 || world.summary_at == 2;
	row.summary =
		world.listed == world.summary_at ? (char *)"jobio/1" : NULL;
	world.rows++;
	return rows;
}

const struct sacct_row *sacct_find(const struct sacct_rows *rows,
				   const char *id)
{
	ck_assert_str_eq(id, "7");
	return rows->count ? rows->row : NULL;
}

void sacct_free(struct sacct_rows *rows)
{
	world.rows -= rows != NULL;
	free(rows);
}

/* ---- what a test says ------------------------------------------------------------- */

#define MARK "JOBIO-CHECK 7 n1 1 31,63\n"

/* All is well, at once. */
static void begin(void)
{
	memset(&world, 0, sizeof(world));
	config.io_cores_min = 2;
	world.out = MARK;
	world.errtext = "";
	world.record_at = world.summary_at = 1;
}

static char *printed;

/* What is found, and what is printed meanwhile. */
static const char *found(const char *partition)
{
	size_t size;
	FILE *out;

	free(printed);
	out = open_memstream(&printed, &size);
	world.asked = world.listed = world.pauses = 0;
	world.now_ms = 1000;
	check_submit(&doctor, partition, out);
	fclose(out);
	ck_assert_uint_eq(world.links, 0);
	ck_assert_uint_eq(world.reports, 0);
	ck_assert_uint_eq(world.rows, 0);
	return said_findings(&findings);
}

static void expect(const char *finding, const char *text)
{
	ck_assert_str_eq(found(NULL), finding);
	ck_assert_str_eq(printed, text);
}

#define RAN                                                                    \
	"option   srun took --io-cores=2: job 7 on node n1\n"                  \
	"prolog   Slurm keeps CPUs 31,63 for the client\n"                     \
	"gate     the task may start, and knows of them\n"
#define LEFT                                                                   \
	"epilog   node n1 has left its record\n"                               \
	"ledger   jobio/1 rd=1\n"
#define SHOWN "report   sacct shows the same\n"

START_TEST(each_part_that_did_its_work_is_a_line)
{
	begin();
	expect("", RAN LEFT SHOWN);
	ck_assert_uint_eq(world.pauses, 0);
	ck_assert_ptr_nonnull(strstr(world.called,
				     "/bin/srun --job-name=jobio-check "
				     "--nodes=1 --ntasks=1 --time=1 "
				     "--immediate=60 --io-cores=2 --quiet "
				     "/bin/sh -c echo JOBIO-CHECK "));
	ck_assert_str_eq(found("test"), "");
	ck_assert_ptr_nonnull(strstr(
		world.called, " --io-cores=2 --partition=test /bin/sh "));
	/* to nobody who wants findings only */
	world.asked = world.listed = 0;
	check_submit(&doctor, NULL, NULL);
	ck_assert_str_eq(said_findings(&findings), "");
	/* what a profile of the user's prints is no matter */
	world.out = "Welcome!\n" MARK "Goodbye\n";
	expect("", RAN LEFT SHOWN);
}
END_TEST

#define T01(status, line)                                                      \
	"T01 error a job with --io-cores=2 did not run: srun ended "           \
	"with " status ": " line                                               \
	"; what the line says; jobio check on the login "                      \
	"host and on the node\n"

START_TEST(a_job_that_did_not_run_is_told_by_sruns_worst_line)
{
	static const char *const unread[] = { "", "JOBIO-CHECK\n",
					      "JOBIO-CHECK 7 n1 1\n31,63 x\n",
					      "JOBIO-CHECK 7\n" };
	size_t i;

	begin();
	world.errtext = "srun: waiting\nsrun: error: no nodes\nmore\n";
	for (i = 0; i < sizeof(unread) / sizeof(unread[0]); i++) {
		world.out = unread[i];
		expect(T01("0", "error: no nodes"), "");
		ck_assert_uint_eq(world.asked, 0);
	}
	world.out = MARK;
	world.status = 3;
	world.errtext = "srun: it ended\nmore\n";
	expect(T01("3", "srun: it ended"), "");
	ck_assert_uint_eq(world.asked + world.listed, 0);
	world.out = NULL;
	expect("T01 error a job with --io-cores did not run: 'srun' did not "
	       "end; name a partition with free nodes: --partition\n",
	       "");
	ck_assert_uint_eq(world.asked + world.listed, 0);
	world.has_no_srun = true;
	expect("T01 error a job did not run: there is no srun in PATH; run it "
	       "on a login host\n",
	       "");
}
END_TEST

START_TEST(a_task_that_knows_no_cores_is_told_and_its_record_is_looked_for)
{
	begin();
	world.out = "JOBIO-CHECK 7 n1 - -\n";
	ck_assert_ptr_nonnull(strstr(found(NULL),
				     "T02 error job 7 ran on node n1 and does "
				     "not know of its io-cores: "));
	ck_assert_str_eq(
		printed,
		"option   srun took --io-cores=2: job 7 on node n1\n" LEFT
			SHOWN);
}
END_TEST

START_TEST(record_and_summary_are_waited_for_a_minute_each)
{
	begin();
	world.record_at = 120;
	world.summary_at = 120;
	expect("", RAN LEFT SHOWN);
	ck_assert_uint_eq(world.pauses, 2 * 119);
	world.is_known = true; /* meanwhile by sacct */
	expect("", RAN LEFT SHOWN);
	world.is_known = false;
	world.record_at = 121;
	world.summary_at = 2;
	ck_assert_str_eq(found(NULL),
			 "T03 error the ledger has no record of job 7 after 60 "
			 "s: nobody knows it; on that node: epilog (S12, S17), "
			 "ledger (L02 to L05), and jobio-send --once\n");
	ck_assert_str_eq(printed, RAN SHOWN);
	ck_assert_uint_eq(world.asked, 120);
	world.is_known = true;
	ck_assert_ptr_nonnull(strstr(found(NULL), "after 60 s: not in the "
						  "ledger; "));
	world.record_at = 1;
	world.summary_at = 121;
	said_expect(found(NULL), "T04 error sacct has no summary of job 7 "
				 "after 60 s: ");
	ck_assert_str_eq(printed, RAN LEFT);
	ck_assert_uint_eq(world.listed, 120);
	ck_assert_uint_eq(world.pauses, 120);
}
END_TEST

START_TEST(findings_of_the_job_are_findings)
{
	begin();
	world.code = "W10";
	world.severity = "warning";
	expect("W10 warning job 7 on node n1: odd; mend it\n"
	       "W11 warning job 7 on node n1: odd; mend it\n",
	       RAN LEFT SHOWN);
}
END_TEST

UNIT_MAIN("check_submit", each_part_that_did_its_work_is_a_line,
	  a_job_that_did_not_run_is_told_by_sruns_worst_line,
	  a_task_that_knows_no_cores_is_told_and_its_record_is_looked_for,
	  record_and_summary_are_waited_for_a_minute_each,
	  findings_of_the_job_are_findings)
