/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/gates.h"

#include <stdio.h>

#include "lib/faultpoint.h"
#include "lib/gatefile.h"
#include "lib/rundir.h"

/* When the client does not say where it runs, what it said last is better than
 * nothing. */
static void tell_client(const struct visit *visit, struct gatefile *gate)
{
	const struct client_facts *facts;
	char path[RUNDIR_PATH_MAX];
	struct gatefile old;

	if (!visit->client)
		return;
	facts = client_facts(visit->client);
	snprintf(gate->client, sizeof(gate->client), "%.30s:%.30s", facts->type,
		 facts->name);
	if (facts->cpus_known) {
		gate->client_cpus = facts->frontend_cpus;
		return;
	}
	if (rundir_node_file(path, visit->config->run_dir, RUNDIR_GATE, NULL) ==
		    0 &&
	    gatefile_read(path, &old, NULL) == 1)
		gate->client_cpus = old.client_cpus;
}

/* For jobs that no prolog of ours prepared: the client's CPUs, no verdict. */
static int write_for_node(const struct visit *visit,
			  const struct gatefile *gate, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_node_file(path, visit->config->run_dir, RUNDIR_GATE, err) <
	    0)
		return -1;
	FAULT_POINT("node gate before");
	if (!*visit->refused && gatefile_write(path, gate, err) < 0)
		return -1;
	FAULT_POINT("node gate after");
	return 0;
}

static int write_for_job(const struct visit *visit, struct gatefile *gate,
			 struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (*visit->refused) {
		gate->refuse = true;
		snprintf(gate->reason, sizeof(gate->reason), "%.*s",
			 (int)sizeof(gate->reason) - 1, visit->refused);
	}
	gate->request = visit->request;
	/* a job is not told that it has what it has not */
	if (!visit->state->profile_applied)
		*gate->request.profile = '\0';
	if (visit->request.io_cores && visit->want.has_io_cores)
		gate->io_cpus = visit->want.io_cpus;
	if (rundir_job_file(path, visit->config->run_dir, visit->job.id,
			    RUNDIR_GATE, err) < 0)
		return -1;
	FAULT_POINT("job gate before");
	if (gatefile_write(path, gate, err) < 0)
		return -1;
	FAULT_POINT("job gate after");
	return 0;
}

int gates_write(struct visit *visit, struct err *err)
{
	struct gatefile gate = { .policy = visit->config->gate };

	tell_client(visit, &gate);
	if (write_for_node(visit, &gate, err) < 0)
		return -1;
	return write_for_job(visit, &gate, err);
}
