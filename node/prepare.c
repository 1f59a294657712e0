/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/prepare.h"

#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/child.h"
#include "base/config_query.h"
#include "base/rundir.h"
#include "node/alive.h"
#include "node/client_io.h"
#include "node/clients.h"
#include "node/count_helper.h"
#include "node/describe.h"
#include "node/gates.h"
#include "node/io_cores.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "node/policy.h"
#include "node/reason.h"
#include "node/stale.h"
#include "node/unmet.h"

/* ---- verdict ----------------------------------------------------------- */

/* Return the first finding that breaks the node; NULL: none. */
static const struct finding *find_fault(const struct findings *findings)
{
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (findings->list[i].reach == FINDING_OF_NODE)
			return &findings->list[i];
	return NULL;
}

/* ---- 6: counters ------------------------------------------------------- */

/* Return true if no other job can be on the node: it has no other, or Slurm keeps others off. If
 * job.alone is unknown, desired.alone is a guess until slurmctld has been queried. */
static bool is_alone(const struct prepare_context *ctx)
{
	return !ctx->has_others || (ctx->desired.alone && ctx->job.alone == JOB_ALONE);
}

/* Start the counters, without the lock: programs may still have to be loaded, and another job's
 * epilog need not wait for that. */
static void count(struct prepare_context *ctx)
{
	struct err err;

	close(ctx->lock_fd);
	ctx->lock_fd = -1;
	client_io_start(ctx->state, ctx->clients, ctx->client_count, is_alone(ctx));
	if (job_count_start(ctx->config, ctx->state, child_left_ms(ctx->end_ms), &err) < 0)
		log_line("%s", err.text);
}

/* ---- in order ---------------------------------------------------------- */

static int begin(struct prepare_context *ctx, struct err *err)
{
	unsigned int restarts_ms = config_restarts_ms(ctx->config);

	ctx->lock_fd = -1;
	ctx->end_ms = child_now_ms() + ctx->config->prolog_budget_ms;
	/* an earlier run of the job may be in SPOOL/released: if this process ends before it is
	 * removed from there, the folder shows the epilog that there is a new run */
	rundir_make_job(dirs.run, ctx->job.id, NULL);
	if (job_make_dirs(err) < 0)
		return -1;
	ctx->lock_fd = job_lock(child_left_ms(ctx->end_ms) + restarts_ms, err);
	/* time of the client's restart for another job does not count */
	if (restarts_ms)
		ctx->end_ms = child_now_ms() + ctx->config->prolog_budget_ms;
	return ctx->lock_fd < 0 ? -1 : 0;
}

static void write_mounts(uint32_t job_id)
{
	struct err err;

	if (job_write_mounts(job_id, &err) < 0)
		log_line(
			"cannot write the node's mounts: private mounts of the job are not detected: %s",
			err.text);
}

static int conclude(struct prepare_context *ctx, struct err *err)
{
	clients_judge(ctx);
	unmet_describe(ctx);
	write_mounts(ctx->job.id);
	if (job_scan_failed())
		findings_add(
			&ctx->findings, "W54", FINDING_WARNING,
			"find the process with a /proc/PID/cmdline that cannot be read, and what it waits for",
			"scanning /proc for slurmstepd timed out: assuming that other jobs are running");
	findings_append(&ctx->state->findings, &ctx->findings);
	if (job_state_update(ctx->state, err) < 0 || gates_write(ctx, err) < 0)
		return -1;
	ctx->fault = find_fault(&ctx->findings);
	if (!ctx->fault) {
		job_reason_clear();
		return 0;
	}
	job_reason_set(ctx->fault);
	return EX_UNAVAILABLE;
}

/* Take the lock, restore settings of finished jobs and create this job's folder and state. */
static int begin_clean(struct prepare_context *ctx, struct err *err)
{
	if (begin(ctx, err) < 0)
		return -1;
	job_sweep(false);
	stale_finish_all(ctx);
	if (stale_clear_own(ctx, err) < 0)
		return -1;
	rundir_make_job(dirs.run, ctx->job.id, NULL);
	job_write_sluid(ctx->job.id);
	ctx->has_others = job_mark_others(ctx->job.id);
	ctx->state = job_state_new(&ctx->job, ctx->config->ledger.cluster);
	return 0;
}

/* ---- switched off --------------------------------------------------------- */

static void describe_off(struct prepare_context *ctx, const struct err *why)
{
	struct record *state = ctx->state;

	state->has_request = request_from_env(&state->request, NULL) == 1;
	record_set_unmet(state);
	if (state->has_request)
		snprintf(ctx->note, sizeof(ctx->note), "the job's I/O options have no effect: %.*s",
			 (int)sizeof(ctx->note) / 2, why->text);
	findings_add(&ctx->findings, "W57", FINDING_INFO,
		     "enabled, nodes and partitions in [jobio] of jobio.conf",
		     "jobio did nothing for this job: %s", why->text);
	findings_append(&state->findings, &ctx->findings);
}

/* Write state and gate file only. */
static int prepare_off(struct prepare_context *ctx, const struct err *why, struct err *err)
{
	if (begin_clean(ctx, err) < 0)
		return -1;
	describe_off(ctx, why);
	if (job_make_folder(ctx->job.id, err) < 0 || job_state_write(ctx->state, err) < 0 ||
	    gates_write_off(ctx->job.id, ctx->note, err) < 0)
		return -1;
	job_reason_clear();
	return 0;
}

int prepare_node(struct prepare_context *ctx, struct err *err)
{
	char state_dir[RUNDIR_PATH_MAX];
	struct err why;
	int rc;

	if (job_from_env(&ctx->job, err) < 0)
		return -1;
	if (config_is_off(ctx->config, ctx->job.node, ctx->job.partition, &why))
		return prepare_off(ctx, &why, err);
	policy_apply(ctx);
	ctx->desired.mem_spec_limit_mb = -1;
	ctx->desired.io_cores = ctx->request.io_cores;
	ctx->desired.alone = ctx->job.alone == JOB_ALONE;
	if (begin_clean(ctx, err) < 0)
		return -1;
	io_cores_find(ctx);
	rundir_state_folder(state_dir, dirs.spool, NULL);
	ctx->findings.phase = FINDING_PHASE_CHANGE;
	clients_open(ctx, state_dir);
	clients_inspect(ctx);
	describe_request(ctx);
	if (clients_change(ctx, err) < 0)
		return -1;
	ctx->findings.phase = FINDING_PHASE_CHECK;
	rc = conclude(ctx, err);
	if (rc >= 0)
		count(ctx);
	return rc;
}
