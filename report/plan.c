/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio plan - which cores to give to the filesystem client, and how to write
 * that for Slurm and for the client. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/locality.h"
#include "lib/number.h"
#include "lib/sysfs.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/plan_parts.h"

#define NAME "plan"
#define CORES_MAX 64

static const char usage_head[] =
	"usage: jobio plan --max=N [--nic=IFACE] [OPTION]...\n"
	"       jobio plan --client=NAME [--max=N] [OPTION]...\n"
	"       jobio plan --os-cpus=LIST [OPTION]...\n"
	"\n"
	"Chooses whole cores for the filesystem client, never core 0: beside\n"
	"the network card, or spread over the NUMA nodes; and writes them as\n"
	"slurm.conf, as mount options and as a command for the client.\n"
	"\n"
	"  --max=N               the most cores that the client shall have\n"
	"  --client=NAME         that of [client NAME] in jobio.conf: find the "
	"cards\n"
	"                        that serve it on this node; --max is then 1\n"
	"  --nic=IFACE           the network card that the client polls\n"
	"  --local-cpus=LIST     OS CPUs beside it, where the machine cannot\n"
	"                        tell\n"
	"  --packed              the cores together\n"
	"  --spread              the cores over the NUMA nodes\n"
	"  --os-cpus=LIST        no choice: the client has these OS CPUs\n";

static const char usage_tail[] =
	"  --format=text|json    default text\n"
	"\n"
	"Exit status: 0 the plan can be had; 1 it cannot, or there is no\n"
	"answer; 2 bad usage.\n";

enum {
	OPT_MAX = 1,
	OPT_NIC,
	OPT_CLIENT,
	OPT_SYSFS,
	OPT_LOCAL,
	OPT_PACKED,
	OPT_SPREAD,
	OPT_FIXED,
	OPT_FORMAT,
	OPT_HELP,
};

static const struct option long_options[] = {
	SUBJECT_OPTIONS,
	{ "max", required_argument, NULL, OPT_MAX },
	{ "nic", required_argument, NULL, OPT_NIC },
	{ "client", required_argument, NULL, OPT_CLIENT },
	{ "sysfs", required_argument, NULL, OPT_SYSFS }, /* for tests */
	{ "local-cpus", required_argument, NULL, OPT_LOCAL },
	{ "packed", no_argument, NULL, OPT_PACKED },
	{ "spread", no_argument, NULL, OPT_SPREAD },
	{ "os-cpus", required_argument, NULL, OPT_FIXED },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int set_list(struct cpuset *set, bool *given, const char *name,
		    const char *value, struct err *err)
{
	if (cpuset_parse(set, value, err) < 0)
		return err_prefix(err, "--%s", name);
	if (cpuset_is_empty(set))
		return err_set(err, "--%s: empty list", name);
	*given = true;
	return 0;
}

static int set_placement(struct plan_options *options, enum placement placement,
			 struct err *err)
{
	if (options->placement != PLACEMENT_AUTO &&
	    options->placement != placement)
		return err_set(err, "--packed and --spread exclude each other");
	options->placement = placement;
	return 0;
}

static int set_option(void *what, int option, const char *value,
		      struct err *err)
{
	struct plan_options *options = what;
	int json;

	switch (option) {
	case OPT_MAX:
		return number_parse(value, 1, CORES_MAX, &options->max, err) < 0
			       ? err_prefix(err, "--max")
			       : 0;
	case OPT_NIC:
		options->nic = value;
		return 0;
	case OPT_CLIENT:
		options->client = value;
		return 0;
	case OPT_SYSFS:
		sysfs_set_root(value);
		return 0;
	case OPT_LOCAL:
		return set_list(&options->local, &options->has_local,
				"local-cpus", value, err);
	case OPT_FIXED:
		return set_list(&options->fixed, &options->has_fixed, "os-cpus",
				value, err);
	case OPT_PACKED:
		return set_placement(options, PLACEMENT_PACKED, err);
	case OPT_SPREAD:
		return set_placement(options, PLACEMENT_SPREAD, err);
	case OPT_FORMAT:
		json = subject_choose("format", value, "json", "text", err);
		options->json = json > 0;
		return json < 0 ? -1 : 0;
	case OPT_HELP:
		options->help = true;
		return 0;
	default:
		return subject_option(&options->subject, option, value, err);
	}
}

static int parse_options(struct plan_options *options, int argc, char *argv[],
			 struct err *err)
{
	subject_init(&options->subject);
	if (command_options(NAME, long_options, 0, argc, argv, set_option,
			    options, err) < 0)
		return -1;
	if (options->client && !options->max && !options->has_fixed)
		options->max = 1;
	if (!options->help && !options->max == !options->has_fixed)
		return err_set(err, "give one of --max=N and --os-cpus=LIST");
	return 0;
}

/* ---- the plan ------------------------------------------------------------------ */

/* What was said on the command line holds; else the client's cards. */
static int find_local(struct plan *plan, struct err *err)
{
	const struct plan_options *options = plan->options;
	const char *xml = options->subject.topology;

	plan->has_local = options->has_local || options->nic;
	plan->local_count = plan->has_local;
	plan->local[0] = options->local;
	if (options->client &&
	    plan_client_find(&plan->client, options->client,
			     options->subject.conf, xml, err) < 0)
		return -1;
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
			"name it with --nic=IFACE, or give the CPUs beside "
			"it with --local-cpus",
			"nobody tells which card serves client '%s', or "
			"where it is",
			options->client);
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
	if (options->has_fixed && plan_adopt(plan, err) < 0)
		return -1;
	*status = COMMAND_FAILED;
	if (!options->has_fixed)
		plan_choose(plan);
	return plan_write(plan, err);
}

int plan_main(int argc, char *argv[])
{
	struct plan_options options = { 0 };
	struct plan *plan = calloc(1, sizeof(*plan));
	int status = COMMAND_FAILED;
	struct err err;

	if (!plan) {
		err_set(&err, "out of memory");
		return command_fail(NAME, COMMAND_FAILED, &err);
	}
	plan->options = &options;
	if (parse_options(&options, argc, argv, &err) < 0) {
		status = command_fail(NAME, COMMAND_USAGE, &err);
		goto out;
	}
	if (options.help) {
		printf("%s%s%s", usage_head, subject_usage, usage_tail);
		status = COMMAND_OK;
		goto out;
	}
	if (subject_find(&options.subject, &plan->state, &plan->findings,
			 &status, &err) < 0 ||
	    make_plan(plan, &status, &err) < 0) {
		command_fail(NAME, status, &err);
		goto out;
	}
	if (options.json)
		plan_show_json(plan);
	else
		plan_show_text(plan);
	status = findings_worst(&plan->findings) == FINDING_ERROR
			 ? COMMAND_FAILED
			 : COMMAND_OK;
out:
	findings_free(&plan->findings);
	node_state_free(&plan->state);
	free(plan);
	return status;
}
