/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.h - findings for administrators and owners of jobs, with their cures
 *
 * Terms   code: short, stable, for scripts ("C01"). text: the fault, with its numbers.
 *         measured: values at the end of the text, in parentheses, that differ between
 *           nodes with the same fault.
 *         cure: what to type or to write; NULL: there is none.
 *         reach: of the site: its configuration, the node runs jobs. Of the node: no job
 *           can run on it, or its client takes CPUs from jobs. Of the job: the cure is for
 *           the job's owner.
 *         phase: the step of prolog or epilog that made it.
 *         target: a mount point, the server of mounts as in their source, "files:", or
 *           the name of a Lustre filesystem, "work"; NULL: all of the client, or unknown.
 * Owner   the list owns copies; zero-initialised it is empty. findings_free()
 *           leaves an empty list. 'client' is borrowed from the configuration.
 * Errors  none; text and cure are cut at ERR_MAX - 1 bytes and made printable like err's.
 * Runs    programs.
 */
#ifndef JOBIO_RECORD_FINDING_H
#define JOBIO_RECORD_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "record/field.h"

#define FINDING_CODE_MAX 64
#define FINDING_TARGET_MAX 256

enum finding_severity {
	FINDING_NO_SEVERITY = -1, /* not in the JSON that was read */
	FINDING_INFO,
	FINDING_WARNING,
	FINDING_ERROR
};

enum finding_reach {
	FINDING_OF_SITE,
	FINDING_OF_NODE,
	FINDING_OF_JOB
};

enum finding_phase {
	FINDING_PHASE_REQUEST,
	FINDING_PHASE_CHANGE, /* the client is opened, inspected and changed for the job */
	FINDING_PHASE_CHECK,  /* its rules are checked */
	FINDING_PHASE_RESTORE /* the client's settings are restored */
};

struct finding {
	char code[FINDING_CODE_MAX];
	enum finding_severity severity;
	enum finding_reach reach;
	enum finding_phase phase;
	const char *client; /* NAME of a [client NAME] section; NULL: of no client */
	bool is_cached;	    /* by replies that an earlier job has logged */
	char *target, *text, *cure;
	size_t measured_at; /* offset in the text; 0: nothing was measured */
};

struct findings {
	struct finding *list;
	size_t count;
	/* of the findings that are added next */
	enum finding_phase phase;
	const char *client;
	bool is_cached;
};

/* Of a record: field.h. */
extern const struct field finding_fields[];

/* Append a finding with the formatted text, and return it. 'cure' may be NULL. */
struct finding *findings_add(struct findings *findings, const char *code,
			     enum finding_severity severity, const char *cure, const char *format,
			     ...) __attribute__((format(printf, 5, 6)));

/* Append measured values to the last finding's text. */
void findings_measured(struct findings *findings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append copies of all of 'more'. */
void findings_append(struct findings *findings, const struct findings *more);

bool findings_has(const struct findings *findings, const char *code);

/* Return the worst severity in the list; FINDING_INFO if it is empty. */
enum finding_severity findings_worst(const struct findings *findings);

void findings_free(struct findings *findings);

#endif
