/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - what the ledger counts about itself, and how Prometheus reads it
 *
 * Terms   metrics: counters since the server's start, in memory that it shares
 *           with the writer; each is counted by one of the two.
 *         text: Prometheus' exposition format 0.0.4. The number of its lines
 *           is fixed: no label names a job, a user or a node.
 * Owner   the one who made them: metrics_free() in both processes. The text is
 *           malloc'ed.
 * Errors  NULL and the reason in *err.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_METRICS_H
#define JOBIO_LEDGER_METRICS_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "ledger/store.h"

/* Why something that a peer sent was refused. */
#define METRICS_REFUSALS(X)                                                                        \
	X(FRAME, "frame")     /* no bytes, or too many, or another protocol */                     \
	X(SEAL, "seal")	      /* munged did not open it */                                         \
	X(REQUEST, "request") /* not a question that the ledger knows */                           \
	X(USER, "user")	      /* a put by somebody who is not root */                              \
	X(RECORD, "record")   /* a record that can never be accepted */

/* Why a peer was hung up on. */
#define METRICS_CLOSED(X)                                                                          \
	X(SLOW, "slow")	    /* no whole frame in time */                                           \
	X(IDLE, "idle")	    /* silent for long */                                                  \
	X(ROOM, "room")	    /* silent, and others waited */                                        \
	X(MEMORY, "memory") /* too many bytes waited */                                            \
	X(USER, "user")	    /* its user has too many connections */

#define METRICS_REFUSED_ENUM(id, name) METRICS_REFUSED_##id,
enum metrics_refused {
	METRICS_REFUSALS(METRICS_REFUSED_ENUM) METRICS_REFUSED_COUNT
};
#define METRICS_CLOSED_ENUM(id, name) METRICS_CLOSED_##id,
enum metrics_closed {
	METRICS_CLOSED(METRICS_CLOSED_ENUM) METRICS_CLOSED_COUNT
};

#define METRICS_OPERATORS_MAX 256

struct metrics {
	/* the server's */
	int64_t started_s;
	uint64_t received, duplicates;
	uint64_t gate_warned, gate_refused; /* tasks */
	uint64_t refused[METRICS_REFUSED_COUNT];
	uint64_t closed[METRICS_CLOSED_COUNT];
	uint64_t peers;
	uint64_t store_failures;
	uint64_t writer_starts;
	/* the writer's */
	uint64_t written, no_row, refused_by_slurmdbd, slurmdbd_failures;
	uint64_t slurmdbd_failing; /* in a row */
	int64_t written_s;	   /* the last time, 0: not since the start */
	/* what the writer has learned of slurmdbd, for the server */
	uid_t operators[METRICS_OPERATORS_MAX];
	uint64_t operator_count;
};

/* All zero. *fd is for the writer, and may be closed. */
struct metrics *metrics_new(int *fd, struct err *err);
/* In the writer. Without the server's memory: some of its own. */
struct metrics *metrics_attach(int fd, struct err *err);
void metrics_free(struct metrics *metrics);

static inline void metrics_count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static inline void metrics_add(uint64_t *counter, int64_t more)
{
	if (more > 0)
		__atomic_fetch_add(counter, (uint64_t)more, __ATOMIC_RELAXED);
}

static inline void metrics_set(uint64_t *gauge, uint64_t value)
{
	__atomic_store_n(gauge, value, __ATOMIC_RELAXED);
}

/* store_path: where the store's files are. */
char *metrics_text(const struct metrics *metrics, struct store *store, const char *store_path,
		   int64_t now_s, struct err *err);

#endif
