/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/gpfs.h"

#include <errno.h>
#include <stddef.h>

#include "client/affinity.h"
#include "client/cache.h"
#include "client/gpfs/facts.h"
#include "client/gpfs/judge.h"
#include "client/gpfs/mmconfig.h"
#include "client/gpfs/mmpmon.h"

/* Who did not answer this prolog's first question is not asked a second one, and
 * nothing that it said before holds for the next job. */
static struct wire *wire(const struct client *client, struct err *err)
{
	const struct gpfs_facts *facts = gpfs_facts(client);
	struct wire *now;
	int saved;

	if (ask_is_silent(&facts->config) || ask_is_silent(&facts->waiters) ||
	    ask_is_silent(&facts->counters)) {
		errno = ENOENT;
		return NULL;
	}
	now = gpfs_wire(client, err);
	saved = errno;
	if (!now && saved != ENOENT)
		cache_drop(client);
	errno = saved;
	return now;
}

static const struct change_kind *const changes[] = {
	&gpfs_mmconfig, &affinity_process, &affinity_interrupt, NULL
};

/* Its work is done by threads of its daemon; those of its kernel extension serve
 * the callers, on their CPUs. */
static const struct affinity affinity = {
	.workqueues = "",
	.threads = "",
	.process = GPFS_MMFSD,
	.failed = "GP44",
	.not_back = "GP45",
	.left = "GP47",
	.not_ours = "GP48",
};

const struct client_type_ops gpfs_type = {
	.name = "gpfs",
	.fstypes = "gpfs",
	.facts_size = sizeof(struct gpfs_facts),
	.clear = gpfs_facts_clear,
	.inspect = gpfs_inspect,
	.load = gpfs_load,
	.keep = gpfs_keep,
	.key = gpfs_key,
	.rules = gpfs_rules,
	.changes = changes,
	.wire = wire,
	.wire_source = "mmpmon",
	.affinity = &affinity,
};
