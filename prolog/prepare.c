/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/prepare.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "job/log.h"
#include "lib/child.h"
#include "lib/faultpoint.h"
#include "lib/journal.h"
#include "lib/json.h"
#include "lib/rundir.h"
#include "prolog/cores.h"
#include "prolog/describe.h"
#include "prolog/gates.h"
#include "prolog/leftover.h"

/* ---- 0: what the job wants --------------------------------------------- */

static void read_request(struct visit *visit)
{
	struct err why;
	int rc = request_from_env(&visit->request, &why);

	if (rc < 0) {
		visit_refuse(visit, &why);
		return;
	}
	visit->has_request = rc > 0;
	if (rc > 0 && request_check(&visit->request, visit->config, &why) < 0)
		visit_refuse(visit, &why);
}

/* ---- the client -------------------------------------------------------- */

static void profile_of(struct visit *visit)
{
	const struct config_profile *profile = NULL;

	if (*visit->request.profile)
		profile = config_profile_find(visit->config,
					      visit->request.profile);
	visit->want.mount_options = profile ? profile->mount_options : "";
	visit->want.read_ahead_kb = profile ? profile->read_ahead_kb : "";
}

static void open_client(struct visit *visit, const char *state_dir)
{
	const struct config_client *section;
	struct err err;

	section = config_client_for(visit->config, visit->job.node);
	if (!section) {
		if (visit->has_request)
			findings_add(
				&visit->findings, "W51", FINDING_WARNING,
				"add the node to nodes= of a [client]",
				"jobio.conf has no client for node %s: the "
				"job's wishes have no effect here",
				visit->job.node);
		return;
	}
	visit->client =
		client_open(section, visit->config->run_dir, state_dir, &err);
	if (!visit->client)
		findings_add(&visit->findings, "W52", FINDING_ERROR,
			     "correct type= in jobio.conf", "%.500s", err.text);
}

static void look_at_client(struct visit *visit)
{
	struct err err;

	if (client_inspect(visit->client, visit_time_left_ms(visit), &err) <
	    0) {
		findings_add(&visit->findings, "W53", FINDING_ERROR,
			     "correct mount_table= in jobio.conf", "%.500s",
			     err.text);
		client_close(visit->client);
		visit->client = NULL;
	}
}

/* ---- 4: changes -------------------------------------------------------- */

static int apply(struct visit *visit, const struct client_plan *plan,
		 struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct journal *journal;
	int rc;

	if (!client_plan_count(plan))
		return 0;
	if (rundir_job_file(path, visit->config->run_dir, visit->job.id,
			    RUNDIR_JOURNAL, err) < 0)
		return -1;
	journal = journal_open(path, err);
	if (!journal)
		return -1;
	rc = client_apply(visit->client, plan, journal, &visit->findings, err);
	journal_close(journal);
	return rc < 0 ? -1 : 0;
}

/* ---- verdict ----------------------------------------------------------- */

static int verdict(const struct visit *visit)
{
	size_t i;

	for (i = 0; i < visit->findings.count; i++) {
		if (!visit->findings.list[i].breaks_node)
			continue;
		job_reason_set(visit->config, visit->state,
			       &visit->findings.list[i]);
		return EX_UNAVAILABLE;
	}
	job_reason_clear(visit->config, visit->state);
	return *visit->refused ? EX_DATAERR : 0;
}

/* ---- 6: counters ------------------------------------------------------- */

/* Without the lock: loading takes half a second once after boot, and another
 * job's epilog need not wait for it. */
static void count(struct visit *visit)
{
	struct err err;

	close(visit->lock_fd);
	visit->lock_fd = -1;
	if (visit->client &&
	    job_wire_start(visit->config, visit->state, visit->client,
			   visit->want.alone, &err) < 0 &&
	    !client_is_cached(visit->client))
		log_line("wire: %s", err.text);
	if (job_count_start(visit->config, visit->state, &err) < 0)
		log_line("%s", err.text);
}

/* ---- in order ---------------------------------------------------------- */

static int begin(struct visit *visit, struct err *err)
{
	unsigned int restarts_ms = job_restarts_ms(visit->config);

	visit->lock_fd = -1;
	visit->end_ms = child_now_ms() + visit->config->prolog_budget_ms;
	/* another run of the job may have been released here: should we end
	 * before we forget that, the epilog sees by the folder that it is over */
	rundir_make_job(visit->config->run_dir, visit->job.id, NULL);
	if (job_make_dirs(visit->config, err) < 0)
		return -1;
	visit->lock_fd = job_lock(visit->config,
				  visit_time_left_ms(visit) + restarts_ms, err);
	/* the client's restart for another job took time that is not ours */
	if (restarts_ms)
		visit->end_ms =
			child_now_ms() + visit->config->prolog_budget_ms;
	return visit->lock_fd < 0 ? -1 : 0;
}

/* Slurm before 23.02 does not tell the prolog whether the job has the node
 * alone: slurmctld is asked, and only because something would be changed. */
static bool says_alone(const char *text)
{
	struct json_object *job = json_parse(text);
	bool yes = json_is_true(job, "alone");

	json_object_put(job);
	return yes;
}

static bool ask_alone(struct visit *visit)
{
	char helper[PATH_MAX], limit[48], id[16], conf[PATH_MAX + 16];
	const char *conf_path = getenv("SLURM_CONF");
	char *argv[] = { helper, limit, "job", id, NULL };
	char *env[] = { conf_path ? conf : NULL, NULL };
	struct child_result result = { 0 };
	bool alone = false;

	snprintf(limit, sizeof(limit), "--timeout-ms=%u",
		 visit_time_left_ms(visit));
	snprintf(id, sizeof(id), "%u", visit->job.id);
	snprintf(conf, sizeof(conf), "SLURM_CONF=%s",
		 conf_path ? conf_path : "");
	FAULT_POINT("ask alone");
	if (job_helper_path("jobio-slurm", helper, sizeof(helper)) < 0 ||
	    child_run(argv, env, visit_time_left_ms(visit) + 100, &result,
		      NULL) < 0)
		return false;
	alone = result.status == 0 && says_alone(result.out);
	child_result_free(&result);
	return alone;
}

/* A job that shares its node finds the client on cores that an earlier job has
 * asked for, and Slurm may give it those: while it is the first, the client can
 * go back. Looks at all processes, so only when there is a way to go. */
static bool may_go_back(struct visit *visit)
{
	struct client_want want = visit->want;
	struct findings unsaid = { 0 };
	struct client_plan *plan = NULL;
	struct err err;
	bool is_way;

	if (want.alone || want.io_cores)
		return false;
	want.idle = true;
	is_way = client_plan(visit->client, &want, &plan, &unsaid, &err) == 0 &&
		 plan;
	client_plan_free(plan);
	findings_free(&unsaid);
	return is_way && !job_is_other_alive(visit->config, visit->job.id);
}

static int make_plan(struct visit *visit, struct client_plan **plan,
		     struct err *err)
{
	bool unknown =
		visit->job.alone == JOB_ALONE_UNKNOWN && visit->has_request;

	if (!visit->client || *visit->refused)
		return 0;
	visit->want.alone |= unknown && !visit->is_shared;
	visit->want.idle = may_go_back(visit);
	if (client_plan(visit->client, &visit->want, plan, &visit->findings,
			err) < 0)
		return -1;
	/* Slurm's word is about jobs that come: suspended ones, and one whose
	 * slurmstepd does not end, are here all the same */
	if (!*plan || ((!unknown || ask_alone(visit)) &&
		       (!visit->want.alone ||
			!job_is_other_alive(visit->config, visit->job.id))))
		return 0;
	client_plan_free(*plan);
	*plan = NULL;
	visit->want.alone = false;
	visit->want.idle = may_go_back(visit);
	return client_plan(visit->client, &visit->want, plan, &visit->findings,
			   err);
}

/* A client that restarts has deadlines of its own; looking has this one. */
static int change_client(struct visit *visit, struct err *err)
{
	struct client_plan *plan = NULL;
	int rc = -1;

	if (make_plan(visit, &plan, err) < 0)
		return -1;
	describe_client(visit);
	describe_plan(visit, plan);
	if (job_make_folder(visit->config, visit->job.id, err) < 0 ||
	    job_state_write(visit->config, visit->state, err) < 0 ||
	    apply(visit, plan, err) < 0)
		goto out;
	rc = 0;
out:
	client_plan_free(plan);
	return rc;
}

static int conclude(struct visit *visit, struct err *err)
{
	if (visit->client) {
		client_judge(visit->client, &visit->want, &visit->findings);
		describe_client_cpus(visit);
		client_keep(visit->client);
	}
	describe_profile(visit);
	if (job_look_failed())
		findings_add(&visit->findings, "W54", FINDING_WARNING,
			     "find the process whose /proc/PID/cmdline cannot "
			     "be read, and what it waits for",
			     "looking for slurmstepds among root's processes "
			     "hangs: other jobs count as living");
	job_add_findings(visit->state, &visit->findings);
	if (job_state_update(visit->config, visit->state, err) < 0 ||
	    gates_write(visit, err) < 0)
		return -1;
	return verdict(visit);
}

int prepare_node(struct visit *visit, struct err *err)
{
	char state_dir[RUNDIR_PATH_MAX];
	int rc;

	if (job_from_env(&visit->job, err) < 0)
		return -1;
	read_request(visit);
	cores_check(visit);
	visit->want.mem_spec_limit_mb = -1;
	visit->want.io_cores = visit->request.io_cores;
	visit->want.alone = visit->job.alone == JOB_ALONE;
	profile_of(visit);
	if (begin(visit, err) < 0)
		return -1;
	job_sweep(visit->config, false);
	leftover_mend(visit);
	if (leftover_clear_own(visit, err) < 0)
		return -1;
	visit->state = job_state_new(&visit->job, visit->config);
	if (!visit->state)
		return err_set(err, "out of memory");
	cores_find(visit);
	job_state_dir(visit->config, state_dir);
	open_client(visit, state_dir);
	if (visit->client)
		look_at_client(visit);
	describe_request(visit);
	if (change_client(visit, err) < 0)
		return -1;
	rc = conclude(visit, err);
	if (rc >= 0)
		count(visit);
	return rc;
}
