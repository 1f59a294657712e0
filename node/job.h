/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job.h - a job, from the SLURM_* variables that slurmd sets for prolog and epilog
 *
 * Owner   nodelist is borrowed from the environment.
 * Errors  -1, sentence in *err.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_JOB_H
#define JOBIO_NODE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

/* Whether Slurm keeps other jobs off the nodes of this one. Unknown before 23.02, and on 26.05 if
 * sbatch was older. */
enum job_alone {
	JOB_ALONE_UNKNOWN,
	JOB_NOT_ALONE,
	JOB_ALONE
};

struct job {
	uint32_t id, uid, gid;
	char node[RECORD_NAME_MAX];
	char user[RECORD_NAME_MAX];	 /* "" unknown */
	char cluster[RECORD_NAME_MAX];	 /* "" unknown */
	char partition[RECORD_NAME_MAX]; /* "" unknown */
	const char *nodelist;		 /* NULL unknown */
	int restart;			 /* -1 unknown */
	int64_t start;			 /* RECORD_UNKNOWN; slurmctld's clock */
	int core_spec;			 /* --core-spec; -1 none, or 0 */
	bool core_spec_is_threads;	 /* true: core_spec is of --thread-spec */
	bool core_spec_is_set;		 /* false: this Slurm does not set the variable */
	enum job_alone alone;
};

int job_from_env(struct job *job, struct err *err);
/* Get the node's name only, for --recover. */
int job_node_name(char *node, size_t size, struct err *err);

#endif
