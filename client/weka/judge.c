/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a WEKA client, and what to do about it. One rule is one
 * line of the table at the end: code, severity, cure, check. The cure is a
 * sentence for an administrator. */
#include "client/weka/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/mounts.h"
#include "client/weka/facts.h"
#include "lib/sysfs.h"

/* ---- service.conf ------------------------------------------------------ */

/* The file that counts: service.conf, or weka.conf when that is all there is
 * (only one published recipe names it). */
static const struct weka_service *service_of(const struct judge *judge,
					     const char **path)
{
	if (weka_of(judge->client)->service.present ||
	    !weka_of(judge->client)->service_alt.present) {
		*path = judge->client->section->service_conf;
		return &weka_of(judge->client)->service;
	}
	*path = judge->client->section->service_conf_alt;
	return &weka_of(judge->client)->service_alt;
}

static void check_isolate(const struct judge *judge, const struct rule *rule)
{
	const struct weka_service *service;
	const char *path;

	service = service_of(judge, &path);
	if (!service->present || service->isolate_cpusets == WEKA_FALSE)
		return;
	if (service->isolate_cpusets == WEKA_UNSET) {
		if (service->odd_isolate == WEKA_FALSE)
			return; /* the spelling has a finding of its own */
		rule_say(judge, rule,
			 "%s does not set isolate_cpusets, and WEKA's default "
			 "is "
			 "true: the client takes CPUs out of Slurm's cpusets",
			 path);
	} else {
		rule_say(judge, rule,
			 "%s says isolate_cpusets='%s': the client takes CPUs "
			 "out "
			 "of Slurm's cpusets",
			 path, service->isolate_text);
	}
}

static void check_stale(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_service *service;
	const char *path;

	service = service_of(judge, &path);
	if (facts->agent_running && service->mtime_s > 0 &&
	    service->mtime_s > facts->agent_start_s + 1)
		rule_say(
			judge, rule,
			"%s was changed %" PRId64
			" s after the agent (pid %ld) started: the agent still "
			"works by the old text",
			path, service->mtime_s - facts->agent_start_s,
			facts->agent_pid);
}

static void check_force_v2(const struct judge *judge, const struct rule *rule)
{
	const struct weka_service *service;
	const char *path;

	service = service_of(judge, &path);
	if (!strcmp(service->cgroups_mode, "force_v2"))
		rule_say(judge, rule,
			 "%s says cgroups_mode=force_v2: the client's CPUs "
			 "vanish "
			 "from hwloc and from Slurm, even with "
			 "isolate_cpusets=false",
			 path);
}

static void check_odd_key(const struct judge *judge, const struct rule *rule)
{
	const struct weka_service *service;
	const char *path;

	service = service_of(judge, &path);
	if (*service->odd_key)
		rule_say(judge, rule,
			 "%s has the key '%s', which is not documented; the "
			 "agent "
			 "may not read it",
			 path, service->odd_key);
}

static void check_twice(const struct judge *judge, const struct rule *rule)
{
	const struct weka_service *service;
	const char *path;

	service = service_of(judge, &path);
	if (service->isolate_differs)
		rule_say(judge, rule,
			 "%s sets isolate_cpusets twice with different values; "
			 "the "
			 "last, '%s', is taken to count",
			 path, service->isolate_text);
	if (service->cgroups_differs)
		rule_say(
			judge, rule,
			"%s sets cgroups_mode twice with different values; the "
			"last, '%s', is taken to count",
			path, service->cgroups_mode);
}

static void check_two_files(const struct judge *judge, const struct rule *rule)
{
	const struct weka_service *a = &weka_of(judge->client)->service;
	const struct weka_service *b = &weka_of(judge->client)->service_alt;

	if (!a->present || !b->present)
		return;
	if ((b->isolate_cpusets != WEKA_UNSET &&
	     b->isolate_cpusets != a->isolate_cpusets) ||
	    (*b->cgroups_mode && strcmp(a->cgroups_mode, b->cgroups_mode) != 0))
		rule_say(judge, rule,
			 "%s and %s do not say the same about isolate_cpusets "
			 "and "
			 "cgroups_mode",
			 judge->client->section->service_conf,
			 judge->client->section->service_conf_alt);
}

static void check_no_service(const struct judge *judge, const struct rule *rule)
{
	if (!weka_of(judge->client)->service.present &&
	    !weka_of(judge->client)->service_alt.present)
		rule_say(judge, rule,
			 "neither %s nor %s can be read: whether the client "
			 "takes "
			 "CPUs from Slurm is unknown",
			 judge->client->section->service_conf,
			 judge->client->section->service_conf_alt);
}

/* ---- agent ------------------------------------------------------------- */

static void check_agent_down(const struct judge *judge, const struct rule *rule)
{
	if (!weka_of(judge->client)->agent_known ||
	    weka_of(judge->client)->agent_running ||
	    weka_of(judge->client)->agent_count ||
	    weka_agents_unknown(weka_of(judge->client)))
		return;
	if (weka_of(judge->client)->agent_pid)
		rule_say(judge, rule,
			 "the WEKA agent does not run: %s names pid %ld, which "
			 "is "
			 "gone",
			 judge->client->section->agent_pidfile,
			 weka_of(judge->client)->agent_pid);
	else
		rule_say(judge, rule,
			 "the WEKA agent does not run: no pid in %s",
			 judge->client->section->agent_pidfile);
}

/* The documents know the process, the pid file only a check of WEKA's tools. */
static void check_pidfile(const struct judge *judge, const struct rule *rule)
{
	if (weka_of(judge->client)->agent_known &&
	    !weka_of(judge->client)->agent_running &&
	    weka_of(judge->client)->agent_count)
		rule_say(
			judge, rule,
			"an agent runs, and %s does not name it: whether it is "
			"older than service.conf is unknown",
			judge->client->section->agent_pidfile);
}

static void check_two_agents(const struct judge *judge, const struct rule *rule)
{
	if (weka_of(judge->client)->agent_count > 1)
		rule_say(judge, rule, "%u agents run ('%s --agent')",
			 weka_of(judge->client)->agent_count,
			 judge->client->section->command);
}

static void check_look(const struct judge *judge, const struct rule *rule)
{
	if (ask_is_silent(&weka_of(judge->client)->agents))
		rule_say(judge, rule,
			 "looking for agents among root's processes hangs: "
			 "some process is stuck");
}

/* ---- the command line -------------------------------------------------- */

static void check_hung(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	size_t i;

	if (facts->ps.answer == ASK_HUNG)
		rule_say(judge, rule, "'weka local ps' hangs: %.300s",
			 facts->ps.why);
	for (i = 0; i < facts->containers.count; i++)
		if (facts->staged_source[i].answer == ASK_HUNG ||
		    facts->stable_source[i].answer == ASK_HUNG)
			rule_say(judge, rule,
				 "'weka local resources' of container '%s' "
				 "hangs",
				 facts->containers.item[i].name);
}

static void check_no_time(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	bool resources = false;
	size_t i;

	for (i = 0; i < facts->containers.count; i++)
		resources |= facts->staged_source[i].answer == ASK_NO_TIME ||
			     facts->stable_source[i].answer == ASK_NO_TIME;
	if (facts->ps.answer == ASK_NO_TIME || resources ||
	    facts->interface_source.answer == ASK_NO_TIME)
		rule_say(judge, rule,
			 "the budget was used up before %s could answer: the "
			 "client "
			 "was not judged",
			 facts->ps.answer == ASK_NO_TIME ? "'weka local ps'"
			 : resources ? "'weka local resources'"
				     : "the driver");
}

static void check_missing(const struct judge *judge, const struct rule *rule)
{
	if (weka_of(judge->client)->ps.answer == ASK_MISSING)
		rule_say(judge, rule, "the command '%s' cannot be run",
			 judge->client->section->command);
}

static void check_failed(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	size_t i;

	if (facts->ps.answer == ASK_FAILED)
		rule_say(judge, rule, "'weka local ps' failed: %.300s",
			 facts->ps.why);
	for (i = 0; i < facts->containers.count; i++) {
		if (facts->staged_source[i].answer == ASK_FAILED)
			rule_say(judge, rule,
				 "'weka local resources' of container '%s' "
				 "failed: "
				 "%.300s",
				 facts->containers.item[i].name,
				 facts->staged_source[i].why);
		if (facts->stable_source[i].answer == ASK_FAILED)
			rule_say(judge, rule,
				 "'weka local resources --stable' of container "
				 "'%s' "
				 "failed: %.300s",
				 facts->containers.item[i].name,
				 facts->stable_source[i].why);
	}
}

/* ---- mounts ------------------------------------------------------------ */

static void check_cache_mode(const struct judge *judge, const struct rule *rule)
{
	static const char *const modes[] = { "writecache", "readcache",
					     "forcedirect" };
	const struct mounts *mounts = judge->client->mounts;
	size_t i, m;
	int have;

	for (i = 0; i < mounts->count; i++) {
		have = 0;
		for (m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
			have += options_get(mounts->mount[i].options, modes[m],
					    NULL, 0);
		if (have != 1)
			rule_say(
				judge, rule,
				"the mount table shows %d cache modes for '%s' "
				"where one is expected",
				have, mounts->mount[i].target);
	}
}

/* ---- containers -------------------------------------------------------- */

static void check_no_container(const struct judge *judge,
			       const struct rule *rule)
{
	if (weka_of(judge->client)->containers_known &&
	    !weka_of(judge->client)->containers.count)
		rule_say(judge, rule, "there is no WEKA container%s%s%s",
			 *judge->client->section->container ? " '" : "",
			 judge->client->section->container,
			 *judge->client->section->container ? "'" : "");
}

static void check_ready(const struct judge *judge, const struct rule *rule)
{
	const struct weka_container *container;
	size_t i;

	for (i = 0; i < weka_of(judge->client)->containers.count; i++) {
		container = &weka_of(judge->client)->containers.item[i];
		if (!container->running)
			rule_say(judge, rule, "container '%s' does not run%s%s",
				 container->name,
				 *container->last_failure ? ": " : "",
				 container->last_failure);
		else if (strcmp(container->display_status, "READY") != 0)
			rule_say(judge, rule,
				 "container '%s' is %s, not READY%s%s",
				 container->name,
				 *container->display_status
					 ? container->display_status
					 : "in an unknown state",
				 *container->message ? ": " : "",
				 container->message);
	}
}

static void check_disabled(const struct judge *judge, const struct rule *rule)
{
	const struct weka_container *container;
	size_t i;

	for (i = 0; i < weka_of(judge->client)->containers.count; i++) {
		container = &weka_of(judge->client)->containers.item[i];
		if (container->disabled)
			rule_say(
				judge, rule,
				"container '%s' is disabled: it will not start "
				"with the node",
				container->name);
		if (container->monitored_known && !container->monitored)
			rule_say(judge, rule,
				 "container '%s' is not monitored: nobody "
				 "restarts "
				 "it when it dies",
				 container->name);
	}
}

static void check_several(const struct judge *judge, const struct rule *rule)
{
	if (weka_of(judge->client)->containers.count > 1 && judge->want &&
	    judge->want->io_cores)
		rule_say(judge, rule,
			 "%zu containers share the io-cores of this job, and "
			 "[client %s] names none",
			 weka_of(judge->client)->containers.count,
			 judge->client->section->name);
}

/* ---- frontends and cores ----------------------------------------------- */

/* Each rule about the cores looks at the stable resources of a running
 * container. */
static const struct weka_resources *running(const struct judge *judge, size_t i)
{
	if (!weka_of(judge->client)->containers.item[i].running ||
	    !weka_of(judge->client)->stable[i].known)
		return NULL;
	return &weka_of(judge->client)->stable[i];
}

static void check_automatic(const struct judge *judge, const struct rule *rule)
{
	const struct weka_resources *resources;
	size_t i;

	for (i = 0; i < weka_of(judge->client)->containers.count; i++) {
		resources = running(judge, i);
		if (resources && weka_is_automatic(resources))
			rule_say(judge, rule,
				 "container '%s' picks cores by itself "
				 "(automatic "
				 "core ids): they can differ after each start",
				 weka_of(judge->client)
					 ->containers.item[i]
					 .name);
	}
}

static void check_core_zero(const struct judge *judge, const struct rule *rule)
{
	const struct client_facts *common = &judge->client->common;

	if (common->cpus_known && cpuset_has(&common->frontend_cpus, 0))
		rule_say(judge, rule,
			 "a frontend runs on the core of CPU 0, which serves "
			 "the "
			 "system");
}

static void check_no_frontend(const struct judge *judge,
			      const struct rule *rule)
{
	const struct weka_resources *resources;
	size_t i;

	for (i = 0; i < weka_of(judge->client)->containers.count; i++) {
		resources = running(judge, i);
		if (resources && !resources->frontend_count)
			rule_say(judge, rule,
				 "container '%s' has no frontend with a core "
				 "of its "
				 "own (net=udp): it uses the job's CPUs",
				 weka_of(judge->client)
					 ->containers.item[i]
					 .name);
	}
}

static const char *cores_of(const struct weka_resources *resources, char *text)
{
	struct cpuset cpus;

	if (weka_is_automatic(resources))
		return "of its own choice";
	weka_named_cpus(resources, &cpus);
	return rule_list(&cpus, text);
}

static void check_staged(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_resources *stable, *staged;
	char a[RULE_LIST_MAX], b[RULE_LIST_MAX];
	const char *is, *next;
	size_t i;

	for (i = 0; i < facts->containers.count; i++) {
		stable = &facts->stable[i];
		staged = &facts->staged[i];
		if (!stable->known || !staged->known ||
		    weka_resources_equal(stable, staged))
			continue;
		is = cores_of(stable, a);
		next = cores_of(staged, b);
		if (strcmp(is, next) != 0)
			rule_say(judge, rule,
				 "container '%s' runs with cores %s, and cores "
				 "%s "
				 "are staged: its next restart takes them",
				 facts->containers.item[i].name, is, next);
		else
			rule_say(judge, rule,
				 "container '%s' runs with %lld MiB of huge "
				 "pages, "
				 "and %lld MiB are staged: its next restart "
				 "takes "
				 "them",
				 facts->containers.item[i].name,
				 stable->memory_bytes >> 20,
				 staged->memory_bytes >> 20);
	}
}

static void check_memory(const struct judge *judge, const struct rule *rule)
{
	size_t i, frontends = 0;
	long needed;

	if (!judge->want || judge->want->mem_spec_limit_mb < 0)
		return;
	for (i = 0; i < weka_of(judge->client)->containers.count; i++)
		frontends += weka_of(judge->client)->stable[i].frontend_count;
	if (judge->want->io_cores > frontends)
		frontends = judge->want->io_cores;
	if (!frontends)
		return;
	needed = weka_sizing.memory_fixed_mb +
		 weka_sizing.memory_core_mb * (long)frontends;
	if (!judge->want->mem_spec_limit_mb)
		rule_say(
			judge, rule,
			"MemSpecLimit is not set, and %zu frontends need about "
			"%ld MiB",
			frontends, needed);
	else if (judge->want->mem_spec_limit_mb < needed)
		rule_say(judge, rule,
			 "MemSpecLimit is %ld MiB, and %zu frontends need "
			 "about %ld "
			 "MiB",
			 judge->want->mem_spec_limit_mb, frontends, needed);
}

static void check_nic_of(const struct judge *judge, const struct rule *rule,
			 const struct weka_resources *resources,
			 const struct weka_nic *nic)
{
	int nic_node = sysfs_numa_node_of_device(nic->name, nic->identifier);
	int cpu_node;
	size_t i;

	for (i = 0; nic_node >= 0 && i < resources->frontend_count; i++) {
		if (resources->frontend[i].automatic)
			continue;
		cpu_node =
			sysfs_numa_node_of_cpu(resources->frontend[i].core_id);
		if (cpu_node < 0 || cpu_node == nic_node)
			continue;
		rule_say(judge, rule,
			 "network card '%s' is on NUMA node %d, the frontend "
			 "on CPU "
			 "%u on NUMA node %d",
			 nic->name, nic_node, resources->frontend[i].core_id,
			 cpu_node);
		return;
	}
}

static void check_nic(const struct judge *judge, const struct rule *rule)
{
	const struct weka_resources *resources;
	size_t i, n;

	for (i = 0; i < weka_of(judge->client)->containers.count; i++) {
		resources = running(judge, i);
		for (n = 0; resources && n < resources->nic_count; n++)
			check_nic_of(judge, rule, resources,
				     &resources->nic[n]);
	}
}

/* ---- kernel driver ----------------------------------------------------- */

static void check_driver_hung(const struct judge *judge,
			      const struct rule *rule)
{
	if (weka_of(judge->client)->interface_source.answer == ASK_HUNG)
		rule_say(judge, rule,
			 "reading %s/interface hangs: the driver is stuck",
			 judge->client->section->proc_dir);
}

static void check_driver_state(const struct judge *judge,
			       const struct rule *rule)
{
	const char *state = weka_of(judge->client)->interface.driver_state;

	if (*state && strcmp(state, "DRIVER_ACCEPTING") != 0)
		rule_say(judge, rule, "the driver is in state %s", state);
}

static void check_driver_missing(const struct judge *judge,
				 const struct rule *rule)
{
	enum ask_answer answer =
		weka_of(judge->client)->interface_source.answer;

	if (judge->client->common.mount_count &&
	    (answer == ASK_MISSING || answer == ASK_FAILED))
		rule_say(judge, rule,
			 "%s/interface cannot be read: whether the frontends "
			 "are "
			 "connected is unknown",
			 judge->client->section->proc_dir);
}

static void check_connected(const struct judge *judge, const struct rule *rule)
{
	const struct weka_interface *interface =
		&weka_of(judge->client)->interface;
	size_t i;

	for (i = 0; i < interface->link_count; i++)
		if (!interface->link[i].connected)
			rule_say(judge, rule,
				 "frontend %u of container '%s' is not "
				 "connected to "
				 "the driver",
				 interface->link[i].index,
				 interface->link[i].container);
}

static void check_link_count(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_resources *resources;
	size_t i, n, links;

	if (facts->interface_source.answer != ASK_ANSWERED ||
	    !facts->interface.link_count)
		return;
	for (i = 0; i < facts->containers.count; i++) {
		resources = running(judge, i);
		links = 0;
		for (n = 0; n < facts->interface.link_count; n++)
			links += !strcmp(facts->interface.link[n].container,
					 facts->containers.item[i].name);
		if (resources && links && links != resources->frontend_count)
			rule_say(judge, rule,
				 "container '%s' has %zu frontends, and the "
				 "driver "
				 "knows %zu",
				 facts->containers.item[i].name,
				 resources->frontend_count, links);
	}
}

static void check_affinity(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_link *link;
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	struct cpuset named, whole, real;
	size_t i, n;

	for (n = 0; n < facts->interface.link_count; n++) {
		link = &facts->interface.link[n];
		if (!weka_container(facts, link->container, &i) ||
		    !running(judge, i) ||
		    weka_is_automatic(&facts->stable[i]) ||
		    process_cpus(link->pid, &real) < 0)
			continue;
		weka_named_cpus(&facts->stable[i], &named);
		sysfs_whole_cores(&named, &whole);
		if (!cpuset_is_subset(&real, &whole))
			rule_say(judge, rule,
				 "frontend %u of container '%s' may run on CPU "
				 "%s, "
				 "its resources name core %s",
				 link->index, link->container,
				 rule_list(&real, is),
				 rule_list(&named, should));
	}
}

/* ---- cgroups ----------------------------------------------------------- */

static void check_cpuset(const struct judge *judge, const struct rule *rule)
{
	const struct weka_facts *facts = weka_of(judge->client);
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	struct cpuset named;
	size_t i;

	for (i = 0; i < facts->containers.count; i++) {
		if (!facts->cgroup[i].known || !running(judge, i))
			continue;
		weka_named_cpus(&facts->stable[i], &named);
		if (!cpuset_is_subset(&named, &facts->cgroup[i].cpus))
			rule_say(judge, rule,
				 "the cpuset of container '%s' is %s and does "
				 "not "
				 "hold its cores %s",
				 facts->containers.item[i].name,
				 rule_list(&facts->cgroup[i].cpus, is),
				 rule_list(&named, should));
	}
}

static void check_exclusive(const struct judge *judge, const struct rule *rule)
{
	size_t i;

	for (i = 0; i < weka_of(judge->client)->containers.count; i++)
		if (weka_of(judge->client)->cgroup[i].exclusive)
			rule_say(judge, rule,
				 "the cgroup of container '%s' is an exclusive "
				 "partition: its CPUs are gone from the rest "
				 "of the "
				 "node",
				 weka_of(judge->client)
					 ->containers.item[i]
					 .name);
}

static void check_unprotected(const struct judge *judge,
			      const struct rule *rule)
{
	const struct weka_service *service;
	const char *path;

	service = service_of(judge, &path);
	if (weka_of(judge->client)->cgroup_v2 && service->present &&
	    (!*service->cgroups_mode || !strcmp(service->cgroups_mode, "auto")))
		rule_say(
			judge, rule,
			"cgroups_mode=auto means no cgroup for the client on "
			"this "
			"cgroup v2 node: only Slurm's reservation protects its "
			"cores");
}

#define SERVICE_CURE                                                           \
	"set isolate_cpusets=false in /etc/wekaio/service.conf and restart "   \
	"the agent (systemctl restart weka-agent)"
#define CORES_CURE                                                             \
	"name the cores: weka local resources cores N --only-frontend-cores "  \
	"--core-ids LIST -C NAME; weka local resources apply -C NAME"

const struct rule weka_rules[] = {
	{ "W01", FINDING_ERROR, RULE_BREAKS_NODE, SERVICE_CURE, check_isolate },
	{ "W02", FINDING_WARNING, RULE_SPARES_NODE,
	  "restart the agent: systemctl restart "
	  "weka-agent",
	  check_stale },
	{ "W03", FINDING_ERROR, RULE_BREAKS_NODE,
	  "set cgroups_mode=none (or auto) and restart "
	  "the agent and the container",
	  check_force_v2 },
	{ "W04", FINDING_ERROR, RULE_SPARES_NODE, CORES_CURE, check_core_zero },
	{ "W05", FINDING_ERROR, RULE_SPARES_NODE,
	  "give the node line of slurm.conf the threads "
	  "of the machine (slurmd -C), so that whole cores are reserved",
	  rule_check_siblings },
	{ "W06", FINDING_WARNING, RULE_SPARES_NODE, CORES_CURE,
	  check_automatic },
	{ "W07", FINDING_ERROR, RULE_SPARES_NODE,
	  "give the client the cores that Slurm reserves "
	  "(jobio plan), or set core_change=any",
	  rule_check_other_cores },
	{ "W08", FINDING_ERROR, RULE_BREAKS_NODE,
	  "see weka local status -v and the agent's log; "
	  "weka local start",
	  check_ready },
	{ "W09", FINDING_ERROR, RULE_BREAKS_NODE,
	  "restart the container: weka local restart", check_connected },
	{ "W10", FINDING_ERROR, RULE_SPARES_NODE,
	  "stop all agents and start one: systemctl "
	  "restart weka-agent",
	  check_two_agents },
	{ "W11", FINDING_WARNING, RULE_SPARES_NODE,
	  "reserve cores of the card's NUMA node with "
	  "CpuSpecList, and give the client the same ones",
	  check_nic },
	{ "W12", FINDING_WARNING, RULE_SPARES_NODE,
	  "drop them with weka local resources restore "
	  "-C NAME, or apply them",
	  check_staged },
	{ "W13", FINDING_WARNING, RULE_SPARES_NODE,
	  "raise MemSpecLimit of the node in "
	  "slurm.conf",
	  check_memory },
	{ "W14", FINDING_ERROR, RULE_BREAKS_NODE,
	  "see what the agent waits for: its log, and "
	  "processes in state D; restart the agent",
	  check_hung },
	{ "W15", FINDING_ERROR, RULE_BREAKS_NODE,
	  "install the client, or correct command= of "
	  "[client] in jobio.conf",
	  check_missing },
	{ "W16", FINDING_ERROR, RULE_BREAKS_NODE,
	  "run the command by hand; is the agent up?", check_failed },
	{ "W17", FINDING_ERROR, RULE_BREAKS_NODE,
	  "start the agent: systemctl start weka-agent", check_agent_down },
	{ "W18", FINDING_ERROR, RULE_BREAKS_NODE,
	  "mount it, or leave this node out of nodes= of "
	  "[client] in jobio.conf",
	  rule_check_no_mount },
	{ "W19", FINDING_WARNING, RULE_SPARES_NODE,
	  "mount it, or correct mounts= in jobio.conf",
	  rule_check_missing_mount },
	{ "W20", FINDING_WARNING, RULE_SPARES_NODE,
	  "say it in one file only, service.conf", check_two_files },
	{ "W21", FINDING_WARNING, RULE_SPARES_NODE, "leave one line",
	  check_twice },
	{ "W22", FINDING_WARNING, RULE_SPARES_NODE,
	  "write isolate_cpusets and cgroups_mode", check_odd_key },
	{ "W23", FINDING_WARNING, RULE_SPARES_NODE,
	  "correct service_conf= in jobio.conf", check_no_service },
	{ "W24", FINDING_ERROR, RULE_BREAKS_NODE,
	  "the node needs a reboot when the driver does "
	  "not recover",
	  check_driver_hung },
	{ "W25", FINDING_WARNING, RULE_SPARES_NODE,
	  "see dmesg and weka local status", check_driver_state },
	{ "W26", FINDING_INFO, RULE_SPARES_NODE,
	  "correct proc_dir= in jobio.conf", check_driver_missing },
	{ "W27", FINDING_WARNING, RULE_SPARES_NODE,
	  "restart the container: weka local restart", check_link_count },
	{ "W28", FINDING_ERROR, RULE_SPARES_NODE,
	  "restart the container: weka local restart", check_affinity },
	{ "W29", FINDING_ERROR, RULE_SPARES_NODE,
	  "restart the container, or set "
	  "cgroups_mode=none",
	  check_cpuset },
	{ "W30", FINDING_ERROR, RULE_BREAKS_NODE,
	  "set cgroups_mode=none and restart agent and "
	  "container",
	  check_exclusive },
	{ "W31", FINDING_INFO, RULE_SPARES_NODE,
	  "nothing to do while Slurm reserves the cores", check_unprotected },
	{ "W32", FINDING_ERROR, RULE_BREAKS_NODE,
	  "mount a file system, or correct container= in "
	  "jobio.conf",
	  check_no_container },
	{ "W33", FINDING_WARNING, RULE_SPARES_NODE,
	  "weka local enable, weka local monitoring", check_disabled },
	{ "W34", FINDING_WARNING, RULE_SPARES_NODE,
	  "name one with container= in jobio.conf", check_several },
	{ "W35", FINDING_INFO, RULE_SPARES_NODE,
	  "nothing to do when that is meant; io-cores "
	  "have no use then",
	  check_no_frontend },
	{ "W36", FINDING_WARNING, RULE_SPARES_NODE,
	  "set core_change=grow, or ask for fewer "
	  "io-cores",
	  rule_check_too_few },
	{ "W37", FINDING_WARNING, RULE_SPARES_NODE,
	  "look at the mount with the client's own "
	  "tools",
	  check_cache_mode },
	{ "W38", FINDING_WARNING, RULE_SPARES_NODE,
	  "see what took the time (slurmctld, /run, the client), or raise "
	  "prolog_budget_ms",
	  check_no_time },
	{ "W39", FINDING_WARNING, RULE_SPARES_NODE,
	  "restart the agent: systemctl restart weka-agent; or correct "
	  "agent_pidfile= in jobio.conf",
	  check_pidfile },
	{ "W41", FINDING_WARNING, RULE_SPARES_NODE,
	  "find the process whose /proc/PID/cmdline cannot be read, and what "
	  "it waits for",
	  check_look },
	/* told by what changes the client */
	{ "W40", FINDING_ERROR, RULE_SPARES_NODE,
	  "see the client's log; does this version know the option?", NULL },
	{ "W42", FINDING_ERROR, RULE_BREAKS_NODE,
	  "remount it with the options of fstab(5), or let the next job try "
	  "again",
	  NULL },
	{ "W43", FINDING_WARNING, RULE_SPARES_NODE, "none, if intended", NULL },
	{ "W44", FINDING_ERROR, RULE_SPARES_NODE,
	  "see weka local status -v and the client's log", NULL },
	{ "W45", FINDING_ERROR, RULE_BREAKS_NODE,
	  "weka local resources restore -C NAME; weka local restart", NULL },
	{ "W46", FINDING_INFO, RULE_OF_JOB, "ask for io-cores or --exclusive",
	  NULL },
	{ "W47", FINDING_WARNING, RULE_SPARES_NODE, "set core_method=resources",
	  NULL },
	{ "W48", FINDING_ERROR, RULE_SPARES_NODE,
	  "end what uses the mount: fuser -vm, lsof", NULL },
	{ "W49", FINDING_ERROR, RULE_SPARES_NODE,
	  "correct mount_options= of the profile in jobio.conf; jobio.conf(5) "
	  "has the list",
	  NULL },
	{ 0 }
};
