/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"
#include "lib/version.h"

static void parse(struct node *node, const char *line,
		  struct findings *findings)
{
	struct err err;

	node_init(node);
	ck_assert_msg(node_line_parse(node, line, findings, &err) == 0, "%s",
		      err.text);
}

static void expect_geometry(const char *line, unsigned int cpus,
			    unsigned int boards, unsigned int sockets,
			    unsigned int cores, unsigned int threads,
			    const char *code)
{
	struct findings findings = { 0 };
	struct node node;

	parse(&node, line, &findings);
	ck_assert_uint_eq(node.cpus, cpus);
	ck_assert_uint_eq(node.boards, boards);
	ck_assert_uint_eq(node.sockets, sockets);
	ck_assert_uint_eq(node.cores, cores);
	ck_assert_uint_eq(node.threads, threads);
	if (code)
		ck_assert_msg(findings_has(&findings, code), "%s: no %s", line,
			      code);
	else
		ck_assert_uint_eq(findings.count, 0);
	findings_free(&findings);
}

START_TEST(a_node_line_means_what_slurm_makes_of_it)
{
	expect_geometry("CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 "
			"ThreadsPerCore=2",
			64, 1, 2, 16, 2, NULL);
	expect_geometry("nodename=n1 SOCKETS=2 corespersocket=4 RealMemory=9",
			8, 1, 2, 4, 1, NULL);
	expect_geometry("Procs=8", 8, 1, 8, 1, 1, NULL);
	expect_geometry("CPUs=16 ThreadsPerCore=2", 16, 1, 8, 1, 2, NULL);
	expect_geometry("Boards=4 SocketsPerBoard=2", 8, 4, 8, 1, 1, NULL);
}
END_TEST

START_TEST(what_slurm_corrects_in_a_node_line_is_a_finding)
{
	expect_geometry("CPUs=0", 1, 1, 1, 1, 1, "C12");
	expect_geometry("CPUs=100 Sockets=2 CoresPerSocket=16", 32, 1, 2, 16, 1,
			"C12");
	expect_geometry("Sockets=1 Boards=2 CoresPerSocket=4", 4, 1, 1, 4, 1,
			"C12");
	expect_geometry("CPUs=4 CoreSpecCount=4", 4, 1, 4, 1, 1, "C13");
	expect_geometry("CPUs=4 CpuSpecList=4", 4, 1, 4, 1, 1, "C14");
	expect_geometry("CPUs=4 CpuSpecList=1 CoreSpecCount=2", 4, 1, 4, 1, 1,
			"C15");
}
END_TEST

START_TEST(a_wrong_node_line_is_refused_with_its_word)
{
	static const char *const lines[][2] = {
		{ "CPUs", "'CPUs': must be KEY=VALUE" },
		{ "CPUs=x", "node line: CPUs: 'x'" },
		{ "CPUs=-1", "node line: CPUs: '-1'" },
		{ "CPUS=65536", "'65536'" },
		{ "Cpu=4", "'Cpu': not a key of a node line" },
		{ "CPUs=4 CpuSpecList=", "CpuSpecList: empty list" },
		{ "CPUs=4 CpuSpecList=1-", "CpuSpecList" },
		{ "Sockets=65535 CoresPerSocket=65535", "more than 8192 CPUs" },
	};
	struct findings findings = { 0 };
	struct node node, before;
	struct err err;

	node_init(&node);
	before = node;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		ck_assert_int_eq(
			node_line_parse(&node, lines[i][0], &findings, &err),
			-1);
		ck_assert_msg(strstr(err.text, lines[i][1]) != NULL,
			      "'%s' says '%s'", lines[i][0], err.text);
		ck_assert_mem_eq(&node, &before, sizeof(node));
	}
	findings_free(&findings);
}
END_TEST

static const char record[] =
	"{\"name\":\"n1\",\"cpus\":%u,\"boards\":1,\"sockets\":1,"
	"\"cores_per_socket\":4,\"threads_per_core\":2,"
	"\"core_spec_count\":1,\"cpu_spec_list\":\"6-7\","
	"\"version\":\"24.11.5\",\"controller_version\":\"26.05.3\","
	"\"mem_spec_limit\":5100,"
	"\"conf_read_at\":%lld,\"allow_spec_resources_usage\":true,"
	"\"select_type\":\"select/cons_tres\","
	"\"scheduler_parameters\":\"defer,spec_cores_first\","
	"\"restricted_cores_per_gpu\":2,\"gpu_spec\":\"0-3\","
	"\"slurmd_parameters\":\"\"}";

START_TEST(a_record_survives_its_way_through_json)
{
	struct node node, again;
	struct err err;
	char json[2048], *text;

	snprintf(json, sizeof(json), record, 8U, 12LL);
	ck_assert_msg(node_parse_json(&node, json, &err) == 0, "%s", err.text);
	ck_assert_str_eq(node.name, "n1");
	ck_assert(node.spec_cores_first && node.cons_tres &&
		  node.from_controller && node.has_spec_list);
	ck_assert_uint_eq(node.version, VERSION_OF(24, 11, 5));
	ck_assert_uint_eq(node.controller_version, VERSION_OF(26, 5, 3));
	ck_assert_int_eq(node.mem_spec_limit_mb, 5100);
	text = node_format_json(&node);
	ck_assert_int_eq(node_parse_json(&again, text, &err), 0);
	ck_assert_uint_eq(again.restricted_cores_per_gpu, 2);
	ck_assert_str_eq(again.gpu_spec, "0-3");
	ck_assert_mem_eq(&node, &again, sizeof(node));
	free(text);
}
END_TEST

START_TEST(a_damaged_record_is_refused)
{
	struct node node;
	struct err err;

	ck_assert_int_eq(node_parse_json(&node, "{", &err), -1);
	ck_assert_str_eq(err.text, "node record: '{': not JSON");
	ck_assert_int_eq(node_parse_json(&node, "[]", &err), -1);
	ck_assert_int_eq(node_parse_json(&node, "{\"cpus\":\"4\"}", &err), -1);
	ck_assert_str_eq(err.text, "node record: 'cpus': no number");
}
END_TEST

START_TEST(a_record_without_memspeclimit_does_not_know_it)
{
	struct node node;
	struct err err;
	char json[2048], *at;

	snprintf(json, sizeof(json), record, 8U, 12LL);
	at = strstr(json, "mem_spec_limit");
	*at = 'x';
	ck_assert_msg(node_parse_json(&node, json, &err) == 0, "%s", err.text);
	ck_assert_int_eq(node.mem_spec_limit_mb, -1);
}
END_TEST

/* ---- the cache ------------------------------------------------------------- */

static char helper[512], log_file[512];

/* A helper that prints the record and counts its calls. */
static void make_helper(unsigned int cpus, long long conf_read_at)
{
	char json[2048], script[4096];

	snprintf(json, sizeof(json), record, cpus, conf_read_at);
	strcpy(log_file, tempdir_path("calls"));
	snprintf(script, sizeof(script),
		 "#!/bin/sh\necho \"$@\" >> %s\ncat <<'E'\n%s\nE\n", log_file,
		 json);
	strcpy(helper, tempdir_put("helper", script));
	ck_assert_int_eq(chmod(helper, 0755), 0);
}

static unsigned int calls(void)
{
	FILE *in = fopen(log_file, "r");
	unsigned int lines = 0;
	int c;

	while (in && (c = fgetc(in)) != EOF)
		lines += c == '\n';
	if (in)
		fclose(in);
	return lines;
}

static void load(unsigned int cpus)
{
	struct node_state state = { 0 };
	struct err err;

	ck_assert_msg(
		node_load(tempdir_name, helper, "n1", 5000, &state, &err) == 0,
		"%s", err.text);
	ck_assert_uint_eq(state.node.cpus, cpus);
	ck_assert_ptr_nonnull(state.map);
	node_state_free(&state);
}

static void age_conf(const char *path, long seconds)
{
	struct utimbuf times = { time(NULL) - seconds, time(NULL) - seconds };

	ck_assert_int_eq(utime(path, &times), 0);
}

/* The slurmd of these tests is the test itself: else it would be the oldest one
 * of this machine, and one that comes or goes meanwhile asks again. */
static void setup(void)
{
	prctl(PR_SET_NAME, "slurmd");
	tempdir_make();
	setenv("SLURM_CONF", tempdir_put("slurm.conf", "x"), 1);
	age_conf(getenv("SLURM_CONF"), 100);
}

START_TEST(slurmctld_is_asked_once_and_not_again)
{
	setup();
	make_helper(8, (long long)time(NULL));
	load(8);
	make_helper(16, (long long)time(NULL));
	load(8);
	load(8);
	ck_assert_uint_eq(calls(), 1);
	tempdir_remove();
}
END_TEST

START_TEST(a_changed_slurm_conf_or_a_neighbour_of_it_asks_again)
{
	setup();
	make_helper(8, (long long)time(NULL));
	load(8);
	age_conf(getenv("SLURM_CONF"), 50);
	load(8);
	ck_assert_uint_eq(calls(), 2);
	age_conf(tempdir_put("nodes.conf", "y"), 100);
	load(8);
	load(8);
	ck_assert_uint_eq(calls(), 3);
	tempdir_remove();
}
END_TEST

/* What is in the cache was written long ago. */
static void age_cache(void)
{
	char *text =
		fileio_read(tempdir_path("node.json"), 1 << 20, NULL, NULL);
	char *at;

	ck_assert_ptr_nonnull(text);
	at = strstr(text, "\"written_at\":");
	ck_assert_ptr_nonnull(at);
	memcpy(at + strlen("\"written_at\":"), "         0", 10);
	tempdir_put("node.json", text);
	free(text);
}

START_TEST(a_record_older_than_slurm_conf_holds_for_a_minute_only)
{
	setup();
	make_helper(8, (long long)time(NULL) - 1000);
	load(8);
	load(8);
	ck_assert_uint_eq(calls(), 1);
	age_cache();
	load(8);
	ck_assert_uint_eq(calls(), 2);
	tempdir_remove();
}
END_TEST

/* slurmd writes that file anew whenever it is started: its time says nothing. */
START_TEST(a_slurm_conf_that_slurmd_has_fetched_is_no_newer_than_the_record)
{
	setup();
	ck_assert_int_eq(mkdir(tempdir_path("conf-cache"), 0755), 0);
	setenv("SLURM_CONF", tempdir_put("conf-cache/slurm.conf", "x"), 1);
	age_conf(getenv("SLURM_CONF"), 100);
	make_helper(8, (long long)time(NULL) - 1000);
	load(8);
	age_cache();
	load(8);
	ck_assert_uint_eq(calls(), 1);
	tempdir_remove();
}
END_TEST

/* A prolog is a descendant of its slurmd. */
static void load_twice_under_a_slurmd(void)
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_NAME, "slurmd");
		load(8);
		prctl(PR_SET_NAME, "slurmd-wlm"); /* reconfigured */
		load(8);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

START_TEST(another_slurmd_asks_again)
{
	setup();
	prctl(PR_SET_NAME, "test_node"); /* each child is a slurmd */
	make_helper(8, (long long)time(NULL));
	load_twice_under_a_slurmd();
	ck_assert_uint_eq(calls(), 1);
	load_twice_under_a_slurmd();
	ck_assert_uint_eq(calls(), 2);
	tempdir_remove();
}
END_TEST

START_TEST(a_damaged_cache_is_written_anew)
{
	setup();
	make_helper(8, (long long)time(NULL));
	tempdir_put("node.json", "{\"format\":1,");
	load(8);
	tempdir_put("node.json", "{\"format\":1}");
	load(8);
	ck_assert_uint_eq(calls(), 2);
	tempdir_remove();
}
END_TEST

START_TEST(the_record_of_another_node_is_not_taken_for_ours)
{
	struct node_state state = { 0 };
	struct err err;

	setup();
	make_helper(8, (long long)time(NULL));
	load(8);
	ck_assert_int_eq(
		node_load(tempdir_name, helper, "n2", 5000, &state, &err), 0);
	node_state_free(&state);
	ck_assert_uint_eq(calls(), 2);
	tempdir_remove();
}
END_TEST

START_TEST(the_sentence_of_the_helper_reaches_the_caller)
{
	struct node_state state = { 0 };
	struct err err;

	setup();
	strcpy(helper, tempdir_put("helper", "#!/bin/sh\n"
					     "echo noise >&2\n"
					     "echo no such node >&2\n"
					     "exit 1\n"));
	ck_assert_int_eq(chmod(helper, 0755), 0);
	ck_assert_int_eq(
		node_load(tempdir_name, helper, NULL, 5000, &state, &err), -1);
	ck_assert_str_eq(err.text, "node record: no such node");
	tempdir_remove();
}
END_TEST

START_TEST(a_helper_that_hangs_is_ended_at_the_deadline)
{
	struct node_state state = { 0 };
	struct err err;
	time_t start = time(NULL);

	setup();
	strcpy(helper, tempdir_put("helper", "#!/bin/sh\nexec sleep 60\n"));
	ck_assert_int_eq(chmod(helper, 0755), 0);
	ck_assert_int_eq(
		node_load(tempdir_name, helper, NULL, 200, &state, &err), -1);
	ck_assert_msg(strstr(err.text, "helper") != NULL, "%s", err.text);
	ck_assert_int_lt(time(NULL) - start, 10);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("node", a_node_line_means_what_slurm_makes_of_it,
	  what_slurm_corrects_in_a_node_line_is_a_finding,
	  a_wrong_node_line_is_refused_with_its_word,
	  a_record_survives_its_way_through_json, a_damaged_record_is_refused,
	  a_record_without_memspeclimit_does_not_know_it,
	  slurmctld_is_asked_once_and_not_again,
	  a_changed_slurm_conf_or_a_neighbour_of_it_asks_again,
	  a_record_older_than_slurm_conf_holds_for_a_minute_only,
	  a_slurm_conf_that_slurmd_has_fetched_is_no_newer_than_the_record,
	  another_slurmd_asks_again, a_damaged_cache_is_written_anew,
	  the_record_of_another_node_is_not_taken_for_ours,
	  the_sentence_of_the_helper_reaches_the_caller,
	  a_helper_that_hangs_is_ended_at_the_deadline)
