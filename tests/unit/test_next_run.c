/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the next run should ask for; the rest is in tests/scripts/advise.bats. */
#include <string.h>

#include "report/next_run.h"
#include "tests/unit/advice_jobs.h"
#include "tests/unit/runner.h"

static struct config_advice limits;

/* The job of a rule, with other names for its nodes. */
static struct job_report report_of(const char *code, const char *node)
{
	static struct job job;
	struct job_report r = { .id = (char *)"7", .limits = &limits };
	size_t i;

	for (i = 0; strcmp(cases[i].code, code) != 0; i++)
		;
	config_advice_init(&limits);
	job = cases[i].make(true);
	r.records = job.records;
	for (i = 0; i < job.nodes; i++) {
		job.records[i] = make(&job, i);
		snprintf(job.records[i]->node, sizeof(job.records[i]->node),
			 "%s%zu", node, i);
	}
	r.record_count = job.nodes;
	r.summary.nodes_seen = r.summary.nodes_expected = (int64_t)job.nodes;
	return r;
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

	ck_assert_int_eq(next_run_find(&next, &r, runs, 1, NULL), 0);
	for (i = 0; i < next.count; i++)
		if (next.step[i].has_advice &&
		    !strcmp(next.step[i].advice.code, code))
			found = next.step[i];
	ck_assert_msg(found.has_advice, "%s is not told", code);
	release(&r);
	return found;
}

START_TEST(a_name_that_a_shell_would_read_is_in_no_option)
{
	static const char *const names[] = { "c$(id)", "a b", "c;", "*",
					     "-c",     "c'",  "c\n" };
	struct next_step step = step_of("A28", "node-");
	size_t i;

	ck_assert(step.is_taken);
	ck_assert_int_eq(strncmp(step.option, "--exclude=node-", 15), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		step = step_of("A28", names[i]);
		ck_assert_msg(!step.is_taken && !*step.option, "'%s': '%s'",
			      names[i], step.option);
	}
}
END_TEST

START_TEST(without_jobio_conf_there_is_no_profile_to_ask_for)
{
	struct next_step step = step_of("A05", "c");

	ck_assert(!step.is_taken);
	ck_assert_str_eq(step.option, "");
	ck_assert_str_eq(
		step.note,
		"jobio.conf has no profile with forcedirect on this host");
}
END_TEST

UNIT_MAIN("next_run", a_name_that_a_shell_would_read_is_in_no_option,
	  without_jobio_conf_there_is_no_profile_to_ask_for)
