/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_query.h"
#include "base/faultpoint.h"
#include "base/rundir.h"
#include "client/journal.h"
#include "node/alive.h"
#include "node/describe.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/slurm_query.h"
#include "record/json.h"

/* ---- requested state of each client -------------------------------------- */

/* Return the profile's settings for this client; NULL: none. */
static const struct config_profile *profile_for(const struct prepare_context *ctx, size_t index)
{
	return *ctx->request.profile
		       ? config_profile_for(ctx->config, ctx->request.profile, ctx->sections[index])
		       : NULL;
}

static struct client_desired desired_for(const struct prepare_context *ctx, size_t index)
{
	const struct config_profile *profile = profile_for(ctx, index);
	struct client_desired desired = ctx->desired;

	desired.mount_options =
		profile ? config_profile_options(profile, ctx->sections[index]) : "";
	desired.read_ahead_kb = profile ? profile->read_ahead_kb : "";
	desired.parameters = profile ? profile->parameters : "";
	desired.mmconfig = profile ? profile->mmconfig : "";
	desired.job_id = ctx->job.id;
	desired.uid = ctx->job.uid;
	desired.gid = ctx->job.gid;
	desired.work_dir = getenv("SLURM_JOB_WORK_DIR");
	if (ctx->sections[index]->core_change != CORE_CHANGE_NEVER && index != ctx->owner)
		desired.io_cores = 0;
	return desired;
}

/* Return the number of clients that use the profile's settings. */
static size_t count_users(const struct prepare_context *ctx,
			  const struct config_client *const sections[], size_t count)
{
	size_t i, found = 0;

	for (i = 0; i < count; i++)
		found += config_profile_is_for(ctx->config, ctx->request.profile, sections[i]);
	return found;
}

/* Count all clients of the node, also those that could not be inspected. */
static size_t count_all_users(const struct prepare_context *ctx)
{
	const struct config_client *all[CONFIG_CLIENTS_MAX];

	return count_users(ctx, all, config_clients_for(ctx->config, ctx->job.node, all));
}

bool clients_use_profile(const struct prepare_context *ctx)
{
	return count_all_users(ctx) || config_profile_is_empty(ctx->config, ctx->request.profile);
}

/* Return true if client [i] has all of the profile's settings for it. */
static bool has_profile(const struct prepare_context *ctx, size_t i)
{
	struct client_desired desired = desired_for(ctx, i);

	return !count_users(ctx, &ctx->sections[i], 1) ||
	       (desired.alone && client_is_as_desired(ctx->clients[i], &desired));
}

size_t clients_without_profile(const struct prepare_context *ctx)
{
	size_t i;

	for (i = 0; i < ctx->client_count; i++)
		if (!has_profile(ctx, i))
			break;
	return i;
}

bool clients_have_profile(const struct prepare_context *ctx)
{
	return clients_without_profile(ctx) == ctx->client_count &&
	       count_users(ctx, ctx->sections, ctx->client_count) == count_all_users(ctx) &&
	       clients_use_profile(ctx);
}

/* ---- open and inspect ---------------------------------------------------- */

static void find_owner(struct prepare_context *ctx)
{
	size_t i;

	ctx->owner = CONFIG_CLIENTS_MAX;
	for (i = 0; i < ctx->client_count; i++) {
		if (ctx->sections[i]->core_change == CORE_CHANGE_NEVER)
			continue;
		if (ctx->owner == CONFIG_CLIENTS_MAX)
			ctx->owner = i;
		else if (ctx->request.io_cores)
			findings_add(
				&ctx->findings, "W55", FINDING_ERROR,
				"leave core_change out of one of them",
				"[client %s] and [client %s] would both have the job's io-cores: the first gets them",
				ctx->sections[ctx->owner]->name, ctx->sections[i]->name);
	}
}

void clients_open(struct prepare_context *ctx, const char *state_dir)
{
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	size_t count, i;

	count = config_clients_for(ctx->config, ctx->job.node, sections);
	if (!count && ctx->has_request)
		findings_add(
			&ctx->findings, "W51", FINDING_WARNING,
			"add the node to nodes= of a [client]",
			"jobio.conf has no client for node %s: the job's I/O options have no effect here",
			ctx->job.node);
	for (i = 0; i < count; i++) {
		ctx->sections[i] = sections[i];
		ctx->clients[i] = client_open(sections[i], dirs.run, state_dir);
	}
	ctx->client_count = count;
	find_owner(ctx);
}

void clients_inspect(struct prepare_context *ctx)
{
	size_t i, is_stored = 0, count = ctx->client_count;
	size_t owner = CONFIG_CLIENTS_MAX;
	struct err err;

	for (i = 0; i < count; i++) {
		if (client_inspect(ctx->clients[i],
				   child_left_ms(ctx->end_ms) / (unsigned int)(count - i),
				   &err) == 0) {
			owner = i == ctx->owner ? is_stored : owner;
			ctx->sections[is_stored] = ctx->sections[i];
			ctx->clients[is_stored++] = ctx->clients[i];
			continue;
		}
		findings_add(&ctx->findings, "W53", FINDING_ERROR,
			     "correct mount_table= in jobio.conf", "%.500s", err.text);
		client_close(ctx->clients[i]);
	}
	ctx->client_count = is_stored;
	ctx->owner = owner;
}

/* Warn if the client has more cores than io_cores_min: the plugin refuses only requests below. */
static void judge_minimum(struct findings *findings, unsigned int cores_min, unsigned int cores)
{
	char cure[120];

	if (cores <= cores_min)
		return;
	snprintf(cure, sizeof(cure),
		 "set io_cores_min=%u in [option] of jobio.conf on submit hosts and nodes", cores);
	findings_add(
		findings, "W52", FINDING_WARNING, cure,
		"the client of this node has %u cores, and io_cores_min=%u: a job that asks for fewer is given cores on which it polls",
		cores, cores_min);
}

void clients_judge(struct prepare_context *ctx)
{
	struct client_desired desired;
	size_t i;

	for (i = 0; i < ctx->client_count; i++) {
		desired = desired_for(ctx, i);
		ctx->findings.client = ctx->sections[i]->name;
		ctx->findings.is_cached = client_is_cached(ctx->clients[i]);
		client_judge(ctx->clients[i], &desired, &ctx->findings);
		judge_minimum(&ctx->findings, ctx->config->io_cores_min,
			      client_facts(ctx->clients[i])->fixed_cores);
		describe_client_cpus(ctx->state, i, ctx->clients[i]);
		client_store(ctx->clients[i]);
	}
	ctx->findings.client = NULL;
}

/* ---- plan ---------------------------------------------------------------- */

struct plan {
	struct changes changes; /* of all clients */
	struct findings findings;
};

static void plan_clear(struct plan *plan)
{
	changes_free(&plan->changes);
	findings_free(&plan->findings);
}

static void plan_all(const struct prepare_context *ctx, struct plan *plan)
{
	struct client_desired desired;
	size_t i;

	for (i = 0; i < ctx->client_count; i++) {
		desired = desired_for(ctx, i);
		client_plan(ctx->clients[i], &desired, &plan->changes, &plan->findings);
	}
}

/* Return true if jobio-slurm's reply says so: slurmctld is queried if the prolog's variables do not
 * show this (node/job.h) and a setting would be changed. */
static bool is_word_alone(const char *text)
{
	struct json *job = json_parse(text);
	bool yes = json_is_true(job, "alone");

	json_free(job);
	return yes;
}

static void report_unknown(struct findings *findings, const char *why)
{
	findings_add(
		findings, "W56", FINDING_WARNING,
		"see whether slurmctld answers on this node, and jobio's helpers are where they were installed",
		"whether the job has the node to itself is unknown, so nothing was changed for it: %.*s",
		(int)strcspn(why, "\n"), why);
}

static bool query_alone(uint32_t job_id, unsigned int timeout_ms, struct findings *findings)
{
	struct child_result result = { 0 };
	struct err why = { "" };
	bool alone = false;
	char id[16];

	snprintf(id, sizeof(id), "%u", job_id);
	FAULT_POINT("ask alone");
	if (slurm_query(timeout_ms, "job", id, NULL, &result, &why) < 0) {
		report_unknown(findings, why.text);
		return false;
	}
	if (result.status == 0)
		alone = is_word_alone(result.out);
	else
		report_unknown(findings, result.errtext);
	child_result_free(&result);
	return alone;
}

/* Return true if a client can be moved back off the cores of an earlier job's request, which Slurm
 * may give to this job: if this job shares the node and is the first on it. Scans all processes,
 * so only if there is a client to move. */
static bool may_go_back(struct prepare_context *ctx)
{
	struct plan trial = { 0 };
	bool is_path;

	if (ctx->desired.alone || ctx->desired.io_cores)
		return false;
	ctx->desired.idle = true;
	plan_all(ctx, &trial);
	is_path = trial.changes.count > 0;
	ctx->desired.idle = false;
	plan_clear(&trial);
	return is_path && !job_is_other_alive(ctx->job.id);
}

static void make_plan(struct prepare_context *ctx, struct plan *plan)
{
	bool unknown = ctx->job.alone == JOB_ALONE_UNKNOWN && ctx->has_request;

	ctx->desired.alone |= unknown && !ctx->is_shared;
	ctx->desired.idle = may_go_back(ctx);
	plan_all(ctx, plan);
	/* Slurm only keeps new jobs off: suspended ones, and one with a slurmstepd that does not
	 * exit, can still be on the node */
	if (!plan->changes.count ||
	    ((!unknown || query_alone(ctx->job.id, child_left_ms(ctx->end_ms), &ctx->findings)) &&
	     (!ctx->desired.alone || !job_does_other_remain(ctx->job.id))))
		return;
	plan_clear(plan);
	ctx->desired.alone = false;
	ctx->desired.idle = may_go_back(ctx);
	plan_all(ctx, plan);
}

/* ---- changes ------------------------------------------------------------- */

static int apply(struct prepare_context *ctx, struct changes *plan, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct journal *journal;
	int rc = 0;
	size_t i;

	if (!plan->count)
		return 0;
	if (rundir_job_file(path, dirs.run, ctx->job.id, RUNDIR_JOURNAL, err) < 0)
		return -1;
	journal = journal_open(path, err);
	if (!journal)
		return -1;
	for (i = 0; i < ctx->client_count && rc >= 0; i++)
		rc = client_apply(ctx->clients[i], plan, journal, &ctx->findings, err);
	journal_close(journal);
	return rc < 0 ? -1 : 0;
}

/* Restarts of a client have their own timeouts, in addition to the prolog's budget. */
int clients_change(struct prepare_context *ctx, struct err *err)
{
	struct plan plan = { 0 };
	int rc = -1;
	size_t i;

	make_plan(ctx, &plan);
	findings_append(&ctx->findings, &plan.findings);
	for (i = 0; i < ctx->client_count; i++)
		describe_client(ctx->state, ctx->clients[i]);
	changes_append(&ctx->state->changes, &plan.changes);
	if (job_make_folder(ctx->job.id, err) < 0 || job_state_write(ctx->state, err) < 0 ||
	    apply(ctx, &plan.changes, err) < 0)
		goto out;
	rc = 0;
out:
	plan_clear(&plan);
	return rc;
}
