/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - facts about a Storage Scale client
 *
 * All of them are read on the node: the mount table, the process mmfsd, `mmdiag --config
 * -Y` and `--waiters -Y`, and mmpmon. No command of the cluster is run to read them.
 *
 * Terms   config: attributes of the running mmfsd, cached for later jobs. waiters:
 *           threads of mmfsd that wait; read only if config is not from the cache.
 * Owner   gpfs_facts_clear().
 * Errors  as in client.h.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_GPFS_FACTS_H
#define JOBIO_CLIENT_GPFS_FACTS_H

#include "client/query.h"
#include "client/type.h"

struct gpfs_facts {
	long mmfsd; /* its pid; 0: not running */
	struct query config, waiters, counters;
	char now[512]; /* settings as words (mmconfig.c) */
};

struct gpfs_facts *gpfs_facts(const struct client *client);
void gpfs_facts_clear(void *facts);

int gpfs_inspect(struct client *client, struct err *err);
int gpfs_load(struct client *client, const struct json *cache);
int gpfs_store(const struct client *client, struct json *cache);
void gpfs_key(const struct client *client, struct cache_key *key);

/* Find mmfsd and read its configuration, not from the cache. */
void gpfs_query_config(struct client *client);
/* Return a number of the configuration; -1: unknown. */
int64_t gpfs_number(const struct client *client, const char *name);
bool gpfs_word(const struct client *client, const char *name, char *word, size_t size);
/* Return true for yes or 1; false for others and unknown. */
bool gpfs_is_on(const struct client *client, const char *name);

#endif
