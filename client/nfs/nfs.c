/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/nfs/nfs.h"

#include <errno.h>
#include <stdio.h>

#include "client/affinity.h"
#include "client/client_counters.h"
#include "client/nic.h"
#include "record/alloc.h"

/* Return NULL with errno ENOENT if there is no such mount, or no mountstats (NF03). */
static struct client_counters *read_counters(const struct client *of, struct err *err)
{
	struct client client = { .type = of->type, .section = of->section };
	struct nfs_facts facts = { .count = 0 };
	struct client_counters *counters = client_counters_new();
	const struct nfs_mount *mount;
	int rc = -1;
	size_t i;

	client.facts = &facts;
	if (!counters || nfs_read(&client, err) < 0)
		goto out;
	rc = 0;
	if (facts.count)
		nfs_read_counters(&client);
	for (i = 0; facts.text && i < facts.count && rc == 0; i++) {
		mount = &facts.mounts[i];
		rc = nfs_add_source(counters, mount,
				    *mount->address &&
					    !nfs_is_reported(&facts, mount, nfs_shares_transports),
				    err);
	}
out:
	nfs_clear(&facts);
	mounts_free(client.mounts);
	if (rc == 0 && counters->count)
		return counters;
	errno = rc == 0 ? ENOENT : EIO;
	client_counters_free(counters);
	return NULL;
}

/* fs/nfs/inode.c:nfsiod_start(), net/sunrpc/sched.c:rpciod_start(),
 * mm/backing-dev.c:default_bdi_init(); those visible in sysfs. Callbacks of a server have threads
 * of their own (fs/nfs/callback.c), until Linux 4.11 with the minor version in their names. */
static const struct affinity affinity = {
	.workqueues = "nfsiod rpciod xprtiod writeback",
	.threads = "NFSv4_callback nfsv4.*-svc",
	.process = "",
};

static void find_nics(const struct client *client, struct client_nics *nics)
{
	const struct nfs_facts *facts = nfs_of(client);
	const struct nfs_mount *mount = facts->mounts;

	for (; mount < facts->mounts + facts->count; mount++)
		if (mount->has_nic)
			nic_add(nics, mount->nic.name, mount->nic.numa_node, mount->mount->target);
}

/* It has no cores of its own: kernel threads are bound to CPUs while a job has io-cores. */
static char *cores_command(const struct client_placement *placement)
{
	return xasprintf("core_change=affinity%s%s in its section of jobio.conf",
			 *placement->nic ? " and interrupts_of=" : "", placement->nic);
}

const struct client_type_ops nfs_type = {
	.name = "nfs",
	.fstypes = "nfs nfs4",
	.facts_size = sizeof(struct nfs_facts),
	.clear = nfs_clear,
	.inspect = nfs_inspect,
	.inspect_more = nfs_read_state,
	.rules = nfs_rules,
	.judge_work = nfs_judge_work,
	.changes = nfs_changes,
	.counters = read_counters,
	.counters_source = "mountstats",
	/* fs/nfs/iostat.h: NFSIOS_SERVERREADBYTES */
	.app_to_wire = "cache=out read-ahead=in direct=in compression=none",
	.affinity = &affinity,
	.nics = find_nics,
	.cores_command = cores_command,
};
