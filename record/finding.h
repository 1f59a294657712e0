/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.h - list of findings for an administrator, with their cures
 *
 * Terms   code: short, stable, for scripts ("C01"); text: what is wrong, with
 *           the numbers; cure: what to write or do, "" if there is none.
 * Owner   the list owns copies; zero-initialised it is empty. findings_free()
 *           leaves an empty list.
 * Errors  -1 when out of memory; texts are cut at ERR_MAX - 1 bytes and made
 *           printable like err's.
 * Runs    everywhere; needs libc only.
 */
#ifndef JOBIO_RECORD_FINDING_H
#define JOBIO_RECORD_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define FINDING_CODE_MAX 16
#define FINDING_TARGET_MAX 256

enum finding_severity {
	FINDING_INFO,
	FINDING_WARNING,
	FINDING_ERROR
};

struct finding {
	char code[FINDING_CODE_MAX];
	enum finding_severity severity;
	bool breaks_node; /* of a rule with RULE_BREAKS_NODE (client/rule.h) */
	bool is_users;	  /* the cure is for the job's owner, not for an administrator */
	char text[ERR_MAX];
	size_t same_bytes; /* of the text, without measured values; 0: all */
	char cure[ERR_MAX];
	char target[FINDING_TARGET_MAX]; /* record.h; "": all of the client */
};

struct findings {
	struct finding *list;
	size_t count;
};

/* Append a finding with the formatted text. 'cure' may be NULL. */
int findings_add(struct findings *findings, const char *code, enum finding_severity severity,
		 const char *cure, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Append measured values, which differ between equal nodes, to the last finding's text, in
 * parentheses. */
void findings_measured(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append copies of all of 'more'. */
int findings_append(struct findings *findings, const struct findings *more);

bool findings_has(const struct findings *findings, const char *code);

/* Return the worst severity in the list; FINDING_INFO if it is empty. */
enum finding_severity findings_worst(const struct findings *findings);

/* "error", "warning" or "info" */
const char *finding_severity_name(enum finding_severity severity);

void findings_free(struct findings *findings);

#endif
