/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/facts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/child.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "client/lustre/stats.h"
#include "record/alloc.h"

#define LINE_TEXT_MAX 512
#define ADDRESSES_MAX 512	  /* IPv4 addresses of this node */
#define PRINTED_MAX 8192	  /* a line of the child; a list of CPUs may be long */
#define COUNTERS "\nstatistics\n" /* between facts and statistics */

struct reading {
	const struct client *client;
	unsigned long long start_ms;
	unsigned int limit_ms;
	bool is_hook; /* also read the statistics */
};

struct lustre_facts *lustre_facts_of(const struct client *client)
{
	return client->facts;
}

void lustre_facts_clear(void *what)
{
	struct lustre_facts *facts = what;

	query_clear(&facts->query);
	free(facts->counters);
	free(facts->no_counters);
	free(facts->instance);
	free(facts->target);
	memset(facts, 0, sizeof(*facts));
}

void lustre_facts_drop_counters(const struct client *client)
{
	struct lustre_facts *facts = lustre_facts_of(client);

	free(facts->counters);
	facts->counters = NULL;
}

/* ---- child: read and print ----------------------------------------- */

static long param(const struct client *client, const char *folder, const char *device,
		  const char *name)
{
	return tree_number(client->section, folder, device, name);
}

static void print_instance(const struct client *client, struct tree_device *device)
{
	const char *name = device->name, *dash = strrchr(name, '-');
	char lov[2 * TREE_NAME_MAX];

	device->tracked = lustre_stats_tracked(client->section, device);
	snprintf(lov, sizeof(lov), "%.*s-clilov%s", (int)(dash - name), name, dash);
	printf("instance %s %ld %ld %ld %ld\n", name,
	       param(client, "llite", name, "max_read_ahead_mb"),
	       param(client, "llite", name, "max_read_ahead_per_file_mb"), device->tracked,
	       param(client, "lov", lov, "stripecount"));
}

/* Return the number after a key of the import's YAML. */
static long import_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? tree_digits(at + strlen(key)) : LUSTRE_UNKNOWN;
}

void lustre_import_parse(const char *text, struct lustre_import *import)
{
	const char *at = strstr(text, "\n    state: ");

	memset(import, 0, sizeof(*import));
	if (at)
		sscanf(at + 12, "%15[A-Z_]", import->state);
	import->server_bytes = import_number(text, "max_brw_size: ");
	import->server_mods = import_number(text, "max_mod_rpcs: ");
}

/* Return a parameter that rules use for OSTs only. */
static long osc_param(const struct client *client, const struct tree_device *device,
		      const char *name)
{
	return device->kind == TREE_OSC ? param(client, "osc", device->name, name) : LUSTRE_UNKNOWN;
}

static void print_target(const struct client *client, const struct tree_device *device)
{
	const char *folder = tree_folder(device->kind), *name = device->name;
	static char text[TREE_TEXT_MAX];
	struct lustre_import import;

	if (tree_text(client->section, folder, name, "import", text, sizeof(text)) < 0) {
		printf("unread %s\n", strerror(errno));
		text[0] = '\0';
	}
	lustre_import_parse(text, &import);
	printf("target %d %u %s %s %ld %ld %ld %ld %ld %ld\n", (int)device->kind, device->index,
	       device->instance, *import.state ? import.state : "?",
	       param(client, folder, name, "active"),
	       osc_param(client, device, "max_rpcs_in_flight"),
	       osc_param(client, device, "max_pages_per_rpc"),
	       osc_param(client, device, "checksums"), import.server_bytes, import.server_mods);
}

/* Print the first line, "2.17.0" or "lustre: 2.10.1". */
static void print_global(const struct client *client, const char *name)
{
	char line[128], *at = line;

	if (tree_line(client->section, ".", ".", name, line, sizeof(line)) < 0)
		return;
	if (!strncmp(line, "lustre: ", 8))
		at += 8;
	if (*at && !strchr(at, ' '))
		printf("%s %s\n", name, at);
}

/* lnet/nis: lines of "nid status alive refs .." */
static FILE *open_lnet(const struct client *client, const char *name)
{
	char path[TREE_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", client->section->lnet_dir, name);
	return fopen(path, "re");
}

static void print_nis(const struct client *client)
{
	FILE *file = open_lnet(client, "nis");
	char line[LINE_TEXT_MAX];

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		printf("nis %s\n", line);
	}
	if (file)
		fclose(file);
}

void lustre_partition_add(struct cpuset *cpus, const char *line)
{
	const char *at = strchr(line, ':');
	unsigned long cpu;
	char *end;

	for (at = at ? at + 1 : ""; *at; at = end) {
		cpu = strtoul(at, &end, 10);
		if (end == at)
			return;
		if (cpu < CPUSET_MAX)
			cpuset_add(cpus, (unsigned int)cpu);
	}
}

/* Lines are of any length. */
static void print_cpts(const struct client *client)
{
	FILE *file = open_lnet(client, "cpu_partition_table");
	struct cpuset cpus = { { 0 } };
	char *line = NULL, *list;
	size_t room = 0;

	if (!file)
		return;
	while (getline(&line, &room, file) > 0)
		lustre_partition_add(&cpus, line);
	list = cpuset_format(&cpus);
	if (list)
		printf("cpts %s\n", list);
	free(list);
	free(line);
	fclose(file);
}

/* Return true unless reading the facts took too long for the statistics, or there are too many
 * devices. */
static bool may_count(const struct reading *reading, const struct tree *tree)
{
	return reading->is_hook && child_now_ms() < reading->start_ms + reading->limit_ms / 8 &&
	       tree->count <= CLIENT_SOURCES_MAX;
}

static void print_devices(const struct client *client, struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->count; i++) {
		if (tree->device[i].kind == TREE_LLITE)
			print_instance(client, &tree->device[i]);
		else
			print_target(client, &tree->device[i]);
	}
}

static int print_all(void *arg)
{
	const struct reading *reading = arg;
	const struct client *client = reading->client;
	struct tree *tree;
	struct err why;

	print_global(client, "version");
	print_global(client, "jobid_var");
	print_nis(client);
	print_cpts(client);
	tree = tree_read(client, &why);
	if (!tree) {
		printf("none %s\n", why.text);
		return 0;
	}
	print_devices(client, tree);
	if (may_count(reading, tree)) {
		printf("%s", &COUNTERS[1]);
		fflush(stdout); /* keep the facts if the statistics hang */
		lustre_stats_print(client, tree, false, reading->start_ms + reading->limit_ms / 2);
	}
	tree_free(tree);
	return 0;
}

/* ---- parent: parse what was printed ----------------------------------- */

static void parse_instance(struct lustre_facts *facts, const char *line)
{
	struct lustre_instance one = { 0 };

	if (sscanf(line, "%95s %ld %ld %ld %ld", one.name, &one.ahead_mb, &one.ahead_file_mb,
		   &one.tracked, &one.stripe_count) != 5)
		return;
	tree_filesystem(one.name, one.filesystem);
	facts->instance = xmore(facts->instance, facts->instance_count, sizeof(one));
	facts->instance[facts->instance_count++] = one;
}

static void parse_target(struct lustre_facts *facts, const char *line)
{
	struct lustre_target one = { 0 };
	int kind;

	if (sscanf(line, "%d %u %95s %15s %ld %ld %ld %ld %ld %ld", &kind, &one.index, one.instance,
		   one.state, &one.active, &one.rpcs, &one.pages, &one.checksums, &one.server_bytes,
		   &one.server_mods) != 10 ||
	    kind < 0 || kind >= TREE_KINDS)
		return;
	one.kind = (enum tree_kind)kind;
	if (!strcmp(one.state, "?"))
		one.state[0] = '\0';
	facts->target = xmore(facts->target, facts->target_count, sizeof(one));
	facts->target[facts->target_count++] = one;
}

/* Find the interface with the address of "192.0.2.31@tcp". SIOCGIFCONF lists addresses only;
 * getifaddrs(3) has the kernel report all details of each interface, and takes several times as
 * long. */
static void find_interface(struct lustre_nic *nic)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq list[ADDRESSES_MAX];
	struct ifconf all = { .ifc_len = sizeof(list), .ifc_req = list };
	char address[INET_ADDRSTRLEN], nid[64];
	const struct sockaddr_in *one;
	int i;

	TEXT_SET_PART(nid, nic->nid, strcspn(nic->nid, "@"));
	if (fd < 0 || ioctl(fd, SIOCGIFCONF, &all) < 0)
		all.ifc_len = 0;
	for (i = 0; i < all.ifc_len / (int)sizeof(*list); i++) {
		one = (const struct sockaddr_in *)&list[i].ifr_addr;
		inet_ntop(AF_INET, &one->sin_addr, address, sizeof(address));
		if (!strcmp(address, nid))
			TEXT_SET(nic->interface, list[i].ifr_name);
	}
	if (fd >= 0)
		close(fd);
}

static void parse_nic(struct lustre_facts *facts, const char *line)
{
	struct lustre_nic *nic = &facts->nic[facts->nic_count];

	if (facts->nic_count == LUSTRE_NICS_MAX ||
	    sscanf(line, "%63s %15s", nic->nid, nic->status) != 2 || !strchr(nic->nid, '@') ||
	    !strcmp(nic->nid, "0@lo"))
		return;
	nic->numa_node = -1;
	find_interface(nic);
	if (*nic->interface)
		nic->numa_node = sysfs_numa_node_of_device(nic->interface, "");
	facts->nic_count++;
}

/* Return the text after a word and a blank; NULL: the line begins otherwise. */
static const char *behind(const char *line, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(line, word, length) && line[length] == ' ' ? line + length + 1 : NULL;
}

static void parse_line(struct lustre_facts *facts, const char *line)
{
	const char *rest;

	if ((rest = behind(line, "instance")))
		parse_instance(facts, rest);
	else if ((rest = behind(line, "target")))
		parse_target(facts, rest);
	else if ((rest = behind(line, "version")))
		TEXT_SET(facts->version, rest);
	else if ((rest = behind(line, "jobid_var")))
		TEXT_SET(facts->jobid_var, rest);
	else if ((rest = behind(line, "nis")))
		parse_nic(facts, rest);
	else if ((rest = behind(line, "cpts")))
		cpuset_parse(&facts->cpt_cpus, rest, NULL);
	else if ((rest = behind(line, "none")))
		query_set(&facts->query, QUERY_FAILED, rest);
	else if ((rest = behind(line, "unread"))) {
		facts->unread++;
		TEXT_SET(facts->unread_why, rest);
	}
}

void lustre_facts_parse(struct lustre_facts *facts, const char *text)
{
	char line[PRINTED_MAX];

	while (text_next_line(&text, line, sizeof(line)))
		parse_line(facts, line);
}

/* Statistics that are incomplete because of the budget are read again when the job begins
 * (counters.c). */
static bool is_cut_short(const struct reading *reading, const char *counters)
{
	return reading->limit_ms < reading->client->section->timeout_ms && strstr(counters, "@ -");
}

static void store_counters(struct lustre_facts *facts, const struct reading *reading,
			   const char *counters)
{
	if (facts->query.answer == QUERY_NO_TIME || is_cut_short(reading, counters))
		return;
	if (facts->query.answer != QUERY_ANSWERED) {
		facts->no_counters = xstrdup(facts->query.why);
		return;
	}
	facts->counters = xstrdup(counters);
	facts->counters_ms = child_now_ms();
}

/* Split the statistics off; if they have begun, all facts were printed. */
static void parse_counters(struct lustre_facts *facts, const struct reading *reading)
{
	char *text = facts->query.text, *at = NULL;

	if (text)
		at = strstr(text, COUNTERS);
	if (!at && query_has_timed_out(&facts->query)) {
		free(text);
		facts->query.text = NULL;
	}
	if (!at)
		return;
	*at = '\0';
	store_counters(facts, reading, at + strlen(COUNTERS) - 1);
	query_set(&facts->query, QUERY_ANSWERED, NULL);
}

int lustre_inspect(struct client *client, struct err *err)
{
	struct lustre_facts *facts = lustre_facts_of(client);
	struct reading reading = { client, child_now_ms(), query_limit_ms(client),
				   client->run_dir != NULL };

	/* kernel threads do its work; it has no CPUs of its own */
	client->common.cpus_known = true;
	if (!client->common.mount_count)
		return 0;
	query_function(client, &facts->query, client->section->sys_dir, print_all, &reading);
	parse_counters(facts, &reading);
	if (facts->query.text)
		lustre_facts_parse(facts, facts->query.text);
	client->common.version = facts->version;
	return 0;
}
