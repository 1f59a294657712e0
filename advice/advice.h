/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.h - what to change about a job, from what its records say
 *
 * Terms   advice: a code, the filesystem and class of calls, their share, and numbers of
 *           the job. jobio-advice(7) has every code; sentences are the report's.
 *         judged: there is enough to judge: numbers of the job alone, of a
 *           client's filesystem, and of enough seconds, bytes or calls.
 *         use: of one such filesystem: the share of the processes' life in I/O there, by
 *           class, and of the slowest process. Measured by the kernel; or by the client,
 *           of whose requests several can be on their way at a time; or estimated from
 *           the number of calls.
 *         share of the job: time on all these filesystems by the life of its processes.
 *         silence: why there is no advice.
 *         whole: the records are those of all nodes of the job.
 * Owner   advice_free(), NULL allowed; the texts hang on the list.
 * Errors  none.
 * Runs    ledger, report. Records may come from anybody: nothing in them is more than a
 *           number or a text here.
 */
#ifndef JOBIO_ADVICE_ADVICE_H
#define JOBIO_ADVICE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/terms.h"
#include "lib/config.h"
#include "lib/record.h"

#define ADVICE_MAX 64 /* those that come later are not told */
#define ADVICE_USES 16
#define ADVICE_CLASSES 7 /* those of io.h, and asynchronous */

struct advice_use {
	char fs[256], type[32];
	enum view_by by;
	double share, slowest;		/* < 0: unknown */
	double classes[ADVICE_CLASSES]; /* of the same life; unknown ones are 0 */
};

enum advice_silence {
	ADVICE_TOLD,
	ADVICE_NOTHING,	  /* nothing that rules know */
	ADVICE_LITTLE,	  /* I/O took less than a share that is worth it */
	ADVICE_CACHED_IO, /* what took time came from the page cache */
	ADVICE_SHORT,	  /* not enough seconds, bytes and calls */
	ADVICE_ALL_FILES, /* numbers are of all files together */
	ADVICE_NODE_WIDE, /* numbers are of all jobs on the node */
	ADVICE_NO_NUMBERS
};

struct advice_list {
	bool is_judged;
	enum advice_silence silence;
	double share, slowest; /* of the job; < 0: unknown */
	struct advice_use uses[ADVICE_USES];
	size_t use_count;
	struct advice list[ADVICE_MAX]; /* the most valuable first */
	size_t count;
};

struct advice_list *advice_new(struct record *const *records, size_t count, bool is_whole,
			       const struct config_advice *limits);
void advice_free(struct advice_list *advice);

/* One JSON object, malloc'ed: what the ledger keeps of a run, and answers as "judged". */
char *advice_text(const struct advice_list *advice, const struct config_advice *limits);

/* "perhaps", "likely", "sure" */
const char *advice_trust_name(enum advice_trust trust);

#endif
