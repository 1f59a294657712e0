/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/describe.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/journal.h"

void describe_request(struct visit *visit)
{
	struct record *state = visit->state;

	if (*visit->refused)
		record_set(&state->refused, visit->refused);
	state->has_request = visit->has_request;
	state->request = visit->request;
	if (visit->request.io_cores && visit->want.has_io_cores)
		record_set_io_cores(state, &visit->abs_cores,
				    &visit->want.io_cpus);
}

void describe_profile(struct visit *visit)
{
	const struct client_want *want = &visit->want;

	if (!*visit->request.profile || *visit->refused)
		return;
	if (!*want->mount_options && !*want->read_ahead_kb)
		visit->state->profile_applied = true; /* only io_cores */
	else
		visit->state->profile_applied =
			want->alone && visit->client &&
			client_holds(visit->client, want);
}

void describe_client_cpus(struct visit *visit)
{
	const struct client_facts *facts = client_facts(visit->client);
	char *list = NULL;

	if (facts->cpus_known)
		list = cpuset_format(&facts->frontend_cpus);
	record_set(&visit->state->client_cpus, list);
	free(list);
}

void describe_client(struct visit *visit)
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
	describe_client_cpus(visit);
	for (i = 0; i < facts->mount_count; i++)
		record_add_mount(state, facts->mounts[i].target,
				 facts->mounts[i].fstype,
				 facts->mounts[i].source);
}

void describe_plan(struct visit *visit, const struct client_plan *plan)
{
	const struct journal_change *change;
	size_t i;

	for (i = 0; i < client_plan_count(plan); i++) {
		change = client_plan_at(plan, i);
		record_add_change(visit->state, change->what, change->target,
				  change->old_value, change->new_value, -1, -1);
	}
}
