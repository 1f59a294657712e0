/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type.h - what a filesystem has to say to be a client of jobio
 *
 * A type is one row of the table in client.c: data and functions, nothing that
 * client.c would have to know by name. It says where its mounts are, reads its
 * facts, has rules that judge them, kinds of changes, and counters.
 *
 * Terms   facts: a struct of the type's own, of facts_size bytes, zeroed by
 *           client_open(); 'clear' frees what hangs on it and zeroes it again.
 *         rule: see rule.h. kind of change: see change.h. wire: see wire.h.
 *         kept: answers of an earlier job that still hold; see cache.h.
 *         wire() comes without inspect() in the epilog.
 *         ids: one OS CPU for each core, as the client's own command takes
 *           them.
 * Owner   a type is constant. struct client belongs to client.c, its facts to
 *           the type. NULL for what a type does not have.
 * Errors  as in client.h.
 * Runs    as client.h says; for client/ only.
 */
#ifndef JOBIO_CLIENT_TYPE_H
#define JOBIO_CLIENT_TYPE_H

#include "base/config.h"
#include "base/err.h"
#include "client/terms.h"

struct affinity;
struct cache;
struct client;
struct client_plan;
struct cache_key;
struct change_kind;
struct findings;
struct mounts;
struct rule;
struct wire;

struct client_type_ops {
	const char *name;    /* type= in jobio.conf */
	const char *fstypes; /* in the mount table, blank-separated */
	/* Is a mount of such a fstype and this source a client's? NULL: each */
	bool (*is_client)(const char *source);
	size_t facts_size;
	void (*clear)(void *facts);

	/* Read the facts; the mounts are known, deadline_ms is set. */
	int (*inspect)(struct client *client, struct err *err);
	/* Read what rules ask for and changes do not need, before rules are
	 * checked; what was read since is left. */
	void (*look)(struct client *client);
	/* The same, of what the job brings along. */
	void (*look_at_job)(struct client *client, const struct client_want *want);

	/* What is kept of expensive answers: take them (-1: they do not fit),
	 * give them (-1: not worth keeping), and name all that they rest on. */
	int (*load)(struct client *client, const struct cache *cache);
	int (*keep)(const struct client *client, struct cache *cache);
	void (*key)(const struct client *client, struct cache_key *key);

	const struct rule *rules; /* in order; ends with a row of zeros */
	/* in the order of planning; ends with NULL */
	const struct change_kind *const *changes;

	/* The client's counters now; NULL and errno ENOENT: there are none.
	 * wire_source names them in the record. */
	struct wire *(*wire)(const struct client *client, struct err *err);
	const char *wire_source;
	/* How they relate to what processes asked for: record.h. */
	const char *app_to_wire;
	/* What only a job's end tells: client_judge_work(). */
	void (*judge_work)(struct client *client, const struct client_work *work,
			   struct findings *findings);
	/* What of its work can be told where to run; see affinity.h. */
	const struct affinity *affinity;

	/* The cards that its work goes over, by the facts; see card.h. */
	void (*cards)(const struct client *client, struct client_cards *cards);

	const struct client_sizing *sizing;
	/* What an administrator writes or types to have it work there; caller
	 * frees. */
	char *(*cores_command)(const struct client_place *place);
};

struct client {
	const struct client_type_ops *type;
	const struct config_client *section;
	const char *run_dir, *state_dir; /* NULL: only look */
	void *facts;
	struct mounts *mounts; /* of its fstypes, on mounts= of jobio.conf */
	struct client_facts common;
	bool cached;	    /* the answers are those of the cache */
	int64_t asked_at_s; /* when they were given: seconds since boot */
	unsigned long long deadline_ms;
	unsigned int ask_ms;		/* of one question, where it is not timeout_ms; 0 */
	const struct client_plan *plan; /* that is being applied; NULL: none */
	struct findings *findings;	/* of the change that is being made or undone */
};

#endif
