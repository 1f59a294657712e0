/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-facts - print what only C knows of this node, as JSON: for jobio check
 *
 * What jobio.conf says, or what is wrong with it; facts and findings of the filesystem
 * clients; the cores that Slurm withholds; how the kernel lets jobio count; spool, job
 * folders that are left, and an answer of each ledger. With --text it prints its findings:
 * for nodes without Python.
 *
 * Exit status: 0; 2 with one line on standard error.
 */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "lib/alloc.h"
#include "lib/child.h"
#include "lib/config.h"
#include "lib/core_map.h"
#include "lib/digest.h"
#include "lib/fileio.h"
#include "lib/host.h"
#include "lib/json.h"
#include "lib/ledger_link.h"
#include "lib/locality.h"
#include "lib/node.h"
#include "lib/reservation.h"
#include "lib/rundir.h"
#include "lib/seal.h"
#include "lib/sysfs.h"
#include "tools/print.h"

#define CLIENT_BUDGET_MS 20000
#define HELPER_MS 5000U
#define HELLO_EXTRA_MS 10000U /* munged and names have no deadline of ours */
#define CONF_MAX (1U << 20)
#define EX_USAGE 2

struct facts {
	const char *conf, *root, *topology, *started, *record, *helpers;
	char host[NODE_NAME_MAX];
	int text, no_clients, no_ledger;
	struct config *config;
	struct json *out;
	long mem_spec_limit_mb;
};

/* ---- jobio.conf ---------------------------------------------------------------------- */

/* "It must be the same everywhere" (jobio.conf(5)): a mark to compare. */
static void add_digest(struct json *conf, const char *path)
{
	char *text = fileio_read_linked(path, CONF_MAX, NULL), mark[20];

	if (text)
		snprintf(mark, sizeof(mark), "%016" PRIx64,
			 digest_add(DIGEST_BEGIN, text, strlen(text)));
	json_add_text(conf, "digest", text ? mark : NULL);
	free(text);
}

static void add_ledger_keys(const struct facts *facts, struct json *conf)
{
	const struct config_ledger *ledger = &facts->config->ledger;
	struct json *object = json_add_object(conf, "ledger");

	json_add_text(object, "host", ledger->host);
	json_add_number(object, "port", ledger->port);
	json_add_text(object, "user", ledger->user);
	json_add_text(object, "store", ledger->store);
	json_add_text(object, "storage_pass_file", ledger->storage_pass_file);
	json_add_text(object, "cluster", ledger->cluster);
	json_add_text(object, "munge_socket", ledger->munge_socket);
	json_add_number(object, "send_timeout_ms", ledger->send_timeout_ms);
	json_add_text(object, "wait_nodes", ledger->wait_nodes);
	json_add_bool(object, "waits", config_waits(facts->config, facts->host));
}

static void add_keys(const struct facts *facts, struct json *conf)
{
	const struct config *config = facts->config;
	struct json *list, *one;
	size_t i;

	json_add_bool(conf, "enabled", config->enabled == SWITCH_YES);
	json_add_bool(conf, "is_for_node", config_has_node(config->nodes, facts->host));
	json_add_text(conf, "nodes", config->nodes);
	json_add_text(conf, "partitions", config->partitions);
	json_add_text(conf, "gate", gate_policy_name(config->gate));
	json_add_text(conf, "run_dir", config->run_dir);
	json_add_text(conf, "spool_dir", config->spool_dir);
	json_add_number(conf, "spool_max_records", config->spool_max_records);
	json_add_number(conf, "prolog_budget_ms", config->prolog_budget_ms);
	json_add_number(conf, "io_cores_min", config->io_cores_min);
	json_add_number(conf, "io_cores_max", config->io_cores_max);
	json_add_bool(conf, "count_kernel", config->count_kernel == SWITCH_YES);
	add_ledger_keys(facts, conf);
	list = json_add_list(conf, "clients");
	for (i = 0; i < config->client_count; i++) {
		one = json_append_object(list);
		json_add_text(one, "name", config->clients[i].name);
		json_add_text(one, "type", client_type_name(config->clients[i].type));
		json_add_text(one, "nodes", config->clients[i].nodes);
	}
}

static void add_profile(struct json *refused, const struct config_profile *profile,
			const struct config_client *section)
{
	static const char end[] = "; the profile was not applied";
	struct findings findings = { 0 };
	struct json *one;
	char *cut;
	size_t i;

	client_judge_profile(section, profile, &findings);
	for (i = 0; i < findings.count; i++) {
		cut = strstr(findings.list[i].text, end);
		if (cut)
			*cut = '\0';
		one = json_append_object(refused);
		json_add_text(one, "profile", profile->name);
		json_add_text(one, "client", section->name);
		json_add_text(one, "text", findings.list[i].text);
	}
	findings_free(&findings);
}

/* Profiles that a client refuses, and those that no client takes. */
static void add_profiles(const struct config *config, struct json *conf)
{
	struct json *refused = json_add_list(conf, "refused_profiles");
	struct json *unused = json_add_list(conf, "unused_profiles");
	const char *name;
	bool is_taken;
	size_t i, k;

	for (i = 0; i < config->profile_count; i++) {
		name = config->profiles[i].name;
		is_taken = config_profile_is_empty(config, name);
		for (k = 0; k < config->client_count; k++) {
			is_taken |= config_profile_is_for(config, name, &config->clients[k]);
			add_profile(refused, config_profile_for(config, name, &config->clients[k]),
				    &config->clients[k]);
		}
		if (!is_taken)
			json_append_text(unused, name);
	}
}

static void add_conf(struct facts *facts)
{
	struct json *conf = json_add_object(facts->out, "conf");
	char path[PATH_MAX];
	struct err err;

	snprintf(path, sizeof(path), "%s%s", facts->root, facts->conf);
	json_add_text(conf, "file", facts->conf);
	add_digest(conf, path);
	facts->config = config_load(path, &err);
	json_add_text(conf, "error", facts->config ? NULL : err.text);
	if (!facts->config)
		return;
	add_keys(facts, conf);
	add_profiles(facts->config, conf);
	json_add_text(conf, "calibration_error",
		      config_calibrate(facts->config, &err) < 0 ? err.text : NULL);
}

/* ---- filesystem clients ------------------------------------------------------------------ */

static void add_cards(const struct facts *facts, const struct client *client, struct json *one)
{
	struct json *list = json_add_list(one, "cards"), *object;
	const struct client_card *card;
	struct client_cards cards;
	struct cpuset cpus;
	size_t i;

	client_cards(client, &cards);
	for (i = 0; i < cards.count; i++) {
		card = &cards.card[i];
		object = json_append_object(list);
		json_add_text(object, "card", card->name);
		json_add_known(object, "numa_node", card->numa_node);
		json_add_known(object, "mtu", sysfs_interface_number(card->name, "mtu"));
		if (card->numa_node >= 0 &&
		    locality_of_node(facts->topology, card->numa_node, &cpus, NULL) == 0)
			print_add_text(object, "cpus", cpuset_format(&cpus));
	}
}

static void judge_client(const struct facts *facts, struct client *client, struct json *one)
{
	const struct client_facts *known = client_facts(client);
	struct client_want want = { .mem_spec_limit_mb = -1 };
	struct findings findings = { 0 };

	if (known->cpus_known)
		print_add_text(one, "cpus", cpuset_format(&known->frontend_cpus));
	json_add_number(one, "fixed_cores", known->cpus_known ? known->fixed_cores : 0);
	json_add_text(one, "version", known->version);
	add_cards(facts, client, one);
	want.mount_options = want.read_ahead_kb = want.parameters = "";
	if (facts->mem_spec_limit_mb > 0)
		want.mem_spec_limit_mb = facts->mem_spec_limit_mb;
	client_judge(client, &want, &findings);
	print_add_findings(one, &findings, true);
	findings_free(&findings);
}

static void add_path(const char *key, char **path, void *files)
{
	json_add_text(files, key, *path);
}

static void put_below(const char *key, char **path, void *root)
{
	char *whole = xasprintf("%s%s", (const char *)root, *path);

	(void)key;
	free(*path);
	*path = whole;
}

static void add_client(const struct facts *facts, struct config_client *section,
		       unsigned int budget_ms, struct json *list)
{
	struct json *one = json_append_object(list);
	struct client *client;
	struct err err;

	json_add_text(one, "name", section->name);
	json_add_text(one, "type", client_type_name(section->type));
	config_each_path(section, add_path, json_add_object(one, "files"));
	if (facts->no_clients)
		return;
	if (*facts->root)
		config_each_path(section, put_below, (void *)facts->root);
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

/* What Slurm withholds from a job that asks for nothing, and from one that asks for one
 * core where it may. */
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
	print_add_findings(object, &got.findings, true);
	reservation_free(&got);
	node->allow_spec_resources_usage = node->cons_tres = true;
	if (reservation_compute(node, map, &one, &got, &err) < 0)
		return;
	print_add_text(object, "one", cpuset_format(&got.os_cpus));
	reservation_free(&got);
}

/* What the running slurmd found when it was started (until 24.11). */
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

/* ---- helpers, spool ------------------------------------------------------------------- */

static int run_helper(const struct facts *facts, const char *name, const char *word,
		      const char *option, struct child_result *result, struct err *err)
{
	char *path = xasprintf("%s/%s", facts->helpers, name);
	char *argv[] = { path, (char *)option, (char *)word, NULL };
	int rc = child_run(argv, NULL, HELPER_MS, result, err);

	free(path);
	return rc;
}

/* What jobio-count probe says. */
static void add_count(const struct facts *facts)
{
	char *option = xasprintf("--run-dir=%s", facts->config->run_dir);
	struct json *count = json_add_object(facts->out, "count"), *answer;
	struct child_result result = { 0 };
	struct err err;

	if (run_helper(facts, "jobio-count", "probe", option, &result, &err) < 0) {
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
}

/* Jobs in lines "16 left" of `jobio-prepare --list`. */
static void add_left(const struct facts *facts)
{
	char *option = xasprintf("--conf=%s", facts->conf), *line, *save, word[8];
	struct json *list = json_add_list(facts->out, "left");
	struct child_result result = { 0 };
	unsigned int job;

	if (run_helper(facts, "jobio-prepare", "--list", option, &result, NULL) == 0)
		for (line = strtok_r(result.out, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			if (sscanf(line, "%u %7s", &job, word) == 2 && !strcmp(word, "left"))
				json_append_number(list, job);
	child_result_free(&result);
	free(option);
}

/* How many files that 'is_one' takes are in this folder; how old the oldest is. */
static int64_t count_files(const char *path, bool (*is_one)(const char *name), int64_t *oldest_s)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int64_t count = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (!is_one(entry->d_name) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		count++;
		if (time(NULL) - st.st_mtime > *oldest_s)
			*oldest_s = time(NULL) - st.st_mtime;
	}
	if (dir)
		closedir(dir);
	return count;
}

static bool is_shown(const char *name)
{
	return *name != '.';
}

static void add_spool(const struct facts *facts)
{
	struct json *spool = json_add_object(facts->out, "spool");
	char path[PATH_MAX], bad[PATH_MAX + 8];
	int64_t oldest_s = 0, ignored = 0;

	snprintf(path, sizeof(path), "%s%s", facts->root, facts->config->spool_dir);
	snprintf(bad, sizeof(bad), "%s/bad", path);
	json_add_number(spool, "records", count_files(path, rundir_is_record, &oldest_s));
	json_add_number(spool, "oldest_s", oldest_s);
	json_add_number(spool, "refused", count_files(bad, is_shown, &ignored));
}

/* ---- ledgers -------------------------------------------------------------------------- */

static int end_at(const char *stage, const char *text)
{
	printf("%s\n%s", stage, text);
	return 0;
}

/* In a child: where it ended, and a sentence or the ledger's clock less ours. */
static int hello(void *arg)
{
	const struct config_ledger *ledger = arg;
	struct ledger_link *link;
	struct json *top;
	char *answer, text[32];
	struct err err;
	int64_t there;

	if (!getpwnam(ledger->user))
		return end_at("user", ledger->user);
	if (seal_check(ledger->munge_socket, &err) < 0)
		return end_at("munge", err.text);
	link = ledger_link_open(ledger, &err);
	if (!link)
		return end_at("connect", err.text);
	if (ledger_link_call(link, "{\"op\":\"ping\"}", &answer, &err) < 0)
		return end_at("hello", err.text);
	top = json_parse(answer);
	there = json_number(top, "time");
	if (!json_is_true(top, "ok"))
		return end_at("hello", "the ledger refuses a ping");
	snprintf(text, sizeof(text), "%" PRId64, there > 0 ? there - (int64_t)time(NULL) : 0);
	return end_at("done", text);
}

static void add_hello(struct config_ledger *ledger, struct json *one)
{
	struct child_result result = { 0 };
	struct err err = { "it gave up" };
	char *text;

	json_add_text(one, "host", ledger->host);
	if (child_call("the ledger", hello, ledger, 2 * ledger->send_timeout_ms + HELLO_EXTRA_MS,
		       &result, &err) < 0 ||
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

/* Each of them: that the next one answers hides that one is down. */
static void add_ledgers(const struct facts *facts)
{
	struct json *list = json_add_list(facts->out, "ledgers");
	struct config_ledger one = facts->config->ledger;
	char host[CONFIG_WORD_MAX];
	size_t i;

	one.host = host;
	for (i = 0; config_word(facts->config->ledger.host, i, host); i++)
		add_hello(&one, json_append_object(list));
}

/* ---- the whole ------------------------------------------------------------------------ */

static void say(const char *code, const char *severity, const char *text, const char *cure)
{
	printf("%s %s: %s\n", code, severity, text);
	if (*cure)
		printf("    cure: %s\n", cure);
}

static void say_findings(const struct json *of)
{
	struct json *one;

	for (one = json_first(json_list(of, "findings")); one; one = one->next)
		say(json_text(one, "code"), json_text(one, "severity"), json_text(one, "text"),
		    json_text(one, "cure"));
}

static void say_count(const struct facts *facts)
{
	const struct json *count = json_map(facts->out, "count");
	const char *why = json_text(json_map(count, "probe"), "reason");

	why = why ? why : json_text(count, "error");
	if (why)
		say("H02", "warning", why, "see jobio-count(8)");
}

/* The findings, of a node without Python. */
static void print_text(const struct facts *facts)
{
	const char *error = json_text(json_map(facts->out, "conf"), "error");
	struct json *one;

	if (error)
		say("J01", "error", error, "see jobio.conf(5)");
	for (one = json_first(json_list(facts->out, "clients")); one; one = one->next) {
		error = json_text(one, "error");
		if (error)
			say("J03", "error", error, "correct its section in jobio.conf");
		say_findings(one);
	}
	say_findings(json_map(facts->out, "node"));
	if (facts->config)
		say_count(facts);
	for (one = json_first(json_list(facts->out, "ledgers")); one; one = one->next)
		if (strcmp(json_text(one, "stage"), "done") != 0)
			say("L04", "error", json_text(one, "text"), "see jobio-check(8)");
}

static void look(struct facts *facts)
{
	struct utsname name;

	facts->out = json_new_object();
	uname(&name);
	json_add_text(facts->out, "jobio", JOBIO_PACKAGE_VERSION);
	json_add_text(facts->out, "kernel", name.release);
	json_add_text(facts->out, "host", facts->host);
	if (facts->record)
		add_node(facts);
	add_conf(facts);
	add_sizing(facts);
	if (!facts->config)
		return;
	add_clients(facts);
	add_spool(facts);
	if (geteuid() == 0 && facts->helpers) {
		if (facts->config->count_kernel == SWITCH_YES)
			add_count(facts);
		add_left(facts);
	}
	if (!facts->no_ledger)
		add_ledgers(facts);
}

static int usage(FILE *to, int rc)
{
	fputs("usage: jobio-facts [--text] [--conf=FILE] [--host=NODE] [--node=JSON]\n"
	      "                   [--topology=FILE.xml] [--started=FILE.xml] [--helpers=DIR]\n"
	      "                   [--root=DIR] [--sysfs=DIR] [--no-clients] [--no-ledger]\n"
	      "Prints what jobio knows of this node, as JSON; --text: its findings. See\n"
	      "jobio-check(8). --node is a node record as jobio-slurm prints it.\n",
	      to);
	return rc;
}

static int read_arguments(struct facts *facts, int argc, char *argv[])
{
	const char *host = NULL, *sysfs = NULL;
	const char **const texts[] = { &facts->conf,	 &host,		  &facts->record,
				       &facts->topology, &facts->started, &facts->helpers,
				       &facts->root,	 &sysfs };
	const struct option options[] = {
		{ "conf", required_argument, NULL, 0x100 },
		{ "host", required_argument, NULL, 0x101 },
		{ "node", required_argument, NULL, 0x102 },
		{ "topology", required_argument, NULL, 0x103 },
		{ "started", required_argument, NULL, 0x104 },
		{ "helpers", required_argument, NULL, 0x105 },
		{ "root", required_argument, NULL, 0x106 },
		{ "sysfs", required_argument, NULL, 0x107 },
		{ "text", no_argument, &facts->text, 1 },
		{ "no-clients", no_argument, &facts->no_clients, 1 },
		{ "no-ledger", no_argument, &facts->no_ledger, 1 },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h')
			exit(usage(stdout, 0));
		if (option == '?')
			return -1;
		if (option)
			*texts[option & 0xff] = optarg;
	}
	if (host)
		snprintf(facts->host, sizeof(facts->host), "%s", host);
	if (sysfs)
		sysfs_set_root(sysfs);
	return optind == argc ? 0 : -1;
}

int main(int argc, char *argv[])
{
	struct facts facts = { .conf = JOBIO_CONF, .root = "" };
	char sys[PATH_MAX];

	if (host_node_name(facts.host, sizeof(facts.host)) < 0)
		snprintf(facts.host, sizeof(facts.host), "localhost");
	if (read_arguments(&facts, argc, argv) < 0)
		return usage(stderr, EX_USAGE);
	if (facts.text && !facts.helpers)
		facts.helpers = JOBIO_LIBEXECDIR;
	if (*facts.root && snprintf(sys, sizeof(sys), "%s/sys", facts.root) < (int)sizeof(sys))
		sysfs_set_root(sys);
	look(&facts);
	if (facts.text)
		print_text(&facts);
	else
		puts(json_line(facts.out));
	json_free(facts.out);
	config_free(facts.config);
	return 0;
}
