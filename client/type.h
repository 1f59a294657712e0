/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type.h - back end of a filesystem client
 *
 * A type is an entry of the table in client.c: data and functions. It finds its mounts,
 * reads its facts, has rules about them, kinds of changes, and counters.
 *
 * Terms   facts: a struct of the type, of facts_size bytes, zeroed by client_open();
 *           'clear' frees its members and zeroes it again.
 *         rule: see rule.h. kind of change: see change.h. counters: see client_counters.h.
 *         kept: valid replies of an earlier job; see cache.h.
 *         In the epilog counters() is called without inspect().
 *         ids: one OS CPU for each core, as in the client's own command.
 * Owner   a type is constant. struct client belongs to client.c, its facts to the type.
 *           NULL for members that a type does not have.
 * Errors  as in client.h.
 * Runs    as in client.h; for client/ only.
 */
#ifndef JOBIO_CLIENT_TYPE_H
#define JOBIO_CLIENT_TYPE_H

#include "base/config.h"
#include "base/err.h"
#include "client/types.h"

struct affinity;
struct client;
struct changes;
struct cache_key;
struct change_kind;
struct findings;
struct json;
struct mounts;
struct rule;
struct client_counters;

struct client_type_ops {
	const char *name;    /* type= in jobio.conf */
	const char *fstypes; /* in the mount table, blank-separated */
	/* Return true if a mount with this source is a client's; NULL: all are. */
	bool (*is_client)(const char *source);
	size_t facts_size;
	void (*clear)(void *facts);

	/* Read the facts; the mounts are read, deadline_ms is set. */
	int (*inspect)(struct client *client, struct err *err);
	/* Read facts that only rules use, before they are checked; those already read are kept. */
	void (*inspect_more)(struct client *client);
	/* The same for facts that depend on the job. */
	void (*inspect_job)(struct client *client, const struct client_desired *desired);

	/* Cache of slow replies: load them (-1: invalid), store them (-1: not worth it), and add to
	 * the key everything that they depend on. */
	int (*load)(struct client *client, const struct json *cache);
	int (*store)(const struct client *client, struct json *cache);
	void (*key)(const struct client *client, struct cache_key *key);

	const struct rule *rules; /* in order; ends with a row of zeros */
	/* in the order of planning; ends with NULL */
	const struct change_kind *const *changes;

	/* Return the client's counters; NULL with errno ENOENT: there are none. counters_source is
	 * their name in the record. */
	struct client_counters *(*counters)(const struct client *client, struct err *err);
	const char *counters_source;
	/* Their relation to what processes requested: record.h. */
	const char *app_to_wire;
	/* Judge a job at its end: client_judge_work(). */
	void (*judge_work)(struct client *client, const struct client_work *work);
	/* Parts of its work that can be bound to CPUs; see affinity.h. */
	const struct affinity *affinity;

	/* Get the NICs of its traffic, from the facts; see nic.h. */
	void (*nics)(const struct client *client, struct client_nics *nics);

	const struct client_sizing *sizing;
	/* Return the command or configuration for these cores; caller frees. */
	char *(*cores_command)(const struct client_placement *placement);
};

struct client {
	const struct client_type_ops *type;
	const struct config_client *section;
	const char *run_dir, *state_dir; /* NULL: read only */
	void *facts;
	struct mounts *mounts; /* of its fstypes, on mounts= of jobio.conf */
	struct client_facts common;
	bool cached;	      /* the replies are from the cache */
	int64_t queried_at_s; /* time of the query: seconds since boot */
	unsigned long long deadline_ms;
	unsigned int query_ms;	   /* timeout of one query, if other than timeout_ms; 0 */
	struct changes *plan;	   /* being made or applied; NULL: none */
	struct findings *findings; /* of what is being planned, changed or judged */
};

#endif
