/* SPDX-License-Identifier: GPL-2.0-or-later */
/* acct.h - write summaries to slurmdbd's job table
 *
 * Terms   row: one run of a job in slurmdbd's job table. acct_job identifies it
 *           by raw job ID, cluster, and start of the run.
 *         Choice of the row: of those with this raw ID and a time that includes
 *           the run's, within SKEW_S, the one with the nearest start. Array
 *           tasks, het components and requeued runs have a row each. Pending
 *           rows are skipped: their start is an estimate. If no time fits,
 *           because a clock is minutes off: the row at the run's restart count,
 *           if it has ended. For a run with an epilog only, some time after it
 *           was cancelled: the last row that had ended.
 *         Certainty: slurmctld updates slurmdbd some time after the nodes. Until
 *           the row of a requeued run is there, that of the run before fits
 *           nearly as well. So a row must have ended, the run must not start
 *           after that (unless exactly N rows precede it), and a run that was
 *           requeued N times needs N rows before its own. After ACCT_WAIT_S
 *           the best row is used without this.
 *         Array leader: its raw ID is the array's ID. Its row stands for all
 *           pending tasks and may have the number of the first one
 *           (job_mgr.c:job_array_pre_sched, 22.05) until it has ended; before
 *           that it is skipped.
 *         Field: SystemComment; text of others in it is kept (comment.h).
 *           AdminComment is neither read nor written.
 *         Lanes: a change mostly waits for slurmdbd and its MariaDB, longer on a
 *           loaded host. A large batch uses up to ACCT_LANES connections in
 *           parallel, and the same one for all runs of a job.
 *         Written: found in the row after the commit.
 * Owner   struct acct holds the connections, opened when first needed and again
 *           after an error.
 * Errors  every job of a batch has its own result; -1: slurmdbd is not reachable
 *           (reason in *err): retry the whole batch later; a summary that is in
 *           its row already costs no change.
 * Runs    writer process only: libslurm blocks, and exits if slurm.conf cannot
 *           be read. Slurm 22.05 to 26.05.
 */
#ifndef JOBIO_LEDGER_ACCT_H
#define JOBIO_LEDGER_ACCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define ACCT_WAIT_S 120
#define ACCT_LANES 4
#define ACCT_NAME_MAX 256
#define ACCT_LANE_JOBS 16 /* jobs for each further lane */

enum acct_result {
	ACCT_WRITTEN,
	ACCT_NO_ROW, /* not there (yet) */
	ACCT_FAILED  /* there, but not changed; reason in job->why */
};

struct acct_job {
	const char *cluster;
	uint32_t job;
	int64_t restart;   /* number of requeues; -1: unknown */
	double start, end; /* of the run, seconds since 1970 */
	const char *text;  /* summary to write */
	/* results */
	enum acct_result result;
	int64_t array_job, array_task, het_job, het_offset; /* -1: none */
	char account[ACCT_NAME_MAX];			    /* "" unknown */
	struct err why;
};

/* Functions that the writer calls; the benchmarks have their own. */
struct acct_ops {
	int (*write)(void *acct, struct acct_job *jobs, size_t count, struct err *err);
	/* NULL: not available */
	int (*operators)(void *acct, uid_t *uids, size_t max, struct err *err);
	void *acct;
};

struct acct;

struct acct *acct_new(void);
void acct_free(struct acct *acct);
int acct_write(void *acct, struct acct_job *jobs, size_t count, struct err *err);

/* Set [uids] to the users of this host that are operators or administrators of Slurm. Return their
 * number, or -1. */
int acct_operators(void *acct, uid_t *uids, size_t max, struct err *err);

#endif
