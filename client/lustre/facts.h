/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - what is true of a Lustre client now
 *
 * One child with a deadline reads all of it: some files wait for a lock of the
 * client that is held while it connects. For a job it reads the statistics as well,
 * so that the job's first reading (wire.h) needs no other child.
 *
 * Terms   unknown: LUSTRE_UNKNOWN, or "": the file is not there in this
 *           version, or not readable.
 *         card: the interface of an LNet address, with the NUMA node that it
 *           is attached to (-1: unknown, or there is one alone).
 *         CPTs: the CPUs that Lustre's threads run on, of all its partitions.
 * Owner   lustre_facts_clear().
 * Errors  as in client.h; 'why' says what could not be read.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_LUSTRE_FACTS_H
#define JOBIO_CLIENT_LUSTRE_FACTS_H

#include "client/ask.h"
#include "client/lustre/tree.h"

#define LUSTRE_UNKNOWN (-1L) /* as tree.h has it */
#define LUSTRE_CARDS_MAX 32

struct lustre_instance {
	char name[TREE_NAME_MAX];
	/* of llite, in MiB; which process, parent or group alone is counted */
	long ahead_mb, ahead_file_mb, tracked;
	long stripe_count; /* of files whose folder says nothing */
};

struct lustre_target {
	enum tree_kind kind; /* TREE_OSC or TREE_MDC */
	unsigned int index;
	char instance[TREE_NAME_MAX];
	char state[16];			     /* of the import: "FULL", "IDLE", "DISCONN", .. */
	long active, rpcs, pages, checksums; /* the last three of an OST */
	long server_bytes;		     /* the most that the server takes in an RPC */
	long server_mods;		     /* the most changes at a time, of an MDT */
};

struct lustre_card {
	char nid[64], status[16], interface[16];
	int numa_node;
};

struct lustre_facts {
	struct ask ask;
	char version[32], jobid_var[64];
	size_t instance_count, target_count, card_count;
	struct lustre_instance *instance;
	struct lustre_target *target;
	struct lustre_card card[LUSTRE_CARDS_MAX];
	struct cpuset cpt_cpus;
	long folder_stripes;		/* of the job's directory; 0 as instances have it */
	char *counters;			/* statistics, as stats.h prints them; NULL */
	char *no_counters;		/* they did not answer: why; NULL */
	unsigned long long counters_ms; /* when: child_now_ms() */
	size_t unread;			/* devices whose import could not be read */
	char unread_why[64];
};

/* What the import of a target says (file "import"). */
struct lustre_import {
	char state[16]; /* "": nothing */
	long server_bytes, server_mods;
};
void lustre_import_parse(const char *text, struct lustre_import *import);

/* "0\t: 0 1 2", of LNet's CPU partitions: its CPUs, besides those there are. */
void lustre_partition_add(struct cpuset *cpus, const char *line);

/* The lines that the child prints. -1: out of memory. */
void lustre_facts_take(struct lustre_facts *facts, const char *text);

/* What was read is older than what has been done since. */
void lustre_facts_drop_counters(const struct client *client);

struct lustre_facts *lustre_facts_of(const struct client *client);
void lustre_facts_clear(void *facts);
int lustre_inspect(struct client *client, struct err *err);

#endif
