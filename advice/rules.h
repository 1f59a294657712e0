/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - the table of rules: a row is a code
 *
 * Terms   trust: what it is unless the check says otherwise.
 *         is_once: of the whole job, not of each filesystem; asked of the one
 *           that it moved most on.
 *         when: large: only where the kernel measured no times, or I/O took a share
 *           that is worth it; timed.c has what
 *           explains the times of calls. always: refusals and reserved cores.
 * Owner   the table is constant.
 * Errors  none.
 * Runs    advice. A new row: a check in calls.c, course.c, setup.c or timed.c, words in
 *         report/advice.words, an entry in man/jobio-advice.7, rows in
 *         tests/cases/advice.cases.
 */
#ifndef JOBIO_ADVICE_RULES_H
#define JOBIO_ADVICE_RULES_H

#include <stdbool.h>

#include "advice/terms.h"
#include "advice/view.h"

enum rule_when {
	RULE_LARGE,
	RULE_ALWAYS
};

struct rule {
	const char *code; /* NULL: the end of the table */
	enum advice_trust trust;
	bool is_once;
	enum rule_when when;
	bool (*check)(const struct view *v, struct advice *a);
};

extern const struct rule rules[];

#endif
