/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rule.h - one thing that can be wrong with a client, as a row of a table
 *
 * Terms   breaks the node: with this finding the node can serve no job, or its
 *           client takes CPUs from those that it serves; with on_error=drain
 *           it is drained. Anything else is a matter of configuration, or of
 *           one job, whose owner can do something about it (RULE_OF_JOB).
 *         cure: a sentence for an administrator, or for the job's owner; a
 *           place that knows a better one gives it to rule_tell().
 *         check: looks at the facts and tells. A rule without one is told by
 *           whoever changes the client. The sentence stands beside its
 *           numbers, where the compiler compares the two.
 * Owner   rules are constant.
 * Errors  none: what cannot be added to the findings is lost.
 * Runs    as client.h says; reads facts, touches nothing.
 */
#ifndef JOBIO_CLIENT_RULE_H
#define JOBIO_CLIENT_RULE_H

#include "client/terms.h"
#include "record/finding.h"

#define RULE_LIST_MAX 256

struct client;

struct judge {
	const struct client *client;
	const struct client_want *want; /* may be NULL */
	struct findings *findings;
};

enum rule_reach {
	RULE_SPARES_NODE,
	RULE_BREAKS_NODE,
	RULE_OF_JOB,
};

struct rule {
	const char *code;
	enum finding_severity severity;
	enum rule_reach reach;
	const char *cure;
	void (*check)(const struct judge *judge, const struct rule *rule);
};

/* Check all rules of the client's type. */
void rule_check_all(const struct judge *judge);

/* For 'check'. */
void rule_say(const struct judge *judge, const struct rule *rule, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, of one of its mounts, servers or filesystems: record.h. */
void rule_say_of(const struct judge *judge, const struct rule *rule, const char *target,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same, of a container or device: its name takes the place of NAME in the cure. */
void rule_say_named(const struct judge *judge, const struct rule *rule, const char *name,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));
/* CURE with the name for each NAME in it; caller frees. */
char *rule_cure_for(const char *cure, const char *name);

/* For who changes a client: the rule of its type with this code; 'cure' NULL:
 * the rule's own. */
void rule_tell(const struct client *client, const char *code, const char *cure,
	       struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* "2-3,8" or "none", cut at RULE_LIST_MAX - 1; returns 'text'. */
const char *rule_list(const struct cpuset *cpus, char text[RULE_LIST_MAX]);

/* What a job that shares its node can do about it; NULL: the rule's own cure. */
const char *rule_shared_cure(const struct client_want *want);

/* ---- what can be wrong with any client ----------------------------------- */

/* Is nothing of the client mounted, and will a mount be made when it is used? */
bool rule_is_idle(const struct client *client);

/* Nothing of its type is mounted; a mount of mounts= is missing. */
void rule_check_no_mount(const struct judge *judge, const struct rule *rule);
void rule_check_missing_mount(const struct judge *judge, const struct rule *rule);

/* Its CPUs beside those that Slurm withholds from the job: half a core, other
 * cores, fewer than there are. */
void rule_check_siblings(const struct judge *judge, const struct rule *rule);
void rule_check_other_cores(const struct judge *judge, const struct rule *rule);
void rule_check_too_few(const struct judge *judge, const struct rule *rule);

#endif
