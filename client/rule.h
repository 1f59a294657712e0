/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rule.h - rules about a client, entries of a table
 *
 * Terms   reach: record/finding.h; with on_error=drain a finding of the node drains it.
 *         cure: a sentence for an administrator, or for the job's owner; a caller with
 *           a better one gives it to rule_report_code().
 *         check: evaluates the facts and reports. A rule without one is reported by the
 *           functions that change the client. The message is next to its arguments, so
 *           that the compiler checks its format.
 * Owner   rules are constant.
 * Errors  none.
 * Runs    as in client.h; reads facts, changes nothing.
 */
#ifndef JOBIO_CLIENT_RULE_H
#define JOBIO_CLIENT_RULE_H

#include "client/types.h"
#include "record/finding.h"

#define RULE_LIST_MAX 256

struct client;

struct judge {
	const struct client *client;
	const struct client_desired *desired; /* may be NULL */
	struct findings *findings;
	/* set while rules are checked */
	const struct rule *rule;
	const void *item;   /* of rule->each */
	const char *name;   /* of the item: replaces NAME in the cure; NULL: nothing does */
	const char *target; /* of findings about the item: record.h; NULL: none */
};

typedef void rule_check(const struct judge *judge);
/* Set the next item of [judge] and step over it. Return false if there is none. */
typedef bool rule_each(struct judge *judge, size_t *at);

struct rule {
	const char *code;
	enum finding_severity severity;
	const char *cure;
	rule_check *check;
	rule_each *each; /* check each item: a mount, a container; NULL: check once */
	enum finding_reach reach;
};

/* Check all rules of the client's type. */
void rule_check_all(struct judge *judge);

/* For 'check': report the rule, about the item if there is one. */
void rule_report(const struct judge *judge, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, about another mount, server or filesystem: record.h. */
void rule_report_target(const struct judge *judge, const char *target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Return 'cure' with the name for each NAME in it; caller frees. */
char *rule_cure_for(const char *cure, const char *name);

/* Codes without the letters of the type, the same for all types: a setting could not be set, not be
 * restored, was changed since, is not set for a job that shares its node, is refused; threads or
 * interrupts could not be moved, not be moved back, are left where they are, were moved since. */
#define RULE_FAILED "40"
#define RULE_NOT_BACK "42"
#define RULE_NOT_OURS "43"
#define RULE_NOT_MOVED "44"
#define RULE_NOT_MOVED_BACK "45"
#define RULE_SHARED "46"
#define RULE_LEFT "47"
#define RULE_MOVED_SINCE "48"
#define RULE_REFUSED "49"

/* Return true if the code is this one, with letters or without. */
bool rule_is(const char *code, const char *end);

/* Report the rule of the client's type with this code, from functions that change a client; 'cure'
 * NULL: the rule's own. */
void rule_report_code(const struct client *client, const char *code, const char *cure,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Set [text] to "2-3,8" or "none", truncated at RULE_LIST_MAX - 1, and return it. */
const char *rule_list(const struct cpuset *cpus, char text[RULE_LIST_MAX]);

/* Return the cure for a job that shares its node; NULL: the rule's own. */
const char *rule_shared_cure(const struct client_desired *desired);

/* ---- rules of all types ----------------------------------- */

/* Return true if no filesystem of the client is mounted, but one is mounted on access. */
bool rule_is_idle(const struct client *client);

/* Report if no filesystem of its type is mounted; if a mount of mounts= is missing. */
rule_check rule_check_no_mount, rule_check_missing_mount;

/* Compare its CPUs with those that Slurm withholds from the job: half a core, other cores, too
 * few. */
rule_check rule_check_siblings, rule_check_other_cores, rule_check_too_few;

#endif
