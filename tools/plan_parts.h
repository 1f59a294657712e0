/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_parts.h - the steps of jobio plan
 *
 * Terms   cores: hardware cores, in hwloc's order; abstract ones are Slurm's.
 * Owner   struct plan: findings_free() and node_state_free() of its parts.
 * Errors  -1, the reason in *err. Doubtful or impossible choices are findings.
 * Runs    jobio plan: plan_choose.c, plan_write.c, plan_show.c, in this order.
 */
#ifndef JOBIO_TOOLS_PLAN_PARTS_H
#define JOBIO_TOOLS_PLAN_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "client/types.h"
#include "cores/locality.h"
#include "cores/node.h"
#include "record/finding.h"
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

/* NICs of this node's filesystem client; a domain is the CPUs of a NUMA node that has one of
 * them. */
struct plan_client {
	char name[PROFILE_NAME_MAX + 1];
	const char *type; /* "lustre"; constant */
	struct client_nics nics;
	struct cpuset domain[CLIENT_NICS_MAX]; /* the first: of the first NIC */
	size_t domain_count;		       /* 0: no NIC's NUMA node is known */
	int numa_node;			       /* of the first NIC; -1: unknown */
	struct cpuset fixed;		       /* OS CPUs of a client that is a server as well */
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

/* plan_client.c: inspects the client, as jobio check does; changes nothing. */
/* Inspect [client NAME] of jobio.conf ('conf' NULL: the default) on this node; 'xml' as for
 * locality_load(). */
int plan_client_find(struct plan_client *client, const char *name, const char *conf,
		     const char *xml, struct err *err);

/* Return the names of all NICs, "ib0,ib1". */
#define PLAN_CLIENT_TEXT_MAX 1200
const char *plan_client_nics(const struct plan_client *client, char text[PLAN_CLIENT_TEXT_MAX]);

/* plan_choose.c: choose 'cores', with the reason; or use those that were given. */
void plan_choose(struct plan *plan);
int plan_use_fixed(struct plan *plan, struct err *err);

/* plan_write.c: convert them to OS CPUs, to Slurm's cores and to a spec set, with findings about
 * them. */
int plan_write(struct plan *plan, struct err *err);
/* Return the client type that the cores are planned for. */
const char *plan_type(const struct plan *plan);

/* plan_show.c */
void plan_show(const struct plan *plan);

#endif
