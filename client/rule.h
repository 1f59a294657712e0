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
};

struct rule {
	const char *code;
	enum finding_severity severity;
	enum finding_reach reach;
	const char *cure;
	void (*check)(const struct judge *judge, const struct rule *rule);
};

/* Check all rules of the client's type. */
void rule_check_all(const struct judge *judge);

/* For 'check'. */
void rule_report(const struct judge *judge, const struct rule *rule, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, about one of its mounts, servers or filesystems: record.h. */
void rule_report_target(const struct judge *judge, const struct rule *rule, const char *target,
			const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same, about a container or device: NAME in the cure is replaced by its name. */
void rule_report_named(const struct judge *judge, const struct rule *rule, const char *name,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Return 'cure' with the name for each NAME in it; caller frees. */
char *rule_cure_for(const char *cure, const char *name);

/* Report the rule of the client's type with this code, from functions that change a client; 'cure'
 * NULL: the rule's own. */
void rule_report_code(const struct client *client, const char *code, const char *cure,
		      struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Set [text] to "2-3,8" or "none", truncated at RULE_LIST_MAX - 1, and return it. */
const char *rule_list(const struct cpuset *cpus, char text[RULE_LIST_MAX]);

/* Return the cure for a job that shares its node; NULL: the rule's own. */
const char *rule_shared_cure(const struct client_desired *desired);

/* ---- rules of all types ----------------------------------- */

/* Return true if no filesystem of the client is mounted, but one is mounted on access. */
bool rule_is_idle(const struct client *client);

/* Report if no filesystem of its type is mounted; if a mount of mounts= is missing. */
void rule_check_no_mount(const struct judge *judge, const struct rule *rule);
void rule_check_missing_mount(const struct judge *judge, const struct rule *rule);

/* Compare its CPUs with those that Slurm withholds from the job: half a core, other cores, too
 * few. */
void rule_check_siblings(const struct judge *judge, const struct rule *rule);
void rule_check_other_cores(const struct judge *judge, const struct rule *rule);
void rule_check_too_few(const struct judge *judge, const struct rule *rule);

#endif
