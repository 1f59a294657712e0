/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.h - what to change about a job, from what its records say
 *
 * Terms   advice: what was seen, with the job's numbers; why it matters, with
 *           the threshold; the cure, a line to type; how sure; where the
 *           threshold was measured. jobio-advice(7) has every code.
 *         judged: there is enough to judge: numbers of the job alone, of a
 *           client's filesystem, and of enough seconds, bytes or calls.
 *         value: the share of the job's time that is at stake, in percent:
 *           measured where latency is counted, else estimated.
 *         whole: the records are those of all nodes of the job.
 * Owner   advice_free(), NULL allowed; the texts hang on the list.
 * Errors  none.
 * Runs    jobio report; any user. Records may come from anybody: nothing in
 *           them is more than a number or a text here.
 */
#ifndef JOBIO_ADVICE_ADVICE_H
#define JOBIO_ADVICE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/terms.h"
#include "lib/config.h"
#include "lib/record.h"

#define ADVICE_MAX 64 /* those that come later are not told */

struct advice_list {
	bool is_judged;
	struct advice list[ADVICE_MAX]; /* the most valuable first */
	size_t count;
};

struct advice_list *advice_new(struct record *const *records, size_t count, bool is_whole,
			       const struct config_advice *limits);
void advice_free(struct advice_list *advice);

/* "perhaps", "likely", "sure" */
const char *advice_trust_name(enum advice_trust trust);
/* What its row says to do; a job's own advice may say more. NULL: no such code. */
const char *advice_cure(const char *code);

#endif
