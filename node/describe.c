/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/describe.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sysfs.h"
#include "client/journal.h"

#define PARTS_MAX 32

/* Add sockets and NUMA nodes, for the report's picture. Unreadable parts are left out. */
static void describe_machine(struct record *state)
{
	struct sysfs_part parts[PARTS_MAX];
	size_t i, count = sysfs_parts(parts, PARTS_MAX);

	for (i = 0; i < count; i++)
		record_add_part(state, parts[i].socket, parts[i].numa_node, &parts[i].cpus);
}

void describe_request(struct visit *visit)
{
	struct record *state = visit->state;

	state->has_request = visit->has_request;
	state->request = visit->asked;
	record_lacks_all(state);
	if (visit->request.io_cores && visit->want.has_io_cores)
		record_set_io_cores(state, &visit->abs_cores, &visit->want.io_cpus);
	if (state->has_io_cores || visit->client_count)
		describe_machine(state);
}

/* Return the client's CPUs as a list; NULL: unknown. The caller frees. */
static char *cpus_of(const struct client *client)
{
	const struct client_facts *facts = client_facts(client);

	return facts->cpus_known ? cpuset_format(&facts->frontend_cpus) : NULL;
}

void describe_client_cpus(struct visit *visit, size_t index)
{
	char *list = cpus_of(visit->clients[index]);

	if (index < visit->state->client_count)
		record_set(&visit->state->clients[index].cpus, list);
	free(list);
}

/* Add the client's network cards; the epilog adds whether the job ran near them (is_beside). */
static void describe_cards(struct visit *visit, const struct client *client)
{
	char names[CLIENT_CARDS_MAX * sizeof(((struct client_card *)0)->name)];
	struct client_cards cards;
	struct cpuset nodes = { 0 };
	size_t i, used = 0;

	client_cards(client, &cards);
	for (i = 0; i < cards.count; i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? "," : "",
					 cards.card[i].name);
		if (cards.card[i].numa_node >= 0)
			cpuset_add(&nodes, (unsigned int)cards.card[i].numa_node);
	}
	if (cards.count)
		record_set_cards(visit->state, names, &nodes);
}

void describe_client(struct visit *visit, size_t index)
{
	const struct client_facts *facts = client_facts(visit->clients[index]);
	char *list = cpus_of(visit->clients[index]);
	size_t i;

	record_add_client(visit->state, facts->name, facts->type, facts->version, list);
	free(list);
	record_set_app_to_wire(visit->state, facts->app_to_wire);
	describe_cards(visit, visit->clients[index]);
	for (i = 0; i < facts->mount_count; i++)
		record_add_mount(visit->state, facts->mounts[i].target, facts->mounts[i].fstype,
				 facts->mounts[i].source);
}

void describe_plan(struct visit *visit, size_t index, const struct client_plan *plan)
{
	const char *name = client_facts(visit->clients[index])->name;
	const struct journal_change *change;
	size_t i;

	for (i = 0; i < client_plan_count(plan); i++) {
		change = client_plan_at(plan, i);
		record_add_change(visit->state, name, change->what, change->target,
				  change->old_value, change->new_value, -1, -1);
	}
}
