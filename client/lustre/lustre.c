/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/lustre.h"

#include <stdlib.h>

#include "client/affinity.h"
#include "client/lustre/counters.h"
#include "client/lustre/facts.h"
#include "client/lustre/judge.h"
#include "client/lustre/layout.h"
#include "client/lustre/setting.h"
#include "client/nic.h"
#include "record/alloc.h"

static const struct change_kind *const changes[] = { &lustre_parameters, &affinity_thread,
						     &affinity_interrupt, NULL };

/* ptlrpc/ptlrpcd.c, ptlrpc/service.c (lock callbacks), lnet/klnds: threads that Lustre binds
 * itself, each to CPUs of its partition. */
static const struct affinity affinity = {
	.workqueues = "",
	.threads = "ptlrpcd_* socknal_* kiblnd_* ldlm_*",
	.process = "",
};

static void find_nics(const struct client *client, struct client_nics *nics)
{
	const struct lustre_facts *facts = lustre_facts_of(client);
	const struct lustre_nic *nic = facts->nic;

	for (; nic < facts->nic + facts->nic_count; nic++)
		if (*nic->interface)
			nic_add(nics, nic->interface, nic->numa_node, nic->nid);
}

/* libcfs/libcfs_cpu.c: "NUMBER[CPUs]" for each partition; read when the modules are loaded. */
static char *cores_command(const struct client_placement *placement)
{
	char *list = xneed(cpuset_format(&placement->os_cpus));
	char *text = xasprintf(
		"options libcfs cpu_pattern=\"0[%s]\" in /etc/modprobe.d, and load Lustre's modules anew",
		list);

	free(list);
	return text;
}

const struct client_type_ops lustre_type = {
	.name = "lustre",
	.fstypes = "lustre",
	.is_client = tree_is_client,
	.facts_size = sizeof(struct lustre_facts),
	.clear = lustre_facts_clear,
	.inspect = lustre_inspect,
	.inspect_job = layout_read,
	.rules = lustre_rules,
	.changes = changes,
	.counters = lustre_counters_read,
	.counters_source = "osc",
	/* osc/osc_request.c: bytes in RPCs */
	.app_to_wire = "cache=out read-ahead=in direct=in compression=unknown",
	.affinity = &affinity,
	.nics = find_nics,
	.cores_command = cores_command,
};
