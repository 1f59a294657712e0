/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - facts about a WEKA client, and how to query it
 *
 * Terms   see client.h, query.h and parse.h. "Known" facts were read; others are zero,
 *           and rules must check the flag first.
 * Owner   struct weka_facts belongs to its client; weka_facts_clear().
 * Errors  as in client.h.
 * Runs    as in client.h; for the parts of the WEKA client only.
 *
 * Facts about WEKA come from its documentation 4.0 - 5.x and its public scripts; other
 * assumptions are noted where they are made.
 */
#ifndef JOBIO_CLIENT_WEKA_FACTS_H
#define JOBIO_CLIENT_WEKA_FACTS_H

#include <stdint.h>

#include "client/query.h"
#include "client/type.h"
#include "client/weka/parse.h"

#define WEKA_FSTYPE "wekafs"

struct weka_cgroup {
	bool known;
	bool exclusive; /* v2: cpuset.cpus.partition is root or isolated */
	struct cpuset cpus;
};

/* A container with its queries. */
struct weka_unit {
	struct weka_container info;
	struct query staged_source, stable_source;
	struct weka_resources staged, stable;
	struct weka_cgroup cgroup;
};

struct weka_facts {
	/* files */
	struct weka_service service, service_alt;
	/* agent */
	bool agent_known, agent_running;
	struct query agents;
	struct query copies;	  /* mounts in other namespaces */
	unsigned int agent_count; /* 0 unknown */
	long agent_pid;
	int64_t agent_start_s;
	/* commands */
	struct query ps;
	bool containers_known;
	size_t count;
	struct weka_unit unit[WEKA_CONTAINERS_MAX];
	size_t others_running; /* excluded by container= of jobio.conf */
	/* kernel driver */
	struct query interface_source;
	struct weka_interface interface;
	bool cgroup_v2;
};

static inline struct weka_facts *weka_of(const struct client *client)
{
	return client->facts;
}

void weka_facts_clear(void *facts);

/* For struct client_type_ops. */
int weka_inspect(struct client *client, struct err *err);
int weka_load(struct client *client, const struct json *cache);
int weka_store(const struct client *client, struct json *cache);
void weka_key(const struct client *client, struct cache_key *key);

extern const struct client_sizing weka_sizing;

/* Run `weka ARGS` that changes something. */
int weka_order(struct client *client, unsigned int timeout_ms, const char *const args[],
	       struct err *err);
/* Read health and resources of all containers with `weka`. */
void weka_read_containers(struct client *client);
/* Read service.conf, and the agent's pid and start. */
void weka_read_files(struct client *client);
void weka_read_interface(struct client *client);
void weka_read_copies(struct client *client);
void weka_read_cgroups(struct client *client);
/* Derive the common facts from the rest. */
void weka_digest(struct client *client);

/* Return true if agents were searched for, and their number is unknown. */
static inline bool weka_agents_unknown(const struct weka_facts *facts)
{
	return facts->agents.answer != QUERY_ANSWERED && facts->agents.answer != QUERY_NOT_MADE;
}

#define weka_for_each(unit, client)                                                                \
	for (unit = weka_of(client)->unit; unit < weka_of(client)->unit + weka_of(client)->count;  \
	     unit++)

/* Return the container of this name; NULL: none. */
const struct weka_unit *weka_unit(const struct client *client, const char *name);
unsigned int weka_major(const struct weka_container *container);
/* Get the CPUs that it polls on by core_id, without siblings and automatic ones. */
void weka_named_cpus(const struct weka_resources *resources, struct cpuset *cpus);
bool weka_is_automatic(const struct weka_resources *resources);

#endif
