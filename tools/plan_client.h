/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_client.h - the node's filesystem client, as jobio check inspects it
 *
 * Errors  -1, the reason in *err; doubtful or impossible choices are findings.
 * Runs    jobio plan; changes nothing.
 */
#ifndef JOBIO_TOOLS_PLAN_CLIENT_H
#define JOBIO_TOOLS_PLAN_CLIENT_H

#include <stddef.h>

#include "base/config.h"
#include "base/cpuset.h"
#include "client/types.h"

/* NICs of this node's filesystem client; a domain is the CPUs of a NUMA node that has one of
 * them. */
struct plan_client {
	char name[PROFILE_NAME_MAX + 1];
	const char *type; /* "lustre"; constant */
	struct client_nics nics;
	struct cpuset domain[CLIENT_NICS_MAX]; /* the first: of the first NIC */
	size_t domain_count;		       /* 0: no NIC's NUMA node is known */
	int numa_node;			       /* of the first NIC; -1: unknown */
	struct cpuset fixed;		       /* OS CPUs of a client that keeps its cores */
};

/* Inspect [client NAME] of jobio.conf ('conf' NULL: the default) on this node; 'xml' as for
 * locality_load(). */
int plan_client_find(struct plan_client *client, const char *name, const char *conf,
		     const char *xml, struct err *err);

/* Return the names of all NICs, "ib0,ib1". */
#define PLAN_CLIENT_TEXT_MAX 1200
const char *plan_client_nics(const struct plan_client *client, char text[PLAN_CLIENT_TEXT_MAX]);

#endif
