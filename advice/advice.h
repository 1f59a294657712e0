/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.h - advice on how to change a job, derived from its run
 *
 * Terms   advice: a code, the filesystem and class of calls, their share, and numbers of
 *           the job. jobio-advice(7) lists the codes; the report adds the sentences.
 *         judged: the records suffice: counters of this job only, on a client's
 *           filesystem, and enough seconds, bytes or calls.
 *         usage: of one such filesystem: I/O time as a share of the processes' lifetime, by
 *           class, and of the slowest process. Measured by the kernel; or by the client,
 *           with requests that may overlap; or estimated from the number of calls.
 *         share of the job: I/O time on all these filesystems by lifetime of its processes.
 *         reason: why there is no advice.
 * Owner   the list is malloc'ed; its texts belong to it.
 * Errors  none.
 * Runs    ledger, report. Records may be forged: their contents are used as numbers and
 *         text only.
 */
#ifndef JOBIO_ADVICE_ADVICE_H
#define JOBIO_ADVICE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/types.h"
#include "base/config.h"
#include "record/run.h"

#define ADVICE_MAX 64 /* further advice is dropped */
#define ADVICE_USAGES 16
#define ADVICE_CLASSES 7 /* those of io.h, and asynchronous I/O */

struct advice_usage {
	char fs[256], type[32];
	enum view_by by;
	double share, slowest;		/* < 0: unknown */
	double classes[ADVICE_CLASSES]; /* of the same lifetime; unknown ones are 0 */
};

enum advice_reason {
	ADVICE_GIVEN,
	ADVICE_NOTHING,	  /* no rule matched */
	ADVICE_LITTLE,	  /* I/O took less than the least share worth a change */
	ADVICE_CACHED_IO, /* the page cache served what took time */
	ADVICE_SHORT,	  /* too few seconds, bytes and calls */
	ADVICE_ALL_FILES, /* the counters cover all files together */
	ADVICE_NODE_WIDE, /* the counters cover all jobs on the node */
	ADVICE_NO_NUMBERS
};

struct advice_list {
	bool is_judged;
	enum advice_reason reason;
	double share, slowest; /* of the job; < 0: unknown */
	struct advice_usage usages[ADVICE_USAGES];
	size_t usage_count;
	struct advice list[ADVICE_MAX]; /* most valuable first */
	size_t count;
};

struct advice_list *advice_new(const struct run *run, const struct config_advice *limits);

/* Return one JSON object, malloc'ed: stored by the ledger with the run, sent as "judged". */
char *advice_text(const struct advice_list *advice, const struct config_advice *limits);

#endif
