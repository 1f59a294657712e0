/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - counters of the ledger itself, in Prometheus' format
 *
 * Terms   metrics: counters since the server's start, in memory shared with the
 *           writer; each is updated by one of the two.
 *         text: Prometheus' exposition format 0.0.4. The number of lines is
 *           fixed: no label contains a job, a user or a node.
 * Owner   the creator: metrics_free() in both processes. The text is malloc'ed.
 * Errors  NULL and the reason in *err.
 * Runs    ledger.
 */
#ifndef JOBIO_LEDGER_METRICS_H
#define JOBIO_LEDGER_METRICS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "ledger/store.h"

/* Why a frame, request or record was refused. */
#define METRICS_REFUSALS(X)                                                                        \
	X(FRAME, "frame")     /* empty, too long, or another protocol */                           \
	X(CREDENTIAL, "seal") /* munged could not decode it */                                     \
	X(REQUEST, "request") /* unknown operation */                                              \
	X(USER, "user")	      /* put by a user that is not trusted */                              \
	X(RECORD, "record")   /* record that can never be accepted */

/* Why a connection was closed. */
#define METRICS_CLOSED(X)                                                                          \
	X(SLOW, "slow")	    /* frame incomplete or reply unread for too long */                    \
	X(IDLE, "idle")	    /* idle for too long */                                                \
	X(ROOM, "room")	    /* idle, and room was needed */                                        \
	X(MEMORY, "memory") /* too many bytes buffered */                                          \
	X(USER, "user")	    /* too many connections of its user */

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
	/* updated by the server */
	int64_t started_s;
	uint64_t received, duplicates;
	uint64_t gate_warned, gate_refused; /* tasks */
	uint64_t refused[METRICS_REFUSED_COUNT];
	uint64_t closed[METRICS_CLOSED_COUNT];
	uint64_t peers;
	uint64_t store_failures;
	uint64_t writer_starts;
	/* updated by the writer */
	uint64_t written, no_row, refused_by_slurmdbd, slurmdbd_failures;
	uint64_t slurmdbd_failing; /* consecutive failures */
	int64_t written_s;	   /* last write; 0: none since the start */
	/* operators of Slurm, from the writer to the server */
	uid_t operators[METRICS_OPERATORS_MAX];
	uint64_t operator_count;
};

/* Return zeroed metrics. *fd is for the writer, and may be closed. */
struct metrics *metrics_new(int *fd, struct err *err);
/* Map the server's metrics in the writer; if that fails, private memory. */
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

/* store_path: file of the store. */
char *metrics_text(const struct metrics *metrics, struct store *store, const char *store_path,
		   int64_t now_s, struct err *err);

#endif
