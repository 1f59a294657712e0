/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the prolog tells a job that does not get all that it asked for, and what it
 * tells the gate. The clients are here: what they are is said by the test. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/record.h"
#include "lib/rundir.h"
#include "lib/sysfs.h"
#include "prolog/clients.h"
#include "prolog/gates.h"
#include "prolog/lack.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* ---- clients ------------------------------------------------------------- */

static struct client_facts facts[2];
static bool takes_profile, has_profile;
static size_t without_profile; /* the first; client_count: none */

const struct client_facts *client_facts(const struct client *client)
{
	return (const struct client_facts *)(const void *)client;
}

bool clients_take_profile(const struct visit *visit)
{
	(void)visit;
	return takes_profile;
}

size_t clients_without_profile(const struct visit *visit)
{
	(void)visit;
	return without_profile;
}

bool clients_have_profile(const struct visit *visit)
{
	(void)visit;
	return has_profile;
}

/* The profile was not applied, by this client first. */
static void lacks_at(size_t client)
{
	has_profile = false;
	without_profile = client;
}

/* ---- a job that asks for 2 io-cores and a profile, and gets both ------------ */

static struct config config;
static struct config_client sections[2];
static struct record state;
static struct visit visit;

/* "0-1" of these two. */
static struct cpuset cpus(unsigned int a, unsigned int b)
{
	struct cpuset set;

	cpuset_zero(&set);
	cpuset_add(&set, a);
	cpuset_add(&set, b);
	return set;
}

static void start(void)
{
	static char run_dir[300];
	size_t i;

	snprintf(run_dir, sizeof(run_dir), "%s", tempdir_make());
	sysfs_set_root(run_dir); /* each CPU is a core */
	config = (struct config){ .gate = GATE_WARN, .run_dir = run_dir };
	visit = (struct visit){ .config = &config, .state = &state };
	visit.job.id = 7;
	visit.client_count = without_profile = 2;
	takes_profile = has_profile = true;
	for (i = 0; i < 2; i++) {
		facts[i] = (struct client_facts){ .name = i ? "home" : "work",
						  .type = i ? "nfs" : "weka",
						  .cpus_known = true,
						  .mount_count = 1 };
		sections[i].name = (char *)facts[i].name;
		visit.sections[i] = &sections[i];
		visit.clients[i] = (struct client *)(void *)&facts[i];
	}
	facts[0].frontend_cpus = visit.want.io_cpus = cpus(0, 1);
	visit.want.has_io_cores = true;
	visit.request.io_cores = 2;
	strcpy(visit.request.profile, "stream");
	visit.asked = visit.request;
	state.profile_applied = state.cores_met = 7;
}

static void end(void)
{
	findings_free(&visit.findings);
	tempdir_remove();
}

static void expect_note(const char *wanted)
{
	*visit.note = '\0';
	lack_describe(&visit);
	ck_assert_str_eq(visit.note, wanted);
}

static void find(enum finding_severity severity, const char *text)
{
	findings_add(&visit.findings, "W01", severity, "see to it", "%s", text);
	visit.findings_judge = visit.findings.count;
}

START_TEST(a_job_that_gets_all_is_told_nothing)
{
	start();
	expect_note("");
	ck_assert_int_eq(state.profile_applied, 1);
	ck_assert_int_eq(state.cores_met, 1);
	end();
}
END_TEST

START_TEST(nothing_is_said_of_what_was_not_asked_for)
{
	start();
	visit.request = (struct request){ .io_cores = 0 };
	lacks_at(0);
	facts[0].frontend_cpus = cpus(5, 6);
	expect_note("");
	ck_assert_int_eq(state.profile_applied, 7);
	ck_assert_int_eq(state.cores_met, 7);
	end();
}
END_TEST

START_TEST(a_job_that_is_refused_is_told_that_alone)
{
	start();
	lacks_at(0);
	facts[0].frontend_cpus = cpus(5, 6);
	strcpy(visit.refused, "no");
	expect_note("");
	end();
}
END_TEST

#define NOT_APPLIED "profile 'stream' was not applied: "

START_TEST(why_a_profile_was_not_applied_is_the_worst_that_was_found)
{
	start();
	lacks_at(1);
	find(FINDING_ERROR, "before the clients");
	visit.findings_client = 1;
	find(FINDING_INFO, "a remark");
	find(FINDING_WARNING, "the job shares its node");
	find(FINDING_WARNING, "another");
	findings_add(&visit.findings, "W02", FINDING_ERROR, "", "of its rules");
	expect_note(NOT_APPLIED "the job shares its node");
	ck_assert_int_eq(state.profile_applied, 0);
	visit.findings.list[2].is_users = true;
	expect_note(NOT_APPLIED "the job shares its node; see to it");
	end();
}
END_TEST

START_TEST(a_profile_of_other_clients_settings_is_told_as_such)
{
	start();
	lacks_at(0);
	takes_profile = false;
	find(FINDING_ERROR, "broken");
	expect_note(NOT_APPLIED
		    "it has no setting that this node's client takes");
	visit.client_count = 0;
	visit.request.io_cores = 0;
	expect_note(NOT_APPLIED "broken");
	end();
}
END_TEST

START_TEST(a_client_without_filesystems_is_why_a_profile_was_not_applied)
{
	start();
	lacks_at(1);
	facts[1].mount_count = 0;
	expect_note(NOT_APPLIED "no filesystem of [client home] is mounted");
	end();
}
END_TEST

START_TEST(what_the_clients_own_rules_found_is_why_when_it_is_an_error)
{
	start();
	lacks_at(1);
	findings_add(&visit.findings, "W01", FINDING_ERROR, "", "of the first");
	findings_add(&visit.findings, "W02", FINDING_WARNING, "", "slow");
	findings_add(&visit.findings, "W03", FINDING_ERROR, "", "it is down");
	visit.judged_to[0] = visit.judged_from[1] = 1;
	visit.judged_to[1] = 2;
	expect_note(NOT_APPLIED "the client's settings are others");
	visit.judged_to[1] = 3;
	expect_note(NOT_APPLIED "it is down");
	visit.judged_to[1] = 99; /* no more than there are */
	expect_note(NOT_APPLIED "it is down");
	end();
}
END_TEST

START_TEST(without_any_client_nothing_is_applied_and_that_is_why)
{
	start();
	visit.client_count = 0;
	lacks_at(0);
	state.cores_met = 7;
	expect_note(NOT_APPLIED
		    "the client's settings are others; io-cores without use: "
		    "the node has no filesystem client");
	ck_assert_int_eq(state.cores_met, 7);
	find(FINDING_ERROR, "weka is not there");
	expect_note(NOT_APPLIED "weka is not there; io-cores without use: weka "
				"is not there");
	end();
}
END_TEST

START_TEST(
	what_the_node_does_not_allow_is_told_with_the_name_that_was_asked_for)
{
	start();
	strcpy(visit.asked.profile, "turbo");
	*visit.request.profile = '\0';
	visit.request.io_cores = 0;
	err_set(&visit.no_profile, "no such profile");
	err_set(&visit.no_cores, "too many");
	expect_note("profile 'turbo' was not applied: no such profile; "
		    "io-cores without use: too many");
	end();
}
END_TEST

START_TEST(a_client_on_other_cores_is_told)
{
	start();
	facts[0].frontend_cpus = cpus(1, 2);
	expect_note("io-cores without use: the filesystem client works on CPU "
		    "1-2, Slurm reserved CPU 0-1 for it");
	ck_assert_int_eq(state.cores_met, 0);
	end();
}
END_TEST

START_TEST(the_cores_of_all_clients_count_or_of_the_one_that_owns_them)
{
	start();
	facts[1].frontend_cpus = cpus(4, 5);
	visit.owner = 0;
	expect_note("");
	ck_assert_int_eq(state.cores_met, 1);
	visit.owner = 1;
	expect_note("io-cores without use: the filesystem client works on CPU "
		    "4-5, Slurm reserved CPU 0-1 for it");
	visit.owner = 2; /* nobody */
	expect_note("io-cores without use: the filesystem client works on CPU "
		    "0-1,4-5, Slurm reserved CPU 0-1 for it");
	end();
}
END_TEST

START_TEST(cores_that_nobody_knows_are_neither_met_nor_not)
{
	start();
	visit.want.has_io_cores = false;
	expect_note("");
	ck_assert_int_eq(state.cores_met, -1);
	state.cores_met = 7;
	visit.want.has_io_cores = true;
	facts[0].cpus_known = false;
	expect_note("");
	ck_assert_int_eq(state.cores_met, -1);
	state.cores_met = 7;
	facts[0].cpus_known = true;
	cpuset_zero(&facts[0].frontend_cpus); /* it has no CPU of its own */
	expect_note("");
	ck_assert_int_eq(state.cores_met, -1);
	end();
}
END_TEST

/* ---- gates --------------------------------------------------------------- */

/* The gate file of job 7, or of the node; 1, or 0 there is none. */
static int gate_of(bool is_job, struct gatefile *gate)
{
	char path[RUNDIR_PATH_MAX];
	struct err err = { "" };
	int rc;

	if (is_job)
		rundir_job_file(path, config.run_dir, 7, RUNDIR_GATE, NULL);
	else
		rundir_node_file(path, config.run_dir, RUNDIR_GATE, NULL);
	rc = gatefile_read(path, gate, &err);
	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc;
}

static void expect_cpus(const struct cpuset *set, const char *wanted)
{
	char *text = cpuset_format(set);

	ck_assert_str_eq(text, wanted);
	free(text);
}

static void write_gates(void)
{
	struct err err = { "" };

	mkdir(tempdir_path("7"), 0700);
	ck_assert_msg(gates_write(&visit, &err) == 0, "%s", err.text);
}

START_TEST(the_gate_of_a_job_knows_what_it_has)
{
	struct gatefile gate;

	start();
	state.profile_applied = 1;
	strcpy(visit.note, "a note");
	write_gates();
	ck_assert_int_eq(gate_of(true, &gate), 1);
	ck_assert_int_eq(gate.policy, GATE_WARN);
	ck_assert(!gate.refuse);
	ck_assert_str_eq(gate.note, "a note");
	ck_assert_str_eq(gate.client, "weka:work");
	expect_cpus(&gate.client_cpus, "0-1");
	ck_assert_uint_eq(gate.request.io_cores, 2);
	ck_assert_str_eq(gate.request.profile, "stream");
	expect_cpus(&gate.io_cpus, "0-1");
	end();
}
END_TEST

START_TEST(the_gate_of_the_node_knows_the_clients_cpus_alone)
{
	struct gatefile gate;

	start();
	strcpy(visit.note, "a note");
	write_gates();
	ck_assert_int_eq(gate_of(false, &gate), 1);
	ck_assert_int_eq(gate.policy, GATE_WARN);
	ck_assert_str_eq(gate.client, "weka:work");
	expect_cpus(&gate.client_cpus, "0-1");
	ck_assert_str_eq(gate.note, "");
	ck_assert_uint_eq(gate.request.io_cores, 0);
	ck_assert(cpuset_is_empty(&gate.io_cpus));
	end();
}
END_TEST

START_TEST(a_job_is_not_told_that_it_has_what_it_has_not)
{
	struct gatefile gate;

	start();
	state.profile_applied = 0;
	visit.want.has_io_cores = false;
	write_gates();
	gate_of(true, &gate);
	ck_assert_str_eq(gate.request.profile, "");
	ck_assert_uint_eq(gate.request.io_cores, 2);
	ck_assert(cpuset_is_empty(&gate.io_cpus));
	visit.want.has_io_cores = true;
	visit.request.io_cores = 0;
	write_gates();
	gate_of(true, &gate);
	ck_assert_uint_eq(gate.request.io_cores, 0);
	ck_assert(cpuset_is_empty(&gate.io_cpus));
	end();
}
END_TEST

START_TEST(the_refusal_of_a_job_is_none_of_the_nodes)
{
	struct gatefile gate;

	start();
	strcpy(visit.refused, "too many cores");
	write_gates();
	ck_assert_int_eq(gate_of(true, &gate), 1);
	ck_assert(gate.refuse);
	ck_assert_str_eq(gate.reason, "too many cores");
	ck_assert_int_eq(gate_of(false, &gate), 0);
	end();
}
END_TEST

START_TEST(the_gate_names_the_first_client_that_has_cpus_or_may_have)
{
	struct gatefile gate;

	start();
	cpuset_zero(&facts[0].frontend_cpus);
	facts[1].frontend_cpus = cpus(4, 5);
	write_gates();
	gate_of(true, &gate);
	ck_assert_str_eq(gate.client, "nfs:home");
	expect_cpus(&gate.client_cpus, "4-5");
	cpuset_zero(&facts[1].frontend_cpus); /* none has: the first */
	write_gates();
	gate_of(true, &gate);
	ck_assert_str_eq(gate.client, "weka:work");
	ck_assert(cpuset_is_empty(&gate.client_cpus));
	facts[1].cpus_known = false;
	write_gates();
	gate_of(true, &gate);
	ck_assert_str_eq(gate.client, "nfs:home");
	visit.client_count = 0;
	write_gates();
	gate_of(true, &gate);
	ck_assert_str_eq(gate.client, "");
	end();
}
END_TEST

START_TEST(cpus_that_a_client_does_not_tell_are_those_that_it_told_last)
{
	struct gatefile gate;

	start();
	write_gates();
	facts[0].cpus_known = false;
	facts[0].frontend_cpus = cpus(8, 9); /* means nothing */
	facts[1].frontend_cpus = cpus(4, 5);
	write_gates();
	gate_of(true, &gate);
	ck_assert_str_eq(gate.client, "weka:work");
	expect_cpus(&gate.client_cpus, "0-1,4-5");
	facts[0].cpus_known = true;
	write_gates();
	gate_of(true, &gate);
	expect_cpus(&gate.client_cpus, "4-5,8-9");
	end();
}
END_TEST

START_TEST(where_jobio_is_off_the_gate_tells_the_note_alone)
{
	struct err err = { "" };
	struct gatefile gate;

	start();
	mkdir(tempdir_path("7"), 0700);
	config.gate = GATE_ENFORCE;
	strcpy(visit.note, "off here");
	ck_assert_int_eq(gates_write_off(&visit, &err), 0);
	ck_assert_int_eq(gate_of(true, &gate), 1);
	ck_assert_int_eq(gate.policy, GATE_OFF);
	ck_assert_str_eq(gate.note, "off here");
	ck_assert_str_eq(gate.client, "");
	ck_assert_int_eq(gate_of(false, &gate), 0);
	end();
}
END_TEST

START_TEST(a_gate_that_cannot_be_written_is_said)
{
	static char long_dir[RUNDIR_PATH_MAX];
	struct err err = { "" };

	start();
	ck_assert_int_eq(gates_write(&visit, &err),
			 -1); /* RUN/7 is not there */
	ck_assert_str_ne(err.text, "");
	err.text[0] = '\0';
	ck_assert_int_eq(gates_write_off(&visit, &err), -1);
	ck_assert_str_ne(err.text, "");
	err.text[0] = '\0';
	config.run_dir = (char *)"/nonexistent";
	ck_assert_int_eq(gates_write(&visit, &err), -1);
	ck_assert_str_ne(err.text, "");
	/* names that do not fit: neither the node's, nor the job's */
	memset(long_dir, '/', sizeof(long_dir) - 1);
	config.run_dir = long_dir;
	err.text[0] = '\0';
	ck_assert_int_eq(gates_write(&visit, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': too long"));
	err.text[0] = '\0';
	ck_assert_int_eq(gates_write_off(&visit, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': too long"));
	long_dir[RUNDIR_PATH_MAX - 1 - strlen("/gate")] = '\0';
	strcpy(visit.refused, "no");
	err.text[0] = '\0';
	ck_assert_int_eq(gates_write(&visit, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': too long"));
	end();
}
END_TEST

UNIT_MAIN("lack", a_job_that_gets_all_is_told_nothing,
	  nothing_is_said_of_what_was_not_asked_for,
	  a_job_that_is_refused_is_told_that_alone,
	  why_a_profile_was_not_applied_is_the_worst_that_was_found,
	  a_profile_of_other_clients_settings_is_told_as_such,
	  a_client_without_filesystems_is_why_a_profile_was_not_applied,
	  what_the_clients_own_rules_found_is_why_when_it_is_an_error,
	  without_any_client_nothing_is_applied_and_that_is_why,
	  what_the_node_does_not_allow_is_told_with_the_name_that_was_asked_for,
	  a_client_on_other_cores_is_told,
	  the_cores_of_all_clients_count_or_of_the_one_that_owns_them,
	  cores_that_nobody_knows_are_neither_met_nor_not,
	  the_gate_of_a_job_knows_what_it_has,
	  the_gate_of_the_node_knows_the_clients_cpus_alone,
	  a_job_is_not_told_that_it_has_what_it_has_not,
	  the_refusal_of_a_job_is_none_of_the_nodes,
	  the_gate_names_the_first_client_that_has_cpus_or_may_have,
	  cpus_that_a_client_does_not_tell_are_those_that_it_told_last,
	  where_jobio_is_off_the_gate_tells_the_note_alone,
	  a_gate_that_cannot_be_written_is_said)
