/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - the table of rules: a row is a code
 *
 * Terms   trust, cure: what they are unless the check says otherwise.
 *         source: where the threshold was measured.
 *         is_once: of the whole job, not of each filesystem; asked of the one
 *           that it moved most on.
 * Owner   the table is constant.
 * Errors  none.
 * Runs    advice. A new row: a check in calls.c, course.c or setup.c, an
 *         entry in man/jobio-advice.7, rows in tests/cases/advice.cases.
 */
#ifndef JOBIO_ADVICE_RULES_H
#define JOBIO_ADVICE_RULES_H

#include <stdbool.h>

#include "advice/terms.h"
#include "advice/view.h"

struct rule {
	const char *code; /* NULL: the end of the table */
	enum advice_trust trust;
	bool is_once;
	bool (*check)(const struct view *v, struct advice *a);
	const char *cure, *source;
};

extern const struct rule rules[];

#endif
