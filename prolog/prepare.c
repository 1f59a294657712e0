/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/prepare.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/faultpoint.h"
#include "lib/fileio.h"
#include "lib/json.h"
#include "lib/gatefile.h"
#include "lib/journal.h"
#include "lib/node.h"
#include "job/log.h"
#include "lib/reservation.h"
#include "lib/rundir.h"

static unsigned int time_left(const struct visit *visit)
{
	unsigned long long now = child_now_ms();

	return now >= visit->end_ms ? 0 : (unsigned int)(visit->end_ms - now);
}

static void refuse(struct visit *visit, const struct err *why)
{
	if (!*visit->refused)
		snprintf(visit->refused, sizeof(visit->refused), "%s",
			 why->text);
}

/* ---- 0: what the job wants --------------------------------------------- */

static void read_request(struct visit *visit)
{
	struct err why;
	int rc = request_from_env(&visit->request, &why);

	if (rc < 0) {
		refuse(visit, &why);
		return;
	}
	visit->has_request = rc > 0;
	if (rc > 0 && request_check(&visit->request, visit->config, &why) < 0)
		refuse(visit, &why);
}

/* ---- 2: what dead jobs left -------------------------------------------- */

/* A folder with nothing readable in it that says whose it is: slurmstepd made it
 * where no prolog had worked, or the files are damaged on both places. There is
 * no record to be made of it, but its journal holds. */
static void clear_nameless(struct visit *visit, uint32_t job_id,
			   bool is_counted)
{
	struct err err;
	int count = job_mend(visit->config, job_id, NULL, &err);

	if (count < 0 || job_discard(visit->config, job_id, &err) < 0) {
		log_line("of job %u: %s", job_id, err.text);
		return;
	}
	visit->mended += count;
	if (is_counted)
		job_count_stop(visit->config, job_id, NULL);
	if (!job_was_released(visit->config, job_id, RECORD_UNKNOWN))
		log_line("of job %u: nothing says whose it was: no record",
			 job_id);
}

static int finish_dead(struct visit *visit, uint32_t job_id)
{
	bool is_counted = job_is_counted(visit->config, job_id);
	struct record *state;
	struct err err;
	int rc;

	state = job_state_read(visit->config, job_id, visit->job.node);
	if (!state) {
		clear_nameless(visit, job_id, is_counted);
		return 0;
	}
	if (job_count_read(visit->config, state, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	job_wire_read(visit->config, state);
	if (job_mend(visit->config, job_id, state, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	job_add_steps(visit->config, state);
	state->end = job_now();
	rc = job_finish(visit->config, state, &err);
	if (rc != 0)
		log_line("of job %u: %s", job_id, err.text);
	if (rc >= 0) {
		visit->finished++;
		if (is_counted)
			job_count_stop(visit->config, job_id, NULL);
	}
	record_free(state);
	return 0;
}

/* A change is only ever made while no other job is on the node. So one that is
 * pending now, for another job, belongs to a prolog that was cut off: it is put
 * back, and unless the job runs all the same (on_error=continue) its record is
 * due too. */
static int mend_other(void *arg, uint32_t job_id)
{
	struct visit *visit = arg;
	struct record *state;
	struct err err;
	int count;

	if (job_id == visit->job.id)
		return 0;
	if (visit->want.alone)
		return finish_dead(visit, job_id);
	state = job_state_read(visit->config, job_id, visit->job.node);
	count = job_mend(visit->config, job_id, state, &err);
	/* nobody will know more of it: Slurm before 23.02 tells no prolog that
	 * its job is alone, and elsewhere perhaps none ever is */
	if (!state && count == 0 && job_is_forgotten(visit->config, job_id))
		clear_nameless(visit, job_id,
			       job_is_counted(visit->config, job_id));
	record_free(state);
	if (count < 0)
		log_line("of job %u: %s", job_id, err.text);
	if (count <= 0)
		return 0;
	visit->mended += count;
	return job_is_alive(job_id) ? 0 : finish_dead(visit, job_id);
}

/* A run of the same job that no epilog has finished (requeued after a crash),
 * or this very prolog, run a second time. */
static int clear_own(struct visit *visit, struct err *err)
{
	const struct config *config = visit->config;
	struct record *state;
	int count;

	job_forget_released(config, visit->job.id);
	if (!job_has_folder(config, visit->job.id))
		return 0;
	if (job_has_steps(config, visit->job.id))
		return finish_dead(visit, visit->job.id);
	state = job_state_read(config, visit->job.id, visit->job.node);
	count = job_mend(config, visit->job.id, state, err);
	record_free(state);
	if (count < 0)
		return -1;
	visit->mended += count;
	return job_discard(config, visit->job.id, err);
}

/* ---- which cores ------------------------------------------------------- */

/* Slurm's own word about the job against the request, which a user can forge. */
static void check_reserved(struct visit *visit)
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
	refuse(visit, &why);
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

/* For a job with io-cores slurmctld is asked once per change of slurm.conf;
 * for others never. */
static void find_cores(struct visit *visit)
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
			       time_left(visit) / 2, &node, &err) < 0
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

	if (client_inspect(visit->client, time_left(visit), &err) < 0) {
		findings_add(&visit->findings, "W53", FINDING_ERROR,
			     "correct mount_table= in jobio.conf", "%.500s",
			     err.text);
		client_close(visit->client);
		visit->client = NULL;
	}
}

/* ---- 3: the state ------------------------------------------------------ */

static void describe_request(struct visit *visit)
{
	struct record *state = visit->state;
	char *list;

	if (*visit->refused)
		record_set(&state->refused, visit->refused);
	state->has_request = visit->has_request;
	if (visit->request.io_cores)
		state->request_io_cores = visit->request.io_cores;
	snprintf(state->request_profile, sizeof(state->request_profile), "%s",
		 visit->request.profile);
	if (!visit->request.io_cores || !visit->want.has_io_cores)
		return;
	state->has_io_cores = true;
	state->io_cores_count = cpuset_count(&visit->abs_cores);
	list = cpuset_format(&visit->abs_cores);
	record_set(&state->io_cores_abstract, list);
	free(list);
	list = cpuset_format(&visit->want.io_cpus);
	record_set(&state->io_cores_os, list);
	free(list);
}

static void describe_cpus(struct visit *visit)
{
	const struct client_facts *facts = client_facts(visit->client);
	char *list = NULL;

	if (facts->cpus_known)
		list = cpuset_format(&facts->frontend_cpus);
	record_set(&visit->state->client_cpus, list);
	free(list);
}

static void describe_client(struct visit *visit)
{
	struct record *state = visit->state;
	const struct client_facts *facts;
	size_t i;

	if (!visit->client)
		return;
	facts = client_facts(visit->client);
	state->has_client = true;
	snprintf(state->client_name, sizeof(state->client_name), "%s",
		 facts->name);
	snprintf(state->client_type, sizeof(state->client_type), "%s",
		 facts->type);
	snprintf(state->client_version, sizeof(state->client_version), "%s",
		 facts->version);
	describe_cpus(visit);
	for (i = 0; i < facts->mount_count; i++)
		record_add_mount(state, facts->mounts[i].target,
				 facts->mounts[i].fstype,
				 facts->mounts[i].source);
}

static void describe_plan(struct visit *visit, const struct client_plan *plan)
{
	const struct journal_change *change;
	size_t i;

	for (i = 0; i < client_plan_count(plan); i++) {
		change = client_plan_at(plan, i);
		record_add_change(visit->state, change->what, change->target,
				  change->old_value, change->new_value, -1);
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
			    "journal", err) < 0)
		return -1;
	journal = journal_open(path, err);
	if (!journal)
		return -1;
	rc = client_apply(visit->client, plan, journal, &visit->findings, err);
	journal_close(journal);
	return rc < 0 ? -1 : 0;
}

/* ---- 5: gate files ----------------------------------------------------- */

/* When the client does not say where it runs, what it said last is better than
 * nothing. */
static void client_cpus(struct visit *visit, struct gatefile *gate)
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

static int write_gates(struct visit *visit, struct err *err)
{
	struct gatefile gate = { .policy = visit->config->gate };
	char path[RUNDIR_PATH_MAX];

	client_cpus(visit, &gate);
	if (rundir_node_file(path, visit->config->run_dir, RUNDIR_GATE, err) <
	    0)
		return -1;
	FAULT_POINT("node gate before");
	if (!*visit->refused && gatefile_write(path, &gate, err) < 0)
		return -1;
	FAULT_POINT("node gate after");
	if (*visit->refused) {
		gate.refuse = true;
		snprintf(gate.reason, sizeof(gate.reason), "%.*s",
			 (int)sizeof(gate.reason) - 1, visit->refused);
	}
	gate.io_cores = visit->request.io_cores;
	if (visit->request.io_cores && visit->want.has_io_cores)
		gate.io_cpus = visit->want.io_cpus;
	snprintf(gate.io_profile, sizeof(gate.io_profile), "%s",
		 visit->request.profile);
	if (rundir_job_file(path, visit->config->run_dir, visit->job.id,
			    RUNDIR_GATE, err) < 0)
		return -1;
	FAULT_POINT("job gate before");
	if (gatefile_write(path, &gate, err) < 0)
		return -1;
	FAULT_POINT("job gate after");
	return 0;
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
	if (job_make_dirs(visit->config, err) < 0)
		return -1;
	visit->lock_fd =
		job_lock(visit->config, time_left(visit) + restarts_ms, err);
	/* the client's restart for another job took time that is not ours */
	if (restarts_ms)
		visit->end_ms =
			child_now_ms() + visit->config->prolog_budget_ms;
	return visit->lock_fd < 0 ? -1 : 0;
}

/* Slurm before 24.11 does not tell the prolog whether the job has the node
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

	snprintf(limit, sizeof(limit), "--timeout-ms=%u", time_left(visit));
	snprintf(id, sizeof(id), "%u", visit->job.id);
	snprintf(conf, sizeof(conf), "SLURM_CONF=%s",
		 conf_path ? conf_path : "");
	FAULT_POINT("ask alone");
	if (job_helper_path("jobio-slurm", helper, sizeof(helper)) < 0 ||
	    child_run(argv, env, time_left(visit) + 100, &result, NULL) < 0)
		return false;
	alone = result.status == 0 && says_alone(result.out);
	child_result_free(&result);
	return alone;
}

static int is_other(void *arg, uint32_t job_id)
{
	const struct visit *visit = arg;

	return job_id != visit->job.id;
}

/* No job but this one has a folder, which each prolog makes under the lock and
 * each epilog takes away; and no slurmstepd runs for one that came before jobio
 * did. This job's own are started when its prolog is over. */
static bool is_first_job(struct visit *visit)
{
	return job_each_folder(visit->config, is_other, visit) == 0 &&
	       !job_is_any_alive();
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
	return is_way && is_first_job(visit);
}

static int make_plan(struct visit *visit, struct client_plan **plan,
		     struct err *err)
{
	bool unknown = !visit->job.core_spec_is_told && visit->has_request;

	if (!visit->client || *visit->refused)
		return 0;
	visit->want.alone |= unknown;
	visit->want.idle = may_go_back(visit);
	if (client_plan(visit->client, &visit->want, plan, &visit->findings,
			err) < 0)
		return -1;
	if (!*plan || !unknown || ask_alone(visit))
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
		describe_cpus(visit);
		client_keep(visit->client);
	}
	job_add_findings(visit->state, &visit->findings);
	if (job_state_update(visit->config, visit->state, err) < 0 ||
	    write_gates(visit, err) < 0)
		return -1;
	return verdict(visit);
}

int visit_prepare(struct visit *visit, struct err *err)
{
	char state_dir[RUNDIR_PATH_MAX];
	int rc;

	if (job_from_env(&visit->job, err) < 0)
		return -1;
	read_request(visit);
	check_reserved(visit);
	visit->want.mem_spec_limit_mb = -1;
	visit->want.io_cores = visit->request.io_cores;
	visit->want.alone = visit->job.core_spec > 0;
	profile_of(visit);
	if (begin(visit, err) < 0)
		return -1;
	job_sweep(visit->config, false);
	job_each_folder(visit->config, mend_other, visit);
	if (clear_own(visit, err) < 0)
		return -1;
	visit->state = job_state_new(&visit->job, visit->config);
	if (!visit->state)
		return err_set(err, "out of memory");
	find_cores(visit);
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

void visit_log(const struct visit *visit)
{
	const struct finding *finding;
	enum finding_severity least;
	size_t i;

	if (visit->mended || visit->finished)
		log_line("mended what dead jobs had left: %d settings put "
			 "back, %d records",
			 visit->mended, visit->finished);
	if (*visit->refused)
		log_line("refused: %s", visit->refused);
	/* the record has them all; the log need not have them with each job */
	if (visit->client && client_is_cached(visit->client) &&
	    !visit->has_request)
		return;
	/* a warning that nobody heeds is not repeated with each job: only when
	 * the client was asked anew */
	least = visit->client && !client_is_cached(visit->client)
			? FINDING_WARNING
			: FINDING_ERROR;
	for (i = 0; i < visit->findings.count; i++) {
		finding = &visit->findings.list[i];
		if (finding->severity >= least)
			log_line("%s %s; cure: %s", finding->code,
				 finding->text, finding->cure);
	}
}

void visit_free(struct visit *visit)
{
	client_close(visit->client);
	record_free(visit->state);
	findings_free(&visit->findings);
	if (visit->lock_fd > 0)
		close(visit->lock_fd);
}
