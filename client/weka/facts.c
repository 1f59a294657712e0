/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read the facts of the WEKA client. Its command line is in containers.c; all others are files. */
#include "client/weka/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "client/cache.h"

#define CONF_BYTES_MAX (256U << 10)
#define PATH_TEXT_MAX 1024
#define AGENTS_MS 1000U /* for the scan of all processes */

/* WEKA's planning guide: memory, at most 19 cores a container; its mount options: memory_mb, 1400
 * MiB of hugepages. */
const struct client_sizing weka_sizing = {
	.cores_max = 19,
	.memory_fixed_mb = 2800,
	.memory_core_mb = 2300,
	.huge_core_mb = 1400,
};

void weka_facts_clear(void *what)
{
	struct weka_facts *facts = what;
	size_t i;

	query_clear(&facts->agents);
	query_clear(&facts->copies);
	query_clear(&facts->ps);
	query_clear(&facts->interface_source);
	for (i = 0; i < WEKA_CONTAINERS_MAX; i++) {
		query_clear(&facts->unit[i].staged_source);
		query_clear(&facts->unit[i].stable_source);
	}
	memset(facts, 0, sizeof(*facts));
}

/* ---- files ------------------------------------------------------------- */

static void read_service(const char *path, struct weka_service *service)
{
	struct stat st;
	char *text;

	memset(service, 0, sizeof(*service));
	text = fileio_read_linked(path, CONF_BYTES_MAX, NULL);
	if (!text)
		return;
	weka_parse_service(text, service);
	free(text);
	if (stat(path, &st) == 0)
		service->mtime_s = st.st_mtime;
}

static void read_agent(struct client *client)
{
	struct weka_facts *facts = weka_of(client);
	char line[32];
	unsigned long pid;

	facts->agent_known = true;
	facts->agent_running = false;
	facts->agent_pid = 0;
	if (sysfs_line(client->section->agent_pidfile, line, sizeof(line)) < 0) {
		facts->agent_known = errno == ENOENT;
		return;
	}
	if (number_parse(line, 1, 1UL << 30, &pid, NULL) < 0)
		return;
	facts->agent_pid = (long)pid;
	facts->agent_running = process_start((long)pid, &facts->agent_start_s, NULL) == 0;
}

static int read_cpus(struct weka_cgroup *cgroup, const char *folder, const char *name)
{
	char path[PATH_TEXT_MAX * 2], line[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (sysfs_line(path, line, sizeof(line)) < 0 || cpuset_parse(&cgroup->cpus, line, NULL) < 0)
		return -1;
	cgroup->known = true;
	return 0;
}

/* v1: cpuset/weka-NAME; v2: weka-NAME, or weka.slice in the newest pages. */
static void read_cgroup(struct client *client, struct weka_unit *unit)
{
	struct weka_cgroup *cgroup = &unit->cgroup;
	const char *name = unit->info.name, *root = client->section->cgroup_root;
	char folder[PATH_TEXT_MAX], line[64];

	memset(cgroup, 0, sizeof(*cgroup));
	if (!weka_of(client)->cgroup_v2) {
		snprintf(folder, sizeof(folder), "%s/cpuset/weka-%.*s", root, WEKA_NAME_MAX - 1,
			 name);
		if (read_cpus(cgroup, folder, "cpuset.effective_cpus") < 0)
			read_cpus(cgroup, folder, "cpuset.cpus");
		return;
	}
	snprintf(folder, sizeof(folder), "%s/weka-%.*s", root, WEKA_NAME_MAX - 1, name);
	if (read_cpus(cgroup, folder, "cpuset.cpus.effective") < 0) {
		snprintf(folder, sizeof(folder), "%s/weka.slice", root);
		if (read_cpus(cgroup, folder, "cpuset.cpus.effective") < 0)
			return;
	}
	strncat(folder, "/cpuset.cpus.partition", sizeof(folder) - strlen(folder) - 1);
	if (sysfs_line(folder, line, sizeof(line)) == 0)
		cgroup->exclusive = !strncmp(line, "root", 4) || !strncmp(line, "isolated", 8);
}

void weka_read_cgroups(struct client *client)
{
	char path[PATH_TEXT_MAX];
	struct weka_unit *unit;

	snprintf(path, sizeof(path), "%s/cgroup.controllers", client->section->cgroup_root);
	weka_of(client)->cgroup_v2 = access(path, F_OK) == 0;
	weka_for_each(unit, client) read_cgroup(client, unit);
}

void weka_read_files(struct client *client)
{
	struct weka_facts *facts = weka_of(client);

	read_service(client->section->service_conf, &facts->service);
	read_service(client->section->service_conf_alt, &facts->service_alt);
	read_agent(client);
}

/* ---- summary ---------------------------------------------------------- */

const struct weka_unit *weka_unit(const struct client *client, const char *name)
{
	const struct weka_unit *unit;

	weka_for_each(unit, client) if (!strcmp(unit->info.name, name)) return unit;
	return NULL;
}

/* Return 5 for "5.0.1"; 0: unknown. */
unsigned int weka_major(const struct weka_container *container)
{
	char digits[8];
	unsigned long major;

	TEXT_SET_PART(digits, container->version, strspn(container->version, "0123456789"));
	return number_parse(digits, 0, 999, &major, NULL) < 0 ? 0 : (unsigned int)major;
}

void weka_named_cpus(const struct weka_resources *resources, struct cpuset *cpus)
{
	size_t i;

	*cpus = resources->server_cpus;
	for (i = 0; i < resources->frontend_count; i++)
		if (!resources->frontend[i].shared && !resources->frontend[i].automatic)
			cpuset_add(cpus, resources->frontend[i].core_id);
}

bool weka_is_automatic(const struct weka_resources *resources)
{
	size_t i;

	for (i = 0; i < resources->frontend_count; i++)
		if (!resources->frontend[i].shared && resources->frontend[i].automatic)
			return true;
	return resources->server_is_automatic;
}

/* Get the CPUs that the frontends of a container poll on, from the masks of their processes: for
 * automatic cores, and if the command line fails. */
static int linked_cpus(const struct weka_facts *facts, const char *container, struct cpuset *cpus)
{
	bool is_whole = !facts->interface.has_more;
	struct cpuset one;
	size_t i;
	int found = 0;

	for (i = 0; i < facts->interface.link_count; i++) {
		const struct weka_link *link = &facts->interface.link[i];

		if (container && strcmp(link->container, container) != 0)
			continue;
		if (link->pid && process_cpus(link->pid, &one) == 0) {
			cpuset_or(cpus, &one);
			found++;
		} else {
			is_whole = false;
		}
	}
	return found && is_whole ? 0 : -1;
}

/* Add the CPUs that a container polls on. Return -1 if they are not all known. */
static int add_container_cpus(const struct weka_facts *facts, const struct weka_unit *unit,
			      struct cpuset *cpus)
{
	const struct weka_resources *stable = &unit->stable;
	struct cpuset named;
	int rc;

	if (!unit->info.running)
		return 0;
	weka_named_cpus(stable, &named);
	cpuset_or(cpus, &named);
	if (stable->known && !weka_is_automatic(stable))
		return 0;
	rc = linked_cpus(facts, unit->info.name, cpus);
	/* the driver lists frontends only */
	return stable->known && !stable->server_is_automatic ? rc : -1;
}

/* Return true for a client without a container of its own (2026): only the driver lists its
 * frontends. */
static bool has_driver_only(const struct weka_facts *facts)
{
	return facts->containers_known && !facts->count && !facts->others_running &&
	       facts->interface.link_count;
}

void weka_digest(struct client *client)
{
	const struct weka_facts *facts = weka_of(client);
	struct client_facts *common = &client->common;
	bool known = facts->containers_known;
	const struct weka_unit *unit;
	struct cpuset all, ids;
	size_t servers = 0;

	cpuset_zero(&all);
	common->version = "";
	weka_for_each(unit, client)
	{
		if (add_container_cpus(facts, unit, &all) < 0)
			known = false;
		servers += unit->stable.server_count;
		if (*unit->info.version)
			common->version = unit->info.version;
	}
	/* `weka local ps` failed: processes of other roles are unknown */
	if (!facts->containers_known)
		linked_cpus(facts, NULL, &all);
	else if (has_driver_only(facts))
		known = linked_cpus(facts, NULL, &all) == 0;
	common->cpus_known = known;
	sysfs_whole_cores(&all, &common->frontend_cpus);
	sysfs_core_ids(&common->frontend_cpus, &all, &ids);
	common->containers = facts->count;
	common->fixed_cores = servers ? cpuset_count(&ids) : 0;
}

/* Count as pgrep -x -f '/usr/bin/weka --agent', as WEKA's checks do. */
static int print_agents(void *arg)
{
	int count;

	FAULT_HANG("agents");
	count = process_count(arg, "--agent");
	printf("%d", count);
	return count < 0;
}

/* Count in a child: reading the command line of a process waits for the lock of its memory, which a
 * stuck process may hold. */
static void count_agents(struct client *client)
{
	struct weka_facts *facts = weka_of(client);
	unsigned long long end_ms = child_now_ms() + AGENTS_MS;
	unsigned long long budget_ms = client->deadline_ms;
	unsigned long count;

	facts->agent_count = 0;
	/* not the client's fault: its budget stays the same */
	if (end_ms < budget_ms)
		client->deadline_ms = end_ms;
	query_function(client, &facts->agents, "/proc", print_agents, client->section->command);
	client->deadline_ms = budget_ms;
	/* its short timeout was not cut by the budget */
	if (facts->agents.answer == QUERY_NO_TIME && end_ms <= budget_ms)
		facts->agents.answer = QUERY_HUNG;
	if (facts->agents.answer != QUERY_ANSWERED)
		return;
	if (number_parse(facts->agents.text, 0, UINT16_MAX, &count, NULL) == 0)
		facts->agent_count = (unsigned int)count;
	else
		query_set(&facts->agents, QUERY_FAILED, "no number");
}

static void query_all(struct client *client)
{
	FAULT_POINT("inspect before");
	weka_read_containers(client);
	count_agents(client);
	FAULT_POINT("inspect after");
}

int weka_inspect(struct client *client, struct err *err)
{
	weka_read_files(client);
	if (!cache_use(client)) {
		query_all(client);
		if (!query_has_timed_out(&weka_of(client)->interface_source))
			weka_read_interface(client);
	}
	weka_read_copies(client);
	weka_read_cgroups(client);
	weka_digest(client);
	return 0;
}
