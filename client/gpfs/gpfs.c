/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/gpfs.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/sysfs.h"
#include "client/affinity.h"
#include "client/cache.h"
#include "client/gpfs/facts.h"
#include "client/gpfs/judge.h"
#include "client/gpfs/mmconfig.h"
#include "client/gpfs/mmpmon.h"
#include "client/nic.h"
#include "record/alloc.h"

/* Read the counters, unless an earlier query of this prolog timed out; if that fails, drop the
 * cache. */
static struct client_counters *counters_of(const struct client *client, struct err *err)
{
	const struct gpfs_facts *facts = gpfs_facts(client);
	struct client_counters *now;
	int saved;

	if (query_has_timed_out(&facts->config) || query_has_timed_out(&facts->waiters) ||
	    query_has_timed_out(&facts->counters)) {
		errno = ENOENT;
		return NULL;
	}
	now = gpfs_counters(client, err);
	saved = errno;
	if (!now && saved != ENOENT)
		cache_drop(client);
	errno = saved;
	return now;
}

static const struct change_kind *const changes[] = { &gpfs_mmconfig, &affinity_process,
						     &affinity_interrupt, NULL };

/* Threads of its daemon do its work; those of its kernel extension run on the CPUs of the
 * callers. */
static const struct affinity affinity = {
	.workqueues = "",
	.threads = "",
	.process = GPFS_MMFSD,
};

/* verbsPorts is "mlx5_0/1 mlx5_1/1/2": devices with ports and fabrics. */
static void find_nics(const struct client *client, struct client_nics *nics)
{
	char word[16], ports[512], *port, *rest = NULL;

	if (!gpfs_word(client, "verbsRdma", word, sizeof(word)) || strcmp(word, "enable") != 0 ||
	    !gpfs_word(client, "verbsPorts", ports, sizeof(ports)))
		return;
	for (port = strtok_r(ports, " ,", &rest); port; port = strtok_r(NULL, " ,", &rest)) {
		port[strcspn(port, "/")] = '\0';
		nic_add(nics, port, sysfs_numa_node_of_rdma(port), "verbsPorts");
	}
}

/* mmfsd is started by numactl with these: -N and -i, for a NUMA node; there are none for cores. */
static char *cores_command(const struct client_placement *placement)
{
	if (placement->numa_node < 0)
		return NULL;
	return xasprintf(
		"mmchconfig numactlOptionN=%d,numactlOptioni=%d for this class of nodes, and restart mmfsd",
		placement->numa_node, placement->numa_node);
}

const struct client_type_ops gpfs_type = {
	.name = "gpfs",
	.fstypes = "gpfs",
	.facts_size = sizeof(struct gpfs_facts),
	.clear = gpfs_facts_clear,
	.inspect = gpfs_inspect,
	.load = gpfs_load,
	.store = gpfs_store,
	.key = gpfs_key,
	.rules = gpfs_rules,
	.changes = changes,
	.counters = counters_of,
	.counters_source = "mmpmon",
	/* bytes that programs requested: "Monitoring I/O performance with the mmpmon command",
	 * fs_io_s */
	.app_to_wire = "cache=in read-ahead=out direct=in compression=before",
	.judge_work = gpfs_judge_work,
	.affinity = &affinity,
	.nics = find_nics,
	.cores_command = cores_command,
};
