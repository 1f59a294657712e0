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

void describe_request(struct prepare_context *ctx)
{
	struct record *state = ctx->state;

	state->has_request = ctx->has_request;
	state->request = ctx->requested;
	record_set_unmet(state);
	if (ctx->request.io_cores && ctx->desired.has_io_cores)
		record_set_io_cores(state, &ctx->abs_cores, &ctx->desired.io_cpus);
	if (state->has_io_cores || ctx->client_count)
		describe_machine(state);
}

/* Return the client's CPUs as a list; NULL: unknown. The caller frees. */
static char *cpus_of(const struct client *client)
{
	const struct client_facts *facts = client_facts(client);

	return facts->cpus_known ? cpuset_format(&facts->frontend_cpus) : NULL;
}

void describe_client_cpus(struct record *state, size_t index, const struct client *client)
{
	char *list = cpus_of(client);

	if (index < state->client_count)
		record_set(&state->clients[index].cpus, list);
	free(list);
}

/* Add the client's NICs; the epilog adds whether the job ran near them (is_numa_local). */
static void describe_nics(struct record *state, const struct client *client)
{
	char names[CLIENT_NICS_MAX * sizeof(((struct client_nic *)0)->name)];
	struct client_nics nics;
	struct cpuset nodes = { 0 };
	size_t i, used = 0;

	client_nics(client, &nics);
	for (i = 0; i < nics.count; i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? "," : "",
					 nics.nic[i].name);
		if (nics.nic[i].numa_node >= 0)
			cpuset_add(&nodes, (unsigned int)nics.nic[i].numa_node);
	}
	if (nics.count)
		record_set_nics(state, names, &nodes);
}

void describe_client(struct record *state, const struct client *client)
{
	const struct client_facts *facts = client_facts(client);
	char *list = cpus_of(client);
	size_t i;

	record_add_client(state, facts->name, facts->type, facts->version, list);
	free(list);
	record_set_app_to_wire(state, facts->app_to_wire);
	describe_nics(state, client);
	for (i = 0; i < facts->mount_count; i++)
		record_add_mount(state, facts->mounts[i].target, facts->mounts[i].fstype,
				 facts->mounts[i].source);
}
