/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_ops.h - operations of a database, for the ledger's store
 *
 * Terms   statement: constant SQL that both databases accept (SQLite 3.26, MariaDB 10.5 and
 *           later), with parameters ?1, ?2, .. The words that differ are tables by dialect in
 *           store_schema.c and store_put.c. store.h defines the other terms.
 * Owner   struct store is the first member of the database's own struct, which
 *           .close frees.
 * Errors  -1, the reason in *err.
 * Runs    ledger; called by files named store_*.c, and store.c.
 */
#ifndef JOBIO_LEDGER_STORE_OPS_H
#define JOBIO_LEDGER_STORE_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/store_row.h"
#include "record/record.h"

#define STORE_CLAIM_S 150

struct store;

/* Runs without an up-to-date summary in slurmdbd. */
struct store_backlog {
	int64_t for_nodes, for_writer, for_retry;
	double oldest; /* end of the run that waits longest; 0: none */
};

enum store_job_kind {
	STORE_JOB,
	STORE_ARRAY_TASK,
	STORE_HET_COMPONENT
};

/* Selects runs: of a job by its raw ID; or by array and task, or het job and offset. */
struct store_selector {
	enum store_job_kind kind;
	uint32_t job;
	int64_t component;   /* or array task; RECORD_UNKNOWN: one run of each */
	const char *cluster; /* in any case; NULL: any cluster */
};

typedef int (*store_fn)(const char *text, size_t size, void *arg, struct err *err);

/* Parameter ?1, ?2, .. of a statement; texts are bytes. */
struct value {
	enum {
		VALUE_NULL,
		VALUE_NUMBER,
		VALUE_REAL,
		VALUE_BYTES
	} kind;
	int64_t number;
	double real;
	const char *bytes;
	size_t size;
};

static inline struct value value_number(int64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = number };
}

/* NULL below 0 */
static inline struct value value_known(int64_t number)
{
	return number < 0 ? (struct value){ .kind = VALUE_NULL } : value_number(number);
}

static inline struct value value_real(double real)
{
	return (struct value){ .kind = VALUE_REAL, .real = real };
}

static inline struct value value_bytes(const char *bytes, size_t size)
{
	return (struct value){ .kind = VALUE_BYTES, .bytes = bytes, .size = size };
}

/* NULL for NULL */
static inline struct value value_text(const char *text)
{
	return text ? value_bytes(text, strlen(text)) : (struct value){ .kind = VALUE_NULL };
}

/* When a record was received, and the time to wait for other nodes. */
struct store_times {
	int64_t now_s;
	unsigned int grace_s;
};

struct locked_run;

struct store_ops {
	void (*close)(struct store *store);
	int (*begin)(struct store *store, struct err *err);
	int (*commit)(struct store *store, struct err *err);
	void (*rollback)(struct store *store);

	/* Call query(), then row() for one row after the other: 1, 0 at their end, -1; end() to
	 * stop before that. Columns count from 0, and are valid until the next row: numbers are
	 * RECORD_UNKNOWN for NULL, texts NULL. */
	int (*query)(struct store *store, const char *sql, const struct value *values,
		     struct err *err);
	int (*row)(struct store *store, struct err *err);
	void (*end)(struct store *store);
	int64_t (*number)(struct store *store, int column);
	double (*real)(struct store *store, int column);
	const char *(*text)(struct store *store, int column, size_t *size);
	/* Return rows changed, or -1. *id (may be NULL): of the new row. */
	int (*run)(struct store *store, const char *sql, const struct value *values, int64_t *id,
		   struct err *err);

	/* MariaDB repeats the transaction after a clash with another ledger. settle: connect, and
	 * store_flush(). put: store_put_record(). change: run(), alone or in a transaction. */
	int (*settle)(struct store *store, struct err *err);
	int (*put)(struct store *store, const struct record *record, const char *text, size_t size,
		   const struct store_times *times, int64_t *due, struct err *err);
	int (*change)(struct store *store, const char *sql, const struct value *values,
		      struct err *err);
};

enum store_dialect {
	STORE_SQLITE,
	STORE_MARIADB,
	STORE_DIALECTS
};

struct store {
	const struct store_ops *ops;
	enum store_dialect dialect;
	const char *claim_name;	 /* of this ledger; NULL: the store has no other */
	struct locked_run *runs; /* of the open transaction, by store_put_record() */
	size_t run_count;
};

#endif
