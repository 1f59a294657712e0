/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer.h - carry finished runs from the store into slurmdbd
 *
 * Terms   round: take the runs that are due, at most WRITER_BATCH, merge the
 *           records of each, write the summaries with one look-up and one
 *           commit, note in the store what came of it.
 *         A row that has no account yet is looked at again after 5 s: Slurm
 *           before 23.02 may write it later than the job's end.
 *         A run whose row is not there yet is tried again after 2, 4, 8, ..
 *           3600 s, and when ACCT_PATIENCE_S is over; when slurmdbd cannot be
 *           reached the whole writer waits 2, 4, .. 60 s.
 *         Beside its summary each run's use (lib/tally.h) is kept.
 * Owner   struct writer is the caller's; what it points to is borrowed.
 * Errors  of slurmdbd are logged when they begin and when they end. A store
 *           that fails ends the process: the server starts it again.
 * Runs    ledger, a process of its own: libslurm may block or exit, and
 *           records must be taken meanwhile.
 */
#ifndef JOBIO_LEDGER_WRITER_H
#define JOBIO_LEDGER_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/err.h"
#include "ledger/metrics.h"
#include "ledger/acct.h"
#include "ledger/store.h"

#define WRITER_BATCH 256
#define WRITER_OPERATORS_S 600 /* to ask who they are */

struct writer {
	struct store *store;
	const struct config_ledger *config;
	const struct config_advice *advice; /* limits of it */
	struct acct_ops acct;
	/* state */
	unsigned int failures; /* of slurmdbd, one after the other */
	int64_t quiet_until;   /* do not try before */
	int64_t purged;	       /* when we last purged */
	int64_t operators_s;   /* when we last asked who they are */
	bool is_clock_ahead;   /* said so, and nothing is purged */
	struct metrics *metrics;
};

/* One round at time now_s. Returns the number of runs that were due, -1 when
 * the store failed; *next_s: when to come back. */
int writer_round(struct writer *writer, int64_t now_s, int64_t *next_s, struct err *err);

/* Rounds until 'wake_fd' is closed at its other end; a byte there means that
 * something is due now. */
int writer_run(struct writer *writer, int wake_fd, struct err *err);

#endif
