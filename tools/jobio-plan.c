/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-plan - choose the cores for the filesystem client, and print them as settings of
 * Slurm and of the client: JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "base/number.h"
#include "cores/locality.h"
#include "record/alloc.h"
#include "tools/plan.h"
#include "tools/plan_choose.h"
#include "tools/plan_client.h"
#include "tools/plan_show.h"
#include "tools/plan_write.h"

#define NAME "jobio plan"
#define CORES_MAX 64

/* --local-cpus, --os-cpus */
static int set_list(void *what, const char *name, const char *value, struct err *err)
{
	struct plan_options *options = what;
	struct cpuset *set = *name == 'l' ? &options->local : &options->fixed;

	if (cpuset_parse(set, value, err) < 0)
		return err_prefix(err, "--%s", name);
	if (cpuset_is_empty(set))
		return err_set(err, "--%s: empty list", name);
	*(*name == 'l' ? &options->has_local : &options->has_fixed) = true;
	return 0;
}

/* --packed, --spread */
static int set_placement(void *what, const char *name, const char *value, struct err *err)
{
	struct plan_options *options = what;
	enum placement placement = *name == 'p' ? PLACEMENT_PACKED : PLACEMENT_SPREAD;

	(void)value;
	if (options->placement != PLACEMENT_AUTO && options->placement != placement)
		return err_set(err, "--packed and --spread exclude each other");
	options->placement = placement;
	return 0;
}

static int check(void *what, struct err *err)
{
	struct plan_options *options = what;

	if (options->client && !options->max && !options->has_fixed)
		options->max = 1;
	if (!options->max == !options->has_fixed)
		return err_set(err, "give one of --max=N and --os-cpus=LIST");
	return 0;
}

static const struct command_line line = {
	.program = NAME,
	.usage_status = COMMAND_USAGE,
	.usage = "usage: jobio-plan [OPTION]...\nPrints JSON: see jobio plan --help.\n",
	.check = check,
	.table =
		(const struct command_option[]){
			SUBJECT_OPTIONS,
			COMMAND_NUMBER("max", struct plan_options, max, 1, CORES_MAX),
			COMMAND_TEXT("nic", struct plan_options, nic),
			COMMAND_TEXT("client", struct plan_options, client),
			COMMAND_SYSFS,
			COMMAND_CALL("local-cpus", set_list),
			{ "packed", .argument = no_argument, .set = set_placement },
			{ "spread", .argument = no_argument, .set = set_placement },
			COMMAND_CALL("os-cpus", set_list),
			{ 0 } },
};

/* ---- the plan ------------------------------------------------------------------ */

/* Use the CPUs of the command line; else those near the client's NICs. */
static int find_local(struct plan *plan, struct err *err)
{
	struct plan_options *options = plan->options;
	const char *xml = options->subject.topology;

	plan->has_local = options->has_local || options->nic;
	plan->local_count = plan->has_local;
	plan->local[0] = options->local;
	if (options->client &&
	    plan_client_find(&plan->client, options->client, options->subject.conf, xml, err) < 0)
		return -1;
	/* containers of a server, and several of a client, keep their cores */
	if (!options->has_fixed && !cpuset_is_empty(&plan->client.fixed)) {
		options->fixed = plan->client.fixed;
		options->has_fixed = true;
	}
	if (options->nic && !options->has_local)
		return locality_of_nic(xml, options->nic, &plan->local[0], err);
	if (plan->has_local || !options->client)
		return 0;
	memcpy(plan->local, plan->client.domain, sizeof(plan->local));
	plan->local_count = plan->client.domain_count;
	plan->has_local = plan->is_by_client = plan->local_count > 0;
	if (!plan->has_local)
		findings_add(
			&plan->findings, "P09", FINDING_WARNING,
			"name it with --nic=IFACE, or give the CPUs beside it with --local-cpus",
			"unknown network card or NUMA node of client '%s'", options->client);
	return 0;
}

static int make_plan(struct plan *plan, int *status, struct err *err)
{
	const struct plan_options *options = plan->options;
	const char *xml = options->subject.topology;

	if (locality_load(xml, &plan->locality, err) < 0)
		return -1;
	*status = COMMAND_USAGE;
	if (find_local(plan, err) < 0)
		return -1;
	if (options->has_fixed && plan_use_fixed(plan, err) < 0)
		return -1;
	*status = COMMAND_FAILED;
	if (!options->has_fixed)
		plan_choose(plan);
	return plan_write(plan, err);
}

int main(int argc, char *argv[])
{
	struct plan_options options = { 0 };
	struct plan *plan;
	int status;
	struct err err;

	status = command_parse(&line, &options, argc, argv);
	if (status >= 0)
		return status;
	plan = xcalloc(1, sizeof(*plan));
	plan->options = &options;
	if (subject_find(&options.subject, &plan->state, &plan->findings, &status, &err) < 0 ||
	    make_plan(plan, &status, &err) < 0) {
		command_fail(NAME, status, &err);
		goto out;
	}
	plan_show(plan);
	status = findings_worst(&plan->findings) == FINDING_ERROR ? COMMAND_FAILED : COMMAND_OK;
out:
	findings_free(&plan->findings);
	node_state_free(&plan->state);
	free(plan);
	return fflush(stdout) ? COMMAND_FAILED : status;
}
