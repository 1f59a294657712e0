/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/policy.h"

#include <stdio.h>

#define SAME_FILE "install the same jobio.conf on submit hosts and nodes"

static void drop_cores(struct prepare_context *ctx)
{
	err_set(&ctx->no_cores, "jobio.conf of this node allows %u to %u, the job asks for %u",
		ctx->config->io_cores_min, ctx->config->io_cores_max, ctx->requested.io_cores);
	ctx->request.io_cores = 0;
	findings_add(&ctx->findings, "W58", FINDING_WARNING, SAME_FILE,
		     "the job's io-cores are left out: %s", ctx->no_cores.text);
}

static void drop_profile(struct prepare_context *ctx)
{
	err_set(&ctx->no_profile, "jobio.conf of this node has no such profile");
	*ctx->request.profile = '\0';
	findings_add(&ctx->findings, "W58", FINDING_WARNING,
		     SAME_FILE "; keep a profile there until no job that waits names it",
		     "profile '%s' is left out: %s", ctx->requested.profile, ctx->no_profile.text);
}

/* Check io-cores and profile separately: one may be allowed and the other not. */
static void check(struct prepare_context *ctx)
{
	struct request cores = ctx->requested, profile = ctx->requested;

	*cores.profile = '\0';
	profile.io_cores = 0;
	if (request_check(&cores, ctx->config, NULL) < 0)
		drop_cores(ctx);
	if (request_check(&profile, ctx->config, NULL) < 0)
		drop_profile(ctx);
}

/* Drop the whole request. */
static void drop_all(struct findings *findings, char note[GATE_TEXT_MAX], const char *why,
		     const char *cure)
{
	snprintf(note, GATE_TEXT_MAX, "the job's I/O options have no effect: %.300s", why);
	findings_add(findings, "W58", FINDING_WARNING, cure,
		     "the job's I/O options are left out: %s", why);
}

void policy_apply(struct prepare_context *ctx)
{
	struct err why;
	int rc = request_from_env(&ctx->requested, &why);

	if (rc < 0)
		drop_all(
			&ctx->findings, ctx->note, why.text,
			"submit the job with --io-cores and --io-profile, and leave SPANK_JOBIO_* of its environment alone");
	else if (rc == REQUEST_NEWER)
		drop_all(
			&ctx->findings, ctx->note,
			"a newer jobio than this node's wrote the job's request",
			"install the same version of jobio on all hosts: nodes before submit hosts");
	ctx->has_request = rc == 1;
	if (rc != 1)
		return;
	ctx->request = ctx->requested;
	check(ctx);
}
