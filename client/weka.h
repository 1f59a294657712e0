/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weka.h - what the parts of the WEKA client share: its facts
 *
 * Terms   see client.h and weka_parse.h. "Known" facts were read; the others
 *           hold zero, and judging must look at the flag first.
 *         hung: a read or command that was killed at its deadline. No time: the
 *           budget left it less than half of that, so nothing is known of it.
 * Owner   struct weka_facts belongs to its client; weka_facts_clear().
 * Errors  as in client.h.
 * Runs    weka.c reads, weka_judge.c judges, weka_change.c changes.
 *
 * Facts about WEKA come from its documentation 4.0 - 5.x and its public
 * scripts; where those are silent the assumption stands at the place.
 */
#ifndef JOBIO_CLIENT_WEKA_H
#define JOBIO_CLIENT_WEKA_H

#include <stdint.h>

#include "client/client.h"
#include "client/mounts.h"
#include "client/weka_parse.h"

#define WEKA_FSTYPE "wekafs"
#define WEKA_TEXT_MAX (1U << 20)

enum weka_answer {
	WEKA_NOT_ASKED,
	WEKA_ANSWERED,
	WEKA_FAILED,  /* exit status not 0, or nonsense */
	WEKA_MISSING, /* no such command */
	WEKA_HUNG,
	WEKA_NO_TIME,
};

/* The answer of one command or read, as text, for the cache. */
struct weka_source {
	enum weka_answer answer;
	char *text;
	char why[ERR_MAX]; /* when it is not WEKA_ANSWERED */
};

struct weka_cgroup {
	bool known;
	bool v2;
	bool exclusive; /* v2: cpuset.cpus.partition is root or isolated */
	struct cpuset cpus;
};

struct weka_facts {
	/* files */
	struct mounts *mounts;
	struct weka_service service, service_alt;
	/* agent */
	bool agent_known, agent_running;
	enum weka_answer agents_answer;
	unsigned int agent_count; /* 0 unknown */
	long agent_pid;
	int64_t agent_start_s;
	/* commands */
	struct weka_source ps;
	struct weka_source staged_source[WEKA_CONTAINERS_MAX];
	struct weka_source stable_source[WEKA_CONTAINERS_MAX];
	bool containers_known;
	struct weka_containers containers;
	struct weka_resources staged[WEKA_CONTAINERS_MAX];
	struct weka_resources stable[WEKA_CONTAINERS_MAX];
	/* kernel driver */
	struct weka_source interface_source;
	struct weka_interface interface;
	struct weka_cgroup cgroup[WEKA_CONTAINERS_MAX];
	bool cgroup_v2;
};

struct client {
	const struct config_client *section;
	const char *run_dir, *state_dir; /* NULL: only look */
	struct weka_facts facts;
	struct client_facts common;
	bool cached;	    /* the answers are those of the cache */
	int64_t asked_at_s; /* when they were given: seconds since boot */
	unsigned long long deadline_ms;
};

void weka_facts_clear(struct weka_facts *facts);

/* What client.h promises, for this type. */
int weka_inspect(struct client *client, const char *cached,
		 unsigned int budget_ms, struct err *err);
char *weka_save(const struct client *client);
void weka_judge(struct client *client, const struct client_want *want,
		struct findings *findings);
int weka_plan(struct client *client, const struct client_want *want,
	      struct client_plan *plan, struct findings *findings,
	      struct err *err);
/* Make or undo one change. Whatever went wrong is a finding. */
enum weka_made {
	WEKA_MADE,
	WEKA_NOT_MADE, /* the old value is there */
	WEKA_NOT_MADE_NOT_UNDONE
};
enum weka_made weka_make(struct client *client,
			 const struct journal_change *change,
			 struct findings *findings);
enum weka_undone {
	WEKA_UNDONE,	/* the old value is there */
	WEKA_NOT_OURS,	/* somebody else has set a third value */
	WEKA_KEPT,	/* left so on purpose */
	WEKA_NOT_UNDONE /* it is still ours and could not be undone */
};
enum weka_undone weka_undo(struct client *client,
			   const struct journal_change *change,
			   struct findings *findings);

/* Read the mount table anew. */
int weka_read_mounts(struct client *client, struct err *err);

/* Run `weka ARGS` that asks; the answer in *source. The deadline is timeout_ms
 * of jobio.conf, less when the budget is nearly used up. */
void weka_ask(struct client *client, struct weka_source *source,
	      const char *const args[]);
/* Run `weka ARGS` that changes something. */
int weka_order(struct client *client, unsigned int timeout_ms,
	       const char *const args[], struct err *err);
/* Frontends, health and links of all containers, from the client itself. */
void weka_read_containers(struct client *client);
void weka_read_interface(struct client *client);
void weka_read_cgroups(struct client *client);
/* Derive the common facts from the rest. */
void weka_digest(struct client *client);

/* Remount a file system with its own options and core= for each id, which
 * restarts the container (5.x). */
int weka_remount_cores(struct client *client, const struct client_mount *mount,
		       const struct cpuset *ids, struct err *err);

/* Mount it (its options are those of a new mount) with core= for each id. */
int weka_mount_cores(struct client *client, const struct client_mount *mount,
		     const struct cpuset *ids, unsigned int timeout_ms,
		     struct err *err);
/* The options of a new mount: those that the mount table shows, then those that
 * only its line in fstab(5) knows; without core=. NULL: out of memory. */
char *weka_mount_options(const char *shown, const char *fstab);
/* Does the mount table still show what it has shown? 0: yes. */
int weka_options_kept(const char *before, const char *after, struct err *err);

/* Somebody looked for agents, and it could not be seen how many there are. */
bool weka_agents_unknown(const struct weka_facts *facts);

/* NULL: not there. */
const struct weka_container *weka_container(const struct weka_facts *facts,
					    const char *name, size_t *index);
/* The frontends' CPUs as named by core_id, without siblings; automatic ones
 * left out. */
void weka_named_cpus(const struct weka_resources *resources,
		     struct cpuset *cpus);
bool weka_is_automatic(const struct weka_resources *resources);

/* May a profile set this option, with this value? NULL: yes; else why not. */
const char *weka_option_refusal(const char *key, const char *value);
/* Is it one of those that fall back when a remount leaves them out? */
bool weka_option_is_general(const char *key);
bool weka_option_is_cache_mode(const char *key);

#endif
