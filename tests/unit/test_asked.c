/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a node lets a job have of what it asks for; and what a prolog writes into
 * the node's log. slurmctld, the clients and the log are here. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/log.h"
#include "lib/child.h"
#include "prolog/ask_slurm.h"
#include "prolog/asked.h"
#include "tests/unit/append.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"

/* ---- slurmctld, the log and the clients ---------------------------------- */

static struct slurm {
	int calls, status;
	bool fails;
	const char *says;
	unsigned int timeout_ms;
	char what[16], id[16], more[300]; /* "-": none */
} slurm;

int ask_slurm(unsigned int timeout_ms, const char *what, const char *id,
	      const char *more, struct child_result *result, struct err *err)
{
	slurm.calls++;
	slurm.timeout_ms = timeout_ms;
	snprintf(slurm.what, sizeof(slurm.what), "%s", what);
	snprintf(slurm.id, sizeof(slurm.id), "%s", id);
	snprintf(slurm.more, sizeof(slurm.more), "%s", more ? more : "-");
	if (slurm.fails)
		return err_set(err, ASK_SLURM_NO_TIME);
	memset(result, 0, sizeof(*result));
	result->status = slurm.status;
	result->out = strdup("");
	result->errtext = strdup(slurm.says ? slurm.says : "");
	return 0;
}

static char logged[2000];

void log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_list(logged, sizeof(logged), format, args);
	va_end(args);
	append(logged, sizeof(logged), "\n");
}

static bool cached[2]; /* was the client not asked anew? */

bool client_is_cached(const struct client *client)
{
	return *(const bool *)(const void *)client;
}

void client_close(struct client *client)
{
	(void)client;
}

/* ---- a node that allows 1 to 2 io-cores and has the profile 'stream' ------- */

#define CURE "install the same jobio.conf on submit hosts and nodes"
#define TOO_MANY "jobio.conf of this node allows 1 to 2, the job asks for 3"
#define NO_PROFILE "jobio.conf of this node has no such profile"

static struct config *config;
static struct visit visit;

static void start(void)
{
	config = conf_load("[profile stream]\ndescription = large\n");
	config->io_cores_min = 1;
	config->io_cores_max = 2;
	visit = (struct visit){ .config = config };
	visit.job.id = 7;
	strcpy(visit.job.node, "n1");
	clearenv();
}

static void end(void)
{
	visit_free(&visit);
	config_free(config);
}

static void asks(const char *cores, const char *profile)
{
	setenv("SPANK_JOBIO_VERSION", "1", 1);
	if (cores)
		setenv("SPANK_JOBIO_IO_CORES", cores, 1);
	if (profile)
		setenv("SPANK_JOBIO_IO_PROFILE", profile, 1);
}

static void expect_finding(size_t at, const char *code,
			   enum finding_severity severity, const char *text)
{
	ck_assert_uint_gt(visit.findings.count, at);
	ck_assert_str_eq(visit.findings.list[at].code, code);
	ck_assert_int_eq(visit.findings.list[at].severity, severity);
	ck_assert_str_eq(visit.findings.list[at].text, text);
	ck_assert_ptr_eq(strstr(visit.findings.list[at].cure, CURE),
			 visit.findings.list[at].cure);
}

START_TEST(a_job_that_asks_for_nothing_has_no_request)
{
	start();
	asked_read(&visit);
	ck_assert(!visit.has_request && !visit.is_to_hold);
	ck_assert_str_eq(visit.refused, "");
	ck_assert_uint_eq(visit.findings.count, 0);
	end();
}
END_TEST

START_TEST(what_the_node_allows_is_followed)
{
	enum on_mismatch all[] = { MISMATCH_CONTINUE, MISMATCH_HOLD,
				   MISMATCH_REFUSE };
	size_t i;

	for (i = 0; i < 3; i++) {
		start();
		config->on_mismatch = all[i];
		asks("2", "stream");
		asked_read(&visit);
		ck_assert(visit.has_request && !visit.is_to_hold);
		ck_assert_uint_eq(visit.request.io_cores, 2);
		ck_assert_str_eq(visit.request.profile, "stream");
		ck_assert_uint_eq(visit.findings.count, 0);
		ck_assert_str_eq(visit.refused, "");
		ck_assert_str_eq(visit.no_cores.text, "");
		ck_assert_str_eq(visit.no_profile.text, "");
		end();
	}
}
END_TEST

START_TEST(cores_that_are_not_allowed_are_left_out_and_the_profile_stays)
{
	start();
	asks("3", "stream");
	asked_read(&visit);
	ck_assert(visit.has_request && !visit.is_to_hold);
	ck_assert_uint_eq(visit.asked.io_cores, 3);
	ck_assert_uint_eq(visit.request.io_cores, 0);
	ck_assert_str_eq(visit.request.profile, "stream");
	ck_assert_str_eq(visit.no_cores.text, TOO_MANY);
	ck_assert_str_eq(visit.no_profile.text, "");
	ck_assert_uint_eq(visit.findings.count, 1);
	expect_finding(0, "W58", FINDING_WARNING,
		       "the job's io-cores are left out: " TOO_MANY);
	ck_assert_str_eq(visit.refused, "");
	end();
}
END_TEST

START_TEST(a_profile_that_is_not_here_is_left_out_and_the_cores_stay)
{
	start();
	asks("2", "turbo");
	asked_read(&visit);
	ck_assert_uint_eq(visit.request.io_cores, 2);
	ck_assert_str_eq(visit.request.profile, "");
	ck_assert_str_eq(visit.asked.profile, "turbo");
	ck_assert_str_eq(visit.no_profile.text, NO_PROFILE);
	ck_assert_str_eq(visit.no_cores.text, "");
	ck_assert_uint_eq(visit.findings.count, 1);
	expect_finding(0, "W58", FINDING_WARNING,
		       "profile 'turbo' is left out: " NO_PROFILE);
	end();
}
END_TEST

START_TEST(what_was_allowed_elsewhere_is_told)
{
	start();
	asks("3", "turbo");
	setenv("SPANK_JOBIO_JUDGED", "1-4,0123456789abcdef", 1);
	asked_read(&visit);
	ck_assert_uint_eq(visit.findings.count, 2);
	expect_finding(0, "W58", FINDING_WARNING,
		       "the job's io-cores are left out: " TOO_MANY
		       "; where it was submitted 1 to 4 were allowed");
	expect_finding(1, "W58", FINDING_WARNING,
		       "profile 'turbo' is left out: " NO_PROFILE
		       "; where the job was submitted there was one");
	end();
}
END_TEST

/* The findings about a profile whose judgement says this. */
static size_t findings_with(const char *digest)
{
	char judged[40];
	size_t count;

	start();
	asks(NULL, "stream");
	snprintf(judged, sizeof(judged), "1-4,%s", digest);
	setenv("SPANK_JOBIO_JUDGED", judged, 1);
	asked_read(&visit);
	ck_assert_str_eq(visit.request.profile, "stream");
	count = visit.findings.count;
	if (count)
		expect_finding(
			0, "W59", FINDING_INFO,
			"profile 'stream' sets something else here than "
			"where the job was submitted: it is as this node "
			"has it");
	end();
	return count;
}

START_TEST(a_profile_that_sets_something_else_here_is_told)
{
	char same[20];

	start();
	snprintf(same, sizeof(same), "%016llx",
		 (unsigned long long)config_profile_digest(config, "stream"));
	end();
	ck_assert_uint_eq(findings_with(same), 0);
	ck_assert_uint_eq(findings_with("0000000000000000"), 1);
	ck_assert_uint_eq(findings_with("not a digest"), 0);
}
END_TEST

START_TEST(a_site_that_refuses_says_what_is_wrong)
{
	start();
	config->on_mismatch = MISMATCH_REFUSE;
	asks("3", NULL);
	asked_read(&visit);
	ck_assert(visit.has_request && !visit.is_to_hold);
	ck_assert_str_eq(visit.refused, "--io-cores: '3': this site allows 1 "
					"to 2 io-cores");
	ck_assert_uint_eq(visit.findings.count, 0);
	end();
}
END_TEST

START_TEST(a_request_that_nobody_of_ours_wrote_is_refused)
{
	start();
	asks("zwei", NULL);
	asked_read(&visit);
	ck_assert(!visit.has_request);
	ck_assert_ptr_eq(strstr(visit.refused, "SPANK_JOBIO_IO_CORES: "),
			 visit.refused);
	ck_assert_uint_eq(visit.findings.count, 0);
	end();
}
END_TEST

#define NEWER "a newer jobio than this node's wrote the job's request"

static void read_newer(enum on_mismatch on_mismatch)
{
	start();
	config->on_mismatch = on_mismatch;
	asks("2", NULL);
	setenv("SPANK_JOBIO_VERSION", "2", 1);
	asked_read(&visit);
	ck_assert(!visit.has_request);
	ck_assert_uint_eq(visit.request.io_cores, 0);
}

START_TEST(a_request_of_a_newer_jobio_is_left_out_held_or_refused)
{
	read_newer(MISMATCH_CONTINUE);
	ck_assert(!visit.is_to_hold);
	ck_assert_str_eq(visit.refused, "");
	ck_assert_str_eq(visit.note,
			 "the job's I/O options have no effect: " NEWER);
	ck_assert_uint_eq(visit.findings.count, 1);
	ck_assert_str_eq(visit.findings.list[0].code, "W58");
	ck_assert_int_eq(visit.findings.list[0].severity, FINDING_WARNING);
	ck_assert_str_eq(visit.findings.list[0].text,
			 "the job's I/O options are left out: " NEWER);
	end();
	read_newer(MISMATCH_HOLD);
	ck_assert(visit.is_to_hold);
	ck_assert_str_eq(visit.refused, "");
	end();
	read_newer(MISMATCH_REFUSE);
	ck_assert(!visit.is_to_hold);
	ck_assert_str_eq(visit.refused, NEWER);
	ck_assert_str_eq(visit.note, "");
	ck_assert_uint_eq(visit.findings.count, 0);
	end();
}
END_TEST

/* ---- held ---------------------------------------------------------------- */

static void start_hold(const char *cores, const char *profile)
{
	start();
	config->on_mismatch = MISMATCH_HOLD;
	asks(cores, profile);
	asked_read(&visit);
	ck_assert(visit.is_to_hold);
	visit.end_ms = child_now_ms() + 60000;
	slurm = (struct slurm){ .status = 0 };
}

START_TEST(a_job_is_held_with_a_comment_that_says_why)
{
	start_hold("3", NULL);
	asked_hold(&visit);
	ck_assert_int_eq(slurm.calls, 1);
	ck_assert_str_eq(slurm.what, "hold");
	ck_assert_str_eq(slurm.id, "7");
	ck_assert_str_eq(slurm.more, "jobio: node n1: held: " TOO_MANY);
	ck_assert_uint_le(slurm.timeout_ms, 30000); /* half of what is left */
	ck_assert_uint_gt(slurm.timeout_ms, 25000);
	ck_assert_str_eq(visit.refused,
			 "put back into the queue and held: " TOO_MANY);
	end();
	start_hold("3", "turbo");
	asked_hold(&visit);
	ck_assert_str_eq(slurm.more,
			 "jobio: node n1: held: profile 'turbo': " NO_PROFILE);
	end();
	read_newer(MISMATCH_HOLD);
	visit.end_ms = child_now_ms() + 60000;
	asked_hold(&visit);
	ck_assert_str_eq(slurm.more,
			 "jobio: node n1: held: the job's I/O options have no "
			 "effect: " NEWER);
	end();
}
END_TEST

START_TEST(a_comment_that_is_the_ledgers_is_left_alone)
{
	start_hold("3", NULL);
	config->ledger.field = LEDGER_FIELD_ADMIN;
	asked_hold(&visit);
	ck_assert_str_eq(slurm.more, "-");
	ck_assert_str_eq(visit.refused,
			 "put back into the queue and held: " TOO_MANY);
	end();
}
END_TEST

START_TEST(a_job_that_cannot_be_held_runs_without)
{
	start_hold("3", NULL);
	slurm.status = 1;
	slurm.says = "no batch job\nand more";
	asked_hold(&visit);
	ck_assert_str_eq(visit.refused, "");
	ck_assert_uint_eq(visit.findings.count, 2);
	ck_assert_str_eq(visit.findings.list[1].code, "W60");
	ck_assert_int_eq(visit.findings.list[1].severity, FINDING_WARNING);
	ck_assert_str_eq(visit.findings.list[1].text,
			 "the job could not be held, and runs without what it "
			 "asked for: no batch job");
	end();
	start_hold("3", NULL);
	slurm.fails = true;
	asked_hold(&visit);
	ck_assert_str_eq(visit.refused, "");
	ck_assert_str_eq(visit.findings.list[1].text,
			 "the job could not be held, and runs without what it "
			 "asked for: " ASK_SLURM_NO_TIME);
	end();
}
END_TEST

START_TEST(slurmctld_is_asked_to_hold_no_other_job)
{
	struct err why;

	start_hold("3", NULL);
	visit.is_to_hold = false;
	asked_hold(&visit);
	ck_assert_int_eq(slurm.calls, 0);
	visit.is_to_hold = true;
	err_set(&why, "for another reason");
	visit_refuse(&visit, &why);
	asked_hold(&visit);
	ck_assert_int_eq(slurm.calls, 0);
	ck_assert_str_eq(visit.refused, "for another reason");
	end();
}
END_TEST

/* ---- the visit ----------------------------------------------------------- */

START_TEST(the_first_reason_of_a_refusal_stays)
{
	struct err why;

	start();
	err_set(&why, "first");
	visit_refuse(&visit, &why);
	err_set(&why, "second");
	visit_refuse(&visit, &why);
	ck_assert_str_eq(visit.refused, "first");
	end();
}
END_TEST

START_TEST(time_that_is_over_is_none)
{
	start();
	visit.end_ms = 1;
	ck_assert_uint_eq(visit_time_left_ms(&visit), 0);
	visit.end_ms = child_now_ms() + 5000;
	ck_assert_uint_le(visit_time_left_ms(&visit), 5000);
	ck_assert_uint_gt(visit_time_left_ms(&visit), 1000);
	end();
}
END_TEST

/* Findings of two clients, one of nobody, and one that is no fault. */
static void find_some(void)
{
	start();
	findings_add(&visit.findings, "W01", FINDING_ERROR, "do", "one");
	findings_add(&visit.findings, "W02", FINDING_ERROR, NULL, "two");
	findings_add(&visit.findings, "W03", FINDING_WARNING, NULL, "three");
	findings_add(&visit.findings, "W04", FINDING_INFO, NULL, "four");
	visit.client_count = 2;
	visit.clients[0] = (struct client *)(void *)&cached[0];
	visit.clients[1] = (struct client *)(void *)&cached[1];
	visit.judged_to[0] = visit.judged_from[1] = 1;
	visit.judged_to[1] = 2;
}

static void expect_logged(const char *wanted)
{
	*logged = '\0';
	visit_log(&visit);
	ck_assert_str_eq(logged, wanted);
}

START_TEST(what_a_client_said_before_is_not_logged_again)
{
	find_some();
	cached[0] = true;
	expect_logged("W02 two; cure: \nW03 three; cure: \n");
	cached[1] = true;
	expect_logged("");
	cached[0] = false;
	expect_logged("W01 one; cure: do\nW03 three; cure: \n");
	cached[0] = cached[1] = false;
	expect_logged(
		"W01 one; cure: do\nW02 two; cure: \nW03 three; cure: \n");
	end();
}
END_TEST

START_TEST(errors_are_logged_with_each_job_that_asks_for_something)
{
	find_some();
	cached[0] = cached[1] = true;
	visit.has_request = true;
	expect_logged("W01 one; cure: do\nW02 two; cure: \n");
	end();
}
END_TEST

START_TEST(without_clients_errors_alone_are_logged)
{
	find_some();
	visit.client_count = 0;
	expect_logged("W01 one; cure: do\nW02 two; cure: \n");
	end();
}
END_TEST

START_TEST(what_was_mended_and_refused_is_logged)
{
	start();
	expect_logged("");
	visit.mended = 2;
	expect_logged("mended what dead jobs had left: 2 settings put back, 0 "
		      "records\n");
	visit.mended = 0;
	visit.finished = 1;
	strcpy(visit.refused, "no");
	expect_logged("mended what dead jobs had left: 0 settings put back, 1 "
		      "records\nrefused: no\n");
	end();
}
END_TEST

UNIT_MAIN("asked", a_job_that_asks_for_nothing_has_no_request,
	  what_the_node_allows_is_followed,
	  cores_that_are_not_allowed_are_left_out_and_the_profile_stays,
	  a_profile_that_is_not_here_is_left_out_and_the_cores_stay,
	  what_was_allowed_elsewhere_is_told,
	  a_profile_that_sets_something_else_here_is_told,
	  a_site_that_refuses_says_what_is_wrong,
	  a_request_that_nobody_of_ours_wrote_is_refused,
	  a_request_of_a_newer_jobio_is_left_out_held_or_refused,
	  a_job_is_held_with_a_comment_that_says_why,
	  a_comment_that_is_the_ledgers_is_left_alone,
	  a_job_that_cannot_be_held_runs_without,
	  slurmctld_is_asked_to_hold_no_other_job,
	  the_first_reason_of_a_refusal_stays, time_that_is_over_is_none,
	  what_a_client_said_before_is_not_logged_again,
	  errors_are_logged_with_each_job_that_asks_for_something,
	  without_clients_errors_alone_are_logged,
	  what_was_mended_and_refused_is_logged)
