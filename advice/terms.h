/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terms.h - one advice, as rules fill it in and a report prints it
 *
 * Terms   advice.h explains the words.
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

struct advice {
	const char *code, *source;
	enum advice_trust trust;
	unsigned int value;
	char fs[256]; /* mount point; "": of the whole job */
	char what[256], why[256], cure[256];
};

#endif
