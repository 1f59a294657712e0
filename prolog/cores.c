/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/cores.h"

#include <limits.h>

#include "lib/faultpoint.h"
#include "lib/node.h"
#include "lib/reservation.h"

void cores_check(struct visit *visit)
{
	const struct job *job = &visit->job;
	unsigned int wanted = visit->request.io_cores;
	struct err why;

	if (!wanted || !job->core_spec_is_told ||
	    (job->core_spec == (int)wanted && !job->core_spec_is_threads))
		return;
	if (job->core_spec >= 0)
		err_set(&why,
			"--io-cores=%u: Slurm reserves %d %s for this job; "
			"submit with --io-cores and without --core-spec",
			wanted, job->core_spec,
			job->core_spec_is_threads ? "threads" : "cores");
	else
		err_set(&why,
			"--io-cores=%u: Slurm reserves no cores for this job; "
			"submit it with the option --io-cores",
			wanted);
	visit_refuse(visit, &why);
}

static void reserve(struct visit *visit, const struct node_state *node)
{
	struct reservation_request request = { .kind = RESERVATION_UNSET };
	struct reservation reservation = { 0 };
	struct err err;

	/* none at all is wrong beside a spec set only, as for jobio doctor (N09):
	 * other sites lower RealMemory, or do not schedule memory */
	if (node->node.mem_spec_limit_mb || node->node.has_spec_list ||
	    node->node.core_spec_count)
		visit->want.mem_spec_limit_mb =
			(long)node->node.mem_spec_limit_mb;
	if (visit->job.core_spec >= 0 || visit->request.io_cores) {
		request.kind = visit->job.core_spec_is_threads
				       ? RESERVATION_THREADS
				       : RESERVATION_CORES;
		request.count = visit->job.core_spec >= 0
					? (unsigned int)visit->job.core_spec
					: visit->request.io_cores;
	}
	if (reservation_compute(&node->node, node->map, &request, &reservation,
				&err) < 0) {
		findings_add(&visit->findings, "W50", FINDING_WARNING, NULL,
			     "the cores that Slurm withholds are unknown: "
			     "%.400s",
			     err.text);
		return;
	}
	if (visit->request.io_cores)
		findings_append(&visit->findings, &reservation.findings);
	visit->want.has_io_cores = true;
	visit->want.io_cpus = reservation.os_cpus;
	cpuset_andnot(&visit->want.io_cpus, &reservation.shared_os_cpus);
	visit->abs_cores = reservation.abs_cores;
	reservation_free(&reservation);
}

void cores_find(struct visit *visit)
{
	struct node_state node = { 0 };
	char helper[PATH_MAX];
	struct err err;
	int rc;

	/* half of the time: a silent slurmctld is not the client's fault */
	FAULT_POINT("node record before");
	if (visit->request.io_cores &&
	    job_helper_path("jobio-slurm", helper, sizeof(helper)) == 0)
		rc = node_load(visit->config->run_dir, helper, visit->job.node,
			       visit_time_left_ms(visit) / 2, &node, &err) < 0
			     ? -1
			     : 1;
	else
		rc = node_cached(visit->config->run_dir, &node, &err);
	FAULT_POINT("node record after");
	if (rc > 0) {
		reserve(visit, &node);
		node_state_free(&node);
	} else if (visit->request.io_cores) {
		findings_add(&visit->findings, "W50", FINDING_WARNING,
			     "see whether slurmctld answers on this node",
			     "the cores that Slurm withholds are unknown: "
			     "%.400s",
			     rc < 0 ? err.text : "no node record");
	}
}
