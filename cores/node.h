/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.h - Slurm's record of one node, and the copy cached on the node
 *
 * Terms   node record: CPUs, boards, sockets (of the whole node), cores per
 *           socket, threads per core and the spec set, from slurmctld.
 *         spec set: the cores that slurm.conf withholds from jobs, written
 *           as CoreSpecCount or CpuSpecList.
 *         node line: "CPUs=64 Boards=1 SocketsPerBoard=2 ..." of slurm.conf.
 *         cache: RUN/node.json: record, settings and core map. It is valid for
 *           one slurmd process (pid, start time) and one state of slurm.conf;
 *           while slurmctld has not read that slurm.conf, for NODE_YOUNG_S.
 * Owner   struct node is a plain value; node_state_free() frees the rest.
 * Errors  -1, the reason in *err, output unchanged. An invalid cache is no
 *           error: node_cached() returns 0.
 * Runs    node, as root (prolog, --recover); node_line_parse() anywhere.
 */
#ifndef JOBIO_CORES_NODE_H
#define JOBIO_CORES_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/err.h"
#include "cores/core_map.h"
#include "record/finding.h"

#define NODE_NAME_MAX 256
#define NODE_TEXT_MAX 1024
#define NODE_YOUNG_S 60

struct node {
	char name[NODE_NAME_MAX];
	unsigned int cpus;
	unsigned int boards;
	unsigned int sockets; /* of all boards */
	unsigned int cores;   /* per socket */
	unsigned int threads; /* per core */
	unsigned int core_spec_count;
	bool has_spec_list;
	struct cpuset spec_list;	       /* CpuSpecList as written or reported */
	unsigned int restricted_cores_per_gpu; /* 0: not set (24.05) */
	bool from_controller;		       /* not from a slurm.conf line */
	unsigned int version;		       /* of slurmd, version.h */
	int64_t mem_spec_limit_mb;	       /* 0: not set; -1: unknown */

	/* settings of the controller */
	bool allow_spec_resources_usage;
	bool spec_cores_first;
	bool cons_tres; /* false: select/linear */
	char select_type[64];
	char scheduler_parameters[NODE_TEXT_MAX];
	char slurmd_parameters[NODE_TEXT_MAX];
	char task_plugin[NODE_TEXT_MAX];
	char task_plugin_param[NODE_TEXT_MAX];
	char prolog_flags[NODE_TEXT_MAX];
	char gpu_spec[NODE_TEXT_MAX]; /* abstract cores, as reported */
	unsigned int controller_version;
	int64_t conf_read_at; /* when slurmctld read slurm.conf; seconds */
};

/* Input of a reservation: the record and the map of this node. */
struct node_state {
	struct node node;
	struct core_map *map;
};

/* Set the defaults of slurm.conf; allow_spec_resources_usage and cons_tres are true. */
void node_init(struct node *node);

/* Read a node line into *node, corrected as slurmd and slurmctld do
 * (read_config.c:_parse_nodename); each correction is a finding. */
int node_line_parse(struct node *node, const char *line, struct findings *findings,
		    struct err *err);

/* Read the JSON that `jobio-slurm node` prints. */
int node_parse_json(struct node *node, const char *json, struct err *err);

/* Set *state from the cache. Return 1; 0 if the cache is missing or invalid; -1 if it cannot be
 * read. No RPC, no command. */
int node_cached(const char *run_dir, struct node_state *state, struct err *err);

void node_state_free(struct node_state *state);

/* What the cache is valid for, and how it is written. */
struct node_epoch {
	int64_t slurmd_pid;
	int64_t slurmd_start;	  /* clock ticks after boot */
	char conf[NODE_TEXT_MAX]; /* path */
	int64_t conf_ns;	  /* newest *.conf in its folder */
	int64_t conf_files;
	int64_t conf_s;
};

void node_epoch_read(struct node_epoch *epoch);
int node_cache_write(const char *run_dir, const struct node_epoch *epoch,
		     const struct node_state *state, struct err *err);

#endif
