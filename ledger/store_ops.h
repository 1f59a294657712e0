/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_ops.h - what a database must be able to do to be the ledger's store
 *
 * Terms   store_ops: one function for each of store.h, the same contract; what
 *           it is called with is not NULL. The other words are store.h's.
 * Owner   struct store is the first member of the database's own struct, which
 *           .close frees. Texts of a store_run belong to it.
 * Runs    ledger; nobody but store.c calls these.
 */
#ifndef JOBIO_LEDGER_STORE_OPS_H
#define JOBIO_LEDGER_STORE_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/err.h"
#include "lib/record.h"

#define STORE_SLOP_S 10
#define STORE_SKEW_S 300 /* MUNGE refuses more: its credentials live so long */
#define STORE_CLAIM_S 150

struct store;

enum store_dirt {
	STORE_CLEAN,
	STORE_DIRTY,
	STORE_AGAIN
};

struct store_run {
	int64_t id, version;
	char *cluster, *summary, *error; /* summary, error: may be NULL */
	char *judged;			 /* advice_text(); NULL: not yet */
	uint32_t job, uid;
	int64_t restart;	       /* RECORD_UNKNOWN */
	int64_t array_job, array_task; /* RECORD_UNKNOWN */
	int64_t het_job, het_offset;   /* RECORD_UNKNOWN */
	double first, last;	       /* first start, last end */
	int64_t nodes_seen, nodes_expected;
	int64_t tries, next_try, written; /* written: when, 0 never */
	enum store_dirt dirty;
};

/* Runs without an up-to-date summary in slurmdbd. */
struct store_backlog {
	int64_t for_nodes, for_writer, for_retry;
	double oldest; /* when the run ended that waits longest; 0: none */
};

enum store_part {
	STORE_JOB,
	STORE_ARRAY_TASK,
	STORE_HET_COMPONENT
};

/* Which runs: of a job by its raw id; or by array and task, or het job and
 * offset. */
struct store_wanted {
	enum store_part kind;
	uint32_t job;
	int64_t part;	     /* RECORD_UNKNOWN: one run of each */
	const char *cluster; /* in any case; NULL: of all that there are */
};

typedef int (*store_fn)(const char *text, size_t size, void *arg, struct err *err);

void store_run_free(struct store_run *run);

/* Where a use is in the order of their ends. */
struct store_place {
	int64_t ended_s, id;
};
typedef int (*store_use_fn)(const struct store_place *place, const char *text, void *arg,
			    struct err *err);

struct store_ops {
	void (*close)(struct store *store);
	int (*begin)(struct store *store, struct err *err);
	int (*commit)(struct store *store, struct err *err);
	void (*rollback)(struct store *store);
	int (*put)(struct store *store, const struct record *record, const char *text, size_t size,
		   int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err);
	int (*due)(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
		   struct err *err);
	int (*run_load)(struct store *store, int64_t id, struct store_run *run, struct err *err);
	int (*records_after)(struct store *store, int64_t id, const char *node, store_fn fn,
			     void *arg, struct err *err);
	int (*done)(struct store *store, const struct store_run *run, const char *summary,
		    int64_t now_s, int64_t again_s, struct err *err);
	int (*later)(struct store *store, int64_t id, const char *summary, int64_t next_try,
		     const char *why, struct err *err);
	int (*find)(struct store *store, const struct store_wanted *wanted, int64_t *ids, int max,
		    struct err *err);
	int (*use_put)(struct store *store, int64_t id, int64_t ended_s, const char *text,
		       struct err *err);
	int (*uses)(struct store *store, const struct store_place *after, int64_t until_s, int max,
		    store_use_fn fn, void *arg, struct err *err);
	int64_t (*newest)(struct store *store, int64_t now_s, struct err *err);
	int (*purge)(struct store *store, int64_t before_s, int64_t now_s, int max,
		     struct err *err);
	int (*backlog)(struct store *store, int64_t now_s, struct store_backlog *backlog,
		       struct err *err);
};

struct store {
	const struct store_ops *ops;
};

struct store *store_sqlite_open(const char *path, struct err *err);
struct store *store_mariadb_open(const struct config_ledger *config, struct err *err);

#endif
