/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - table of rules, one row for each code
 *
 * Terms   confidence: default, which the check may change.
 *         is_once: checked once for the job, on the filesystem that moved the most bytes,
 *           instead of for each filesystem.
 *         when: RULE_LARGE: only if the kernel measured no times, or if I/O took a share
 *           worth a change; timed.c has the rules about times of calls.
 *           RULE_ALWAYS: refusals and reserved cores.
 * Owner   the table is constant.
 * Errors  none.
 * Runs    advice. A new row needs a check in calls.c, setup.c, timed.c or timing.c, words in
 *         report/advice.words, an entry in man/jobio-advice.7, and rows in
 *         tests/cases/advice.cases.
 */
#ifndef JOBIO_ADVICE_RULES_H
#define JOBIO_ADVICE_RULES_H

#include <stdbool.h>

#include "advice/types.h"
#include "advice/view.h"

enum rule_when {
	RULE_LARGE,
	RULE_ALWAYS
};

struct rule {
	const char *code; /* NULL: end of the table */
	enum advice_confidence confidence;
	bool is_once;
	enum rule_when when;
	bool (*check)(const struct view *v, struct advice *a);
};

extern const struct rule rules[];

#endif
