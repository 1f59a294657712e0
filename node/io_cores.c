/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/io_cores.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "base/rundir.h"
#include "cores/node.h"
#include "cores/reservation.h"
#include "node/helper.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/slurm_query.h"
#include "record/alloc.h"

#define QUERIES 2
#define HELPER_MORE_MS 1500U /* to end its child and print a message */

/* Compare the request, which a user can forge, with Slurm's --core-spec of the job. */
static void check_reserved(struct prepare_context *ctx, const struct node *node)
{
	const struct job *job = &ctx->job;
	unsigned int wanted = ctx->request.io_cores;
	const char *cure = "submit the job with --io-cores and without --core-spec";
	bool is_off = node && !node->allow_spec_resources_usage;

	/* 22.05 does not set the variable in prologs */
	if (!wanted || (!job->core_spec_is_set && !is_off) ||
	    (job->core_spec == (int)wanted && !job->core_spec_is_threads))
		return;
	if (job->core_spec >= 0) {
		err_set(&ctx->no_cores,
			"Slurm reserves %d %s for the job, which asked for %u io-core%s",
			job->core_spec, job->core_spec_is_threads ? "threads" : "cores", wanted,
			wanted == 1 ? "" : "s");
	} else if (is_off) {
		err_set(&ctx->no_cores,
			"slurmctld reserves no cores for jobs: it runs AllowSpecResourcesUsage=no");
		cure = "AllowSpecResourcesUsage=yes in slurm.conf, then restart slurmctld";
	} else {
		err_set(&ctx->no_cores, "Slurm reserves no cores for the job");
	}
	findings_add(&ctx->findings, "W59", FINDING_WARNING, cure,
		     "the job's io-cores are left out: %s", ctx->no_cores.text);
	ctx->request.io_cores = ctx->desired.io_cores = 0;
}

/* Set the OS CPUs of the node's spec set: those that a job without --core-spec does not get. Only
 * for gate = enforce. */
static void find_spec_set(const struct node_state *node, struct cpuset *spec_cpus)
{
	struct reservation_request request = { .kind = RESERVATION_UNSET };
	struct reservation reservation = { 0 };

	if (reservation_compute(&node->node, node->map, &request, &reservation, NULL) < 0)
		return;
	*spec_cpus = reservation.os_cpus;
	reservation_free(&reservation);
}

static void reserve(struct prepare_context *ctx, const struct node_state *node)
{
	struct reservation_request request = { .kind = RESERVATION_UNSET };
	struct reservation reservation = { 0 };
	struct err err;

	/* MemSpecLimit=0 is an error only with a spec set, as in jobio check (N09):
	 * other sites lower RealMemory, or do not schedule memory */
	if (node->node.mem_spec_limit_mb || node->node.has_spec_list || node->node.core_spec_count)
		ctx->desired.mem_spec_limit_mb = (long)node->node.mem_spec_limit_mb;
	if (ctx->job.core_spec >= 0 || ctx->request.io_cores) {
		request.kind =
			ctx->job.core_spec_is_threads ? RESERVATION_THREADS : RESERVATION_CORES;
		request.count = ctx->job.core_spec >= 0 ? (unsigned int)ctx->job.core_spec
							: ctx->request.io_cores;
	}
	if (reservation_compute(&node->node, node->map, &request, &reservation, &err) < 0) {
		findings_add(&ctx->findings, "W50", FINDING_WARNING, NULL,
			     "the cores that Slurm withholds are unknown: %.400s", err.text);
		return;
	}
	if (ctx->request.io_cores)
		findings_append(&ctx->findings, &reservation.findings);
	ctx->desired.has_io_cores = true;
	ctx->desired.io_cpus = reservation.os_cpus;
	cpuset_andnot(&ctx->desired.io_cpus, &reservation.shared_os_cpus);
	ctx->abs_cores = reservation.abs_cores;
	reservation_free(&reservation);
}

/* Return "NAME=value" of the environment, for the helper; "NAME=" if not set. The caller frees. */
static char *pass_variable(const char *name)
{
	const char *value = getenv(name);

	return xasprintf("%s=%s", name, value ? value : "");
}

static int run_helper(const char *node, unsigned int limit_ms, char *const env[], struct err *err)
{
	char path[PATH_MAX], run_dir[RUNDIR_PATH_MAX + 16];
	char name[RECORD_NAME_MAX + 16], timeout[32];
	char *argv[] = { path, run_dir, name, timeout, NULL };
	struct child_result result;
	int rc;

	if (limit_ms < SLURM_QUERY_LEAST_MS)
		return err_set(err, SLURM_QUERY_NO_TIME);
	if (job_helper_path("jobio-node", path, sizeof(path)) < 0)
		return err_set(err, "jobio-node: its path is unknown");
	snprintf(run_dir, sizeof(run_dir), "--run-dir=%s", dirs.run);
	snprintf(name, sizeof(name), "--name=%s", node);
	snprintf(timeout, sizeof(timeout), "--timeout-ms=%u", limit_ms);
	if (child_run(argv, env, limit_ms + HELPER_MORE_MS, &result, err) < 0)
		return -1;
	result.errtext[strcspn(result.errtext, "\n")] = '\0';
	rc = result.status == 0 ? 0
				: err_set(err, "%.400s",
					  *result.errtext ? result.errtext : "jobio-node failed");
	child_result_free(&result);
	return rc;
}

/* Query the node again; twice, if slurmd restarted or slurm.conf changed meanwhile: the record is
 * outdated then. Return 1, or -1. */
static int query_node(const char *name, unsigned long long end_ms, struct node_state *node,
		      struct err *err)
{
	char *conf = pass_variable("SLURM_CONF");
	char *machine = pass_variable("HWLOC_XMLFILE");
	char *env[] = { conf, machine, NULL };
	int i, rc = 0;

	for (i = 0; i < QUERIES && rc == 0; i++) {
		/* half of the time, so that a hung slurmctld leaves time for the client */
		rc = run_helper(name, child_left_ms(end_ms) / 2, env, err);
		if (rc == 0)
			rc = node_cached(dirs.run, node, err);
	}
	free(machine);
	free(conf);
	return rc ? rc : err_set(err, "slurmd or slurm.conf changes all the time");
}

static int find_node(struct prepare_context *ctx, struct node_state *node, struct err *err)
{
	int rc = node_cached(dirs.run, node, err);

	if ((!ctx->request.io_cores && ctx->config->gate != GATE_ENFORCE) ||
	    (rc > 0 && !strcmp(node->node.name, ctx->job.node)))
		return rc;
	node_state_free(node); /* of another node on this machine */
	return query_node(ctx->job.node, ctx->end_ms, node, err);
}

void io_cores_find(struct prepare_context *ctx)
{
	struct node_state node = { 0 };
	struct err err;
	int rc;

	FAULT_POINT("node record before");
	rc = find_node(ctx, &node, &err);
	FAULT_POINT("node record after");
	check_reserved(ctx, rc > 0 ? &node.node : NULL);
	if (rc > 0) {
		if (ctx->config->gate == GATE_ENFORCE)
			find_spec_set(&node, &ctx->spec_cpus);
		reserve(ctx, &node);
		node_state_free(&node);
	} else if (ctx->request.io_cores) {
		findings_add(&ctx->findings, "W50", FINDING_WARNING,
			     "see whether slurmctld answers on this node",
			     "the cores that Slurm withholds are unknown: %.400s",
			     rc < 0 ? err.text : "no node record");
	}
}
