/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_view.h - what jobio check looks at, for each of its parts
 *
 * Terms   root: a folder in front of every path that is read, "" for this
 *           host. With a root files are all there is: nobody is asked.
 *         role: what a host is to Slurm and jobio; one host may be several.
 * Owner   struct doctor and what hangs on it belong to check.c; its parts
 *           only add findings.
 * Errors  none: what cannot be looked at is a finding.
 * Runs    jobio check; reads, never writes. slurmctld is asked by slurmctld's
 *           host and by login hosts, never by nodes.
 *
 * Codes   S  slurm.conf, cgroup.conf, plugstack.conf   doctor_slurm.c
 *            prolog and epilog, by name                check_node.c
 *            the file against slurmctld                check_ctld.c
 *         N  the node line against machine and client  doctor_node.c
 *            and what the running slurmd sees          doctor_slurmd.c
 *         C  as in `jobio cores`
 *         K  kernel parameters and modules             doctor_host.c
 *            what the kernel does now                  doctor_state.c
 *         J  jobio.conf                check.c, check_conf.c, check_ctld.c
 *         H  helpers, folders, counters of a node      check_node.c
 *         L  ledger, munge, clock, spool               check_ledger.c
 *         T  a job that was tried                      check_submit.c
 *         W NF LU GP  the client                       client/
 */
#ifndef JOBIO_REPORT_DOCTOR_VIEW_H
#define JOBIO_REPORT_DOCTOR_VIEW_H

#include <glob.h>
#include <stdbool.h>

#include "client/terms.h"
#include "lib/config.h"
#include "lib/cpuset.h"
#include "lib/finding.h"
#include "lib/node.h"
#include "report/slurm_conf.h"

enum role {
	ROLE_LOGIN = 1,
	ROLE_NODE = 2,
	ROLE_CTLD = 4,
	ROLE_LEDGER = 8
};

struct doctor {
	unsigned int roles;
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
	unsigned int fixed_cores;  /* client/terms.h */
	struct doctor_cards {
		char client[PROFILE_NAME_MAX + 1];
		struct client_cards cards;
	} cards[CONFIG_CLIENTS_MAX];
	size_t cards_count;
	const char *conf;      /* jobio.conf, without the root */
	struct config *config; /* NULL: not readable */
	struct findings *findings;
};

/* A small file below the root, NULL when it is not there; caller frees. */
char *doctor_read(const struct doctor *doctor, const char *path);

/* How many files below the root have such names; their paths begin with the root.
 * globfree(). */
size_t doctor_glob(const struct doctor *doctor, const char *pattern, glob_t *found);

/* Is this the /proc/PID/status of such a daemon, and no container's? */
bool doctor_is_named(const char *status, const char *name);
/* Does a process of this name run here, outside of containers? */
bool doctor_runs(const struct doctor *doctor, const char *name);

#endif
