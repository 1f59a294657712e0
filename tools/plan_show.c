/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/plan_show.h"

/* Print a plan as JSON. */
#include "tools/plan_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "client/client.h"
#include "record/alloc.h"
#include "record/json.h"
#include "tools/print.h"

#define FIRST_CPU_SIZE sizeof(",core=8191")

static char *slurm_line(const struct plan *plan)
{
	char *list = xneed(cpuset_format(&plan->spec_list));
	char *line = xasprintf("CpuSpecList=%s", list);

	free(list);
	return line;
}

static char *join_first_cpus(const struct plan *plan)
{
	size_t room = 1 + cpuset_count(&plan->first_cpus) * FIRST_CPU_SIZE;
	char *text = xcalloc(1, room), *at = text;
	int cpu;

	cpuset_for_each (cpu, &plan->first_cpus)
		at += snprintf(at, room - (size_t)(at - text), "%score=%d", at == text ? "" : ",",
			       cpu);
	return text;
}

/* Return NULL if the cores are no mount option of the client. */
static char *mount_options(const struct plan *plan)
{
	const char *nic = plan->options->nic;
	char *cores, *text;

	if (client_sizing(plan_type(plan))->cores_max == 0 || !cpuset_is_empty(&plan->client.fixed))
		return NULL;
	if (!nic && plan->client.nics.count == 1)
		nic = plan->client.nics.nic[0].name;
	cores = join_first_cpus(plan);
	text = xasprintf("-o %s%s%s%s", nic ? "net=" : "", nic ? nic : "", nic ? "," : "", cores);
	free(cores);
	return text;
}

/* Return the client's command that sets the planned cores. */
static char *client_command(const struct plan *plan)
{
	struct client_placement placement = {
		.ids = plan->first_cpus,
		.os_cpus = plan->os_cpus,
		.numa_node = plan->client.type ? plan->client.numa_node : -1,
		.nic = plan->client.nics.count ? plan->client.nics.nic[0].name : "",
	};

	return cpuset_is_empty(&plan->client.fixed)
		       ? client_cores_command(plan_type(plan), &placement)
		       : NULL;
}

static void add_optional(struct json *json, const char *key, char *text)
{
	if (text)
		print_add_text(json, key, text);
}

void plan_show(const struct plan *plan)
{
	struct json *json = json_new_object(), *client;
	char command_key[32];

	print_add_text(json, "abstract_cores", cpuset_format(&plan->abs_cores));
	print_add_text(json, "os_cpus", cpuset_format(&plan->os_cpus));
	print_add_text(json, "client_cpus", cpuset_format(&plan->first_cpus));
	print_add_text(json, "cpu_spec_list", cpuset_format(&plan->spec_list));
	json_add_bool(json, "spec_set_needed", !plan->no_spec_set);
	print_add_text(json, "slurm_conf", slurm_line(plan));
	add_optional(json, "mount_options", mount_options(plan));
	snprintf(command_key, sizeof(command_key), "%s_command", plan_type(plan));
	add_optional(json, command_key, client_command(plan));
	if (plan->client.type) {
		client = json_add_object(json, "client");
		json_add_text(client, "name", plan->client.name);
		json_add_text(client, "type", plan->client.type);
		print_add_nics(json_add_list(client, "cards"), &plan->client.nics,
			       plan->options->subject.topology);
	}
	json_add_text(json, "placement",
		      plan->options->has_fixed ? "given"
		      : plan->packed	       ? "packed"
					       : "spread");
	json_add_text(json, "reason", plan->reason);
	print_add_findings(json, &plan->findings);
	print_json(json);
}
