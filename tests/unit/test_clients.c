/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cores the prolog finds for a job, and which of its clients it changes. The
 * clients, Slurm's answers and other jobs are here. With real clients: clients.bats,
 * cores_change.bats. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/core_map.h"
#include "lib/journal.h"
#include "lib/node.h"
#include "lib/rundir.h"
#include "prolog/ask_slurm.h"
#include "prolog/clients.h"
#include "prolog/cores.h"
#include "prolog/describe.h"
#include "tests/machines/machines.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"

/* ---- clients -------------------------------------------------------------------- */

struct client {
	const char *name;
	bool is_away, is_blind, is_closed;
	unsigned int budget_ms; /* when it was looked at */
	size_t changes;	     /* that a job would need that has the node alone */
	size_t idle_changes; /* back to what it was */
	size_t plans, applied;
	bool holds;
	struct client_want want; /* the last it was asked about */
};

struct client_plan {
	struct client *client;
	size_t count;
};

static struct client clients[CONFIG_CLIENTS_MAX];
static char told[400]; /* who did what, in its order */

static void tell(const char *what, const char *name)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s %s;", what, name);
}

struct client *__wrap_client_open(const struct config_client *section,
				  const char *run_dir, const char *state_dir,
				  struct err *err)
{
	struct client *client = clients;

	ck_assert(run_dir && !strcmp(state_dir, "/state"));
	while (client->name && strcmp(client->name, section->name) != 0)
		client++;
	client->name = section->name;
	if (!client->is_away)
		return client;
	err_set(err, "client %s is away", client->name);
	return NULL;
}

void __wrap_client_close(struct client *client)
{
	client->is_closed = true;
}

int __wrap_client_inspect(struct client *client, unsigned int budget_ms,
			  struct err *err)
{
	client->budget_ms = budget_ms;
	tell("inspect", client->name);
	return client->is_blind ? err_set(err, "%s is blind", client->name) : 0;
}

void __wrap_client_judge(struct client *client, const struct client_want *want,
			 struct findings *findings)
{
	client->want = *want;
	tell("judge", client->name);
	findings_add(findings, "X1", FINDING_INFO, NULL, "%s", client->name);
}

void __wrap_client_keep(const struct client *client)
{
	tell("keep", client->name);
}

bool __wrap_client_holds(const struct client *client,
			 const struct client_want *want)
{
	ck_assert(want->alone);
	return client->holds;
}

static const char *plan_fails; /* of this client; NULL: of none */

int __wrap_client_plan(struct client *client, const struct client_want *want,
		       struct client_plan **plan, struct findings *findings,
		       struct err *err)
{
	size_t count = want->idle    ? client->idle_changes
		       : want->alone ? client->changes
				     : 0;

	client->want = *want;
	client->plans++;
	if (plan_fails && !strcmp(client->name, plan_fails))
		return err_set(err, "no plan");
	findings_add(findings, "P1", FINDING_INFO, NULL, "%s: %zu",
		     client->name, count);
	*plan = NULL;
	if (count) {
		*plan = malloc(sizeof(**plan));
		**plan = (struct client_plan){ client, count };
	}
	return 0;
}

size_t __wrap_client_plan_count(const struct client_plan *plan)
{
	return plan ? plan->count : 0;
}

void __wrap_client_plan_free(struct client_plan *plan)
{
	free(plan);
}

static const char *apply_fails, *is_refused;

int __wrap_client_apply(struct client *client, const struct client_plan *plan,
			struct journal *journal, struct findings *findings,
			struct err *err)
{
	ck_assert(journal && findings && plan->client == client);
	tell("apply", client->name);
	client->applied += plan->count;
	if (apply_fails && !strcmp(client->name, apply_fails))
		return err_set(err, "no journal");
	return is_refused && !strcmp(client->name, is_refused);
}

void __wrap_describe_client(struct visit *visit, size_t index)
{
	tell("describe", visit->clients[index]->name);
}

void __wrap_describe_client_cpus(struct visit *visit, size_t index)
{
	tell("cpus", visit->clients[index]->name);
}

void __wrap_describe_plan(struct visit *visit, size_t index,
			  const struct client_plan *plan)
{
	(void)visit, (void)index;
	tell("plan", plan ? plan->client->name : "-");
}

/* ---- Slurm, other jobs, the disk ------------------------------------------------- */

static struct {
	const char *answer, *errtext; /* of jobio-slurm job */
	int status, asked;
	bool is_away, is_alive, stays;
	bool is_disk_full, is_journal_bad;
	unsigned long long now_ms;
	/* the node record: what each look at it and each jobio-node say */
	int cached[4], looks, helped, helper_status;
	const char *helper_says, *name;
	bool has_no_helper, is_helper_stuck;
	struct node node;
} world;

int __wrap_ask_slurm(unsigned int timeout_ms, const char *what, const char *id,
		     const char *more, struct child_result *result,
		     struct err *err)
{
	world.asked++;
	ck_assert_uint_eq(timeout_ms, 1000);
	ck_assert_str_eq(what, "job");
	ck_assert_str_eq(id, "7");
	ck_assert_ptr_null(more);
	if (world.is_away)
		return err_set(err, "it is away");
	result->status = world.status;
	result->out = strdup(world.answer);
	result->errtext = strdup(world.errtext ? world.errtext : "");
	return 0;
}

bool __wrap_job_is_other_alive(const struct config *config, uint32_t job_id)
{
	ck_assert(config && job_id == 7);
	return world.is_alive;
}

bool __wrap_job_does_other_stay(const struct config *config, uint32_t job_id)
{
	ck_assert(config && job_id == 7);
	return world.stays;
}

int __wrap_job_make_folder(const struct config *config, uint32_t job_id,
			   struct err *err)
{
	ck_assert(config && job_id == 7);
	tell("folder", "7");
	return world.is_disk_full ? err_set(err, "the disk is full") : 0;
}

int __wrap_job_state_write(const struct config *config,
			   const struct record *state, struct err *err)
{
	(void)config, (void)state, (void)err;
	tell("state", "7");
	return 0;
}

struct journal *__wrap_journal_open(const char *path, struct err *err)
{
	ck_assert_ptr_nonnull(strstr(path, "/7/"));
	if (!world.is_journal_bad)
		return (struct journal *)&world;
	err_set(err, "no journal");
	return NULL;
}

void __wrap_journal_close(struct journal *journal)
{
	ck_assert_ptr_eq(journal, (struct journal *)&world);
	tell("close", "journal");
}

unsigned long long __wrap_child_now_ms(void)
{
	return world.now_ms;
}

int __wrap_node_cached(const char *run_dir, struct node_state *state,
		       struct err *err)
{
	int rc = world.cached[world.looks++];

	ck_assert_ptr_nonnull(run_dir);
	if (rc < 0)
		return err_set(err, "a cache that cannot be read");
	if (rc) {
		state->node = world.node;
		state->map = core_map_load(
			&(struct core_map_options){
				.xml = tempdir_path("machine.xml") },
			err);
		ck_assert_msg(state->map != NULL, "%s", err->text);
	}
	return rc;
}

int __wrap_job_helper_path(const char *name, char *path, size_t size)
{
	ck_assert_str_eq(name, "jobio-node");
	snprintf(path, size, "/libexec/%s", name);
	return world.has_no_helper ? -1 : 0;
}

int __wrap_child_run(char *const argv[], char *const env[],
		     unsigned int timeout_ms, struct child_result *result,
		     struct err *err)
{
	world.helped++;
	ck_assert_str_eq(argv[0], "/libexec/jobio-node");
	ck_assert_str_eq(argv[2], "--name=n1");
	ck_assert_str_eq(argv[3], "--timeout-ms=500");
	ck_assert_str_eq(env[0], "SLURM_CONF=/etc/s.conf");
	ck_assert_str_eq(env[1], "HWLOC_XMLFILE=");
	ck_assert_uint_eq(timeout_ms, 2000);
	if (world.is_helper_stuck)
		return err_set(err, "jobio-node hangs");
	*result = (struct child_result){ .status = world.helper_status,
					 .out = strdup(""),
					 .errtext = strdup(world.helper_says) };
	return 0;
}

/* ---- a visit ------------------------------------------------------------------------ */

static struct visit visit;
static struct config *config;

/* Of a job that has its node alone, with a second left. */
static void begin(const char *text)
{
	memset(&world, 0, sizeof(world));
	memset(clients, 0, sizeof(clients));
	*told = '\0';
	plan_fails = apply_fails = is_refused = NULL;
	world.now_ms = 5000;
	world.answer = "{\"alone\":true}";
	world.helper_says = "";
	config = conf_load(text);
	visit = (struct visit){ .config = config, .end_ms = 6000 };
	visit.job.id = 7;
	visit.job.uid = 1000;
	visit.job.gid = 100;
	strcpy(visit.job.node, "n1");
	visit.job.alone = JOB_ALONE;
	visit.want.alone = visit.has_request = true;
	visit.want.io_cores = visit.request.io_cores = 2;
}

static void end(void)
{
	visit.client_count = 0;
	findings_free(&visit.findings);
	config_free(config);
}

static void expect_told(const char *wanted)
{
	ck_assert_str_eq(told, wanted);
	*told = '\0';
}

#define TWO                                                                    \
	"[client a]\ntype=weka\n"                                              \
	"[client b]\ntype=nfs\n"

/* ---- opening, and looking -------------------------------------------------------------- */

START_TEST(clients_of_the_node_are_opened)
{
	begin("[client a]\ntype=weka\nnodes=m*\n[client b]\ntype=nfs\n");
	clients_open(&visit, "/state");
	ck_assert_uint_eq(visit.client_count, 1);
	ck_assert_str_eq(visit.clients[0]->name, "b");
	ck_assert_str_eq(said_findings(&visit.findings), "");
	ck_assert_uint_ge(visit.owner, visit.client_count);
	end();
}
END_TEST

START_TEST(a_client_that_cannot_be_opened_is_told_and_left_out)
{
	begin(TWO);
	clients[0] = (struct client){ .name = "a", .is_away = true };
	clients_open(&visit, "/state");
	ck_assert_uint_eq(visit.client_count, 1);
	ck_assert_str_eq(visit.clients[0]->name, "b");
	ck_assert_str_eq(visit.sections[0]->name, "b");
	ck_assert_str_eq(said_findings(&visit.findings),
			 "W52 error client a is away; correct type= in "
			 "jobio.conf\n");
	end();
}
END_TEST

START_TEST(wishes_on_a_node_without_a_client_have_no_effect)
{
	begin("[client a]\ntype=weka\nnodes=m*\n");
	clients_open(&visit, "/state");
	said_expect(said_findings(&visit.findings),
		    "W51 warning jobio.conf has no client for node n1: ");
	visit.has_request = false;
	clients_open(&visit, "/state");
	ck_assert_str_eq(said_findings(&visit.findings), "");
	end();
}
END_TEST

#define THREE                                                                  \
	"[client a]\ntype=nfs\n"                                               \
	"[client b]\ntype=weka\nmounts=/b\ncore_change=grow\n"                 \
	"[client c]\ntype=weka\nmounts=/c\ncore_change=any\n"

START_TEST(io_cores_are_the_first_clients_that_may_change_its_own)
{
	begin(THREE);
	clients_open(&visit, "/state");
	ck_assert_uint_eq(visit.client_count, 3);
	ck_assert_uint_eq(visit.owner, 1);
	ck_assert_str_eq(said_findings(&visit.findings),
			 "W55 error [client b] and [client c] would both have "
			 "the job's io-cores: the first gets them; leave "
			 "core_change out of one of them\n");
	clients_judge(&visit);
	ck_assert_uint_eq(clients[0].want.io_cores, 2);
	ck_assert_uint_eq(clients[1].want.io_cores, 2);
	ck_assert_uint_eq(clients[2].want.io_cores, 0);
	end();
	/* a job that asks for none has no quarrel about them */
	begin(THREE);
	visit.request.io_cores = 0;
	clients_open(&visit, "/state");
	ck_assert_str_eq(said_findings(&visit.findings), "");
	end();
}
END_TEST

START_TEST(each_client_has_its_share_of_the_time)
{
	begin(THREE);
	clients_open(&visit, "/state");
	findings_free(&visit.findings);
	clients_inspect(&visit);
	ck_assert_uint_eq(clients[0].budget_ms, 333);
	ck_assert_uint_eq(clients[1].budget_ms, 500);
	ck_assert_uint_eq(clients[2].budget_ms, 1000);
	ck_assert_uint_eq(visit.client_count, 3);
	ck_assert_uint_eq(visit.owner, 1);
	end();
}
END_TEST

START_TEST(a_client_that_cannot_be_looked_at_is_left_out)
{
	begin(THREE);
	clients_open(&visit, "/state");
	findings_free(&visit.findings);
	clients[0].is_blind = true;
	clients_inspect(&visit);
	ck_assert_uint_eq(visit.client_count, 2);
	ck_assert_str_eq(visit.clients[0]->name, "b");
	ck_assert_str_eq(visit.sections[0]->name, "b");
	ck_assert_str_eq(visit.clients[1]->name, "c");
	ck_assert_uint_eq(visit.owner, 0); /* b is it still */
	ck_assert(clients[0].is_closed && !clients[1].is_closed);
	ck_assert_str_eq(said_findings(&visit.findings),
			 "W53 error a is blind; correct mount_table= in "
			 "jobio.conf\n");
	/* the owner's cores are nobody else's */
	clients[1].is_blind = true;
	clients_inspect(&visit);
	ck_assert_uint_eq(visit.client_count, 1);
	ck_assert_uint_ge(visit.owner, visit.client_count);
	end();
}
END_TEST

START_TEST(clients_are_judged_by_what_the_job_wants_of_each)
{
	begin("[client a]\ntype=weka\n[client b]\ntype=nfs\n"
	      "[profile p]\nread_ahead_kb=64\nmount_options=forcedirect\n"
	      "[profile p:b]\nread_ahead_kb=128\n");
	setenv("SLURM_JOB_WORK_DIR", "/work", 1);
	strcpy(visit.request.profile, "p");
	clients_open(&visit, "/state");
	findings_add(&visit.findings, "X0", FINDING_INFO, NULL, "first");
	clients_judge(&visit);
	expect_told("judge a;cpus a;keep a;judge b;cpus b;keep b;");
	ck_assert_str_eq(clients[0].want.read_ahead_kb, "64");
	ck_assert_str_eq(clients[0].want.mount_options, "forcedirect");
	ck_assert_str_eq(clients[1].want.read_ahead_kb, "128");
	ck_assert_str_eq(clients[1].want.mount_options, "");
	ck_assert_uint_eq(clients[1].want.job_id, 7);
	ck_assert_uint_eq(clients[1].want.uid, 1000);
	ck_assert_uint_eq(clients[1].want.gid, 100);
	ck_assert_str_eq(clients[1].want.work_dir, "/work");
	ck_assert_uint_eq(visit.judged_from[0], 1);
	ck_assert_uint_eq(visit.judged_to[0], 2);
	ck_assert_uint_eq(visit.judged_from[1], 2);
	ck_assert_uint_eq(visit.judged_to[1], 3);
	*visit.request.profile = '\0';
	clients_judge(&visit);
	ck_assert_str_eq(clients[0].want.read_ahead_kb, "");
	ck_assert_str_eq(clients[0].want.parameters, "");
	ck_assert_str_eq(clients[0].want.mmconfig, "");
	ck_assert_str_eq(clients[0].want.mount, "");
	end();
}
END_TEST

/* ---- profiles ------------------------------------------------------------------------------ */

START_TEST(a_profile_stands_where_each_client_that_takes_it_holds_it)
{
	begin("[client a]\ntype=weka\n[client b]\ntype=nfs\nmounts=/b\n"
	      "[client c]\ntype=nfs\nmounts=/c\n"
	      "[profile p]\nread_ahead_kb=64\n");
	strcpy(visit.request.profile, "p");
	clients_open(&visit, "/state");
	ck_assert(clients_take_profile(&visit));
	clients[1].holds = true;
	ck_assert(!clients_have_profile(&visit));
	ck_assert_uint_eq(clients_without_profile(&visit), 2);
	clients[1].holds = false;
	ck_assert_uint_eq(clients_without_profile(&visit), 1);
	clients[1].holds = clients[2].holds = true;
	ck_assert_uint_eq(clients_without_profile(&visit), 3);
	ck_assert(clients_have_profile(&visit));
	/* one of the node that could not be looked at does not hold it */
	visit.client_count = 2;
	ck_assert_uint_eq(clients_without_profile(&visit), 2);
	ck_assert(!clients_have_profile(&visit));
	visit.client_count = 3;
	/* on a node that is shared nothing was changed */
	visit.want.alone = false;
	ck_assert_uint_eq(clients_without_profile(&visit), 1);
	end();
}
END_TEST

START_TEST(a_profile_that_no_client_takes_does_not_stand_unless_it_sets_nothing)
{
	begin("[client b]\ntype=nfs\n[profile p]\nmmconfig=maxMBpS=2000\n"
	      "[profile q]\nio_cores=2\n");
	clients_open(&visit, "/state");
	strcpy(visit.request.profile, "p");
	ck_assert(!clients_take_profile(&visit));
	ck_assert(!clients_have_profile(&visit));
	strcpy(visit.request.profile, "q");
	ck_assert(clients_take_profile(&visit));
	ck_assert(clients_have_profile(&visit));
	end();
}
END_TEST

/* ---- changes ---------------------------------------------------------------------------------- */

/* Of two clients, which would change so much. */
static void begin_change(size_t a, size_t b)
{
	begin(TWO);
	clients_open(&visit, "/state");
	clients[0].changes = a;
	clients[1].changes = b;
}

static int change(void)
{
	struct err err = { "" };
	int rc = clients_change(&visit, &err);

	ck_assert_msg(rc == 0 || *err.text, "no reason");
	return rc;
}

#define DESCRIBED "describe a;describe b;"
#define WRITTEN "folder 7;state 7;"

START_TEST(what_is_planned_is_written_down_and_made)
{
	begin_change(2, 1);
	ck_assert_int_eq(change(), 0);
	expect_told(DESCRIBED "plan a;plan b;" WRITTEN
			      "apply a;apply b;close journal;");
	ck_assert_str_eq(said_findings(&visit.findings),
			 "P1 info a: 2; \nP1 info b: 1; \n");
	ck_assert_int_eq(world.asked, 0);
	end();
	begin_change(0, 1);
	ck_assert_int_eq(change(), 0);
	expect_told(DESCRIBED "plan -;plan b;" WRITTEN
			      "apply b;close journal;");
	end();
	begin_change(0, 0);
	ck_assert_int_eq(change(), 0);
	expect_told(DESCRIBED "plan -;plan -;" WRITTEN);
	end();
}
END_TEST

START_TEST(a_visit_gives_back_all_that_it_holds)
{
	int lock = open("/dev/null", O_RDONLY), none = dup2(lock, 0);

	ck_assert(lock > 0 && none == 0);
	begin_change(1, 1);
	visit.lock_fd = lock;
	visit_free(&visit);
	ck_assert(clients[0].is_closed && clients[1].is_closed);
	ck_assert_uint_eq(visit.client_count, 0);
	ck_assert_int_eq(fcntl(lock, F_GETFD), -1);
	config_free(config);
	/* one that has come to no lock */
	begin_change(1, 1);
	visit_free(&visit);
	ck_assert_int_ne(fcntl(none, F_GETFD), -1);
	config_free(config);
}
END_TEST

START_TEST(a_change_that_a_client_refuses_stops_no_other)
{
	begin_change(1, 1);
	is_refused = "a";
	ck_assert_int_eq(change(), 0);
	expect_told(DESCRIBED "plan a;plan b;" WRITTEN
			      "apply a;apply b;close journal;");
	end();
}
END_TEST

START_TEST(without_a_place_to_write_it_down_nothing_is_changed)
{
	begin_change(1, 1);
	world.is_disk_full = true;
	ck_assert_int_eq(change(), -1);
	expect_told(DESCRIBED "plan a;plan b;folder 7;");
	end();
	begin_change(1, 1);
	world.is_journal_bad = true;
	ck_assert_int_eq(change(), -1);
	expect_told(DESCRIBED "plan a;plan b;" WRITTEN);
	end();
	begin_change(1, 1);
	free(config->run_dir);
	config->run_dir = calloc(1, RUNDIR_PATH_MAX);
	memset(config->run_dir, '/', RUNDIR_PATH_MAX - 1);
	ck_assert_int_eq(change(), -1);
	expect_told(DESCRIBED "plan a;plan b;" WRITTEN);
	end();
	begin_change(1, 1);
	apply_fails = "a";
	ck_assert_int_eq(change(), -1);
	expect_told(DESCRIBED "plan a;plan b;" WRITTEN
			      "apply a;close journal;");
	end();
	begin_change(1, 1);
	plan_fails = "b";
	ck_assert_int_eq(change(), -1);
	expect_told("");
	end();
}
END_TEST

START_TEST(a_refused_job_changes_nothing)
{
	begin_change(1, 1);
	strcpy(visit.refused, "no");
	ck_assert_int_eq(change(), 0);
	expect_told(DESCRIBED "plan -;plan -;" WRITTEN);
	end();
}
END_TEST

START_TEST(a_job_of_which_slurm_does_not_say_whether_it_is_alone_asks)
{
	begin_change(1, 0);
	visit.job.alone = JOB_ALONE_UNKNOWN;
	visit.want.alone = false;
	visit.want.io_cores = 0;
	ck_assert_int_eq(change(), 0);
	ck_assert_int_eq(world.asked, 1);
	ck_assert_uint_eq(clients[0].applied, 1);
	end();
	/* it is not: it is as if it had not asked */
	begin_change(1, 0);
	visit.job.alone = JOB_ALONE_UNKNOWN;
	world.answer = "{\"alone\":false}";
	ck_assert_int_eq(change(), 0);
	ck_assert(!visit.want.alone);
	ck_assert_uint_eq(clients[0].applied, 0);
	ck_assert_str_eq(said_findings(&visit.findings),
			 "P1 info a: 0; \nP1 info b: 0; \n");
	end();
	/* where there is nothing to change, nobody is asked */
	begin_change(0, 0);
	visit.job.alone = JOB_ALONE_UNKNOWN;
	ck_assert_int_eq(change(), 0);
	ck_assert_int_eq(world.asked, 0);
	end();
	/* nor where another job is here, or the job wants nothing */
	begin_change(1, 0);
	visit.job.alone = JOB_ALONE_UNKNOWN;
	visit.want.alone = false;
	visit.is_shared = true;
	ck_assert_int_eq(change(), 0);
	ck_assert_int_eq(world.asked, 0);
	ck_assert_uint_eq(clients[0].applied, 0);
	visit.is_shared = visit.has_request = false;
	ck_assert_int_eq(change(), 0);
	ck_assert_int_eq(world.asked, 0);
	ck_assert_uint_eq(clients[0].applied, 0);
	end();
}
END_TEST

START_TEST(a_slurmctld_that_does_not_say_leaves_all_as_it_is)
{
	static const char cure[] =
		"; see whether slurmctld answers on this node, and jobio's "
		"helpers are where they were installed\n";
	char wanted[300];

	begin_change(1, 0);
	visit.job.alone = JOB_ALONE_UNKNOWN;
	world.is_away = true;
	ck_assert_int_eq(change(), 0);
	ck_assert_uint_eq(clients[0].applied, 0);
	snprintf(wanted, sizeof(wanted),
		 "W56 warning whether the job has the node to itself is "
		 "unknown, so nothing was changed for it: it is away%s",
		 cure);
	said_expect(said_findings(&visit.findings), wanted);
	world.is_away = false;
	world.status = 1;
	world.errtext = "no such job\nx";
	visit.want.alone = true;
	ck_assert_int_eq(change(), 0);
	ck_assert_uint_eq(clients[0].applied, 0);
	snprintf(wanted, sizeof(wanted), "for it: no such job%s", cure);
	said_expect(said_findings(&visit.findings), wanted);
	end();
}
END_TEST

START_TEST(a_job_that_is_alone_changes_nothing_while_another_stays)
{
	begin_change(1, 1);
	world.stays = true;
	ck_assert_int_eq(change(), 0);
	ck_assert(!visit.want.alone);
	ck_assert_uint_eq(clients[0].applied + clients[1].applied, 0);
	end();
	/* nothing to change: another one is no matter */
	begin_change(0, 0);
	world.stays = true;
	ck_assert_int_eq(change(), 0);
	ck_assert(visit.want.alone);
	end();
}
END_TEST

/* A job without wishes on a shared node. */
static void begin_shared(size_t idle_changes)
{
	begin_change(1, 1);
	visit.want.alone = visit.has_request = false;
	visit.want.io_cores = 0;
	visit.job.alone = JOB_NOT_ALONE;
	clients[0].idle_changes = idle_changes;
}

START_TEST(the_first_job_without_wishes_finds_the_client_on_its_own_cores)
{
	begin_shared(1);
	ck_assert_int_eq(change(), 0);
	ck_assert_uint_eq(clients[0].applied, 1);
	ck_assert_uint_eq(clients[1].applied, 0);
	end();
	begin_shared(1);
	world.is_alive = true;
	ck_assert_int_eq(change(), 0);
	ck_assert_uint_eq(clients[0].applied, 0);
	ck_assert(!clients[0].want.idle);
	end();
	begin_shared(1);
	visit.want.io_cores = 1;
	ck_assert_int_eq(change(), 0);
	ck_assert_uint_eq(clients[0].applied, 0);
	end();
	begin_shared(0);
	ck_assert_int_eq(change(), 0);
	ck_assert(!clients[0].want.idle);
	end();
}
END_TEST

/* ---- cores --------------------------------------------------------------------------------------- */

/* What Slurm has said of this job's cores: is it turned away, and why? */
static const char *checked(int core_spec, bool is_threads, bool is_told)
{
	*visit.refused = '\0';
	visit.job.core_spec = core_spec;
	visit.job.core_spec_is_threads = is_threads;
	visit.job.core_spec_is_told = is_told;
	cores_check(&visit);
	return visit.refused;
}

START_TEST(a_job_whose_io_cores_slurm_does_not_reserve_is_turned_away)
{
	begin("");
	ck_assert_str_eq(checked(2, false, true), "");
	ck_assert_str_eq(checked(3, false, true),
			 "--io-cores=2: Slurm reserves 3 cores for this job; "
			 "submit with --io-cores and without --core-spec");
	ck_assert_str_eq(checked(2, true, true),
			 "--io-cores=2: Slurm reserves 2 threads for this job; "
			 "submit with --io-cores and without --core-spec");
	ck_assert_str_eq(checked(0, false, true),
			 "--io-cores=2: Slurm reserves 0 cores for this job; "
			 "submit with --io-cores and without --core-spec");
	ck_assert_str_eq(checked(-1, false, true),
			 "--io-cores=2: Slurm reserves no cores for this job; "
			 "submit it with the option --io-cores");
	ck_assert_str_eq(checked(-1, false, false), "");
	visit.request.io_cores = 0;
	ck_assert_str_eq(checked(3, false, true), "");
	end();
}
END_TEST

/* A job with two io-cores on a node of four cores, of which Slurm has this line. */
static void begin_cores(const char *line)
{
	static char path[512];
	struct err err = { "" };

	begin("");
	tempdir_make();
	snprintf(path, sizeof(path), "%s", tempdir_path("machine.xml"));
	ck_assert_msg(
		machines_write(tempdir_put("table",
					   "machine m\n\tpackage 0 numa 0\n"
					   "\t\tcore 0-3 pu 0-3 4-7\n"),
			       "m", path, &err) == 0,
		"%s", err.text);
	node_init(&world.node);
	ck_assert_msg(
		node_line_parse(&world.node, line, &visit.findings, &err) == 0,
		"%s", err.text);
	ck_assert_uint_eq(visit.findings.count, 0);
	strcpy(world.node.name, "n1");
	world.node.mem_spec_limit_mb = 0;
	world.cached[0] = 1;
	setenv("SLURM_CONF", "/etc/s.conf", 1);
	unsetenv("HWLOC_XMLFILE");
	visit.job.core_spec = 2;
}

/* The OS CPUs that are withheld; "": nobody knows. */
static const char *found(void)
{
	static char text[64];
	char *list;

	cpuset_zero(&visit.want.io_cpus);
	visit.want.has_io_cores = false;
	visit.want.mem_spec_limit_mb = -7;
	world.looks = 0;
	cores_find(&visit);
	list = cpuset_format(&visit.want.io_cpus);
	snprintf(text, sizeof(text), "%s", list);
	free(list);
	ck_assert_int_eq(visit.want.has_io_cores, *text != 0);
	return text;
}

static void end_cores(void)
{
	tempdir_remove();
	end();
}

#define SHAPE "Sockets=1 CoresPerSocket=4 ThreadsPerCore=2 CPUs=8"

START_TEST(the_cores_are_those_that_slurm_withholds_from_the_job)
{
	begin_cores(SHAPE);
	ck_assert_str_eq(found(), "2-3,6-7");
	ck_assert(cpuset_has(&visit.abs_cores, 2) &&
		  cpuset_has(&visit.abs_cores, 3) &&
		  cpuset_count(&visit.abs_cores) == 2);
	visit.job.core_spec = 1; /* Slurm's word, not the job's */
	ck_assert_str_eq(found(), "3,7");
	visit.job.core_spec = -1;
	ck_assert_str_eq(found(), "2-3,6-7");
	ck_assert_int_eq(world.helped, 0);
	ck_assert_int_eq(world.looks, 1);
	end_cores();
}
END_TEST

START_TEST(a_job_without_io_cores_finds_the_spec_set)
{
	begin_cores(SHAPE " CpuSpecList=0-1");
	visit.request.io_cores = 0;
	visit.job.core_spec = -1;
	ck_assert_str_eq(found(), "0,4");
	/* and where nothing is known asks nobody, and says nothing */
	world.cached[0] = 0;
	ck_assert_str_eq(found(), "");
	world.cached[0] = -1;
	ck_assert_str_eq(found(), "");
	ck_assert_int_eq(world.helped, 0);
	ck_assert_str_eq(said_findings(&visit.findings), "");
	end_cores();
}
END_TEST

START_TEST(memory_is_missed_beside_a_spec_set_only)
{
	begin_cores(SHAPE);
	found();
	ck_assert_int_eq(visit.want.mem_spec_limit_mb, -7);
	world.node.mem_spec_limit_mb = 5100;
	found();
	ck_assert_int_eq(visit.want.mem_spec_limit_mb, 5100);
	end_cores();
	begin_cores(SHAPE " CpuSpecList=0-1");
	found();
	ck_assert_int_eq(visit.want.mem_spec_limit_mb, 0);
	end_cores();
	begin_cores(SHAPE " CoreSpecCount=1");
	found();
	ck_assert_int_eq(visit.want.mem_spec_limit_mb, 0);
	end_cores();
}
END_TEST

START_TEST(a_job_with_io_cores_asks_slurmctld_where_nothing_is_known)
{
	begin_cores(SHAPE);
	world.cached[0] = 0;
	world.cached[1] = 1;
	ck_assert_str_eq(found(), "2-3,6-7");
	ck_assert_int_eq(world.helped, 1);
	/* slurm.conf became another one meanwhile */
	world.cached[1] = 0;
	world.cached[2] = 1;
	ck_assert_str_eq(found(), "2-3,6-7");
	ck_assert_int_eq(world.helped, 3);
	world.cached[2] = 0;
	ck_assert_str_eq(found(), "");
	ck_assert_int_eq(world.helped, 5);
	said_expect(said_findings(&visit.findings),
		    "W50 warning the cores that Slurm withholds are unknown: "
		    "slurmd or slurm.conf changes all the time; see whether "
		    "slurmctld answers on this node\n");
	/* what is known of another node of this machine is not of this one */
	strcpy(world.node.name, "n2");
	world.cached[0] = world.cached[1] = 1;
	found();
	ck_assert_int_eq(world.helped, 6);
	end_cores();
}
END_TEST

/* Why the cores are not known. */
static void expect_unknown(const char *why)
{
	char wanted[300];

	ck_assert_str_eq(found(), "");
	snprintf(wanted, sizeof(wanted),
		 "W50 warning the cores that Slurm withholds are unknown: %s; ",
		 why);
	said_expect(said_findings(&visit.findings), wanted);
}

START_TEST(a_node_of_which_nobody_tells_the_cores_is_told)
{
	begin_cores(SHAPE);
	world.cached[0] = 0;
	world.is_helper_stuck = true;
	expect_unknown("jobio-node hangs");
	world.is_helper_stuck = false;
	world.helper_status = 1;
	world.helper_says = "slurmctld is away\nx";
	expect_unknown("slurmctld is away");
	world.helper_says = "";
	expect_unknown("jobio-node failed");
	world.helper_status = 0;
	world.cached[1] = -1;
	expect_unknown("a cache that cannot be read");
	ck_assert_int_eq(world.helped, 4);
	world.has_no_helper = true;
	expect_unknown("jobio-node: its path is unknown");
	/* with half of what is left of the time, or not at all */
	visit.end_ms = world.now_ms + 199;
	expect_unknown(ASK_SLURM_NO_TIME);
	visit.end_ms = world.now_ms + 200;
	expect_unknown("jobio-node: its path is unknown");
	end_cores();
}
END_TEST

UNIT_MAIN("clients", clients_of_the_node_are_opened,
	  a_client_that_cannot_be_opened_is_told_and_left_out,
	  wishes_on_a_node_without_a_client_have_no_effect,
	  io_cores_are_the_first_clients_that_may_change_its_own,
	  each_client_has_its_share_of_the_time,
	  a_client_that_cannot_be_looked_at_is_left_out,
	  clients_are_judged_by_what_the_job_wants_of_each,
	  a_profile_stands_where_each_client_that_takes_it_holds_it,
	  a_profile_that_no_client_takes_does_not_stand_unless_it_sets_nothing,
	  what_is_planned_is_written_down_and_made,
	  a_visit_gives_back_all_that_it_holds,
	  a_change_that_a_client_refuses_stops_no_other,
	  without_a_place_to_write_it_down_nothing_is_changed,
	  a_refused_job_changes_nothing,
	  a_job_of_which_slurm_does_not_say_whether_it_is_alone_asks,
	  a_slurmctld_that_does_not_say_leaves_all_as_it_is,
	  a_job_that_is_alone_changes_nothing_while_another_stays,
	  the_first_job_without_wishes_finds_the_client_on_its_own_cores,
	  a_job_whose_io_cores_slurm_does_not_reserve_is_turned_away,
	  the_cores_are_those_that_slurm_withholds_from_the_job,
	  a_job_without_io_cores_finds_the_spec_set,
	  memory_is_missed_beside_a_spec_set_only,
	  a_job_with_io_cores_asks_slurmctld_where_nothing_is_known,
	  a_node_of_which_nobody_tells_the_cores_is_told)
