/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - what is known of a Storage Scale client
 *
 * All of it is the node's own: the mount table, the process mmfsd, `mmdiag
 * --config -Y` and `--waiters -Y`, and mmpmon. No command of the cluster is run
 * to look at a client.
 *
 * Terms   config: what mmfsd runs with, kept for the next jobs. waiters: threads
 *           of mmfsd that wait; asked for when mmfsd is asked anew, only.
 * Owner   gpfs_facts_clear().
 * Errors  as in client.h.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_GPFS_FACTS_H
#define JOBIO_CLIENT_GPFS_FACTS_H

#include "client/ask.h"
#include "client/type.h"

struct gpfs_facts {
	long mmfsd; /* its pid; 0: there is none */
	struct ask config, waiters, counters;
	char now[512]; /* settings, as words (mmconfig.c) */
};

struct gpfs_facts *gpfs_facts(const struct client *client);
void gpfs_facts_clear(void *facts);

int gpfs_inspect(struct client *client, struct err *err);
int gpfs_load(struct client *client, const struct cache *cache);
int gpfs_keep(const struct client *client, struct cache *cache);
void gpfs_key(const struct client *client, struct cache_key *key);

/* Find mmfsd and ask for its configuration, now. */
void gpfs_ask_config(struct client *client);
/* A number of the configuration; -1: unknown. */
int64_t gpfs_number(const struct client *client, const char *name);
bool gpfs_word(const struct client *client, const char *name, char *word, size_t size);
/* yes, or 1; false is also: unknown. */
bool gpfs_is_on(const struct client *client, const char *name);

#endif
