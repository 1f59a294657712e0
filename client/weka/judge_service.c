/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules about service.conf, the agent and the command line of a WEKA client. */
#include <inttypes.h>
#include <string.h>

#include "client/weka/checks.h"
#include "client/weka/facts.h"

/* ---- service.conf ------------------------------------------------------ */

/* Set the file in use: service.conf, or weka.conf if it is the only one (in one published recipe
 * only). */
bool weka_each_service(struct judge *judge, size_t *at)
{
	const struct weka_facts *facts = weka_of(judge->client);
	bool is_alt = !facts->service.present && facts->service_alt.present;

	judge->item = is_alt ? &facts->service_alt : &facts->service;
	judge->name = is_alt ? judge->client->section->service_conf_alt
			     : judge->client->section->service_conf;
	return !(*at)++;
}

/* Also on an idle node: a client that is mounted on demand starts inside the job. */
void weka_check_isolate(const struct judge *judge)
{
	const struct weka_service *service = judge->item;

	if (!service->present || service->isolate_cpusets == WEKA_FALSE)
		return;
	if (service->isolate_cpusets == WEKA_UNSET) {
		if (service->odd_isolate == WEKA_FALSE)
			return; /* the spelling is another finding */
		rule_report(
			judge,
			"%s does not set isolate_cpusets, and WEKA's default is true: the client takes CPUs out of Slurm's cpusets each time it starts",
			judge->name);
	} else {
		rule_report(
			judge,
			"%s sets isolate_cpusets='%s': the client takes CPUs out of Slurm's cpusets each time it starts",
			judge->name, service->isolate_text);
	}
}

void weka_check_stale(const struct judge *judge)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_service *service = judge->item;

	if (!facts->agent_running || service->mtime_s <= 0 ||
	    service->mtime_s <= facts->agent_start_s + 1)
		return;
	rule_report(judge,
		    "%s was changed after the agent started: the agent still uses the old text",
		    judge->name);
	findings_measured(judge->findings, "%" PRId64 " s after, pid %ld",
			  service->mtime_s - facts->agent_start_s, facts->agent_pid);
}

/* Recommended by: weka/tools install/scripts.d/ta/875_cgroup_validation.sh, and "NeuralMesh Axon
 * deployment", without Kubernetes (WEKA_CGROUPS_MODE=force_v2 ./install.sh). Advised against by:
 * stackhpc/ansible-slurm-appliance, roles/weka, and its pull request 996. */
void weka_check_force_v2(const struct judge *judge)
{
	const struct weka_service *service = judge->item;

	if (!strcmp(service->cgroups_mode, "force_v2"))
		rule_report(
			judge,
			"%s sets cgroups_mode=force_v2: WEKA's cgroup validation recommends it, and sites report that the client's CPUs vanish from hwloc and from a slurmd that starts later",
			judge->name);
}

void weka_check_odd_key(const struct judge *judge)
{
	const struct weka_service *service = judge->item;

	if (*service->odd_key)
		rule_report(
			judge,
			"%s has the key '%s', which is not documented; the agent may not read it",
			judge->name, service->odd_key);
}

void weka_check_twice(const struct judge *judge)
{
	const struct weka_service *service = judge->item;

	if (service->isolate_differs)
		rule_report(
			judge,
			"%s sets isolate_cpusets twice with different values; the last, '%s', is used",
			judge->name, service->isolate_text);
	if (service->cgroups_differs)
		rule_report(
			judge,
			"%s sets cgroups_mode twice with different values; the last, '%s', is used",
			judge->name, service->cgroups_mode);
}

void weka_check_two_files(const struct judge *judge)
{
	const struct weka_service *a = &weka_of(judge->client)->service;
	const struct weka_service *b = &weka_of(judge->client)->service_alt;

	if (!a->present || !b->present)
		return;
	if ((b->isolate_cpusets != WEKA_UNSET && b->isolate_cpusets != a->isolate_cpusets) ||
	    (*b->cgroups_mode && strcmp(a->cgroups_mode, b->cgroups_mode) != 0))
		rule_report(judge, "%s and %s differ in isolate_cpusets or cgroups_mode",
			    judge->client->section->service_conf,
			    judge->client->section->service_conf_alt);
}

void weka_check_no_service(const struct judge *judge)
{
	if (!weka_of(judge->client)->service.present &&
	    !weka_of(judge->client)->service_alt.present)
		rule_report(
			judge,
			"neither %s nor %s can be read: whether the client takes CPUs from Slurm is unknown",
			judge->client->section->service_conf,
			judge->client->section->service_conf_alt);
}

void weka_check_unprotected(const struct judge *judge)
{
	const struct weka_service *service = judge->item;

	if (weka_of(judge->client)->cgroup_v2 && service->present &&
	    (!*service->cgroups_mode || !strcmp(service->cgroups_mode, "auto")))
		rule_report(
			judge,
			"cgroups_mode=auto means no cgroup for the client on this cgroup v2 node: only Slurm's reservation protects its cores");
}

/* ---- agent ------------------------------------------------------------- */

void weka_check_agent_down(const struct judge *judge)
{
	if (!weka_of(judge->client)->agent_known || weka_of(judge->client)->agent_running ||
	    weka_of(judge->client)->agent_count || weka_agents_unknown(weka_of(judge->client)))
		return;
	if (!weka_of(judge->client)->agent_pid) {
		rule_report(judge, "the WEKA agent does not run: no pid in %s",
			    judge->client->section->agent_pidfile);
		return;
	}
	rule_report(judge, "the WEKA agent does not run: the process that %s names is gone",
		    judge->client->section->agent_pidfile);
	findings_measured(judge->findings, "pid %ld", weka_of(judge->client)->agent_pid);
}

/* The documentation has the process, only a check of WEKA's tools the pid file. */
void weka_check_pidfile(const struct judge *judge)
{
	if (weka_of(judge->client)->agent_known && !weka_of(judge->client)->agent_running &&
	    weka_of(judge->client)->agent_count)
		rule_report(
			judge,
			"an agent runs, and %s does not name it: whether it is older than service.conf is unknown",
			judge->client->section->agent_pidfile);
}

void weka_check_two_agents(const struct judge *judge)
{
	if (weka_of(judge->client)->agent_count > 1)
		rule_report(judge, "%u agents run ('%s --agent')",
			    weka_of(judge->client)->agent_count, judge->client->section->command);
}

void weka_check_read(const struct judge *judge)
{
	if (weka_of(judge->client)->agents.answer == QUERY_HUNG)
		rule_report(judge,
			    "timed out scanning root's processes for agents: a process is stuck");
}

/* ---- the command line -------------------------------------------------- */

void weka_check_hung(const struct judge *judge)
{
	const struct query *ps = &weka_of(judge->client)->ps;
	const struct weka_unit *unit;

	if (ps->answer == QUERY_HUNG)
		rule_report(judge, "'weka local ps' hangs: %.300s", ps->why);
	weka_for_each(unit, judge->client) if (unit->staged_source.answer == QUERY_HUNG ||
					       unit->stable_source.answer == QUERY_HUNG)
		rule_report(judge, "'weka local resources' of container '%s' hangs",
			    unit->info.name);
}

void weka_check_no_time(const struct judge *judge)
{
	const struct weka_facts *facts = weka_of(judge->client);
	const struct weka_unit *unit;
	const char *what = NULL;

	if (facts->interface_source.answer == QUERY_NO_TIME)
		what = "the driver";
	weka_for_each(unit, judge->client) if (unit->staged_source.answer == QUERY_NO_TIME ||
					       unit->stable_source.answer == QUERY_NO_TIME) what =
		"'weka local resources'";
	if (facts->ps.answer == QUERY_NO_TIME)
		what = "'weka local ps'";
	if (what)
		rule_report(
			judge,
			"the budget was used up before %s could answer: the client was not judged",
			what);
}

void weka_check_missing(const struct judge *judge)
{
	if (weka_of(judge->client)->ps.answer == QUERY_MISSING)
		rule_report(judge, "the command '%s' cannot be run",
			    judge->client->section->command);
}

void weka_check_failed(const struct judge *judge)
{
	const struct query *ps = &weka_of(judge->client)->ps;
	const struct weka_unit *unit;

	if (ps->answer == QUERY_FAILED)
		rule_report(judge, "'weka local ps' failed: %.300s", ps->why);
	weka_for_each(unit, judge->client)
	{
		if (unit->staged_source.answer == QUERY_FAILED)
			rule_report(judge,
				    "'weka local resources' of container '%s' failed: %.300s",
				    unit->info.name, unit->staged_source.why);
		if (unit->stable_source.answer == QUERY_FAILED)
			rule_report(
				judge,
				"'weka local resources --stable' of container '%s' failed: %.300s",
				unit->info.name, unit->stable_source.why);
	}
}
