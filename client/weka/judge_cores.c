/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules about the cores of a WEKA client: its configuration, its driver and its cgroup. */
#include <string.h>

#include "base/sysfs.h"
#include "client/weka/checks.h"
#include "client/weka/facts.h"

/* ---- frontends and cores ----------------------------------------------- */

void weka_check_automatic(const struct judge *judge)
{
	const struct weka_unit *unit = judge->item;

	if (weka_is_automatic(&unit->stable))
		rule_report(
			judge,
			"container '%s' picks cores by itself (automatic core ids): they can differ after each start",
			judge->name);
}

void weka_check_core_zero(const struct judge *judge)
{
	const struct client_facts *common = &judge->client->common;

	if (cpuset_has(&common->frontend_cpus, 0))
		rule_report(judge,
			    "the client polls on the core of CPU 0, which serves the system");
}

void weka_check_no_frontend(const struct judge *judge)
{
	const struct weka_unit *unit = judge->item;
	const struct weka_resources *resources = &unit->stable;
	char list[RULE_LIST_MAX];
	size_t i, idle = 0;

	for (i = 0; i < resources->frontend_count; i++)
		idle += resources->frontend[i].shared;
	if (!resources->frontend_count && !resources->server_count)
		rule_report(
			judge,
			"container '%s' has no frontend with a core of its own (net=udp): it uses the job's CPUs",
			judge->name);
	else if (idle)
		rule_report(
			judge,
			"%zu of %zu frontends of container '%s' do not poll (dedicated_mode=none, or net=udp): they use the job's CPUs, and the gate does not guard them",
			idle, resources->frontend_count, judge->name);
	if (!cpuset_is_empty(&resources->management))
		rule_report(
			judge,
			"container '%s' has its management on CPU %s (non-datapath-cores): it does not poll there, and the gate does not guard it",
			judge->name, rule_list(&resources->management, list));
}

static const char *cores_of(const struct weka_resources *resources, char *text)
{
	struct cpuset cpus;

	if (weka_is_automatic(resources))
		return "of its own choice";
	weka_named_cpus(resources, &cpus);
	return rule_list(&cpus, text);
}

void weka_check_staged(const struct judge *judge)
{
	const struct weka_unit *unit = judge->item;
	const struct weka_resources *stable = &unit->stable, *staged = &unit->staged;
	char a[RULE_LIST_MAX], b[RULE_LIST_MAX];
	const char *is, *next;

	if (!stable->known || !staged->known || weka_resources_equal(stable, staged))
		return;
	is = cores_of(stable, a);
	next = cores_of(staged, b);
	if (strcmp(is, next) != 0)
		rule_report(
			judge,
			"container '%s' runs with cores %s, and cores %s are staged: its next restart takes them",
			judge->name, is, next);
	else
		rule_report(
			judge,
			"container '%s' runs with %lld MiB of huge pages, and %lld MiB are staged: its next restart takes them",
			judge->name, stable->memory_bytes >> 20, staged->memory_bytes >> 20);
}

void weka_check_memory(const struct judge *judge)
{
	const struct weka_unit *unit;
	size_t frontends = 0;
	long needed;

	if (!judge->desired || judge->desired->mem_spec_limit_mb < 0)
		return;
	weka_for_each(unit, judge->client) frontends += unit->stable.frontend_count;
	if (judge->desired->io_cores > frontends)
		frontends = judge->desired->io_cores;
	if (!frontends)
		return;
	needed = weka_sizing.memory_fixed_mb + weka_sizing.memory_core_mb * (long)frontends;
	if (!judge->desired->mem_spec_limit_mb)
		rule_report(judge, "MemSpecLimit is not set, and %zu frontends need about %ld MiB",
			    frontends, needed);
	else if (judge->desired->mem_spec_limit_mb < needed)
		rule_report(judge, "MemSpecLimit is %ld MiB, and %zu frontends need about %ld MiB",
			    judge->desired->mem_spec_limit_mb, frontends, needed);
}

static bool has_slot(const struct weka_nic *nic, unsigned int slot)
{
	return cpuset_is_empty(&nic->slots) || cpuset_has(&nic->slots, slot);
}

/* Return true if this frontend has a NIC on the NUMA node of its core. */
static bool is_near_nic(const struct weka_resources *resources,
			const struct weka_frontend *frontend, int cpu_node)
{
	const struct weka_nic *nic = resources->nic;

	for (; nic < resources->nic + resources->nic_count; nic++)
		if (has_slot(nic, frontend->slot) &&
		    sysfs_numa_node_of_device(nic->name, nic->identifier) == cpu_node)
			return true;
	return false;
}

/* "Mount filesystems", advanced configuration: net:s1-4=ib0,net:s5-8=ib1 gives each frontend a NIC;
 * without slots (net:ha=) each NIC serves all. */
static void check_nic(const struct judge *judge, const struct weka_resources *resources,
		      const struct weka_nic *nic)
{
	int nic_node = sysfs_numa_node_of_device(nic->name, nic->identifier);
	const struct weka_frontend *frontend = resources->frontend;
	int cpu_node;

	for (; nic_node >= 0 && frontend < resources->frontend + resources->frontend_count;
	     frontend++) {
		if (frontend->automatic || !has_slot(nic, frontend->slot))
			continue;
		cpu_node = sysfs_numa_node_of_cpu(frontend->core_id);
		if (cpu_node < 0 || is_near_nic(resources, frontend, cpu_node))
			continue;
		rule_report(
			judge,
			"network card '%s' is on NUMA node %d, the frontend on CPU %u on NUMA node %d",
			nic->name, nic_node, frontend->core_id, cpu_node);
		return;
	}
}

void weka_check_nic(const struct judge *judge)
{
	const struct weka_unit *unit = judge->item;
	size_t i;

	for (i = 0; i < unit->stable.nic_count; i++)
		check_nic(judge, &unit->stable, &unit->stable.nic[i]);
}

/* ---- kernel driver ----------------------------------------------------- */

void weka_check_driver_hung(const struct judge *judge)
{
	if (weka_of(judge->client)->interface_source.answer == QUERY_HUNG)
		rule_report(judge, "reading %s/interface hangs: the driver is stuck",
			    judge->client->section->proc_dir);
}

void weka_check_driver_state(const struct judge *judge)
{
	const char *state = weka_of(judge->client)->interface.driver_state;

	if (*state && strcmp(state, "DRIVER_ACCEPTING") != 0)
		rule_report(judge, "the driver is in state %s", state);
}

void weka_check_driver_missing(const struct judge *judge)
{
	enum query_answer answer = weka_of(judge->client)->interface_source.answer;

	if (judge->client->common.mount_count &&
	    (answer == QUERY_MISSING || answer == QUERY_FAILED))
		rule_report(
			judge,
			"%s/interface cannot be read: whether the frontends are connected is unknown",
			judge->client->section->proc_dir);
}

void weka_check_connected(const struct judge *judge)
{
	const struct weka_link *link = judge->item;

	if (!link->connected)
		rule_report(judge, "frontend %u of container '%s' is not connected to the driver",
			    link->index, link->container);
}

void weka_check_link_count(const struct judge *judge)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_unit *unit = judge->item;
	size_t i, links = 0;

	if (facts->interface_source.answer != QUERY_ANSWERED || facts->interface.has_more)
		return;
	for (i = 0; i < facts->interface.link_count; i++)
		links += !strcmp(facts->interface.link[i].container, judge->name);
	if (links && links != unit->stable.frontend_count)
		rule_report(judge, "container '%s' has %zu frontends, and the driver knows %zu",
			    judge->name, unit->stable.frontend_count, links);
}

void weka_check_affinity(const struct judge *judge)
{
	const struct weka_link *link = judge->item;
	const struct weka_unit *unit = weka_unit(judge->client, link->container);
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	struct cpuset named, whole, real;

	if (!unit || !unit->info.running || !unit->stable.known ||
	    weka_is_automatic(&unit->stable) || process_cpus(link->pid, &real) < 0 ||
	    (link->index < unit->stable.frontend_count &&
	     unit->stable.frontend[link->index].shared))
		return;
	weka_named_cpus(&unit->stable, &named);
	sysfs_whole_cores(&named, &whole);
	if (!cpuset_is_subset(&real, &whole))
		rule_report(
			judge,
			"frontend %u of container '%s' may run on CPU %s, its resources name core %s",
			link->index, link->container, rule_list(&real, is),
			rule_list(&named, should));
}

/* ---- cgroups ----------------------------------------------------------- */

void weka_check_cpuset(const struct judge *judge)
{
	const struct weka_unit *unit = judge->item;
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	struct cpuset named;

	weka_named_cpus(&unit->stable, &named);
	if (unit->cgroup.known && !cpuset_is_subset(&named, &unit->cgroup.cpus))
		rule_report(
			judge, "the cpuset of container '%s' is %s and does not hold its cores %s",
			judge->name, rule_list(&unit->cgroup.cpus, is), rule_list(&named, should));
}

void weka_check_exclusive(const struct judge *judge)
{
	const struct weka_unit *unit = judge->item;

	if (unit->cgroup.exclusive)
		rule_report(
			judge,
			"the cgroup of container '%s' is an exclusive partition: its CPUs are gone from the rest of the node",
			judge->name);
}
