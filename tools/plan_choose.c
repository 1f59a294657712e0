/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/plan_choose.h"

/* Choose the client's cores. */
#include "tools/plan_client.h"

#include <stdio.h>

#include "cores/core_map.h"

static bool is_free(const struct plan *plan, unsigned int core)
{
	const struct core_map *map = plan->state.map;

	/* core 0 runs the kernel's own work; the client refuses it */
	return core < core_map_core_count(map) && !cpuset_has(core_map_core(map, core), 0) &&
	       !cpuset_has(&plan->cores, core);
}

static bool is_within(const struct plan *plan, unsigned int core, const struct cpuset *os_cpus)
{
	return cpuset_is_subset(core_map_core(plan->state.map, core), os_cpus);
}

/* Return the highest free core within 'os_cpus' (NULL: anywhere), or -1. */
static int highest(const struct plan *plan, const struct cpuset *os_cpus)
{
	for (int core = (int)core_map_core_count(plan->state.map) - 1; core >= 0; core--)
		if (is_free(plan, (unsigned int)core) &&
		    (!os_cpus || is_within(plan, (unsigned int)core, os_cpus)))
			return core;
	return -1;
}

static unsigned int add_cores(struct plan *plan, const struct cpuset *os_cpus, unsigned int count)
{
	unsigned int added = 0;
	int core;

	while (added < count && (core = highest(plan, os_cpus)) >= 0) {
		cpuset_add(&plan->cores, (unsigned int)core);
		added++;
	}
	return added;
}

static void add_spread(struct plan *plan, unsigned int count)
{
	const struct locality *locality = &plan->locality;
	bool progress = true;

	while (count && progress) {
		progress = false;
		for (unsigned int i = locality->count; i-- > 0 && count;)
			if (add_cores(plan, &locality->domain[i], 1)) {
				count--;
				progress = true;
			}
	}
	add_cores(plan, NULL, count); /* there are no NUMA nodes */
}

/* Add cores near each NIC in turn. */
static unsigned int add_local(struct plan *plan, unsigned int count)
{
	unsigned int added = 0, before;
	size_t i;

	do {
		before = added;
		for (i = 0; i < plan->local_count && added < count; i++)
			added += add_cores(plan, &plan->local[i], 1);
	} while (added > before);
	return added;
}

static void add_packed(struct plan *plan, unsigned int count)
{
	unsigned int local = add_local(plan, count);

	if (plan->has_local && local < count)
		findings_add(&plan->findings, "P03", FINDING_WARNING,
			     "ask for fewer cores, or move the card",
			     "only %u of %u cores can lie beside the network card", local, count);
	add_cores(plan, NULL, count - local);
}

static void set_reason(struct plan *plan)
{
	char nics[PLAN_CLIENT_TEXT_MAX];

	snprintf(plan->reason, sizeof(plan->reason), "beside the card%s of client '%s': %.300s",
		 plan->client.nics.count == 1 ? "" : "s", plan->client.name,
		 plan_client_nics(&plan->client, nics));
}

void plan_choose(struct plan *plan)
{
	const struct plan_options *options = plan->options;
	unsigned int count = (unsigned int)options->max;

	plan->packed = options->placement == PLACEMENT_PACKED ||
		       (options->placement == PLACEMENT_AUTO && plan->has_local);
	if (plan->packed && plan->is_by_client)
		set_reason(plan);
	else if (plan->packed && plan->has_local)
		snprintf(plan->reason, sizeof(plan->reason),
			 "packed beside the network card: its queues are polled from there");
	else if (plan->packed)
		snprintf(plan->reason, sizeof(plan->reason), "packed, as asked: the highest cores");
	else
		snprintf(plan->reason, sizeof(plan->reason),
			 "spread over %u %s(s): no network card was named, no place is better",
			 plan->locality.count, plan->locality.kind);
	if (plan->packed)
		add_packed(plan, count);
	else
		add_spread(plan, count);
}

/* Use whole cores around the CPUs that the client has. */
int plan_use_fixed(struct plan *plan, struct err *err)
{
	struct cpuset whole = { 0 };
	int os_cpu;

	cpuset_for_each (os_cpu, &plan->options->fixed) {
		int core = core_map_core_of(plan->state.map, (unsigned int)os_cpu);

		if (core < 0)
			return err_set(err, "--os-cpus: %d: no such CPU here", os_cpu);
		cpuset_add(&plan->cores, (unsigned int)core);
		cpuset_or(&whole, core_map_core(plan->state.map, (unsigned int)core));
	}
	snprintf(plan->reason, sizeof(plan->reason), "%s",
		 cpuset_is_empty(&plan->client.fixed) ? "as given with --os-cpus"
						      : "where the client's containers poll");
	if (cpuset_has(&whole, 0))
		findings_add(&plan->findings, "P04", FINDING_ERROR,
			     "move the client to other cores",
			     "core 0 is the kernel's: a client refuses it or starves there");
	return 0;
}
