/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer.h - write the summaries of finished runs to slurmdbd
 *
 * Terms   round: select the runs that are due, at most WRITER_BATCH, merge the
 *           records of each, write the summaries with one look-up and one
 *           commit, store the results.
 *         A row without an account is read again after 5 s: Slurm before 23.02
 *           may write it later than the job's end.
 *         A run without a row is retried after 2, 4, 8, .. 3600 s, and when
 *           ACCT_WAIT_S is over; if slurmdbd is not reachable the whole
 *           writer waits 2, 4, .. 60 s.
 *         The sums of each run (ledger/store_site.h) are stored beside its summary.
 *         Every hour old runs are purged, and the sums of past days made.
 * Owner   struct writer belongs to the caller; what it points to is borrowed.
 * Errors  of slurmdbd are logged when they begin and when they end. If the store
 *           fails the process ends: the server starts it again.
 * Runs    ledger, a process of its own: libslurm may block or exit while records
 *           are received.
 */
#ifndef JOBIO_LEDGER_WRITER_H
#define JOBIO_LEDGER_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/acct.h"
#include "ledger/metrics.h"
#include "ledger/store.h"

#define WRITER_BATCH 256
#define WRITER_OPERATORS_S 600 /* between two queries for them */

struct writer {
	struct store *store;
	const struct config_ledger *config;
	const struct config_advice *advice; /* its limits */
	struct acct_ops acct;
	/* state */
	unsigned int failures; /* of slurmdbd, consecutive */
	int64_t retry_s;       /* no attempt before */
	int64_t purged;	       /* time of the last purge */
	int64_t operators_s;   /* time of the last query for operators */
	bool is_clock_ahead;   /* logged, and nothing is purged */
	struct metrics *metrics;
};

/* Run one round at time now_s. Return the number of runs that were due, -1 if the store failed;
 * *next_s: time of the next round. */
int writer_round(struct writer *writer, int64_t now_s, int64_t *next_s, struct err *err);

/* Run rounds until 'wake_fd' is closed at its other end; a byte there means that something is due
 * now. */
int writer_run(struct writer *writer, int wake_fd, struct err *err);

#endif
