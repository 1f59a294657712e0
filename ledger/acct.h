/* SPDX-License-Identifier: GPL-2.0-or-later */
/* acct.h - write summaries into the job table, through slurmdbd
 *
 * Terms   row: one run of a job in slurmdbd's job table. acct_job says which
 *           one is meant: raw job id, cluster, and when the run started.
 *         The right row: of those with this raw id and a time that holds ours,
 *           clocks may differ a little, the one that starts nearest to it.
 *           Array tasks, het components and requeued runs have a row each. A
 *           row that waits is never right: its start is an estimate. Where no
 *           time fits, for a clock that is minutes off: the row of the run's
 *           number, when it has ended; and for a run of which only an epilog
 *           told, some time after it was cancelled: the last that had ended.
 *         To be sure: slurmctld tells slurmdbd some time after it tells the
 *           nodes. Until the row of a requeued run is there, the one of the
 *           run before fits nearly as well. So a row has to have ended, our
 *           run must not start after that (or N rows before it are just its
 *           own number), and a run that was requeued N times needs N rows
 *           before its own. When that does not come true, the right row is
 *           taken all the same after ACCT_PATIENCE_S.
 *         The leader of an array has the array's id as its raw id. Its row
 *           stands for all tasks that wait and may carry the number of the
 *           first one (job_mgr.c:job_array_pre_sched, 22.05) until it ended:
 *           before that it is never right.
 *         The field: SystemComment, beside what others wrote (comment.h).
 *           AdminComment is neither read nor written.
 *         Lanes: what a change costs is mostly waiting, for slurmdbd and for
 *           MariaDB behind it, which is longer the more a host has to do. So
 *           a large batch goes over up to ACCT_LANES connections at once, the
 *           runs of a job always over the same.
 *         Written is what was found in its row after the commit.
 * Owner   struct acct holds the connections, made when they are first needed
 *           and again after an error.
 * Errors  every job of a batch gets a result of its own; -1 means that
 *           slurmdbd could not be asked at all (reason in *err): try later,
 *           all of them; to write what stands there already costs no change.
 * Runs    in the writer process only: libslurm blocks, and ends the process
 *           when slurm.conf cannot be read. Slurm 22.05 to 26.05.
 */
#ifndef JOBIO_LEDGER_ACCT_H
#define JOBIO_LEDGER_ACCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

#define ACCT_PATIENCE_S 120
#define ACCT_LANES 4
#define ACCT_NAME_MAX 256
#define ACCT_LANE_JOBS 16 /* so many more, one lane more */

enum acct_result {
	ACCT_WRITTEN,
	ACCT_NO_ROW, /* not there (yet) */
	ACCT_FAILED  /* there, but not changed; job->why tells */
};

struct acct_job {
	const char *cluster;
	uint32_t job;
	int64_t restart;   /* how often it was requeued; -1: not known */
	double start, end; /* of our run, seconds since 1970 */
	const char *text;  /* what to write */
	/* what comes back */
	enum acct_result result;
	int64_t array_job, array_task, het_job, het_offset; /* -1: none */
	char account[ACCT_NAME_MAX];			    /* "" unknown */
	struct err why;
};

/* What the writer uses; the benches have one of their own. */
struct acct_ops {
	int (*write)(void *acct, struct acct_job *jobs, size_t count, struct err *err);
	/* NULL: nobody asks */
	int (*operators)(void *acct, uid_t *uids, size_t max, struct err *err);
	void *acct;
};

struct acct;

struct acct *acct_new(void);
void acct_free(struct acct *acct);
int acct_write(void *acct, struct acct_job *jobs, size_t count, struct err *err);

/* Users of this host that are operators or administrators of Slurm; their number
 * or -1. */
int acct_operators(void *acct, uid_t *uids, size_t max, struct err *err);

#endif
