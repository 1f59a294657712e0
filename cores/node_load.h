/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_load.h - node record and core map of this machine, from slurmctld and hwloc
 *
 * Owner   node_state_free().
 * Errors  -1, the reason in *err, output unchanged.
 * Runs    jobio-node, jobio plan, jobio check.
 */
#ifndef JOBIO_CORES_NODE_LOAD_H
#define JOBIO_CORES_NODE_LOAD_H

#include "cores/node.h"

/* Query slurmctld once (through the helper jobio-slurm, as a child), read the machine, write the
 * cache, set *state. 'node_name' NULL: this node's. 'helper' NULL: the installed one. */
int node_refresh(const char *run_dir, const char *helper, const char *node_name,
		 unsigned int timeout_ms, struct node_state *state, struct err *err);

/* Call node_cached(), then node_refresh() only if needed: for the prolog. */
int node_load(const char *run_dir, const char *helper, const char *node_name,
	      unsigned int timeout_ms, struct node_state *state, struct err *err);

#endif
