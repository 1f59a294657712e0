/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules about a WEKA client: a line of the table at the end each, with code, severity, cure for the
 * administrator, check. Checks of the agent and of cores are in judge_service.c and
 * judge_cores.c. */
#include "client/weka/judge.h"

#include <string.h>

#include "base/array.h"
#include "client/mounts.h"
#include "client/weka/checks.h"
#include "client/weka/facts.h"

/* ---- mounts ------------------------------------------------------------ */

static void check_cache_mode(const struct judge *judge)
{
	static const char *const modes[] = { "writecache", "readcache", "forcedirect" };
	const struct mounts *mounts = judge->client->mounts;
	size_t i, m;
	int have;

	for (i = 0; i < mounts->count; i++) {
		have = 0;
		for (m = 0; m < ARRAY_SIZE(modes); m++)
			have += options_get(mounts->mount[i].options, modes[m], NULL, 0);
		if (have != 1)
			rule_report(
				judge,
				"the mount table shows %d cache modes for '%s' where one is expected",
				have, mounts->mount[i].target);
	}
}

/* ---- containers -------------------------------------------------------- */

bool weka_each_container(struct judge *judge, size_t *at)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_unit *unit = &facts->unit[*at];

	judge->item = unit;
	judge->name = unit->info.name;
	return (*at)++ < facts->count;
}

/* The container runs, and its resources are known. */
bool weka_each_running(struct judge *judge, size_t *at)
{
	const struct weka_unit *unit;

	while (weka_each_container(judge, at)) {
		unit = judge->item;
		if (unit->info.running && unit->stable.known)
			return true;
	}
	return false;
}

bool weka_each_link(struct judge *judge, size_t *at)
{
	const struct weka_interface *interface = &weka_of(judge->client)->interface;
	const struct weka_link *link = &interface->link[*at];

	judge->item = link;
	judge->name = link->container;
	return (*at)++ < interface->link_count;
}

static void check_no_container(const struct judge *judge)
{
	if (weka_of(judge->client)->containers_known && !weka_of(judge->client)->count &&
	    !rule_is_idle(judge->client))
		rule_report(judge, "there is no WEKA container%s%s%s",
			    *judge->client->section->container ? " '" : "",
			    judge->client->section->container,
			    *judge->client->section->container ? "'" : "");
}

static void check_ready(const struct judge *judge)
{
	const struct weka_container *container = judge->item;

	/* disabled: W33; the container of a stateless client ends with its last mount */
	if (!container->running && (container->disabled || rule_is_idle(judge->client)))
		return;
	if (!container->running)
		rule_report(judge, "container '%s' does not run%s%s", container->name,
			    *container->last_failure ? ": " : "", container->last_failure);
	else if (strcmp(container->display_status, "READY") != 0)
		rule_report(judge, "container '%s' is %s, not READY%s%s", container->name,
			    *container->display_status ? container->display_status
						       : "in an unknown state",
			    *container->message ? ": " : "", container->message);
}

static void check_disabled(const struct judge *judge)
{
	const struct weka_container *container = judge->item;

	if (container->disabled)
		rule_report(judge, "container '%s' is disabled%s: it will not start with the node",
			    container->name, container->running ? "" : " and does not run");
}

static void check_monitored(const struct judge *judge)
{
	const struct weka_container *container = judge->item;

	if (container->monitored_known && !container->monitored)
		rule_report(judge,
			    "container '%s' is not monitored: it is not restarted when it ends",
			    container->name);
}

static void check_several(const struct judge *judge)
{
	const struct weka_unit *unit;
	size_t clients = 0;

	weka_for_each(unit, judge->client) clients += !unit->stable.server_count;
	if (clients > 1 && judge->desired && judge->desired->io_cores)
		rule_report(
			judge,
			"%zu containers share the io-cores of this job, and [client %s] names none",
			clients, judge->client->section->name);
}

/* With containers that are excluded, idle CPUs are unknown. */
static void check_too_few(const struct judge *judge)
{
	if (!weka_of(judge->client)->others_running)
		rule_check_too_few(judge);
}

static void check_left_out(const struct judge *judge)
{
	const struct config_client *section = judge->client->section;

	if (weka_of(judge->client)->others_running)
		rule_report(
			judge,
			"%zu containers run beside '%s', and container= of [client %s] leaves them out: the gate does not know their cores from this section",
			weka_of(judge->client)->others_running, section->container, section->name);
}

static void check_unguarded(const struct judge *judge)
{
	const struct client_facts *common = &judge->client->common;
	char list[RULE_LIST_MAX];

	if (!common->cpus_known && !cpuset_is_empty(&common->frontend_cpus))
		rule_report(
			judge,
			"not all CPUs on which the client polls are known: the gate guards CPU %s and those found earlier",
			rule_list(&common->frontend_cpus, list));
}

#define SERVICE_CURE                                                                               \
	"set isolate_cpusets=false in /etc/wekaio/service.conf and restart "                       \
	"the agent (systemctl restart weka-agent)"
#define CORES_CURE "name the cores of each container: jobio plan prints them, and the commands"
#define RESTART_CURE "I/O on its mounts waits meanwhile: weka local restart NAME"

#define FORCE_V2_CURE                                                                              \
	"keep it while slurmd -C shows all CPUs of the node and CpuSpecList holds the "            \
	"client's; else set cgroups_mode=none, drain the node and restart agent and container"

const struct rule weka_rules[] = {
	{ "W01", FINDING_ERROR, SERVICE_CURE, weka_check_isolate, weka_each_service,
	  .reach = FINDING_OF_NODE },
	{ "W02", FINDING_WARNING, "restart the agent: systemctl restart weka-agent",
	  weka_check_stale, weka_each_service },
	{ "W03", FINDING_WARNING, FORCE_V2_CURE, weka_check_force_v2, weka_each_service },
	{ "W04", FINDING_ERROR, CORES_CURE, weka_check_core_zero },
	{ "W05", FINDING_ERROR,
	  "give the node line of slurm.conf the threads of the machine (slurmd -C), so that whole cores are reserved",
	  rule_check_siblings },
	{ "W06", FINDING_WARNING, CORES_CURE, weka_check_automatic, weka_each_running },
	{ "W07", FINDING_ERROR,
	  "give the client the cores that Slurm reserves (jobio plan), or set core_change=any",
	  rule_check_other_cores },
	{ "W08", FINDING_ERROR,
	  "correct what the agent's log names (journalctl -u weka-agent), then: weka local start NAME",
	  check_ready, weka_each_container, .reach = FINDING_OF_NODE },
	{ "W09", FINDING_ERROR, RESTART_CURE, weka_check_connected, weka_each_link,
	  .reach = FINDING_OF_NODE },
	{ "W10", FINDING_ERROR, "stop all agents and start one: systemctl restart weka-agent",
	  weka_check_two_agents },
	{ "W11", FINDING_WARNING,
	  "reserve cores of the card's NUMA node with CpuSpecList, and give the client the same ones",
	  weka_check_nic, weka_each_running },
	{ "W12", FINDING_WARNING,
	  "to drop them: weka local resources restore -C NAME; to take them: weka local resources apply -C NAME",
	  weka_check_staged, weka_each_container },
	{ "W13", FINDING_WARNING, "raise MemSpecLimit of the node in slurm.conf",
	  weka_check_memory },
	{ "W14", FINDING_ERROR,
	  "see what the agent waits for: its log, and processes in state D; restart the agent",
	  weka_check_hung, .reach = FINDING_OF_NODE },
	{ "W15", FINDING_ERROR, "install the client, or correct command= of [client] in jobio.conf",
	  weka_check_missing, .reach = FINDING_OF_NODE },
	{ "W16", FINDING_ERROR, "run the command by hand; is the agent up?", weka_check_failed,
	  .reach = FINDING_OF_NODE },
	{ "W17", FINDING_ERROR, "start the agent: systemctl start weka-agent",
	  weka_check_agent_down, .reach = FINDING_OF_NODE },
	{ "W18", FINDING_ERROR,
	  "mount it, or leave this node out of nodes= of [client] in jobio.conf",
	  rule_check_no_mount, .reach = FINDING_OF_NODE },
	{ "W19", FINDING_WARNING, "mount it, or correct mounts= in jobio.conf",
	  rule_check_missing_mount },
	{ "W20", FINDING_WARNING, "set them in service.conf only", weka_check_two_files },
	{ "W21", FINDING_WARNING, "leave one line", weka_check_twice, weka_each_service },
	{ "W22", FINDING_WARNING, "write isolate_cpusets and cgroups_mode", weka_check_odd_key,
	  weka_each_service },
	{ "W23", FINDING_WARNING, "correct service_conf= in jobio.conf", weka_check_no_service },
	{ "W24", FINDING_ERROR, "the node needs a reboot when the driver does not recover",
	  weka_check_driver_hung, .reach = FINDING_OF_NODE },
	{ "W25", FINDING_WARNING, "see dmesg, and: weka local status", weka_check_driver_state },
	{ "W26", FINDING_INFO, "correct proc_dir= in jobio.conf", weka_check_driver_missing },
	{ "W27", FINDING_WARNING, RESTART_CURE, weka_check_link_count, weka_each_running },
	{ "W28", FINDING_ERROR, RESTART_CURE, weka_check_affinity, weka_each_link },
	{ "W29", FINDING_ERROR, RESTART_CURE, weka_check_cpuset, weka_each_running },
	{ "W30", FINDING_WARNING, FORCE_V2_CURE, weka_check_exclusive, weka_each_container },
	{ "W31", FINDING_INFO,
	  "nothing to do while Slurm reserves the cores; WEKA recommends force_v2 there (W03)",
	  weka_check_unprotected, weka_each_service },
	{ "W32", FINDING_WARNING,
	  "correct container= in jobio.conf, or mount a file system; nothing where the client needs no container",
	  check_no_container },
	{ "W33", FINDING_WARNING,
	  "none, if intended; else: weka local enable NAME; weka local start NAME", check_disabled,
	  weka_each_container },
	{ "W33", FINDING_WARNING, "weka local monitoring on NAME", check_monitored,
	  weka_each_container },
	{ "W34", FINDING_WARNING, "name one with container= in jobio.conf", check_several },
	{ "W35", FINDING_INFO,
	  "none, if intended: a container that does not poll needs no io-cores",
	  weka_check_no_frontend, weka_each_running },
	{ "W35", FINDING_INFO,
	  "take container= out of jobio.conf, or give the others a [client] of their own",
	  check_left_out },
	{ "W36", FINDING_WARNING, "set core_change=grow, or ask for fewer io-cores",
	  check_too_few },
	{ "W37", FINDING_WARNING, "look at the mount with the client's own tools",
	  check_cache_mode },
	{ "W38", FINDING_WARNING,
	  "see what took the time (slurmctld, /run, the client), or raise prolog_budget_ms",
	  weka_check_no_time },
	{ "W39", FINDING_WARNING,
	  "restart the agent: systemctl restart weka-agent; or correct agent_pidfile= in jobio.conf",
	  weka_check_pidfile },
	{ "W41", FINDING_WARNING,
	  "find the process with a /proc/PID/cmdline that cannot be read, and what it waits for",
	  weka_check_read },
	{ "W60", FINDING_WARNING, CORES_CURE "; or see why weka gives no answer", check_unguarded },
	{ "W61", FINDING_WARNING, "set core_method=resources, or end that process",
	  weka_check_copies },
	/* reported by the functions that change the client */
	{ "W40", FINDING_ERROR, "see the client's log; does this version know the option?" },
	{ "W42", FINDING_ERROR,
	  "remount it with the options of fstab(5), or let the next job try again",
	  .reach = FINDING_OF_NODE },
	{ "W43", FINDING_WARNING, "none, if intended" },
	{ "W44", FINDING_ERROR, WEKA_LOG_CURE },
	{ "W45", FINDING_ERROR, WEKA_BACK_CURE, .reach = FINDING_OF_NODE },
	{ "W46", FINDING_INFO, "ask for io-cores or --exclusive", .reach = FINDING_OF_JOB },
	{ "W47", FINDING_WARNING, "set core_method=resources" },
	{ "W48", FINDING_ERROR, "end what uses the mount: fuser -vm, lsof" },
	{ "W49", FINDING_ERROR,
	  "correct mount_options= of the profile in jobio.conf; jobio.conf(5) has the list" },
	{ 0 }
};
