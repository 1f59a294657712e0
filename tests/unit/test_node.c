/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/node.h"

#include <signal.h>
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
#include "lib/rundir.h"
#include "lib/sysfs.h"
#include "lib/version.h"

static void parse(struct node *node, const char *line, struct findings *findings)
{
	struct err err;

	node_init(node);
	ck_assert_msg(node_line_parse(node, line, findings, &err) == 0, "%s", err.text);
}

static void expect_geometry(const char *line, unsigned int cpus, unsigned int boards,
			    unsigned int sockets, unsigned int cores, unsigned int threads,
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
		ck_assert_msg(findings_has(&findings, code), "%s: no %s", line, code);
	else
		ck_assert_uint_eq(findings.count, 0);
	findings_free(&findings);
}

START_TEST(a_node_line_means_what_slurm_makes_of_it)
{
	expect_geometry("CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2", 64,
			1, 2, 16, 2, NULL);
	expect_geometry("nodename=n1 SOCKETS=2 corespersocket=4 RealMemory=9", 8, 1, 2, 4, 1, NULL);
	expect_geometry("Procs=8", 8, 1, 8, 1, 1, NULL);
	expect_geometry("CPUs=16 ThreadsPerCore=2", 16, 1, 8, 1, 2, NULL);
	expect_geometry("Boards=4 SocketsPerBoard=2", 8, 4, 8, 1, 1, NULL);
}
END_TEST

START_TEST(what_slurm_corrects_in_a_node_line_is_a_finding)
{
	expect_geometry("CPUs=0", 1, 1, 1, 1, 1, "C12");
	expect_geometry("CPUs=100 Sockets=2 CoresPerSocket=16", 32, 1, 2, 16, 1, "C12");
	expect_geometry("Sockets=1 Boards=2 CoresPerSocket=4", 4, 1, 1, 4, 1, "C12");
	expect_geometry("CPUs=4 CoreSpecCount=4", 4, 1, 4, 1, 1, "C13");
	expect_geometry("CPUs=4 CpuSpecList=4", 4, 1, 4, 1, 1, "C14");
	expect_geometry("CPUs=4 CpuSpecList=1 CoreSpecCount=2", 4, 1, 4, 1, 1, "C15");
}
END_TEST

START_TEST(a_list_beyond_the_cpus_of_the_line_is_told_with_their_numbers)
{
	struct findings findings = { 0 };
	struct node node;

	parse(&node, "CPUs=4 CpuSpecList=2,4", &findings);
	ck_assert(!node.has_spec_list);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].text,
			 "Slurm ignores CpuSpecList=2,4: the node has CPUs 0-3 only");
	findings_free(&findings);
}
END_TEST

START_TEST(of_too_many_specialized_cores_slurm_takes_one)
{
	struct findings findings = { 0 };
	struct node node;

	parse(&node, "CPUs=4 CoreSpecCount=4", &findings);
	ck_assert_uint_eq(node.core_spec_count, 1);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].text,
			 "Slurm reads CoreSpecCount=4 as 1: the node has 4 cores");
	findings_free(&findings);
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
		ck_assert_int_eq(node_line_parse(&node, lines[i][0], &findings, &err), -1);
		ck_assert_msg(strstr(err.text, lines[i][1]) != NULL, "'%s' says '%s'", lines[i][0],
			      err.text);
		ck_assert_mem_eq(&node, &before, sizeof(node));
	}
	findings_free(&findings);
}
END_TEST

static const char record[] =
	"{\"name\":\"n1\",\"cpus\":%u,\"boards\":1,\"sockets\":1,\"cores_per_socket\":4,\"threads_per_core\":2,\"core_spec_count\":1,\"cpu_spec_list\":\"6-7\",\"version\":\"24.11.5\",\"controller_version\":\"26.05.3\",\"mem_spec_limit\":5100,\"conf_read_at\":%lld,\"allow_spec_resources_usage\":true,\"select_type\":\"select/cons_tres\",\"scheduler_parameters\":\"defer,spec_cores_first\",\"restricted_cores_per_gpu\":2,\"gpu_spec\":\"0-3\",\"slurmd_parameters\":\"\"}";

START_TEST(a_record_is_read_from_json)
{
	struct node node;
	struct err err;
	char json[2048];

	snprintf(json, sizeof(json), record, 8U, 12LL);
	ck_assert_msg(node_parse_json(&node, json, &err) == 0, "%s", err.text);
	ck_assert_str_eq(node.name, "n1");
	ck_assert(node.spec_cores_first && node.cons_tres && node.from_controller &&
		  node.has_spec_list);
	ck_assert_uint_eq(node.version, VERSION_OF(24, 11, 5));
	ck_assert_uint_eq(node.controller_version, VERSION_OF(26, 5, 3));
	ck_assert_int_eq(node.mem_spec_limit_mb, 5100);
	ck_assert_uint_eq(node.restricted_cores_per_gpu, 2);
	ck_assert_str_eq(node.gpu_spec, "0-3");
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
	snprintf(script, sizeof(script), "#!/bin/sh\necho \"$@\" >> %s\ncat <<'E'\n%s\nE\n",
		 log_file, json);
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

	ck_assert_msg(node_load(tempdir_name, helper, "n1", 5000, &state, &err) == 0, "%s",
		      err.text);
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
	struct stat st;

	setup();
	make_helper(8, (long long)time(NULL));
	load(8);
	make_helper(16, (long long)time(NULL));
	load(8);
	load(8);
	ck_assert_uint_eq(calls(), 1);
	ck_assert_int_eq(stat(tempdir_path("node.json"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777U, 0600);
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

/* What is kept, with 'new' over what is so many bytes behind where this begins. */
static void change_cache(const char *from, size_t behind, const char *new)
{
	char *text = fileio_read(tempdir_path("node.json"), 1 << 20, NULL, NULL);
	char *at = text ? strstr(text, from) : NULL;

	ck_assert_msg(at != NULL, "%s", from);
	memcpy(at + behind, new, strlen(new));
	tempdir_put("node.json", text);
	free(text);
}

/* What is in the cache was written then. */
static void write_cache_at(time_t when)
{
	char number[24];

	snprintf(number, sizeof(number), "%10lld", (long long)when);
	change_cache("\"written_at\":", strlen("\"written_at\":"), number);
}

static void age_cache(void)
{
	write_cache_at(0);
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
	write_cache_at(time(NULL) - NODE_YOUNG_S / 2);
	load(8);
	ck_assert_uint_eq(calls(), 2);
	write_cache_at(time(NULL) - NODE_YOUNG_S);
	load(8);
	ck_assert_uint_eq(calls(), 3);
	/* the clock was set back */
	write_cache_at(time(NULL) + NODE_YOUNG_S / 2);
	load(8);
	ck_assert_uint_eq(calls(), 4);
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
	ck_assert_int_eq(node_load(tempdir_name, helper, "n2", 5000, &state, &err), 0);
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
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 5000, &state, &err), -1);
	ck_assert_str_eq(err.text, "node record: no such node");
	tempdir_remove();
}
END_TEST

/* Which slurm.conf the helper was told to read. */
static void expect_conf_of_helper(const char *conf)
{
	struct node_state state = { 0 };
	char path[600];
	struct err err;

	setenv("SLURM_CONF", conf, 1);
	strcpy(helper, tempdir_command("helper",
				       "#!/bin/sh\n"
				       "printf %%s \"$SLURM_CONF\" >%s/conf\nexit 1\n",
				       path));
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 5000, &state, &err), -1);
}

START_TEST(the_helper_reads_the_slurm_conf_that_is_named)
{
	char conf[3 * NODE_TEXT_MAX];
	struct node_state state = { 0 };
	struct node_epoch epoch;
	struct err err;

	setup();
	expect_conf_of_helper("/etc/own/slurm.conf");
	tempdir_expect("conf", "/etc/own/slurm.conf");
	memset(conf, 'c', sizeof(conf));
	*conf = '/';
	conf[NODE_TEXT_MAX - 1] = '\0';
	expect_conf_of_helper(conf);
	tempdir_expect("conf", conf);
	unsetenv("SLURM_CONF");
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 5000, &state, &err), -1);
	tempdir_expect("conf", "");
	/* no path is cut */
	conf[NODE_TEXT_MAX - 1] = 'c';
	conf[NODE_TEXT_MAX] = '\0';
	expect_conf_of_helper(conf);
	tempdir_expect("conf", "");
	node_epoch_read(&epoch);
	ck_assert_str_eq(epoch.conf, "");
	ck_assert_int_eq(epoch.conf_files, 0);
	conf[NODE_TEXT_MAX] = 'c';
	conf[sizeof(conf) - 1] = '\0';
	expect_conf_of_helper(conf);
	tempdir_expect("conf", "");
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
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 200, &state, &err), -1);
	ck_assert_msg(strstr(err.text, "helper") != NULL, "%s", err.text);
	ck_assert_int_lt(time(NULL) - start, 10);
	tempdir_remove();
}
END_TEST

START_TEST(a_node_line_is_read_to_its_bounds)
{
	static const char *const zeros[] = { "CoresPerSocket=0", "ThreadsPerCore=0",
					     "SocketsPerBoard=0", "Sockets=0", "Boards=0" };
	struct node node;
	size_t i;

	for (i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++)
		expect_geometry(zeros[i], 1, 1, 1, 1, 1, "C12");
	/* no whole sockets: one a board */
	expect_geometry("CPUs=3 CoresPerSocket=2", 2, 1, 1, 2, 1, "C12");
	expect_geometry("CPUs=1 CoresPerSocket=2", 1, 1, 1, 2, 1, NULL);
	expect_geometry("Sockets=8 Boards=2 SocketsPerBoard=2", 4, 2, 4, 1, 1, NULL);
	/* CPUs may be sockets, cores or threads */
	expect_geometry("CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 8, 1, 2, 4, 2, NULL);
	expect_geometry("CPUs=2 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 2, 1, 2, 4, 2, NULL);
	expect_geometry("CPUs=9 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", 16, 1, 2, 4, 2,
			"C12");
	expect_geometry("Boards=2 Sockets=2", 2, 2, 2, 1, 1, NULL);
	expect_geometry("Sockets=8192", 8192, 1, 8192, 1, 1, NULL);
	expect_geometry("Sockets=4096 ThreadsPerCore=2", 8192, 1, 4096, 1, 2, NULL);
	expect_geometry("CPUs=4 CoreSpecCount=3", 4, 1, 4, 1, 1, NULL);
	expect_geometry("CPUs=4 CpuSpecList=3", 4, 1, 4, 1, 1, NULL);
	expect_geometry("CPUs=4 CoreSpecCount=65535", 4, 1, 4, 1, 1, "C13");
	/* one core of a node of which nothing is known */
	node_init(&node);
	ck_assert_uint_eq(node.cpus, 1);
	ck_assert_uint_eq(node.boards, 1);
	ck_assert_uint_eq(node.sockets, 1);
	ck_assert_uint_eq(node.cores, 1);
	ck_assert_uint_eq(node.threads, 1);
}
END_TEST

START_TEST(a_node_line_beyond_its_bounds_is_refused)
{
	static const char *const bad[] = { "Sockets=8193", "Sockets=4097 ThreadsPerCore=2",
					   "Boards=65536", "CoreSpecCount=x", "ThreadsPerCore=-1" };
	struct findings findings = { 0 };
	struct node node;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		node_init(&node);
		ck_assert_msg(node_line_parse(&node, bad[i], &findings, &err) < 0, "%s", bad[i]);
	}
	findings_free(&findings);
}
END_TEST

START_TEST(the_words_of_a_node_line_are_kept)
{
	struct findings findings = { 0 };
	struct node node;

	parse(&node,
	      "NodeName=n7 CPUs=4 CoreSpecCount=3 RestrictedCoresPerGPU=2 Parameters=allow_ecores State=UNKNOWN",
	      &findings);
	ck_assert_str_eq(node.name, "n7");
	ck_assert_uint_eq(node.core_spec_count, 3);
	ck_assert_uint_eq(node.restricted_cores_per_gpu, 2);
	ck_assert(!node.has_spec_list && !node.from_controller);
	ck_assert_str_eq(node.slurmd_parameters, ""); /* 22.05 */
	parse(&node, "CPUs=4 CpuSpecList=1,3", &findings);
	ck_assert(node.has_spec_list);
	ck_assert_uint_eq(cpuset_count(&node.spec_list), 2);
	ck_assert_uint_eq(node.core_spec_count, 0);
	ck_assert_int_eq(node.mem_spec_limit_mb, -1);
	ck_assert_uint_eq(findings.count, 0);
}
END_TEST

START_TEST(parameters_of_a_node_line_count_since_25_11)
{
	struct findings findings = { 0 };
	char line[2 * NODE_TEXT_MAX];
	struct node node;
	struct err err;

	node_init(&node);
	node.version = VERSION_OF(25, 11, 0);
	ck_assert_int_eq(node_line_parse(&node, "CPUs=4 Parameters=a", &findings, &err), 0);
	ck_assert_str_eq(node.slurmd_parameters, "a");
	ck_assert_int_eq(node_line_parse(&node, "CPUs=4 Parameters=b", &findings, &err), 0);
	ck_assert_str_eq(node.slurmd_parameters, "a,b");
	strcpy(line, "CPUs=4 Parameters=");
	memset(line + strlen(line), 'x', NODE_TEXT_MAX - 4);
	line[strlen("CPUs=4 Parameters=") + NODE_TEXT_MAX - 4] = '\0';
	ck_assert_int_eq(node_line_parse(&node, line, &findings, &err), -1);
	ck_assert_str_eq(node.slurmd_parameters, "a,b");
	strcpy(line, "CPUs=4 Parameters=");
	memset(line + strlen(line), 'x', NODE_TEXT_MAX - 5);
	line[strlen("CPUs=4 Parameters=") + NODE_TEXT_MAX - 5] = '\0';
	ck_assert_int_eq(node_line_parse(&node, line, &findings, &err), 0);
	ck_assert_uint_eq(strlen(node.slurmd_parameters), NODE_TEXT_MAX - 1);
	ck_assert_int_eq(node_line_parse(&node, "CPUs=4 Parameters=c", &findings, &err), -1);
	ck_assert_str_eq(err.text, "node line: Parameters: longer than 1023");
	node_init(&node);
	node.version = VERSION_OF(25, 11, 0) - 1;
	ck_assert_int_eq(node_line_parse(&node, "CPUs=4 Parameters=a", &findings, &err), 0);
	ck_assert_str_eq(node.slurmd_parameters, "");
	ck_assert_uint_eq(findings.count, 0);
}
END_TEST

/* The record with one piece of text replaced. */
static int parse_with(struct node *node, const char *old, const char *new, struct err *err)
{
	char json[2048], text[4096], *at;

	snprintf(json, sizeof(json), record, 8U, 12LL);
	at = strstr(json, old);
	ck_assert_msg(at != NULL, "%s", old);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - json), json, new, at + strlen(old));
	*err->text = '\0';
	return node_parse_json(node, text, err);
}

START_TEST(numbers_of_a_record_have_bounds)
{
	static const struct {
		const char *old, *new, *why;
	} rows[] = {
		{ "\"cpus\":8", "\"cpus\":65536", "node record: 'cpus': out of bounds" },
		{ "\"cpus\":8", "\"cpus\":-1", "node record: 'cpus': out of bounds" },
		{ "\"core_spec_count\":1", "\"core_spec_count\":1.5",
		  "node record: 'core_spec_count': no number" },
		{ "\"conf_read_at\":12", "\"conf_read_at\":-1",
		  "node record: 'conf_read_at': out of bounds" },
		{ "\"mem_spec_limit\":5100", "\"mem_spec_limit\":-2",
		  "node record: 'mem_spec_limit': out of bounds" },
		{ "\"mem_spec_limit\":5100", "\"mem_spec_limit\":8796093022208",
		  "node record: 'mem_spec_limit': out of bounds" },
		{ "\"mem_spec_limit\":5100", "\"mem_spec_limit\":\"x\"",
		  "node record: 'mem_spec_limit': no number" },
		{ "\"restricted_cores_per_gpu\":2", "\"restricted_cores_per_gpu\":65536",
		  "node record: 'restricted_cores_per_gpu': out of bounds" },
		{ "\"cpu_spec_list\":\"6-7\"", "\"cpu_spec_list\":\"7-6\"",
		  "node record: cpu_spec_list: CPU list '7-6': bad range" },
		{ "\"version\":\"24.11.5\"", "\"version\":\"x\"", "" },
		{ "\"controller_version\":\"26.05.3\"", "\"controller_version\":\"x\"", "" },
	};
	struct node node = { .cpus = 77 };
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(parse_with(&node, rows[i].old, rows[i].new, &err) < 0, "%s",
			      rows[i].new);
		ck_assert_msg(!*rows[i].why || !strcmp(err.text, rows[i].why), "%s", err.text);
		ck_assert_uint_eq(node.cpus, 77);
	}
	ck_assert_int_eq(parse_with(&node, "\"cpus\":8", "\"cpus\":65535", &err), 0);
	ck_assert_uint_eq(node.cpus, 65535);
	ck_assert_int_eq(parse_with(&node, "\"cpus\":8", "\"cpus\":0", &err), 0);
	ck_assert_int_eq(
		parse_with(&node, "\"mem_spec_limit\":5100", "\"mem_spec_limit\":-1", &err), 0);
	ck_assert_int_eq(node.mem_spec_limit_mb, -1);
	ck_assert_int_eq(parse_with(&node, "\"mem_spec_limit\":5100",
				    "\"mem_spec_limit\":8796093022207", &err),
			 0); /* 8 EiB - 1 MiB in MiB */
	ck_assert_int_eq(node.mem_spec_limit_mb, INT64_C(8796093022207));
	ck_assert_int_eq(parse_with(&node, "\"restricted_cores_per_gpu\":2", "\"x\":2", &err), 0);
	ck_assert_uint_eq(node.restricted_cores_per_gpu, 0);
	ck_assert_int_eq(parse_with(&node, "\"restricted_cores_per_gpu\":2",
				    "\"restricted_cores_per_gpu\":0", &err),
			 0);
	ck_assert_int_eq(parse_with(&node, "\"conf_read_at\":12", "\"conf_read_at\":0", &err), 0);
	ck_assert_int_eq(node.conf_read_at, 0);
}
END_TEST

START_TEST(texts_of_a_record_are_read_as_slurm_reads_them)
{
	char name[NODE_NAME_MAX + 32];
	struct node node;
	struct err err;

	ck_assert_int_eq(parse_with(&node, "select/cons_tres", "", &err), 0);
	ck_assert(node.cons_tres);
	ck_assert_int_eq(parse_with(&node, "select/cons_tres", "select/linear", &err), 0);
	ck_assert(!node.cons_tres);
	ck_assert_int_eq(parse_with(&node, "defer,spec_cores_first", "defer", &err), 0);
	ck_assert(!node.spec_cores_first);
	ck_assert_int_eq(parse_with(&node, "spec_cores_first", "Spec_Cores_First=1", &err), 0);
	ck_assert(node.spec_cores_first);
	ck_assert_int_eq(parse_with(&node, "\"6-7\"", "\"\"", &err), 0);
	ck_assert(!node.has_spec_list);
	ck_assert_int_eq(parse_with(&node, "\"6-7\"", "null", &err), 0);
	ck_assert(!node.has_spec_list);
	ck_assert_int_eq(parse_with(&node, "\"26.05.3\"", "\"\"", &err), 0);
	ck_assert_uint_eq(node.controller_version, 0);
	ck_assert_int_eq(parse_with(&node, "_usage\":true", "_usage\":false", &err), 0);
	ck_assert(!node.allow_spec_resources_usage);
	snprintf(name, sizeof(name), "\"%0*d\"", NODE_NAME_MAX - 1, 0);
	ck_assert_int_eq(parse_with(&node, "\"n1\"", name, &err), 0);
	ck_assert_uint_eq(strlen(node.name), NODE_NAME_MAX - 1);
	snprintf(name, sizeof(name), "\"%0*d\"", NODE_NAME_MAX, 0);
	ck_assert_int_eq(parse_with(&node, "\"n1\"", name, &err), -1);
	ck_assert_str_eq(err.text, "node record: 'name': longer than 255");
}
END_TEST

START_TEST(a_slurm_conf_that_is_long_unchanged_is_no_newer_than_the_record)
{
	setup();
	age_conf(getenv("SLURM_CONF"), 4000);
	make_helper(8, (long long)time(NULL) - 100000);
	load(8);
	age_cache();
	load(8);
	ck_assert_uint_eq(calls(), 1);
	tempdir_remove();
}
END_TEST

START_TEST(a_record_as_new_as_slurm_conf_is_not_asked_for_again)
{
	struct stat st;

	setup();
	ck_assert_int_eq(stat(getenv("SLURM_CONF"), &st), 0);
	make_helper(8, (long long)st.st_mtime);
	load(8);
	age_cache();
	load(8);
	ck_assert_uint_eq(calls(), 1);
	tempdir_remove();
}
END_TEST

static int cached(void)
{
	struct node_state state = { 0 };
	struct err err;
	int rc = node_cached(tempdir_name, &state, &err);

	ck_assert(rc != 1 || state.map);
	node_state_free(&state);
	return rc;
}

START_TEST(a_cache_that_does_not_hold_is_none_and_no_error)
{
	static const char *const changes[][2] = {
		{ "\"format\":1", "\"format\":2" },
		{ "\"written_at\":", "\"written_ax\":" },
		{ "\"core_map\":\"core_map/1", "\"core_map\":\"core_map/x" },
		{ "\"core_map\":", "\"core_max\":" },
		{ "\"conf_files\":1", "\"conf_files\":2" },
		{ "\"conf\":", "\"conx\":" },
		{ "\"cpus\":8", "\"cpus\":x" },
		{ "\"boards\":1", "\"boardx\":1" },
		{ "\"slurmd_pid\":", "\"slurmd_pix\":" },
		{ "\"slurmd_start\":", "\"slurmd_starx\":" },
		{ "\"conf_ns\":1", "\"conf_ns\":2" },
	};
	size_t i;

	setup();
	ck_assert_int_eq(cached(), 0); /* there is none */
	tempdir_put("node.json", "{\"format\":1,");
	ck_assert_int_eq(cached(), 0);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		make_helper(8, (long long)time(NULL));
		load(8);
		ck_assert_int_eq(cached(), 1);
		change_cache(changes[i][0], 0, changes[i][1]);
		ck_assert_msg(cached() == 0, "%s", changes[i][1]);
	}
	tempdir_remove();
}
END_TEST

START_TEST(a_record_that_cannot_be_kept_is_an_error)
{
	struct node_state state = { 0 };
	char folder[RUNDIR_PATH_MAX];
	struct err err = { "" };

	setup();
	make_helper(8, (long long)time(NULL));
	snprintf(folder, sizeof(folder), "%s", tempdir_path("no"));
	ck_assert_int_eq(node_refresh(folder, helper, "n1", 5000, &state, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/no/node.json"));
	ck_assert_ptr_null(state.map);
	memset(folder, 'a', sizeof(folder) - 1);
	folder[sizeof(folder) - 1] = '\0';
	ck_assert_int_eq(node_refresh(folder, helper, "n1", 5000, &state, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "too long"));
	ck_assert_ptr_null(state.map);
	ck_assert_int_eq(node_cached(folder, &state, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "too long"));
	tempdir_remove();
}
END_TEST

START_TEST(the_newest_conf_beside_slurm_conf_counts)
{
	struct node_epoch epoch;
	struct stat st;

	setup();
	age_conf(tempdir_put("topology.conf", "t"), 7);
	age_conf(tempdir_put("nodes.conf", "n"), 20);
	tempdir_put("gres.conf.old", "newer, and none");
	node_epoch_read(&epoch);
	ck_assert_int_eq(stat(tempdir_path("topology.conf"), &st), 0);
	ck_assert_int_eq(epoch.conf_files, 3);
	ck_assert_int_eq(epoch.conf_s, st.st_mtim.tv_sec);
	ck_assert_int_eq(epoch.conf_ns,
			 (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
	tempdir_remove();
}
END_TEST

START_TEST(a_state_stays_as_it_is_where_nobody_answers)
{
	struct node_state state = { 0 };
	struct core_map *map;
	struct err err;

	setup();
	make_helper(8, (long long)time(NULL));
	ck_assert_int_eq(node_load(tempdir_name, helper, "n1", 5000, &state, &err), 0);
	map = state.map;
	ck_assert_int_eq(unlink(tempdir_path("node.json")), 0);
	ck_assert_int_eq(unlink(helper), 0);
	ck_assert_int_eq(node_load(tempdir_name, helper, "n2", 5000, &state, &err), -1);
	ck_assert_ptr_eq(state.map, map);
	ck_assert_str_eq(state.node.name, "n1");
	node_state_free(&state);
	tempdir_remove();
}
END_TEST

/* ---- which slurmd ------------------------------------------------------------ */

/* A daemon of that name, which has it when this returns. */
static pid_t start_daemon(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void stop_daemon(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static int64_t ticks_of(pid_t pid)
{
	unsigned long long ticks;

	ck_assert_int_eq(process_start(pid, NULL, &ticks), 0);
	return (int64_t)ticks;
}

/* Another slurmd of this machine may be older, and other tests are called so for
 * a while; no younger one and no other daemon is ever taken. */
START_TEST(outside_of_a_prolog_the_oldest_slurmd_of_the_host_counts)
{
	struct node_epoch epoch;
	pid_t pids[4];
	size_t i;

	setup();
	prctl(PR_SET_NAME, "test_node");
	pids[0] = start_daemon("slurmctld");
	pids[1] = start_daemon("slurmd");
	pids[2] = start_daemon("slurmd");
	pids[3] = start_daemon("slurmdbd");
	node_epoch_read(&epoch);
	for (i = 0; i < 4; i++)
		ck_assert(i == 1 || epoch.slurmd_pid != pids[i]);
	ck_assert_int_gt(epoch.slurmd_pid, 0);
	ck_assert_int_le(epoch.slurmd_start, ticks_of(pids[1]));
	if (epoch.slurmd_pid == pids[1])
		ck_assert_int_eq(epoch.slurmd_start, ticks_of(pids[1]));
	else if (!process_is_named((unsigned long)epoch.slurmd_pid, "slurmd") &&
		 !process_is_named((unsigned long)epoch.slurmd_pid, "slurmd-wlm"))
		ck_assert_int_ne(kill((pid_t)epoch.slurmd_pid, 0), 0);
	ck_assert_str_eq(epoch.conf, getenv("SLURM_CONF"));
	for (i = 0; i < 4; i++)
		stop_daemon(pids[i]);
	tempdir_remove();
}
END_TEST

static int cached(void);

/* What is kept of a slurmd with this PID and start. */
static int cached_of(int64_t pid, int64_t start)
{
	struct node_state state = { 0 };
	struct node_epoch epoch;
	char json[2048];
	struct err err;

	snprintf(json, sizeof(json), record, 8U, (long long)time(NULL));
	ck_assert_int_eq(node_parse_json(&state.node, json, &err), 0);
	state.map = core_map_parse("core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3", &err);
	ck_assert_ptr_nonnull(state.map);
	node_epoch_read(&epoch);
	epoch.slurmd_pid = pid;
	epoch.slurmd_start = start;
	ck_assert_int_eq(node_cache_write(tempdir_name, &epoch, &state, &err), 0);
	node_state_free(&state);
	return cached();
}

START_TEST(outside_of_a_prolog_the_cache_holds_as_long_as_its_slurmd)
{
	pid_t daemon, other;
	int64_t start;

	setup();
	prctl(PR_SET_NAME, "test_node");
	daemon = start_daemon("slurmd-wlm");
	other = start_daemon("sackd");
	start = ticks_of(daemon);
	ck_assert_int_eq(cached_of(daemon, start), 1);
	ck_assert_int_eq(cached_of(daemon, start + 1), 0);
	ck_assert_int_eq(cached_of(daemon, start - 1), 0);
	ck_assert_int_eq(cached_of(other, ticks_of(other)), 0);
	ck_assert_int_eq(cached_of(0, 0), 1); /* there was none */
	stop_daemon(daemon);
	stop_daemon(other);
	ck_assert_int_eq(cached_of(daemon, start), 0);
	tempdir_remove();
}
END_TEST

/* In a process named slurmd, which is younger than another one. */
static void as_slurmd(void (*look)(pid_t older))
{
	pid_t older, pid;
	int status;

	setup();
	prctl(PR_SET_NAME, "test_node");
	older = start_daemon("slurmd");
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_NAME, "slurmd");
		look(older);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	stop_daemon(older);
	tempdir_remove();
}

static void look_up(pid_t older)
{
	struct node_epoch epoch;
	pid_t pid = getpid();

	node_epoch_read(&epoch);
	ck_assert_int_eq(epoch.slurmd_pid, pid);
	ck_assert_int_eq(epoch.slurmd_start, ticks_of(pid));
	ck_assert_int_eq(cached_of(pid, ticks_of(pid)), 1);
	ck_assert_int_eq(cached_of(older, ticks_of(older)), 0);
}

START_TEST(in_a_prolog_the_slurmd_above_it_counts)
{
	as_slurmd(look_up);
}
END_TEST

/* Is this slurmd found by a process that is so many forks below? */
static void expect_found_below(int forks, pid_t slurmd, bool is_found)
{
	struct node_epoch epoch;
	int status;
	pid_t pid;

	if (!forks) {
		node_epoch_read(&epoch);
		ck_assert_int_gt(epoch.slurmd_pid, 0);
		ck_assert((epoch.slurmd_pid == slurmd) == is_found);
		return;
	}
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_NAME, "prolog");
		expect_found_below(forks - 1, slurmd, is_found);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void look_up_from_below(pid_t older)
{
	(void)older; /* found where none is above */
	expect_found_below(15, getpid(), true);
	expect_found_below(16, getpid(), false);
}

START_TEST(a_slurmd_is_looked_for_among_sixteen_processes)
{
	as_slurmd(look_up_from_below);
}
END_TEST

START_TEST(whoever_asks_for_no_node_gets_the_one_that_is_kept)
{
	struct node_state state = { 0 };
	struct err err;

	setup();
	make_helper(8, (long long)time(NULL));
	load(8);
	ck_assert_int_eq(node_load(tempdir_name, helper, "", 5000, &state, &err), 0);
	node_state_free(&state);
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 5000, &state, &err), 0);
	node_state_free(&state);
	ck_assert_ptr_null(state.map);
	ck_assert_uint_eq(calls(), 1);
	/* nothing is kept where there is no place */
	ck_assert_int_eq(node_refresh(NULL, helper, "n1", 5000, &state, &err), 0);
	node_state_free(&state);
	ck_assert_uint_eq(calls(), 2);
	tempdir_remove();
}
END_TEST

START_TEST(a_helper_that_says_nothing_has_failed)
{
	struct node_state state = { 0 };
	struct err err;

	setup();
	strcpy(helper, tempdir_put("helper", "#!/bin/sh\nexit 1\n"));
	ck_assert_int_eq(chmod(helper, 0755), 0);
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 5000, &state, &err), -1);
	ck_assert_str_eq(err.text, "node record: jobio-slurm failed");
	strcpy(helper, tempdir_put("helper", "#!/bin/sh\necho '{'\n"));
	ck_assert_int_eq(node_load(tempdir_name, helper, NULL, 5000, &state, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "not JSON"));
	tempdir_put("file", "");
	ck_assert_int_eq(node_cached(tempdir_path("file/x"), &state, &err), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_machine_that_cannot_be_read_leaves_no_record_behind)
{
	struct node_state state = { 0 };
	struct err err = { "" };

	setup();
	make_helper(8, (long long)time(NULL));
	setenv("HWLOC_COMPONENTS", "stop", 1); /* hwloc finds no CPU */
	ck_assert_int_eq(node_load(tempdir_name, helper, "n1", 5000, &state, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "topology: 'this machine'"));
	ck_assert_ptr_null(state.map);
	ck_assert_int_eq(node_refresh(NULL, helper, "n1", 5000, &state, &err), -1);
	unsetenv("HWLOC_COMPONENTS");
	load(8);
	ck_assert_uint_eq(calls(), 3);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("node", a_slurmd_is_looked_for_among_sixteen_processes,
	  of_too_many_specialized_cores_slurm_takes_one, the_newest_conf_beside_slurm_conf_counts,
	  in_a_prolog_the_slurmd_above_it_counts,
	  outside_of_a_prolog_the_oldest_slurmd_of_the_host_counts,
	  outside_of_a_prolog_the_cache_holds_as_long_as_its_slurmd,
	  a_node_line_means_what_slurm_makes_of_it, what_slurm_corrects_in_a_node_line_is_a_finding,
	  a_list_beyond_the_cpus_of_the_line_is_told_with_their_numbers,
	  a_record_as_new_as_slurm_conf_is_not_asked_for_again,
	  a_cache_that_does_not_hold_is_none_and_no_error, a_record_that_cannot_be_kept_is_an_error,
	  a_state_stays_as_it_is_where_nobody_answers, a_wrong_node_line_is_refused_with_its_word,
	  a_record_is_read_from_json, a_damaged_record_is_refused,
	  a_record_without_memspeclimit_does_not_know_it, slurmctld_is_asked_once_and_not_again,
	  a_changed_slurm_conf_or_a_neighbour_of_it_asks_again,
	  a_record_older_than_slurm_conf_holds_for_a_minute_only,
	  a_slurm_conf_that_slurmd_has_fetched_is_no_newer_than_the_record,
	  another_slurmd_asks_again, a_damaged_cache_is_written_anew,
	  the_record_of_another_node_is_not_taken_for_ours,
	  the_sentence_of_the_helper_reaches_the_caller,
	  the_helper_reads_the_slurm_conf_that_is_named,
	  a_helper_that_hangs_is_ended_at_the_deadline, a_node_line_is_read_to_its_bounds,
	  a_node_line_beyond_its_bounds_is_refused, the_words_of_a_node_line_are_kept,
	  parameters_of_a_node_line_count_since_25_11, numbers_of_a_record_have_bounds,
	  texts_of_a_record_are_read_as_slurm_reads_them,
	  a_slurm_conf_that_is_long_unchanged_is_no_newer_than_the_record,
	  a_machine_that_cannot_be_read_leaves_no_record_behind,
	  whoever_asks_for_no_node_gets_the_one_that_is_kept, a_helper_that_says_nothing_has_failed)
