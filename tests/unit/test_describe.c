/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a prolog writes into the state of a job: its request, the machine, the
 * clients and what is to be changed. The clients are the test's own. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/journal.h"
#include "lib/sysfs.h"
#include "prolog/describe.h"
#include "tests/unit/runner.h"

/* ---- the machine and two clients ----------------------------------------- */

static struct client_facts facts[2];
static struct client_cards cards[2];
static struct journal_change changes[2];
static const struct client_mount mounts[2] = {
	{ .target = "/work", .fstype = "nfs4", .source = "s1:/work" },
	{ .target = "/scratch", .fstype = "nfs", .source = "s2:/" },
};

static struct client *client_at(size_t index)
{
	return (struct client *)(void *)&facts[index];
}

const struct client_facts *__wrap_client_facts(const struct client *client);
const struct client_facts *__wrap_client_facts(const struct client *client)
{
	return (const struct client_facts *)(const void *)client;
}

void __wrap_client_cards(const struct client *client,
			 struct client_cards *found);
void __wrap_client_cards(const struct client *client,
			 struct client_cards *found)
{
	*found = cards[client == client_at(1)];
}

size_t __wrap_client_plan_count(const struct client_plan *plan);
size_t __wrap_client_plan_count(const struct client_plan *plan)
{
	(void)plan;
	return 2;
}

const struct journal_change *__wrap_client_plan_at(const struct client_plan *p,
						   size_t index);
const struct journal_change *__wrap_client_plan_at(const struct client_plan *p,
						   size_t index)
{
	(void)p;
	return &changes[index];
}

size_t __wrap_sysfs_parts(struct sysfs_part *parts, size_t max);
size_t __wrap_sysfs_parts(struct sysfs_part *parts, size_t max)
{
	size_t i;

	ck_assert_uint_ge(max, 2);
	for (i = 0; i < 2; i++) {
		parts[i] = (struct sysfs_part){ .socket = (int)i,
						.numa_node = 4 - (int)i };
		cpuset_zero(&parts[i].cpus);
		cpuset_add(&parts[i].cpus, (unsigned int)i);
	}
	return 2;
}

/* ---- a job that asks for a core and a profile, on a node with two clients --- */

static struct visit visit;

static void start(void)
{
	visit = (struct visit){ .state = record_new(), .has_request = true };
	ck_assert_ptr_nonnull(visit.state);
	visit.state->profile_applied = visit.state->cores_met = -1;
	visit.request.io_cores = 1;
	strcpy(visit.request.profile, "stream");
	visit.asked = visit.request;
	visit.asked.io_cores = 2; /* more than is followed here */
	visit.client_count = 2;
	facts[0] = (struct client_facts){ .name = "home", .type = "nfs" };
	facts[1] = (struct client_facts){ .name = "work",
					  .type = "weka",
					  .version = "4.4.1",
					  .app_to_wire = "cache=out",
					  .cpus_known = true };
	facts[0].version = facts[0].app_to_wire = "";
	facts[0].mounts = mounts;
	facts[0].mount_count = 2;
	cpuset_zero(&facts[1].frontend_cpus);
	cpuset_add(&facts[1].frontend_cpus, 3);
	memset(cards, 0, sizeof(cards));
	visit.clients[0] = client_at(0);
	visit.clients[1] = client_at(1);
}

static void end(void)
{
	record_free(visit.state);
}

START_TEST(a_request_is_written_as_it_was_asked_and_met_by_nothing_yet)
{
	start();
	describe_request(&visit);
	ck_assert(visit.state->has_request);
	ck_assert_uint_eq(visit.state->request.io_cores, 2);
	ck_assert_str_eq(visit.state->request.profile, "stream");
	ck_assert_int_eq(visit.state->profile_applied, 0);
	ck_assert_int_eq(visit.state->cores_met, 0);
	ck_assert_ptr_null(visit.state->refused);
	ck_assert(!visit.state->has_io_cores);
	end();
}
END_TEST

START_TEST(a_job_that_asks_for_nothing_lacks_nothing)
{
	start();
	visit.has_request = false;
	visit.asked = visit.request = (struct request){ 0 };
	describe_request(&visit);
	ck_assert(!visit.state->has_request);
	ck_assert_int_eq(visit.state->profile_applied, -1);
	ck_assert_int_eq(visit.state->cores_met, -1);
	end();
}
END_TEST

START_TEST(a_refused_job_has_its_reason_and_lacks_nothing)
{
	start();
	strcpy(visit.refused, "no such profile");
	describe_request(&visit);
	ck_assert_str_eq(visit.state->refused, "no such profile");
	ck_assert_int_eq(visit.state->profile_applied, -1);
	ck_assert_int_eq(visit.state->cores_met, -1);
	end();
}
END_TEST

START_TEST(withheld_cores_are_told_where_the_job_asked_for_them)
{
	start();
	visit.want.has_io_cores = true;
	cpuset_zero(&visit.want.io_cpus);
	cpuset_add(&visit.want.io_cpus, 3);
	cpuset_add(&visit.want.io_cpus, 7);
	cpuset_zero(&visit.abs_cores);
	cpuset_add(&visit.abs_cores, 2);
	describe_request(&visit);
	ck_assert(visit.state->has_io_cores);
	ck_assert_int_eq(visit.state->io_cores_count, 1);
	ck_assert_str_eq(visit.state->io_cores_abstract, "2");
	ck_assert_str_eq(visit.state->io_cores_os, "3,7");
	record_free(visit.state);

	/* a site's own, beside a job that asked for none */
	visit.state = record_new();
	visit.request.io_cores = 0;
	describe_request(&visit);
	ck_assert(!visit.state->has_io_cores);
	end();
}
END_TEST

START_TEST(the_machine_is_told_where_there_is_something_to_show_on_it)
{
	start();
	describe_request(&visit);
	ck_assert_uint_eq(visit.state->part_count, 2);
	ck_assert_int_eq(visit.state->parts[1].socket, 1);
	ck_assert_int_eq(visit.state->parts[1].numa_node, 3);
	ck_assert_str_eq(visit.state->parts[1].cpus, "1");
	record_free(visit.state);

	visit.state = record_new();
	visit.client_count = 0;
	describe_request(&visit);
	ck_assert_uint_eq(visit.state->part_count, 0);
	record_free(visit.state);

	visit.state = record_new();
	visit.want.has_io_cores = true;
	cpuset_zero(&visit.want.io_cpus);
	cpuset_zero(&visit.abs_cores);
	describe_request(&visit);
	ck_assert_uint_eq(visit.state->part_count, 2);
	end();
}
END_TEST

START_TEST(a_client_is_told_with_its_mounts)
{
	const struct record_client *told;

	start();
	describe_client(&visit, 1);
	describe_client(&visit, 0);
	ck_assert_uint_eq(visit.state->client_count, 2);
	told = visit.state->clients;
	ck_assert_str_eq(told[0].name, "work");
	ck_assert_str_eq(told[0].type, "weka");
	ck_assert_str_eq(told[0].version, "4.4.1");
	ck_assert_str_eq(told[0].app_to_wire, "cache=out");
	ck_assert_str_eq(told[0].cpus, "3");
	ck_assert_str_eq(told[1].name, "home");
	ck_assert_str_eq(told[1].app_to_wire, "");
	ck_assert_ptr_null(told[1].cpus); /* nobody knows */
	ck_assert_ptr_null(told[1].cards);
	ck_assert_uint_eq(visit.state->mount_count, 2);
	ck_assert_str_eq(visit.state->mounts[0].mount, "/work");
	ck_assert_str_eq(visit.state->mounts[1].mount, "/scratch");
	ck_assert_str_eq(visit.state->mounts[1].fstype, "nfs");
	ck_assert_str_eq(visit.state->mounts[1].source, "s2:/");
	ck_assert_uint_eq(visit.state->mounts[1].client, 1);
	end();
}
END_TEST

START_TEST(the_cards_of_a_client_are_told_with_the_numa_nodes_that_are_known)
{
	start();
	cards[0] = (struct client_cards){
		.count = 3,
		.card = { { .name = "ib0", .numa_node = 1 },
			  { .name = "ib1", .numa_node = -1 },
			  { .name = "eth0", .numa_node = 0 } },
	};
	describe_client(&visit, 0);
	ck_assert_str_eq(visit.state->clients[0].cards, "ib0,ib1,eth0");
	ck_assert_str_eq(visit.state->clients[0].card_nodes, "0-1");
	end();
}
END_TEST

START_TEST(as_many_cards_with_names_as_long_as_there_may_be_are_all_told)
{
	char wanted[CLIENT_CARDS_MAX * 64 + 1] = "";
	size_t i;

	start();
	cards[0].count = CLIENT_CARDS_MAX;
	for (i = 0; i < CLIENT_CARDS_MAX; i++) {
		memset(cards[0].card[i].name, 'a' + (int)i, 63);
		cards[0].card[i].numa_node = -1;
		strcat(wanted, i ? "," : "");
		strcat(wanted, cards[0].card[i].name);
	}
	describe_client(&visit, 0);
	ck_assert_str_eq(visit.state->clients[0].cards, wanted);
	end();
}
END_TEST

START_TEST(cores_that_a_client_has_got_meanwhile_are_told)
{
	start();
	describe_client(&visit, 0);
	describe_client(&visit, 1);
	cpuset_add(&facts[1].frontend_cpus, 4);
	describe_client_cpus(&visit, 1);
	ck_assert_str_eq(visit.state->clients[1].cpus, "3-4");
	ck_assert_ptr_null(visit.state->clients[0].cpus);
	facts[1].cpus_known = false;
	describe_client_cpus(&visit, 1);
	ck_assert_ptr_null(visit.state->clients[1].cpus);
	end();
}
END_TEST

START_TEST(a_client_that_the_state_has_no_room_for_is_not_written)
{
	start();
	describe_client(&visit, 0);
	describe_client_cpus(&visit, 1);
	ck_assert_uint_eq(visit.state->client_count, 1);
	ck_assert_ptr_null(visit.state->clients[0].cpus);
	end();
}
END_TEST

START_TEST(what_is_planned_is_told_before_it_is_known_to_be_made)
{
	const struct record_change *told;

	start();
	changes[0] = (struct journal_change){ .what = "mount-option",
					      .target = "/work",
					      .old_value = "writecache",
					      .new_value = "forcedirect" };
	changes[1] = (struct journal_change){ .what = "read_ahead_kb",
					      .target = "/scratch",
					      .old_value = "128",
					      .new_value = "4096" };
	describe_plan(&visit, 1, NULL);
	ck_assert_uint_eq(visit.state->change_count, 2);
	told = visit.state->changes;
	ck_assert_str_eq(told[0].client, "work");
	ck_assert_str_eq(told[0].what, "mount-option");
	ck_assert_str_eq(told[1].target, "/scratch");
	ck_assert_str_eq(told[1].old_value, "128");
	ck_assert_str_eq(told[1].new_value, "4096");
	ck_assert_int_eq(told[1].made, -1);
	ck_assert_int_eq(told[1].restored, -1);
	end();
}
END_TEST

UNIT_MAIN("describe",
	  a_request_is_written_as_it_was_asked_and_met_by_nothing_yet,
	  a_job_that_asks_for_nothing_lacks_nothing,
	  a_refused_job_has_its_reason_and_lacks_nothing,
	  withheld_cores_are_told_where_the_job_asked_for_them,
	  the_machine_is_told_where_there_is_something_to_show_on_it,
	  a_client_is_told_with_its_mounts,
	  the_cards_of_a_client_are_told_with_the_numa_nodes_that_are_known,
	  as_many_cards_with_names_as_long_as_there_may_be_are_all_told,
	  cores_that_a_client_has_got_meanwhile_are_told,
	  a_client_that_the_state_has_no_room_for_is_not_written,
	  what_is_planned_is_told_before_it_is_known_to_be_made)
