/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/faultpoint.h"
#include "base/rundir.h"
#include "client/journal.h"
#include "node/ask_slurm.h"
#include "node/describe.h"
#include "record/json.h"

/* ---- requested state of each client -------------------------------------- */

/* Return the profile's settings for this client; NULL: none. */
static const struct config_profile *profile_for(const struct visit *visit, size_t index)
{
	return *visit->request.profile ? config_profile_for(visit->config, visit->request.profile,
							    visit->sections[index])
				       : NULL;
}

static struct client_want want_of(const struct visit *visit, size_t index)
{
	const struct config_profile *profile = profile_for(visit, index);
	struct client_want want = visit->want;

	want.mount_options = profile ? config_profile_options(profile, visit->sections[index]) : "";
	want.read_ahead_kb = profile ? profile->read_ahead_kb : "";
	want.parameters = profile ? profile->parameters : "";
	want.mmconfig = profile ? profile->mmconfig : "";
	want.job_id = visit->job.id;
	want.uid = visit->job.uid;
	want.gid = visit->job.gid;
	want.work_dir = getenv("SLURM_JOB_WORK_DIR");
	if (visit->sections[index]->core_change != CORE_CHANGE_NEVER && index != visit->owner)
		want.io_cores = 0;
	return want;
}

/* Return true if the profile has no client settings. */
static bool is_profile_of_cores(const struct visit *visit)
{
	return config_profile_is_empty(visit->config, visit->request.profile);
}

/* Return the number of clients that use the profile's settings. */
static size_t takers(const struct visit *visit, const struct config_client *const sections[],
		     size_t count)
{
	size_t i, found = 0;

	for (i = 0; i < count; i++)
		found += config_profile_is_for(visit->config, visit->request.profile, sections[i]);
	return found;
}

/* Count all clients of the node, also those that could not be inspected. */
static size_t all_takers(const struct visit *visit)
{
	const struct config_client *all[CONFIG_CLIENTS_MAX];

	return takers(visit, all, config_clients_for(visit->config, visit->job.node, all));
}

bool clients_take_profile(const struct visit *visit)
{
	return all_takers(visit) || is_profile_of_cores(visit);
}

/* Return true if client [i] has all of the profile's settings for it. */
static bool has_profile(const struct visit *visit, size_t i)
{
	struct client_want want = want_of(visit, i);

	return !takers(visit, &visit->sections[i], 1) ||
	       (want.alone && client_holds(visit->clients[i], &want));
}

size_t clients_without_profile(const struct visit *visit)
{
	size_t i;

	for (i = 0; i < visit->client_count; i++)
		if (!has_profile(visit, i))
			break;
	return i;
}

bool clients_have_profile(const struct visit *visit)
{
	return clients_without_profile(visit) == visit->client_count &&
	       takers(visit, visit->sections, visit->client_count) == all_takers(visit) &&
	       clients_take_profile(visit);
}

/* ---- open and inspect ---------------------------------------------------- */

static void find_owner(struct visit *visit)
{
	size_t i;

	visit->owner = CONFIG_CLIENTS_MAX;
	for (i = 0; i < visit->client_count; i++) {
		if (visit->sections[i]->core_change == CORE_CHANGE_NEVER)
			continue;
		if (visit->owner == CONFIG_CLIENTS_MAX)
			visit->owner = i;
		else if (visit->request.io_cores)
			findings_add(
				&visit->findings, "W55", FINDING_ERROR,
				"leave core_change out of one of them",
				"[client %s] and [client %s] would both have the job's io-cores: the first gets them",
				visit->sections[visit->owner]->name, visit->sections[i]->name);
	}
}

void clients_open(struct visit *visit, const char *state_dir)
{
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	size_t count, i;

	count = config_clients_for(visit->config, visit->job.node, sections);
	if (!count && visit->has_request)
		findings_add(
			&visit->findings, "W51", FINDING_WARNING,
			"add the node to nodes= of a [client]",
			"jobio.conf has no client for node %s: the job's wishes have no effect here",
			visit->job.node);
	for (i = 0; i < count; i++) {
		visit->sections[i] = sections[i];
		visit->clients[i] = client_open(sections[i], visit->config->run_dir, state_dir);
	}
	visit->client_count = count;
	find_owner(visit);
}

void clients_inspect(struct visit *visit)
{
	size_t i, kept = 0, count = visit->client_count;
	size_t owner = CONFIG_CLIENTS_MAX;
	struct err err;

	for (i = 0; i < count; i++) {
		if (client_inspect(visit->clients[i],
				   visit_time_left_ms(visit) / (unsigned int)(count - i),
				   &err) == 0) {
			owner = i == visit->owner ? kept : owner;
			visit->sections[kept] = visit->sections[i];
			visit->clients[kept++] = visit->clients[i];
			continue;
		}
		findings_add(&visit->findings, "W53", FINDING_ERROR,
			     "correct mount_table= in jobio.conf", "%.500s", err.text);
		client_close(visit->clients[i]);
	}
	visit->client_count = kept;
	visit->owner = owner;
}

/* Warn if the client has more cores than io_cores_min: the plugin refuses only requests below. */
static void judge_minimum(struct visit *visit, unsigned int cores)
{
	char cure[120];

	if (cores <= visit->config->io_cores_min)
		return;
	snprintf(cure, sizeof(cure),
		 "set io_cores_min=%u in [option] of jobio.conf on submit hosts and nodes", cores);
	findings_add(
		&visit->findings, "W52", FINDING_WARNING, cure,
		"the client of this node has %u cores, and io_cores_min=%u: a job that asks for fewer is given cores on which it polls",
		cores, visit->config->io_cores_min);
}

void clients_judge(struct visit *visit)
{
	struct client_want want;
	size_t i;

	for (i = 0; i < visit->client_count; i++) {
		want = want_of(visit, i);
		visit->judged_from[i] = visit->findings.count;
		client_judge(visit->clients[i], &want, &visit->findings);
		judge_minimum(visit, client_facts(visit->clients[i])->fixed_cores);
		visit->judged_to[i] = visit->findings.count;
		describe_client_cpus(visit, i);
		client_keep(visit->clients[i]);
	}
}

/* ---- plans --------------------------------------------------------------- */

struct plans {
	struct client_plan *of[CONFIG_CLIENTS_MAX];
	struct findings findings;
	size_t changes;
};

static void plans_free(struct plans *plans)
{
	size_t i;

	for (i = 0; i < CONFIG_CLIENTS_MAX; i++)
		client_plan_free(plans->of[i]);
	findings_free(&plans->findings);
	*plans = (struct plans){ .changes = 0 };
}

static void plan_all(const struct visit *visit, struct plans *plans)
{
	struct client_want want;
	size_t i;

	for (i = 0; i < visit->client_count; i++) {
		want = want_of(visit, i);
		plans->of[i] = client_plan(visit->clients[i], &want, &plans->findings);
		plans->changes += client_plan_count(plans->of[i]);
	}
}

/* Return true if jobio-slurm's reply says so: slurmctld is queried if the prolog's variables do not
 * show this (node/job.h) and a setting would be changed. */
static bool says_alone(const char *text)
{
	struct json *job = json_parse(text);
	bool yes = json_is_true(job, "alone");

	json_free(job);
	return yes;
}

static void tell_unknown(struct visit *visit, const char *why)
{
	findings_add(
		&visit->findings, "W56", FINDING_WARNING,
		"see whether slurmctld answers on this node, and jobio's helpers are where they were installed",
		"whether the job has the node to itself is unknown, so nothing was changed for it: %.*s",
		(int)strcspn(why, "\n"), why);
}

static bool ask_alone(struct visit *visit)
{
	struct child_result result = { 0 };
	struct err why = { "" };
	bool alone = false;
	char id[16];

	snprintf(id, sizeof(id), "%u", visit->job.id);
	FAULT_POINT("ask alone");
	if (ask_slurm(visit_time_left_ms(visit), "job", id, NULL, &result, &why) < 0) {
		tell_unknown(visit, why.text);
		return false;
	}
	if (result.status == 0)
		alone = says_alone(result.out);
	else
		tell_unknown(visit, result.errtext);
	child_result_free(&result);
	return alone;
}

/* Return true if a client can be moved back off the cores of an earlier job's request, which Slurm
 * may give to this job: if this job shares the node and is the first on it. Scans all processes,
 * so only if there is a client to move. */
static bool may_go_back(struct visit *visit)
{
	struct plans unsaid = { .changes = 0 };
	bool is_way;

	if (visit->want.alone || visit->want.io_cores)
		return false;
	visit->want.idle = true;
	plan_all(visit, &unsaid);
	is_way = unsaid.changes;
	visit->want.idle = false;
	plans_free(&unsaid);
	return is_way && !job_is_other_alive(visit->config, visit->job.id);
}

static void make_plans(struct visit *visit, struct plans *plans)
{
	bool unknown = visit->job.alone == JOB_ALONE_UNKNOWN && visit->has_request;

	visit->want.alone |= unknown && !visit->is_shared;
	visit->want.idle = may_go_back(visit);
	plan_all(visit, plans);
	/* Slurm only keeps new jobs off: suspended ones, and one with a slurmstepd that does not
	 * exit, can still be on the node */
	if (!plans->changes ||
	    ((!unknown || ask_alone(visit)) &&
	     (!visit->want.alone || !job_does_other_stay(visit->config, visit->job.id))))
		return;
	plans_free(plans);
	visit->want.alone = false;
	visit->want.idle = may_go_back(visit);
	plan_all(visit, plans);
}

/* ---- changes ------------------------------------------------------------- */

static int apply(struct visit *visit, const struct plans *plans, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct journal *journal;
	int rc = 0;
	size_t i;

	if (!plans->changes)
		return 0;
	if (rundir_job_file(path, visit->config->run_dir, visit->job.id, RUNDIR_JOURNAL, err) < 0)
		return -1;
	journal = journal_open(path, err);
	if (!journal)
		return -1;
	for (i = 0; i < visit->client_count && rc >= 0; i++)
		if (client_plan_count(plans->of[i]))
			rc = client_apply(visit->clients[i], plans->of[i], journal,
					  &visit->findings, err);
	journal_close(journal);
	return rc < 0 ? -1 : 0;
}

/* Restarts of a client have their own timeouts, in addition to the prolog's budget. */
int clients_change(struct visit *visit, struct err *err)
{
	struct plans plans = { .changes = 0 };
	int rc = -1;
	size_t i;

	make_plans(visit, &plans);
	findings_append(&visit->findings, &plans.findings);
	for (i = 0; i < visit->client_count; i++)
		describe_client(visit, i);
	for (i = 0; i < visit->client_count; i++)
		describe_plan(visit, i, plans.of[i]);
	if (job_make_folder(visit->config, visit->job.id, err) < 0 ||
	    job_state_write(visit->config, visit->state, err) < 0 || apply(visit, &plans, err) < 0)
		goto out;
	rc = 0;
out:
	plans_free(&plans);
	return rc;
}
