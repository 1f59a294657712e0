/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - read the state of a Lustre client
 *
 * A child with a timeout reads all of it: some files wait for a lock that the client
 * holds while it connects. For a job it reads the statistics as well, so that the job's
 * first reading (counters.h) needs no other child.
 *
 * Terms   unknown: LUSTRE_UNKNOWN, or "": the file does not exist in this version,
 *           or is not readable.
 *         nic: the interface of an LNet address, with its NUMA node (-1: unknown,
 *           or the node has only one).
 *         CPTs: the CPUs of all CPU partitions of Lustre's threads.
 * Owner   lustre_facts_clear().
 * Errors  as in client.h; 'why' has what could not be read.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_LUSTRE_FACTS_H
#define JOBIO_CLIENT_LUSTRE_FACTS_H

#include "client/lustre/tree.h"
#include "client/query.h"

#define LUSTRE_UNKNOWN (-1L) /* same value as in tree.h */
#define LUSTRE_NICS_MAX 32

struct lustre_instance {
	char name[TREE_NAME_MAX], filesystem[TREE_NAME_MAX];
	/* of llite, in MiB; ID of the only process, parent or group that is counted */
	long ahead_mb, ahead_file_mb, tracked;
	long stripe_count; /* default of new files */
};

struct lustre_target {
	enum tree_kind kind; /* TREE_OSC or TREE_MDC */
	unsigned int index;
	char instance[TREE_NAME_MAX];
	char state[16];			     /* of the import: "FULL", "IDLE", "DISCONN", .. */
	long active, rpcs, pages, checksums; /* the last three for an OST */
	long server_bytes;		     /* largest RPC that the server accepts */
	long server_mods;		     /* modifying RPCs in flight that an MDT accepts */
};

struct lustre_nic {
	char nid[64], status[16], interface[16];
	int numa_node;
};

struct lustre_facts {
	struct query query;
	char version[32], jobid_var[64];
	size_t instance_count, target_count, nic_count;
	struct lustre_instance *instance;
	struct lustre_target *target;
	struct lustre_nic nic[LUSTRE_NICS_MAX];
	struct cpuset cpt_cpus;
	long folder_stripes;		/* of the job's directory; 0: the filesystem's default */
	char *counters;			/* statistics as printed by stats.h; NULL */
	char *no_counters;		/* why they could not be read; NULL */
	unsigned long long counters_ms; /* time of reading: child_now_ms() */
	size_t unread;			/* devices with an unreadable import file */
	char unread_why[64];
};

/* Values from the "import" file of a target. */
struct lustre_import {
	char state[16]; /* "": unknown */
	long server_bytes, server_mods;
};
void lustre_import_parse(const char *text, struct lustre_import *import);

/* Add the CPUs of a line of LNet's CPU partitions, "0\t: 0 1 2", to [cpus]. */
void lustre_partition_add(struct cpuset *cpus, const char *line);

/* Parse the lines that the child prints into [facts]. */
void lustre_facts_parse(struct lustre_facts *facts, const char *text);

/* Discard the statistics in the facts; what was done since has changed them. */
void lustre_facts_drop_counters(const struct client *client);

struct lustre_facts *lustre_facts_of(const struct client *client);
void lustre_facts_clear(void *facts);
int lustre_inspect(struct client *client, struct err *err);

#endif
