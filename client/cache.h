/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache.h - cache of a client's replies for later jobs
 *
 * RUN/client.NAME.json: {"key":"..","at":N, and the values of the type}.
 *
 * Terms   key: everything that the replies depend on, as text: this boot, files (inode,
 *           time of change, size) and processes (pid, start). The replies are valid while
 *           it is the same, for at most CACHE_AGE_MAX_S, because health changes without
 *           a change of any file; or for the number "age_max" if the type stores one,
 *           because its key covers health.
 *         at: time of the query, seconds since boot. Use does not change it.
 * Owner   the caller; replies are copied.
 * Errors  a cache that cannot be read or written is ignored.
 * Runs    as in client.h. A client for reading only (run_dir NULL) has none.
 */
#ifndef JOBIO_CLIENT_CACHE_H
#define JOBIO_CLIENT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_AGE_MAX_S 600

struct query;
struct cache_key;
struct client;
struct json;

/* Load the cache. Return true if it is valid, and set client->cached and queried_at_s; else the
 * facts are those of the last query. */
bool cache_use(struct client *client);
/* Mark the client as queried now, not from the cache. */
void cache_queried(struct client *client);
/* Store the replies, or remove the cache if the type finds them not worth storing; nothing is
 * written if they are from the cache. */
void cache_store(const struct client *client);
/* Invalidate the cache. */
void cache_drop(const struct client *client);

/* For 'load': get a reply, or return -1; numbers are json_number()'s. */
int cache_answer(const struct json *cache, const char *name, struct query *query);
/* For 'store': add a reply. */
void cache_store_answer(struct json *cache, const char *name, const struct query *query);

/* For 'key': add to the key. */
void cache_key_text(struct cache_key *key, const char *text);
void cache_key_file(struct cache_key *key, const char *path);
void cache_key_process(struct cache_key *key, long pid);

#endif
