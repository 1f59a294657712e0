/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/lustre.h"

#include "client/affinity.h"
#include "client/lustre/facts.h"
#include "client/lustre/judge.h"
#include "client/lustre/setting.h"
#include "client/lustre/wire.h"

/* jobid first: what the parameters' own RPCs are for is the job's, too */
static const struct change_kind *const changes[] = {
	&lustre_jobid, &lustre_parameters, &affinity_thread,
	&affinity_interrupt, NULL
};

/* ptlrpc/ptlrpcd.c, ptlrpc/service.c (callbacks of locks), lnet/klnds: threads
 * that Lustre keeps on its CPU partitions itself, each on its own. */
static const struct affinity affinity = {
	.workqueues = "",
	.threads = "ptlrpcd_* socknal_* kiblnd_* ldlm_*",
	.process = "",
	.failed = "LU44",
	.not_back = "LU45",
	.left = "LU47",
	.not_ours = "LU48",
};

const struct client_type_ops lustre_type = {
	.name = "lustre",
	.fstypes = "lustre",
	.facts_size = sizeof(struct lustre_facts),
	.clear = lustre_facts_clear,
	.inspect = lustre_inspect,
	.rules = lustre_rules,
	.changes = changes,
	.wire = lustre_wire_read,
	.wire_source = "osc",
	.affinity = &affinity,
};
