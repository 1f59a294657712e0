/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/gates.h"

#include <stdio.h>
#include <string.h>

#include "base/faultpoint.h"
#include "base/gatefile.h"
#include "base/rundir.h"
#include "node/job_dir.h"

/* Add the client CPUs of the last gate file, as a fallback. */
static void add_old_cpus(struct gatefile *gate)
{
	char path[RUNDIR_PATH_MAX];
	struct gatefile old;

	if (rundir_node_file(path, dirs.run, RUNDIR_GATE, NULL) == 0 &&
	    gatefile_read(path, &old, NULL) == 1)
		cpuset_or(&gate->client_cpus, &old.client_cpus);
}

/* Set the CPUs of all clients, and the name of the first client that has CPUs or whose CPUs are
 * unknown. */
static void add_clients(struct client *const clients[], size_t count, struct gatefile *gate)
{
	const struct client_facts *facts, *named = NULL;
	bool is_known = true;
	size_t i;

	for (i = 0; i < count; i++) {
		facts = client_facts(clients[i]);
		if (!named && (!facts->cpus_known || !cpuset_is_empty(&facts->frontend_cpus)))
			named = facts;
		cpuset_or(&gate->client_cpus, &facts->frontend_cpus);
		is_known &= facts->cpus_known;
	}
	if (!named && count)
		named = client_facts(clients[0]);
	if (named)
		snprintf(gate->client, sizeof(gate->client), "%.30s:%.30s", named->type,
			 named->name);
	if (!is_known)
		add_old_cpus(gate);
}

/* Write RUN/gate, for jobs without jobio's prolog: the client's CPUs, no request. */
static int write_for_node(const struct gatefile *gate, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_node_file(path, dirs.run, RUNDIR_GATE, err) < 0)
		return -1;
	FAULT_POINT("node gate before");
	if (gatefile_write(path, gate, err) < 0)
		return -1;
	FAULT_POINT("node gate after");
	return 0;
}

static int write_for_job(const struct prepare_context *ctx, struct gatefile *gate, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	gate->is_requested = ctx->requested.io_cores > 0;
	gate->request = ctx->request;
	/* do not report a profile to the job that was not applied */
	if (!ctx->state->profile_applied)
		*gate->request.profile = '\0';
	memcpy(gate->note, ctx->note, sizeof(gate->note));
	if (ctx->request.io_cores && ctx->desired.has_io_cores)
		gate->io_cpus = ctx->desired.io_cpus;
	if (rundir_job_file(path, dirs.run, ctx->job.id, RUNDIR_GATE, err) < 0)
		return -1;
	FAULT_POINT("job gate before");
	if (gatefile_write(path, gate, err) < 0)
		return -1;
	FAULT_POINT("job gate after");
	return 0;
}

int gates_write_off(uint32_t job_id, const char *note, struct err *err)
{
	struct gatefile gate = { .policy = GATE_OFF };
	char path[RUNDIR_PATH_MAX];

	snprintf(gate.note, sizeof(gate.note), "%s", note);
	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_GATE, err) < 0)
		return -1;
	return gatefile_write(path, &gate, err);
}

int gates_write(struct prepare_context *ctx, struct err *err)
{
	struct gatefile gate = { .policy = ctx->config->gate, .spec_cpus = ctx->spec_cpus };

	add_clients(ctx->clients, ctx->client_count, &gate);
	if (write_for_node(&gate, err) < 0)
		return -1;
	return write_for_job(ctx, &gate, err);
}
