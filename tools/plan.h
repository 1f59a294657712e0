/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - data of jobio plan
 *
 * Terms   cores: hardware cores, in hwloc's order; abstract ones are Slurm's.
 * Owner   struct plan: findings_free() and node_state_free() of its parts.
 * Errors  -1, the reason in *err. Doubtful or impossible choices are findings.
 * Runs    jobio plan: plan_client, plan_choose, plan_write, plan_show, in this order.
 */
#ifndef JOBIO_TOOLS_PLAN_H
#define JOBIO_TOOLS_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "cores/locality.h"
#include "cores/node.h"
#include "tools/plan_client.h"
#include "tools/subject.h"

enum placement {
	PLACEMENT_AUTO,
	PLACEMENT_PACKED,
	PLACEMENT_SPREAD
};

struct plan_options {
	struct subject subject;
	unsigned long max;
	const char *nic, *client;
	bool has_local, has_fixed;
	struct cpuset local; /* OS CPUs */
	struct cpuset fixed; /* OS CPUs */
	enum placement placement;
};

/* The whole plan. Cores are hardware cores, in hwloc's order. */
struct plan {
	struct plan_options *options;
	struct node_state state;
	struct locality locality;
	struct plan_client client;	      /* if --client was given */
	struct cpuset local[CLIENT_NICS_MAX]; /* near one NIC each */
	size_t local_count;
	bool has_local, is_by_client;
	bool packed;
	char reason[ERR_MAX];
	struct cpuset cores;
	struct cpuset os_cpus;	  /* all threads */
	struct cpuset first_cpus; /* one a core: for the client's settings */
	struct cpuset abs_cores;
	struct cpuset spec_list; /* in the unit of CpuSpecList */
	bool core_unit;
	bool no_spec_set; /* --core-spec reserves the same without one */
	struct findings findings;
};

#endif
