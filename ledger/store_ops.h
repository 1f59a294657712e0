/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_ops.h - operations that a database provides to the ledger's store
 *
 * Terms   store_ops: functions of store.h, with the same contract, where databases differ,
 *           and statements, from which store.c makes the others. Arguments are not NULL.
 *           store.h defines the other terms.
 *         dialect: differences in the statements of store.c.
 * Owner   struct store is the first member of the database's own struct, which
 *           .close frees.
 * Runs    ledger; called by store.c and the databases' files only.
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

struct store_ops {
	void (*close)(struct store *store);
	int (*begin)(struct store *store, struct err *err);
	int (*commit)(struct store *store, struct err *err);
	void (*rollback)(struct store *store);
	int (*put)(struct store *store, const struct record *record, const char *text, size_t size,
		   int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err);
	int (*due)(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
		   struct err *err);
	int (*purge)(struct store *store, int64_t before_s, int64_t now_s, int max,
		     struct err *err);

	/* Statements are constants. Call query(), then row() for one row after the other: 1, 0 at
	 * their end, -1; end() to stop before that. Columns count from 0, and are valid until the
	 * next row: numbers are RECORD_UNKNOWN for NULL, texts NULL. */
	int (*query)(struct store *store, const char *sql, const struct value *values,
		     struct err *err);
	int (*row)(struct store *store, struct err *err);
	void (*end)(struct store *store);
	int64_t (*number)(struct store *store, int column);
	double (*real)(struct store *store, int column);
	const char *(*text)(struct store *store, int column, size_t *size);
	/* Return rows changed, or -1. */
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
};

struct store *store_sqlite_open(const char *path, struct err *err);
struct store *store_mariadb_open(const struct config_ledger *config, struct err *err);

/* ---- shared by both, in store.c --------------------------------------------- */

/* Set [ids] to the first column of each row, at most 'max'. Return their number or -1. */
int store_list_ids(struct store *store, const char *sql, const struct value *values, int64_t *ids,
		   int max, struct err *err);

/* Columns of a row, for store_read_row(), which sets [row]. */
#define STORE_ROW_COLUMNS                                                                          \
	"id, version, cluster, job, uid, restart, array_job, array_task, het_job, het_offset, first, last, nodelist, nodes_seen, nodes_expected, dirty, tries, next_try, written, summary, error, brief"
#define STORE_ROW_COLUMN_COUNT 22
void store_read_row(struct store *store, struct store_row *row);

#define STORE_ROW_VALUES 13
extern const char store_update_run[];
void store_row_values(const struct store_row *row, struct value values[STORE_ROW_VALUES]);

#endif
