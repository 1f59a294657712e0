/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_ops.h - what a database must be able to do to be the ledger's store
 *
 * Terms   store_ops: one function for each of store.h, the same contract; what
 *           it is called with is not NULL.
 * Owner   struct store is the first member of the database's own struct, which
 *           .close frees.
 * Runs    ledger; nobody but store.c calls these.
 */
#ifndef JOBIO_LEDGER_STORE_OPS_H
#define JOBIO_LEDGER_STORE_OPS_H

#include "ledger/store.h"

struct store_ops {
	void (*close)(struct store *store);
	int (*begin)(struct store *store, struct err *err);
	int (*commit)(struct store *store, struct err *err);
	void (*rollback)(struct store *store);
	int (*put)(struct store *store, const struct record *record,
		   const char *text, size_t size, int64_t now_s,
		   unsigned int grace_s, int64_t *due, struct err *err);
	int (*due)(struct store *store, int64_t now_s, int64_t *ids, int max,
		   int64_t *next, struct err *err);
	int (*run_load)(struct store *store, int64_t id, struct store_run *run,
			struct err *err);
	int (*records_after)(struct store *store, int64_t id, const char *node,
			     store_fn fn, void *arg, struct err *err);
	int (*done)(struct store *store, const struct store_run *run,
		    const char *summary, int64_t now_s, int64_t again_s,
		    struct err *err);
	int (*later)(struct store *store, int64_t id, const char *summary,
		     int64_t next_try, const char *why, struct err *err);
	int (*find)(struct store *store, enum store_part kind, uint32_t job,
		    int64_t part, int64_t *ids, int max, struct err *err);
	int (*reason_put)(struct store *store,
			  const struct store_reason *reason, int64_t next_try,
			  struct err *err);
	int (*reason_forget)(struct store *store, const char *cluster,
			     const char *node, int64_t time, struct err *err);
	int (*reason_later)(struct store *store,
			    const struct store_reason *reason, int64_t next_try,
			    struct err *err);
	int (*reasons_due)(struct store *store, int64_t now_s,
			   struct store_reason *reasons, int max, int64_t *next,
			   struct err *err);
	int (*use_put)(struct store *store, int64_t id, int64_t ended_s,
		       const char *text, struct err *err);
	int (*unused)(struct store *store, int64_t *ids, int max,
		      struct err *err);
	int (*unused_forget)(struct store *store, int64_t id, struct err *err);
	int64_t (*unused_count)(struct store *store, struct err *err);
	int (*uses)(struct store *store, const struct store_place *after,
		    int64_t until_s, store_use_fn fn, void *arg,
		    struct err *err);
	int (*purge)(struct store *store, int64_t before_s, int64_t now_s,
		     int max, struct err *err);
	int (*backlog)(struct store *store, int64_t now_s,
		       struct store_backlog *backlog, struct err *err);
	int (*count)(struct store *store, struct store_counts *counts,
		     struct err *err);
};

struct store {
	const struct store_ops *ops;
};

struct store *store_sqlite_open(const char *path, struct err *err);

#endif
