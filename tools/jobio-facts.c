/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-facts - print the facts of this node that C programs can read, as JSON: for jobio check
 *
 * Settings of jobio.conf, or its error; facts and findings of the filesystem clients; the cores
 * that Slurm withholds; how jobio can count with this kernel; and an answer of each ledger. With
 * --text it prints its findings: for nodes without Python.
 *
 * Exit status: 0; 2 with one line on standard error.
 */
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command_line.h"
#include "base/config_load.h"
#include "base/config_query.h"
#include "base/host.h"
#include "base/sysfs.h"
#include "client/client.h"
#include "cores/core_map_load.h"
#include "cores/node.h"
#include "cores/reservation.h"
#include "link/credential.h"
#include "link/ledger_link.h"
#include "record/alloc.h"
#include "record/json.h"
#include "tools/print.h"
#include "tools/settings.h"

#define CLIENT_BUDGET_MS 20000
#define HELPER_MS 5000U
#define LEDGER_EXTRA_MS 10000U /* munged and name resolution have no timeout of ours */

struct facts {
	const char *conf, *host, *root, *topology, *started, *record, *helpers;
	bool text, no_clients, no_ledger;
	struct config *config;
	struct json *out;
	long mem_spec_limit_mb;
};

/* ---- jobio.conf ---------------------------------------------------------------------- */

static void add_conf(struct facts *facts)
{
	struct json *conf = json_add_object(facts->out, "conf");
	char path[PATH_MAX];
	struct err err;

	snprintf(path, sizeof(path), "%s%s", facts->root, facts->conf);
	facts->config = config_load(path, &err);
	json_add_text(conf, "error", facts->config ? NULL : err.text);
	if (!facts->config)
		return;
	settings_add(conf, facts->config);
	json_add_bool(conf, "is_for_node", config_has_node(facts->config->nodes, facts->host));
	json_add_bool(conf, "waits", config_waits(facts->config, facts->host));
	json_add_text(conf, "calibration_error",
		      config_calibrate(facts->config, &err) < 0 ? err.text : NULL);
}

/* ---- filesystem clients ------------------------------------------------------------------ */

static void judge_client(const struct facts *facts, struct client *client, struct json *one)
{
	const struct client_facts *found = client_facts(client);
	struct client_desired desired = { .mem_spec_limit_mb = -1 };
	struct client_nics nics;
	struct findings findings = { 0 };

	if (found->cpus_known)
		print_add_text(one, "cpus", cpuset_format(&found->frontend_cpus));
	json_add_number(one, "fixed_cores", found->cpus_known ? found->fixed_cores : 0);
	client_nics(client, &nics);
	print_add_nics(json_add_list(one, "cards"), &nics, facts->topology);
	desired.mount_options = desired.read_ahead_kb = desired.parameters = "";
	if (facts->mem_spec_limit_mb > 0)
		desired.mem_spec_limit_mb = facts->mem_spec_limit_mb;
	client_judge(client, &desired, &findings);
	print_add_findings(one, &findings);
	findings_free(&findings);
}

static void add_client(const struct facts *facts, struct config_client *section,
		       unsigned int budget_ms, struct json *list)
{
	struct json *one = json_append_object(list);
	struct client *client;
	struct err err;

	json_add_text(one, "name", section->name);
	if (facts->no_clients)
		return;
	if (*facts->root)
		config_set_root(section, facts->root, true);
	client = client_open(section, NULL, NULL);
	if (client_inspect(client, budget_ms, &err) < 0)
		json_add_text(one, "error", err.text);
	else
		judge_client(facts, client, one);
	client_close(client);
}

static void add_clients(const struct facts *facts)
{
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	struct json *list = json_add_list(facts->out, "clients");
	size_t count = config_clients_for(facts->config, facts->host, sections), i;

	for (i = 0; i < count; i++)
		add_client(facts, (struct config_client *)sections[i],
			   CLIENT_BUDGET_MS / (unsigned int)count, list);
}

static void add_sizing(const struct facts *facts)
{
	const struct client_sizing *size = client_sizing(client_type_with_cores());
	struct json *object = json_add_object(facts->out, "sizing");

	json_add_number(object, "memory_fixed_mb", size->memory_fixed_mb);
	json_add_number(object, "memory_core_mb", size->memory_core_mb);
	json_add_number(object, "huge_core_mb", size->huge_core_mb);
}

/* ---- cores --------------------------------------------------------------------------- */

static void add_map(struct json *object, const struct core_map *map)
{
	const struct core_map_shape *shape = core_map_shape(map);
	struct json *cores = json_add_list(object, "cores");
	unsigned int i;
	char *list;

	json_add_number(object, "machine_cpus", shape->cpus);
	json_add_number(object, "machine_cores", shape->sockets * shape->cores);
	json_add_bool(object, "ecores_dropped", core_map_flaws(map) & CORE_MAP_ECORES_DROPPED);
	print_add_text(object, "seen", cpuset_format(core_map_cpus(map)));
	for (i = 0; i < core_map_core_count(map); i++) {
		list = cpuset_format(core_map_core(map, i));
		json_append_text(cores, list ? list : "");
		free(list);
	}
}

/* Add the cores that Slurm withholds from a job without --core-spec, and from one with
 * --core-spec=1 if it is allowed to use it. */
static void add_reserved(struct json *object, struct node *node, const struct core_map *map)
{
	static const struct reservation_request unset = { RESERVATION_UNSET, 0 },
						one = { RESERVATION_CORES, 1 };
	struct reservation got;
	struct err err;

	if (reservation_compute(node, map, &unset, &got, &err) < 0) {
		json_add_text(object, "error", err.text);
		return;
	}
	print_add_text(object, "spec", cpuset_format(&got.os_cpus));
	print_add_findings(object, &got.findings);
	reservation_free(&got);
	node->allow_spec_resources_usage = node->cons_tres = true;
	if (reservation_compute(node, map, &one, &got, &err) < 0)
		return;
	print_add_text(object, "one", cpuset_format(&got.os_cpus));
	reservation_free(&got);
}

/* Add the CPUs that the running slurmd found when it was started (until 24.11). */
static void add_started(const struct facts *facts, struct json *object, unsigned int version)
{
	struct core_map_options options = { .xml = facts->started,
					    .slurm_version = version,
					    .allow_ecores = true };
	struct core_map *map = facts->started ? core_map_load(&options, NULL) : NULL;

	if (map)
		print_add_text(object, "started_with", cpuset_format(core_map_cpus(map)));
	core_map_free(map);
}

static void add_node(struct facts *facts)
{
	struct core_map_options options = { .xml = facts->topology };
	struct json *object = json_add_object(facts->out, "node");
	struct core_map *map;
	struct node node;
	struct err err;

	if (node_parse_json(&node, facts->record, &err) < 0) {
		json_add_text(object, "error", err.text);
		return;
	}
	facts->mem_spec_limit_mb = node.mem_spec_limit_mb;
	options.slurm_version = node.version;
	core_map_slurmd_parameters(&options, node.slurmd_parameters);
	map = core_map_load(&options, &err);
	if (map) {
		add_map(object, map);
		add_reserved(object, &node, map);
		add_started(facts, object, node.version);
	} else {
		json_add_text(object, "error", err.text);
	}
	core_map_free(map);
}

/* ---- counting -------------------------------------------------------------------------- */

/* Add the output of jobio-count probe. */
static void add_count(const struct facts *facts)
{
	char *program = xasprintf("%s/jobio-count", facts->helpers);
	char *option = xasprintf("--run-dir=%s", facts->config->run_dir);
	bool latency = facts->config->count_latency == SWITCH_YES;
	char *argv[] = { program, option, (char *)"probe", latency ? (char *)"--latency" : NULL,
			 NULL };
	struct json *count = json_add_object(facts->out, "count"), *answer;
	struct child_result result = { 0 };
	struct err err;

	if (child_run(argv, NULL, HELPER_MS, &result, &err) < 0) {
		json_add_text(count, "error", err.text);
	} else {
		answer = json_parse(result.out);
		result.errtext[strcspn(result.errtext, "\n")] = '\0';
		if (answer)
			json_add_copy(count, "probe", answer);
		else
			json_add_text(count, "error",
				      *result.errtext ? result.errtext : "it prints no JSON");
		json_free(answer);
	}
	child_result_free(&result);
	free(option);
	free(program);
}

/* ---- ledgers -------------------------------------------------------------------------- */

static int print_stage(const char *stage, const char *text)
{
	printf("%s\n%s", stage, text);
	return 0;
}

/* In a child: print the last stage, and a message or the ledger's clock minus ours. */
static int test_ledger(void *arg)
{
	const struct config_ledger *ledger = arg;
	struct ledger_link *link;
	struct json *top;
	char *answer, text[32];
	struct err err;
	int64_t there;

	if (!getpwnam(ledger->user))
		return print_stage("user", ledger->user);
	if (credential_check(ledger->munge_socket, &err) < 0)
		return print_stage("munge", err.text);
	link = ledger_link_open(ledger, &err);
	if (!link)
		return print_stage("connect", err.text);
	if (ledger_link_call(link, "{\"op\":\"ping\"}", &answer, &err) < 0)
		return print_stage("hello", err.text);
	top = json_parse(answer);
	there = json_number(top, "time");
	if (!json_is_true(top, "ok"))
		return print_stage("hello", "the ledger refuses a ping");
	snprintf(text, sizeof(text), "%" PRId64, there > 0 ? there - (int64_t)time(NULL) : 0);
	return print_stage("done", text);
}

static void add_ledger_test(struct config_ledger *ledger, struct json *one)
{
	struct child_result result = { 0 };
	struct err err = { "it gave up" };
	char *text;

	json_add_text(one, "host", ledger->host);
	if (child_call("the ledger", test_ledger, ledger,
		       2 * ledger->send_timeout_ms + LEDGER_EXTRA_MS, &result, &err) < 0 ||
	    !(text = strchr(result.out, '\n'))) {
		json_add_text(one, "stage", "late");
		json_add_text(one, "text", err.text);
		return;
	}
	*text++ = '\0';
	json_add_text(one, "stage", result.out);
	json_add_text(one, "text", text);
	child_result_free(&result);
}

/* Add each ledger: jobio-send would use the next one, and hide that one is down. */
static void add_ledgers(const struct facts *facts)
{
	struct json *list = json_add_list(facts->out, "ledgers");
	struct config_ledger one = facts->config->ledger;
	char host[CONFIG_WORD_MAX];
	size_t i;

	one.host = host;
	for (i = 0; config_word(facts->config->ledger.host, i, host); i++)
		add_ledger_test(&one, json_append_object(list));
}

/* ---- the whole ------------------------------------------------------------------------ */

static void print_finding(const char *code, const char *severity, const char *text,
			  const char *cure)
{
	printf("%s %s: %s\n", code, severity, text);
	if (cure)
		printf("    cure: %s\n", cure);
}

static void print_findings(const struct json *of)
{
	struct json *one;

	for (one = json_first(json_list(of, "findings")); one; one = one->next)
		print_finding(json_text(one, "code"), json_text(one, "severity"),
			      json_text(one, "text"), json_text(one, "cure"));
}

static void print_count(const struct facts *facts)
{
	const struct json *count = json_map(facts->out, "count");
	const char *why = json_text(json_map(count, "probe"), "reason");

	why = why ? why : json_text(count, "error");
	if (why)
		print_finding("H02", "warning", why, "see jobio-count(8)");
}

/* Print the findings, for a node without Python. */
static void print_text(const struct facts *facts)
{
	const char *error = json_text(json_map(facts->out, "conf"), "error");
	struct json *one;

	if (error)
		print_finding("J01", "error", error, "see jobio.conf(5)");
	for (one = json_first(json_list(facts->out, "clients")); one; one = one->next) {
		error = json_text(one, "error");
		if (error)
			print_finding("J03", "error", error, "correct its section in jobio.conf");
		print_findings(one);
	}
	print_findings(json_map(facts->out, "node"));
	if (facts->config)
		print_count(facts);
	for (one = json_first(json_list(facts->out, "ledgers")); one; one = one->next)
		if (strcmp(json_text(one, "stage"), "done") != 0)
			print_finding("L04", "error", json_text(one, "text"), "see jobio-check(8)");
}

static void collect(struct facts *facts)
{
	facts->out = json_new_object();
	if (facts->record)
		add_node(facts);
	add_conf(facts);
	add_sizing(facts);
	if (!facts->config)
		return;
	add_clients(facts);
	if (geteuid() == 0 && facts->helpers && facts->config->count_kernel == SWITCH_YES)
		add_count(facts);
	if (!facts->no_ledger)
		add_ledgers(facts);
}

/* clang-format off */
static const struct command_option options[] = {
	COMMAND_TEXT("conf", struct facts, conf),
	COMMAND_TEXT("host", struct facts, host),
	COMMAND_TEXT("node", struct facts, record),
	COMMAND_TEXT("topology", struct facts, topology),
	COMMAND_TEXT("started", struct facts, started),
	COMMAND_TEXT("helpers", struct facts, helpers),
	COMMAND_TEXT("root", struct facts, root),
	COMMAND_SYSFS,
	COMMAND_FLAG("text", struct facts, text),
	COMMAND_FLAG("no-clients", struct facts, no_clients),
	COMMAND_FLAG("no-ledger", struct facts, no_ledger),
	{ 0 }
};
/* clang-format on */

static const struct command_line line = {
	.program = "jobio-facts",
	.usage_status = COMMAND_USAGE,
	.usage = "usage: jobio-facts [--text] [--conf=FILE] [--host=NODE] [--node=JSON]\n"
		 "                   [--topology=FILE.xml] [--started=FILE.xml] [--helpers=DIR]\n"
		 "                   [--root=DIR] [--no-clients] [--no-ledger]\n"
		 "Prints what jobio knows of this node, as JSON; --text: its findings. See\n"
		 "jobio-check(8). --node is a node record as jobio-slurm prints it.\n",
	.table = options,
};

int main(int argc, char *argv[])
{
	char host[NODE_NAME_MAX] = "localhost";
	struct facts facts = { .conf = JOBIO_CONF, .root = "", .host = host };
	int status;

	host_node_name(host, sizeof(host));
	status = command_parse(&line, &facts, argc, argv);
	if (status >= 0)
		return status;
	if (facts.text && !facts.helpers)
		facts.helpers = JOBIO_LIBEXECDIR;
	if (*facts.root)
		sysfs_set_host(facts.root);
	collect(&facts);
	if (facts.text)
		print_text(&facts);
	else
		puts(json_line(facts.out));
	json_free(facts.out);
	config_free(facts.config);
	return 0;
}
