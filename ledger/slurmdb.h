/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmdb.h - write summaries into the job table, through slurmdbd
 *
 * Terms   row: one run of a job in slurmdbd's job table. acct_job says which
 *           one is meant: raw job id, cluster, and when the run started.
 *         The right row: of those with this raw id the one whose time from
 *           start to end holds ours, the latest start first. Array tasks, het
 *           components and requeued runs have a row each; the leader of an
 *           array, whose raw id is the array's id, is one row among them. It
 *           stands for all tasks that wait and may still carry the number of
 *           the first one (job_mgr.c:job_array_pre_sched, 22.05), so it is
 *           only right once it has ended. The start of a row that waits is an
 *           estimate: it is never right.
 *         The field: SystemComment; or, when the site asked for AdminComment,
 *           the JS1 in there (js1.h) and SystemComment where there is none.
 * Owner   struct acct holds one connection, made when it is first needed and
 *           again after an error.
 * Errors  every job of a batch gets a result of its own; -1 means that
 *           slurmdbd could not be asked at all (reason in *err): try later.
 * Runs    in the writer process only: libslurm blocks, and ends the process
 *           when slurm.conf cannot be read. Slurm 20.11 to 26.05.
 */
#ifndef JOBIO_SLURMDB_H
#define JOBIO_SLURMDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "err.h"

enum acct_result {
	ACCT_WRITTEN,
	ACCT_NO_ROW, /* not there (yet) */
	ACCT_FAILED  /* there, but not changed; job->why tells */
};

struct acct_job {
	const char *cluster;
	uint32_t job;
	double start, end; /* of our run, seconds since 1970 */
	const char *text;  /* what to write */
	/* what comes back */
	enum acct_result result;
	int in_admin; /* it stands in AdminComment */
	int64_t array_job, array_task, het_job, het_offset; /* -1: none */
	struct err why;
};

/* What the writer uses; the tests have one of their own. */
struct acct_ops {
	int (*write)(void *acct, struct acct_job *jobs, size_t count,
		     struct err *err);
	void *acct;
};

struct acct;

/* Can AdminComment be changed? Since Slurm 22.05. */
int acct_knows_admin(void);

struct acct *acct_new(enum ledger_field field, struct err *err);
void acct_free(struct acct *acct);
int acct_write(void *acct, struct acct_job *jobs, size_t count,
	       struct err *err);

/* A row as far as the choice needs it, and the choice: its index or -1. */
struct acct_row {
	uint32_t job;
	int64_t start, end; /* 0: not yet */
	bool waits, leader; /* is pending; is the leader of an array */
};
int acct_choose(const struct acct_row *rows, size_t count, uint32_t job,
		double start, double end);

#endif
