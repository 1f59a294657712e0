/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache.h - answers of a client that the next job need not ask for again
 *
 * RUN/client.NAME.json: {"key":"..","at":N, and what the type keeps}.
 *
 * Terms   key: all that the answers rest on, as text: this boot, files (inode,
 *           time of change, size) and processes (pid, start). The answers hold
 *           while it is the same, for CACHE_AGE_MAX_S at most, because health
 *           leaves no trace in any file; for the number "age_max" where the
 *           type keeps one, because its key tells of health.
 *         at: when the client was asked, seconds since boot. An answer that is
 *           used again does not get younger by it.
 * Owner   texts that cache_text() returns are the cache's.
 * Errors  a cache that cannot be read or written is none.
 * Runs    as client.h says. A client that is only looked at (run_dir NULL) has
 *           none.
 */
#ifndef JOBIO_CLIENT_CACHE_H
#define JOBIO_CLIENT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define CACHE_AGE_MAX_S 600

struct ask;
struct cache;
struct cache_key;
struct client;

/* Take what is kept, if it holds: client->cached and asked_at_s. Of what does not
 * hold the facts are the last ones. */
bool cache_use(struct client *client);
/* The client is asked anew, now. */
void cache_asked(struct client *client);
/* Keep what the client has answered, if that is worth it; nothing is kept of a
 * client that took its answers from here. */
void cache_keep(const struct client *client);
/* From here on nothing holds that was kept. */
void cache_drop(const struct client *client);

/* For 'load': an answer (-1: not kept), a number (-1). */
int cache_answer(const struct cache *cache, const char *name, struct ask *ask);
int64_t cache_number(const struct cache *cache, const char *name);
/* For 'keep'. */
void cache_put_answer(struct cache *cache, const char *name, const struct ask *ask);
void cache_put_number(struct cache *cache, const char *name, int64_t number);

/* For 'key'. */
void cache_key_text(struct cache_key *key, const char *text);
void cache_key_file(struct cache_key *key, const char *path);
void cache_key_process(struct cache_key *key, long pid);

#endif
