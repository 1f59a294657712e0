/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/plan_write.h"

/* Convert the client's cores to the numbers of Linux, Slurm and the client. */

#include <stdlib.h>

#include "client/client.h"
#include "cores/core_map.h"
#include "cores/reservation.h"
#include "record/alloc.h"

static void expand(struct plan *plan)
{
	int core;

	cpuset_for_each (core, &plan->cores) {
		const struct cpuset *cpus = core_map_core(plan->state.map, (unsigned int)core);

		cpuset_or(&plan->os_cpus, cpus);
		cpuset_add(&plan->first_cpus, (unsigned int)cpuset_next(cpus, 0));
	}
}

static int reserve(const struct plan *plan, const struct node *node, enum reservation_kind kind,
		   unsigned int count, struct cpuset *os_cpus, struct err *err)
{
	struct reservation_request request = { kind, count };
	struct reservation got;

	if (reservation_compute(node, plan->state.map, &request, &got, err) < 0)
		return -1;
	*os_cpus = got.os_cpus;
	reservation_free(&got);
	return 0;
}

/* Return a copy of the node with the spec set [list], or without one (NULL). */
static struct node with_spec(const struct plan *plan, const struct cpuset *list)
{
	struct node node = plan->state.node;

	node.from_controller = false;
	node.core_spec_count = 0;
	node.has_spec_list = list != NULL;
	if (list)
		node.spec_list = *list;
	return node;
}

static void add_unit(const struct plan *plan, struct cpuset *list, unsigned int abs_core)
{
	unsigned int unit = plan->core_unit ? 1 : plan->state.node.threads;

	for (unsigned int t = 0; t < unit; t++)
		cpuset_add(list, abs_core * unit + t);
}

/* Compute which CPUs slurmd reserves for each abstract core. */
static int find_abstract(struct plan *plan, struct err *err)
{
	const struct node *record = &plan->state.node;
	unsigned int total = record->sockets * record->cores;
	struct cpuset missing = plan->os_cpus, os_cpus;

	plan->core_unit = total >= record->cpus;
	for (unsigned int i = 0; i < total; i++) {
		struct cpuset one = { 0 };
		struct node node;

		add_unit(plan, &one, i);
		node = with_spec(plan, &one);
		if (reserve(plan, &node, RESERVATION_UNSET, 0, &os_cpus, err) < 0)
			return -1;
		if (cpuset_is_empty(&os_cpus) || !cpuset_is_subset(&os_cpus, &plan->os_cpus))
			continue;
		cpuset_add(&plan->abs_cores, i);
		add_unit(plan, &plan->spec_list, i);
		cpuset_andnot(&missing, &os_cpus);
	}
	if (!cpuset_is_empty(&missing))
		findings_add(
			&plan->findings, "P06", FINDING_ERROR,
			"see jobio cores; correct the node line or the machine first",
			"no CpuSpecList reserves these cores on this node: Slurm's numbers do not fit the machine");
	return 0;
}

/* Compare with a job that requests as many io-cores without a spec set. */
static int compare_with_slurm(struct plan *plan, struct err *err)
{
	struct node bare = with_spec(plan, NULL);
	unsigned int count = cpuset_count(&plan->cores);
	struct cpuset os_cpus;
	char *list;

	bare.allow_spec_resources_usage = true;
	bare.cons_tres = true;
	if (reserve(plan, &bare, RESERVATION_CORES, count, &os_cpus, err) < 0)
		return -1;
	plan->no_spec_set = cpuset_equal(&os_cpus, &plan->os_cpus);
	if (plan->no_spec_set)
		return 0;
	list = xneed(cpuset_format(&os_cpus));
	findings_add(
		&plan->findings, "P01", FINDING_INFO, "",
		"without a spec set, and with CoreSpecCount=%u, Slurm takes OS CPUs %s instead: it goes round the sockets from the %s core",
		count, list, bare.spec_cores_first ? "first" : "last");
	free(list);
	if (count < 2)
		return 0;
	findings_add(
		&plan->findings, "P02", FINDING_WARNING,
		"let jobs ask for none or for all of them (io_cores_min in jobio.conf)",
		"a job that asks for fewer than %u cores gets the rest of the spec set for itself",
		count);
	return 0;
}

const char *plan_type(const struct plan *plan)
{
	return plan->client.type ? plan->client.type : client_type_with_cores();
}

static void check_count(struct plan *plan)
{
	const struct node *node = &plan->state.node;
	unsigned int cores = core_map_core_count(plan->state.map);
	unsigned int cores_max = client_sizing(plan_type(plan))->cores_max;

	if (!plan->options->has_fixed && cpuset_count(&plan->cores) < plan->options->max)
		findings_add(
			&plan->findings, "P05", FINDING_ERROR, "ask for fewer cores",
			"the machine has %u cores: %lu for the client beside core 0 cannot be had",
			cores, plan->options->max);
	if (cores_max && cpuset_is_empty(&plan->client.fixed) &&
	    cpuset_count(&plan->cores) > cores_max)
		findings_add(&plan->findings, "P08", FINDING_WARNING, "ask for fewer cores",
			     "a WEKA client takes at most %u cores in one container", cores_max);
	if (node->spec_cores_first)
		findings_add(
			&plan->findings, "P07", FINDING_WARNING,
			"take spec_cores_first out of SchedulerParameters",
			"spec_cores_first makes --core-spec begin with core 0, which is the kernel's");
}

int plan_write(struct plan *plan, struct err *err)
{
	check_count(plan);
	expand(plan);
	return find_abstract(plan, err) < 0 || compare_with_slurm(plan, err) < 0 ? -1 : 0;
}
