/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/prepare.h"

#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/child.h"
#include "base/rundir.h"
#include "node/asked.h"
#include "node/clients.h"
#include "node/cores.h"
#include "node/describe.h"
#include "node/gates.h"
#include "node/lack.h"
#include "node/leftover.h"
#include "node/log.h"

/* ---- verdict ----------------------------------------------------------- */

static int verdict(struct visit *visit)
{
	size_t i;

	for (i = 0; i < visit->findings.count; i++) {
		if (!visit->findings.list[i].breaks_node)
			continue;
		visit->fault = &visit->findings.list[i];
		job_reason_set(visit->config, visit->fault);
		return EX_UNAVAILABLE;
	}
	job_reason_clear(visit->config);
	return 0;
}

/* ---- 6: counters ------------------------------------------------------- */

/* Return true if no other job can be on the node: it has no other, or Slurm keeps others off. If
 * job.alone is unknown, want.alone is a guess until slurmctld has been queried. */
static bool is_alone(const struct visit *visit)
{
	return !visit->has_others || (visit->want.alone && visit->job.alone == JOB_ALONE);
}

/* Start the counters, without the lock: programs may still have to be loaded, and another job's
 * epilog need not wait for that. */
static void count(struct visit *visit)
{
	struct err err;

	close(visit->lock_fd);
	visit->lock_fd = -1;
	job_wire_start(visit->config, visit->state, visit->clients, visit->client_count,
		       is_alone(visit));
	if (job_count_start(visit->config, visit->state, visit_time_left_ms(visit), &err) < 0)
		log_line("%s", err.text);
}

/* ---- in order ---------------------------------------------------------- */

static int begin(struct visit *visit, struct err *err)
{
	unsigned int restarts_ms = job_restarts_ms(visit->config);

	visit->lock_fd = -1;
	visit->end_ms = child_now_ms() + visit->config->prolog_budget_ms;
	/* an earlier run of the job may be in SPOOL/released: if this process ends before it is
	 * removed from there, the folder shows the epilog that there is a new run */
	rundir_make_job(visit->config->run_dir, visit->job.id, NULL);
	if (job_make_dirs(visit->config, err) < 0)
		return -1;
	visit->lock_fd = job_lock(visit->config, visit_time_left_ms(visit) + restarts_ms, err);
	/* time of the client's restart for another job does not count */
	if (restarts_ms)
		visit->end_ms = child_now_ms() + visit->config->prolog_budget_ms;
	return visit->lock_fd < 0 ? -1 : 0;
}

static void note_mounts(const struct visit *visit)
{
	struct err err;

	if (job_note_mounts(visit->config, visit->job.id, &err) < 0)
		log_line("what the job mounts may not be told: %s", err.text);
}

static int conclude(struct visit *visit, struct err *err)
{
	clients_judge(visit);
	lack_describe(visit);
	note_mounts(visit);
	if (job_look_failed())
		findings_add(
			&visit->findings, "W54", FINDING_WARNING,
			"find the process with a /proc/PID/cmdline that cannot be read, and what it waits for",
			"looking for slurmstepds among root's processes hangs: other jobs count as living");
	job_add_findings(visit->state, &visit->findings);
	if (job_state_update(visit->config, visit->state, err) < 0 || gates_write(visit, err) < 0)
		return -1;
	return verdict(visit);
}

/* Take the lock, restore settings of finished jobs and create this job's folder and state. */
static int begin_clean(struct visit *visit, struct err *err)
{
	if (begin(visit, err) < 0)
		return -1;
	job_sweep(visit->config, false);
	leftover_mend(visit);
	if (leftover_clear_own(visit, err) < 0)
		return -1;
	rundir_make_job(visit->config->run_dir, visit->job.id, NULL);
	job_note_sluid(visit->config, visit->job.id);
	visit->has_others = job_note_others(visit->config, visit->job.id);
	visit->state = job_state_new(&visit->job, visit->config);
	return 0;
}

/* ---- switched off --------------------------------------------------------- */

static void describe_off(struct visit *visit, const struct err *why)
{
	struct record *state = visit->state;

	state->has_request = request_from_env(&state->request, NULL) == 1;
	record_lacks_all(state);
	if (state->has_request)
		snprintf(visit->note, sizeof(visit->note),
			 "the job's I/O options have no effect: %.*s", (int)sizeof(visit->note) / 2,
			 why->text);
	findings_add(&visit->findings, "W57", FINDING_INFO,
		     "enabled, nodes and partitions in [jobio] of jobio.conf",
		     "jobio did nothing for this job: %s", why->text);
	job_add_findings(state, &visit->findings);
}

/* Write state and gate file only. */
static int prepare_off(struct visit *visit, const struct err *why, struct err *err)
{
	if (begin_clean(visit, err) < 0)
		return -1;
	describe_off(visit, why);
	if (job_make_folder(visit->config, visit->job.id, err) < 0 ||
	    job_state_write(visit->config, visit->state, err) < 0 ||
	    gates_write_off(visit, err) < 0)
		return -1;
	job_reason_clear(visit->config);
	return 0;
}

int prepare_node(struct visit *visit, struct err *err)
{
	char state_dir[RUNDIR_PATH_MAX];
	struct err why;
	int rc;

	if (job_from_env(&visit->job, err) < 0)
		return -1;
	if (config_is_off(visit->config, visit->job.node, visit->job.partition, &why))
		return prepare_off(visit, &why, err);
	asked_read(visit);
	visit->want.mem_spec_limit_mb = -1;
	visit->want.io_cores = visit->request.io_cores;
	visit->want.alone = visit->job.alone == JOB_ALONE;
	if (begin_clean(visit, err) < 0)
		return -1;
	cores_find(visit);
	job_state_dir(visit->config, state_dir);
	visit->findings_client = visit->findings.count;
	clients_open(visit, state_dir);
	clients_inspect(visit);
	describe_request(visit);
	if (clients_change(visit, err) < 0)
		return -1;
	visit->findings_judge = visit->findings.count;
	rc = conclude(visit, err);
	if (rc >= 0)
		count(visit);
	return rc;
}
