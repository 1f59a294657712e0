/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/weka.h"

#include <stddef.h>

#include "base/sysfs.h"
#include "client/nic.h"
#include "client/weka/cores.h"
#include "client/weka/counters.h"
#include "client/weka/facts.h"
#include "client/weka/judge.h"
#include "client/weka/options.h"

/* cores first: a restarted client may have other options */
static const struct change_kind *const changes[] = { &weka_cores, &weka_mount_option, NULL };

/* NICs in net= of running containers. */
static void find_nics(const struct client *client, struct client_nics *nics)
{
	const struct weka_unit *unit;
	const struct weka_nic *nic;

	weka_for_each(unit, client) for (nic = unit->stable.nic;
					 unit->info.running &&
					 nic < unit->stable.nic + unit->stable.nic_count;
					 nic++)
		nic_add(nics, nic->name, sysfs_numa_node_of_device(nic->name, nic->identifier),
			unit->info.name);
}

const struct client_type_ops weka_type = {
	.name = "weka",
	.fstypes = WEKA_FSTYPE,
	.facts_size = sizeof(struct weka_facts),
	.clear = weka_facts_clear,
	.inspect = weka_inspect,
	.load = weka_load,
	.store = weka_store,
	.key = weka_key,
	.rules = weka_rules,
	.changes = changes,
	.counters = weka_counters_read,
	.counters_source = "container.sock",
	/* between driver and frontends; the servers compress */
	.app_to_wire = "cache=out read-ahead=in direct=in compression=before",
	.nics = find_nics,
	.sizing = &weka_sizing,
	.cores_command = weka_cores_command,
};
