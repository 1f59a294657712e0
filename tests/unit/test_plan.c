/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which node a command is asked about, and which of its cores a plan gives to the
 * client. Whole answers: plan.bats, cores.bats. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core_map.h"
#include "lib/version.h"
#include "report/command.h"
#include "report/plan_parts.h"
#include "report/subject.h"
#include "tests/machines/machines.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

/* Two NUMA nodes of four cores; core 7 has OS CPUs 7 and 15. */
#define TABLE                                                                                      \
	"machine m\n"                                                                              \
	"\tpackage 0 numa 0\n\t\tcore 0-3 pu 0-3 8-11\n"                                           \
	"\tpackage 1 numa 1\n\t\tcore 4-7 pu 4-7 12-15\n"

static char xml[512];
static struct err err;

struct core_map *__real_core_map_load(const struct core_map_options *options, struct err *why);

/* This machine is the one that a test has made. */
struct core_map *__wrap_core_map_load(const struct core_map_options *options, struct err *why)
{
	struct core_map_options its = *options;

	its.xml = its.xml ? its.xml : xml;
	return __real_core_map_load(&its, why);
}

static void make_machine(void)
{
	tempdir_make();
	snprintf(xml, sizeof(xml), "%s", tempdir_path("machine.xml"));
	ck_assert_msg(machines_write(tempdir_put("table", TABLE), "m", xml, &err) == 0, "%s",
		      err.text);
}

/* ---- the cores of a plan ------------------------------------------------------------ */

static struct plan_options options;
static struct plan plan;

static struct cpuset set(const char *list)
{
	struct cpuset set = { 0 };

	ck_assert_int_eq(cpuset_parse(&set, list, NULL), 0);
	return set;
}

static void begin(void)
{
	struct core_map_options map = { .xml = xml, .slurm_version = VERSION_OF(24, 11, 0) };

	make_machine();
	memset(&options, 0, sizeof(options));
	memset(&plan, 0, sizeof(plan));
	plan.options = &options;
	plan.state.map = core_map_load(&map, &err);
	ck_assert_msg(plan.state.map != NULL, "%s", err.text);
	ck_assert_int_eq(locality_load(xml, &plan.locality, &err), 0);
}

static void end(void)
{
	findings_free(&plan.findings);
	core_map_free(plan.state.map);
	tempdir_remove();
}

/* So many cores are these. */
static void expect_cores(unsigned long max, const char *wanted)
{
	char *list;

	cpuset_zero(&plan.cores);
	options.max = max;
	plan_choose(&plan);
	list = cpuset_format(&plan.cores);
	ck_assert_str_eq(list, wanted);
	free(list);
}

START_TEST(without_a_card_cores_are_spread_over_the_numa_nodes)
{
	begin();
	expect_cores(1, "7");
	ck_assert(!plan.packed);
	ck_assert_str_eq(
		plan.reason,
		"spread over 2 NUMA node(s): no network card was named, no place is better");
	expect_cores(2, "3,7");
	expect_cores(3, "3,6-7");
	expect_cores(7, "1-7"); /* never core 0 */
	expect_cores(9, "1-7");
	plan.locality.count = 0;
	expect_cores(3, "5-7");
	end();
}
END_TEST

START_TEST(cores_are_packed_where_that_is_asked_for)
{
	begin();
	options.placement = PLACEMENT_PACKED;
	expect_cores(3, "5-7");
	ck_assert_str_eq(plan.reason, "packed, as asked: the highest cores");
	ck_assert_str_eq(said_findings(&plan.findings), "");
	expect_cores(9, "1-7");
	end();
}
END_TEST

static void add_local(const char *cpus)
{
	plan.local[plan.local_count++] = set(cpus);
	plan.has_local = true;
}

START_TEST(cores_lie_beside_the_card)
{
	begin();
	add_local("0-3,8-11");
	expect_cores(2, "2-3");
	ck_assert(plan.packed);
	ck_assert_str_eq(plan.reason,
			 "packed beside the network card: its queues are polled from there");
	expect_cores(3, "1-3");
	ck_assert_str_eq(said_findings(&plan.findings), "");
	expect_cores(4, "1-3,7");
	ck_assert_str_eq(
		said_findings(&plan.findings),
		"P03 warning only 3 of 4 cores can lie beside the network card; ask for fewer cores, or move the card\n");
	/* a core of which one thread is beside it is not */
	plan.local[0] = set("2-3,11");
	expect_cores(1, "3");
	options.placement = PLACEMENT_SPREAD;
	expect_cores(2, "3,7");
	ck_assert(!plan.packed);
	end();
}
END_TEST

START_TEST(of_several_cards_each_has_its_turn)
{
	begin();
	add_local("4-7,12-15");
	add_local("0-3,8-11");
	expect_cores(1, "7");
	expect_cores(2, "3,7");
	expect_cores(3, "3,6-7");
	expect_cores(7, "1-7");
	ck_assert_str_eq(said_findings(&plan.findings), "");
	end();
}
END_TEST

START_TEST(cards_of_a_client_are_named)
{
	begin();
	add_local("4-7,12-15");
	plan.is_by_client = true;
	strcpy(plan.client.name, "home");
	plan.client.cards.count = 1;
	strcpy(plan.client.cards.card[0].name, "ib0");
	expect_cores(1, "7");
	ck_assert_str_eq(plan.reason, "beside the card of client 'home': ib0");
	plan.client.cards.count = 2;
	strcpy(plan.client.cards.card[1].name, "ib1");
	expect_cores(1, "7");
	ck_assert_str_eq(plan.reason, "beside the cards of client 'home': ib0,ib1");
	end();
}
END_TEST

static void expect_adopted(const char *fixed, const char *wanted, const char *finding)
{
	char *list;

	cpuset_zero(&plan.cores);
	options.fixed = set(fixed);
	ck_assert_int_eq(plan_adopt(&plan, &err), 0);
	list = cpuset_format(&plan.cores);
	ck_assert_str_eq(list, wanted);
	free(list);
	ck_assert_str_eq(plan.reason, "as given with --os-cpus");
	ck_assert_str_eq(said_findings(&plan.findings), finding);
}

START_TEST(cores_that_the_client_has_are_taken_whole)
{
	static const char told[] =
		"P04 error core 0 is the kernel's: a client refuses it or starves there; move the client to other cores\n";

	begin();
	expect_adopted("7", "7", "");
	expect_adopted("14-15", "6-7", "");
	expect_adopted("1", "1", "");
	expect_adopted("0", "0", told);
	expect_adopted("8", "0", told); /* its other thread */
	options.fixed = set("7,16");
	ck_assert_int_eq(plan_adopt(&plan, &err), -1);
	ck_assert_str_eq(err.text, "--os-cpus: 16: no such CPU here");
	end();
}
END_TEST

/* ---- the client of a plan --------------------------------------------------------------- */

static struct {
	bool is_silent;
	int opened; /* and not closed */
	struct client_cards cards;
} asked;

struct client *__wrap_client_open(const struct config_client *section, const char *run_dir,
				  const char *state_dir)
{
	ck_assert_str_eq(section->name, "home");
	ck_assert(!run_dir && !state_dir);
	asked.opened++;
	return (struct client *)&asked;
}

int __wrap_client_inspect(struct client *client, unsigned int budget_ms, struct err *why)
{
	ck_assert_ptr_eq(client, &asked);
	ck_assert_uint_eq(budget_ms, 20000);
	return asked.is_silent ? err_set(why, "no answer") : 0;
}

void __wrap_client_cards(const struct client *client, struct client_cards *cards)
{
	(void)client;
	*cards = asked.cards;
}

const struct client_facts *__wrap_client_facts(const struct client *client)
{
	static const struct client_facts facts = { .type = "nfs" };

	(void)client;
	return &facts;
}

void __wrap_client_close(struct client *client)
{
	asked.opened -= client != NULL;
}

static void add_card(const char *name, int numa_node)
{
	struct client_card *card = &asked.cards.card[asked.cards.count++];

	strcpy(card->name, name);
	strcpy(card->serves, "/work");
	card->numa_node = numa_node;
}

static struct plan_client client;

static int find_client(const char *name)
{
	int rc = plan_client_find(&client, name, tempdir_path("jobio.conf"), xml, &err);

	ck_assert_int_eq(asked.opened, 0);
	return rc;
}

/* What is printed of it. */
static const char *printed(void)
{
	static char text[2000];
	FILE *old = stdout;

	memset(text, 0, sizeof(text));
	stdout = fmemopen(text, sizeof(text), "w");
	plan_client_print(&client);
	fclose(stdout);
	stdout = old;
	return text;
}

static void begin_client(void)
{
	make_machine();
	memset(&asked, 0, sizeof(asked));
	tempdir_put("jobio.conf", "[client home]\ntype = nfs\n");
}

START_TEST(each_numa_node_with_a_card_is_a_domain_in_the_order_of_the_cards)
{
	char names[PLAN_CLIENT_TEXT_MAX];
	struct json_object *json;
	const char *text;

	begin_client();
	add_card("ib0", -1);
	add_card("ib1", 1);
	add_card("ib2", 1);
	add_card("ib3", 0);
	ck_assert_msg(find_client("home") == 0, "%s", err.text);
	ck_assert_str_eq(client.name, "home");
	ck_assert_int_eq(client.numa_node, 1);
	ck_assert_uint_eq(client.domain_count, 2);
	ck_assert_str_eq(plan_client_cards(&client, names), "ib0,ib1,ib2,ib3");
	ck_assert_str_eq(
		printed(),
		"card             ib0, its place is unknown, of client 'home' (nfs): /work\n"
		"                 ib1, NUMA node 1, of client 'home' (nfs): /work\n"
		"                 ib2, NUMA node 1, of client 'home' (nfs): /work\n"
		"                 ib3, NUMA node 0, of client 'home' (nfs): /work\n"
		"beside it        4-7,12-15\n"
		"                 0-3,8-11\n");
	json = json_object_new_object();
	plan_client_json(&client, json);
	text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
	ck_assert_ptr_nonnull(strstr(
		text,
		"{\"name\":\"home\",\"type\":\"nfs\",\"cards\":[{\"card\":\"ib0\",\"numa_node\":null,\"serves\":"));
	ck_assert_ptr_nonnull(strstr(text, "{\"card\":\"ib3\",\"numa_node\":0,"));
	json_object_put(json);
	tempdir_remove();
}
END_TEST

START_TEST(a_client_without_cards_has_no_place)
{
	char names[PLAN_CLIENT_TEXT_MAX];

	begin_client();
	ck_assert_msg(find_client("home") == 0, "%s", err.text);
	ck_assert_int_eq(client.numa_node, -1);
	ck_assert_uint_eq(client.domain_count, 0);
	ck_assert_str_eq(plan_client_cards(&client, names), "");
	ck_assert_str_eq(printed(), "");
	/* nor one whose only card is anywhere; NUMA node 0 is a place */
	add_card("ib0", -1);
	ck_assert_int_eq(find_client("home"), 0);
	ck_assert_int_eq(client.numa_node, -1);
	asked.cards.card[0].numa_node = 0;
	ck_assert_int_eq(find_client("home"), 0);
	ck_assert_int_eq(client.numa_node, 0);
	ck_assert_uint_eq(client.domain_count, 1);
	ck_assert_str_eq(plan_client_cards(&client, names), "ib0");
	tempdir_remove();
}
END_TEST

START_TEST(a_client_that_cannot_be_asked_is_told)
{
	begin_client();
	ck_assert_int_eq(find_client("other"), -1);
	ck_assert_str_eq(err.text, "--client: 'other': jobio.conf has no [client other]");
	asked.is_silent = true;
	ck_assert_int_eq(find_client("home"), -1);
	ck_assert_str_eq(err.text, "no answer");
	asked.is_silent = false;
	add_card("ib0", 5); /* the machine has no such NUMA node */
	ck_assert_int_eq(find_client("home"), -1);
	ck_assert_int_eq(strncmp(err.text, "card ib0: ", 10), 0);
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	ck_assert_int_eq(find_client("home"), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "jobio.conf"));
	tempdir_remove();
}
END_TEST

/* ---- what a command is asked about ---------------------------------------------------- */

static struct {
	int cached, refresh; /* what they return */
	char run_dir[300];   /* where it was looked for */
	bool is_kept;	     /* what slurmctld said is */
	int asked;
} world;

int __wrap_node_cached(const char *run_dir, struct node_state *state, struct err *why)
{
	(void)why;
	snprintf(world.run_dir, sizeof(world.run_dir), "%s", run_dir);
	node_init(&state->node);
	return world.cached;
}

int __wrap_node_refresh(const char *run_dir, const char *helper, const char *node_name,
			unsigned int timeout_ms, struct node_state *state, struct err *why)
{
	(void)state;
	ck_assert(!helper && !node_name);
	ck_assert_uint_eq(timeout_ms, 5000);
	world.asked++;
	world.is_kept = run_dir != NULL;
	return world.refresh < 0 ? err_set(why, "slurmctld is away") : 0;
}

static struct subject subject;
static struct node_state state;
static int status;

static int found(void)
{
	struct findings findings = { 0 };
	int rc;

	node_state_free(&state);
	memset(&state, 0, sizeof(state));
	status = -1;
	rc = subject_find(&subject, &state, &findings, &status, &err);
	findings_free(&findings);
	return rc;
}

static int set_version(const char *value)
{
	return subject_set_version(&subject, "slurm-version", value, &err);
}

START_TEST(versions_go_from_the_oldest_to_the_newest_that_jobio_knows)
{
	ck_assert_int_eq(set_version("22.05"), 0);
	ck_assert_uint_eq(subject.version, VERSION_OF(22, 5, 0xff));
	ck_assert_int_eq(set_version("22.05.0"), 0);
	ck_assert_uint_eq(subject.version, VERSION_OF(22, 5, 0));
	ck_assert_int_eq(set_version("26.05"), 0);
	ck_assert_uint_eq(subject.version, VERSION_OF(26, 5, 0xff));
	ck_assert_int_eq(set_version("26.05.9"), 0);
	ck_assert_uint_eq(subject.version, VERSION_OF(26, 5, 9));
	ck_assert_int_eq(set_version("21.08"), -1);
	ck_assert_str_eq(err.text, "--slurm-version: '21.08': must be from 22.05 to 26.05");
	ck_assert_int_eq(set_version("26.06"), -1);
	ck_assert_int_eq(set_version("x"), -1);
	ck_assert_int_eq(strncmp(err.text, "--slurm-version: ", 17), 0);
	ck_assert_uint_eq(subject.version, VERSION_OF(26, 5, 9));
}
END_TEST

static int set_parameters(const char *value)
{
	return subject_set_parameters(&subject, "slurmd-parameters", value, &err);
}

START_TEST(a_misspelt_word_of_slurmd_parameters_is_told)
{
	ck_assert_int_eq(set_parameters(""), 0);
	ck_assert_int_eq(set_parameters("L3CACHE_as_socket,config_overrides"), 0);
	ck_assert_int_eq(set_parameters("allow_ecores,"), 0);
	ck_assert_int_eq(set_parameters("conmgr_threads=4,l3cache,x"), -1);
	ck_assert_str_eq(err.text,
			 "--slurmd-parameters: 'l3cache': not a word of SlurmdParameters");
	ck_assert_int_eq(set_parameters("allow_ecores,,allow_ecores"), -1);
}
END_TEST

START_TEST(a_machine_without_a_node_line_has_the_one_that_fits)
{
	make_machine();
	subject_init(&subject);
	subject.topology = xml;
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_uint_eq(state.node.cpus, 16);
	ck_assert_uint_eq(state.node.boards, 1);
	ck_assert_uint_eq(state.node.sockets, 2);
	ck_assert_uint_eq(state.node.cores, 4);
	ck_assert_uint_eq(state.node.threads, 2);
	ck_assert(state.node.allow_spec_resources_usage);
	subject.line = "CPUs=8 Sockets=2 CoresPerSocket=4";
	subject.allow = 0;
	subject.first = true;
	subject.version = VERSION_OF(23, 2, 0);
	subject.slurmd_parameters = "l3cache_as_socket";
	subject.task_plugin_param = "SlurmdSpecOverride";
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_uint_eq(state.node.cpus, 8);
	ck_assert(!state.node.allow_spec_resources_usage);
	ck_assert(state.node.spec_cores_first);
	ck_assert_uint_eq(state.node.version, VERSION_OF(23, 2, 0));
	ck_assert_str_eq(state.node.slurmd_parameters, "l3cache_as_socket");
	ck_assert_str_eq(state.node.task_plugin_param, "SlurmdSpecOverride");
	ck_assert_int_eq(world.asked, 0);
	node_state_free(&state);
	tempdir_remove();
}
END_TEST

START_TEST(what_is_wrong_with_the_question_is_bad_usage)
{
	char text[NODE_TEXT_MAX + 1];

	make_machine();
	subject_init(&subject);
	subject.topology = xml;
	subject.line = "CPUs=x";
	ck_assert_int_eq(found(), -1);
	ck_assert_int_eq(status, COMMAND_USAGE);
	subject.line = NULL;
	subject.topology = "/dev/null";
	ck_assert_int_eq(found(), -1);
	ck_assert_int_eq(status, COMMAND_USAGE);
	subject.topology = xml;
	memset(text, 'x', sizeof(text));
	text[NODE_TEXT_MAX] = '\0';
	subject.task_plugin_param = text;
	ck_assert_int_eq(found(), -1);
	ck_assert_str_eq(err.text, "--task-plugin-param: longer than 1023");
	ck_assert_int_eq(status, COMMAND_USAGE);
	subject.slurmd_parameters = text;
	ck_assert_int_eq(found(), -1);
	ck_assert_str_eq(err.text, "--slurmd-parameters: longer than 1023");
	text[NODE_TEXT_MAX - 1] = '\0';
	ck_assert_int_eq(found(), 0);
	node_state_free(&state);
	tempdir_remove();
}
END_TEST

START_TEST(without_either_slurmctld_tells_unless_the_prolog_has_kept_it)
{
	char wanted[300], text[NODE_TEXT_MAX + 1];

	tempdir_make();
	subject_init(&subject);
	snprintf(wanted, sizeof(wanted), "%s", tempdir_name);
	snprintf(text, sizeof(text), "[jobio]\nrun_dir=%s\n", wanted);
	subject.conf = tempdir_put("jobio.conf", text);
	subject.allow = 0;
	world.cached = 1;
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_str_eq(world.run_dir, wanted);
	ck_assert_int_eq(world.asked, 0);
	ck_assert(!state.node.allow_spec_resources_usage);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	subject.task_plugin_param = text;
	ck_assert_int_eq(found(), -1);
	ck_assert_str_eq(err.text, "--task-plugin-param: longer than 1023");
	subject.task_plugin_param = NULL;
	world.cached = 0;
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_int_eq(world.asked, 1);
	ck_assert(world.is_kept);
	/* a cache that cannot be read is none */
	world.cached = -1;
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_int_eq(world.asked, 2);
	world.refresh = -1;
	ck_assert_int_eq(found(), -1);
	ck_assert_str_eq(err.text, "slurmctld is away");
	ck_assert_int_eq(status, COMMAND_FAILED);
	/* nobody could keep it there */
	world.refresh = 0;
	subject.conf = tempdir_put("jobio.conf", "[jobio]\nrun_dir=/nowhere\n");
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert(!world.is_kept);
	subject.conf = tempdir_path("no.conf");
	ck_assert_int_eq(found(), -1);
	ck_assert_int_eq(world.asked, 4);
	tempdir_remove();
}
END_TEST

START_TEST(another_slurm_than_slurmctlds_numbers_this_machine_anew)
{
	make_machine();
	subject_init(&subject);
	subject.conf = tempdir_put("jobio.conf", "");
	world.cached = 1;
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_ptr_null(state.map); /* as it was kept */
	subject.version = VERSION_OF(23, 2, 0);
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_uint_eq(core_map_core_count(state.map), 8);
	ck_assert_uint_eq(state.node.version, VERSION_OF(23, 2, 0));
	subject.version = 0;
	subject.slurmd_parameters = "l3cache_as_socket";
	ck_assert_msg(found() == 0, "%s", err.text);
	ck_assert_uint_eq(core_map_core_count(state.map), 8);
	/* of a machine that cannot be read nothing is known */
	ck_assert_int_eq(remove(xml), 0);
	ck_assert_int_eq(found(), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "machine.xml"));
	node_state_free(&state);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("plan", without_a_card_cores_are_spread_over_the_numa_nodes,
	  cores_are_packed_where_that_is_asked_for, cores_lie_beside_the_card,
	  of_several_cards_each_has_its_turn, cards_of_a_client_are_named,
	  cores_that_the_client_has_are_taken_whole,
	  each_numa_node_with_a_card_is_a_domain_in_the_order_of_the_cards,
	  a_client_without_cards_has_no_place, a_client_that_cannot_be_asked_is_told,
	  versions_go_from_the_oldest_to_the_newest_that_jobio_knows,
	  a_misspelt_word_of_slurmd_parameters_is_told,
	  a_machine_without_a_node_line_has_the_one_that_fits,
	  what_is_wrong_with_the_question_is_bad_usage,
	  without_either_slurmctld_tells_unless_the_prolog_has_kept_it,
	  another_slurm_than_slurmctlds_numbers_this_machine_anew)
