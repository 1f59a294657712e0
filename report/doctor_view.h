/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_view.h - what jobio doctor looks at, for each of its parts
 *
 * Terms   root: a folder in front of every path that is read, "" for this
 *           host.
 * Owner   struct doctor and what hangs on it belong to doctor.c; its parts
 *           only add findings.
 * Errors  none: what cannot be looked at is a finding.
 * Runs    jobio doctor; reads, never writes; asks nothing of slurmctld.
 *
 * Codes   S  slurm.conf, cgroup.conf, plugstack.conf   doctor_slurm.c
 *         N  the node line against machine and client  doctor_node.c
 *            and what the running slurmd sees          doctor_slurmd.c
 *         C  as in `jobio cores`
 *         K  kernel parameters and modules             doctor_host.c
 *         J  jobio.conf; W the WEKA client             doctor.c, client/
 */
#ifndef JOBIO_REPORT_DOCTOR_VIEW_H
#define JOBIO_REPORT_DOCTOR_VIEW_H

#include <stdbool.h>

#include "client/terms.h"
#include "lib/config.h"
#include "lib/cpuset.h"
#include "lib/finding.h"
#include "lib/node.h"
#include "report/slurm_conf.h"

struct doctor {
	const char *root;
	const char *host; /* NodeName */
	const char *topology;
	const char *slurmd_path; /* NULL: find it */
	const char *slurm_conf_path;
	unsigned int version;
	struct slurm_conf *slurm;  /* NULL: not readable */
	struct slurm_conf *cgroup; /* NULL: there is none */
	bool has_node;		   /* the host has a node line, and a map */
	struct node_state state;
	long mem_spec_limit_mb; /* 0: not on the node line */
	bool client_known;
	bool client_is_told;	   /* by the caller */
	struct cpuset client_cpus; /* OS CPUs, whole cores */
	struct doctor_cards {
		char client[PROFILE_NAME_MAX + 1];
		struct client_cards cards;
	} cards[CONFIG_CLIENTS_MAX];
	size_t cards_count;
	struct findings *findings;
};

/* A small file below the root, NULL when it is not there; caller frees. */
char *doctor_read(const struct doctor *doctor, const char *path);

#endif
