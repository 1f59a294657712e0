/* SPDX-License-Identifier: GPL-2.0-or-later */
/* types.h - one advice: the numbers of a rule; the report adds the sentences
 *
 * Terms   advice.h defines the terms.
 *         kind: selects one of several cures of a code; "": it has one.
 *         option: what to change at the next submission, if that is the cure; other cures
 *           are in the job's script, or an administrator's.
 *         number: its key ends with its unit: _bytes, _s, _us, _Bps, _share; none: a count.
 * Owner   code, kind, class, error and keys are constants.
 * Errors  none. Numbers that do not fit are left out.
 * Runs    advice, report.
 */
#ifndef JOBIO_ADVICE_TYPES_H
#define JOBIO_ADVICE_TYPES_H

#include <stddef.h>

#define ADVICE_NUMBERS 16

enum view_by {
	VIEW_BY_CALLS, /* estimated from calls and bytes */
	VIEW_BY_CLIENT,
	VIEW_BY_KERNEL
};

enum advice_confidence {
	ADVICE_PERHAPS, /* the record fits another cause too */
	ADVICE_LIKELY,	/* estimated from the number of calls */
	ADVICE_SURE	/* measured, or a fact */
};

enum advice_option {
	ADVICE_NO_OPTION,
	ADVICE_CORES,	  /* --io-cores='cores' */
	ADVICE_NO_CORES,  /* without --io-cores */
	ADVICE_CACHED,	  /* a profile with a cache, or none */
	ADVICE_DIRECT,	  /* a profile that bypasses it */
	ADVICE_EXCLUSIVE, /* --exclusive */
	ADVICE_EXCLUDE	  /* --exclude='node' */
};

struct advice_number {
	const char *key;
	double value;
};

struct advice {
	const char *code, *kind;
	const char *class; /* of calls: read, write, meta, sync, close, mapped, async; or "" */
	const char *error; /* "EDQUOT"; NULL: none */
	enum advice_confidence confidence;
	enum view_by by; /* source of the time */
	double share;	 /* of the processes' lifetime, or of the run if that is unknown; 0 to 1 */
	enum advice_option option;
	unsigned int cores;
	char node[256], profile[256];
	char fs[256]; /* mount point; "": the whole job */
	struct advice_number numbers[ADVICE_NUMBERS];
	size_t number_count;
};

#endif
