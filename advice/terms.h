/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terms.h - one advice, as rules fill it in and a report prints it
 *
 * Terms   advice.h explains the words.
 *         option: what the next submission would say, where the cure is that;
 *           the others are in the job's script, or an administrator's.
 * Owner   code and source are of the table of rules, and constant.
 * Errors  none. A text that is too long is cut.
 * Runs    advice, report.
 */
#ifndef JOBIO_ADVICE_TERMS_H
#define JOBIO_ADVICE_TERMS_H

enum advice_trust {
	ADVICE_PERHAPS, /* the record cannot tell this from something else */
	ADVICE_LIKELY,	/* estimated from the number of calls */
	ADVICE_SURE	/* measured, or a fact */
};

enum advice_option {
	ADVICE_NO_OPTION,
	ADVICE_CORES,	  /* --io-cores of so many: 'cores' */
	ADVICE_NO_CORES,  /* without --io-cores */
	ADVICE_CACHED,	  /* a profile with a cache, or none */
	ADVICE_DIRECT,	  /* a profile that goes around it */
	ADVICE_EXCLUSIVE, /* --exclusive */
	ADVICE_WITHOUT	  /* not this node: 'node' */
};

struct advice {
	const char *code, *source;
	enum advice_trust trust;
	unsigned int value;
	enum advice_option option;
	unsigned int cores;
	char node[256];
	char fs[256]; /* mount point; "": of the whole job */
	char what[256], why[256], cure[256];
};

#endif
