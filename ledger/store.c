/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store.h"

#include <string.h>

struct store *store_open(const struct config_ledger *config, struct err *err)
{
	if (strcmp(config->store, CONFIG_MARIADB) != 0)
		return store_sqlite_open(config->store, err);
#ifdef HAVE_MARIADB
	return store_mariadb_open(config, err);
#else
	err_set(err,
		"[ledger] store: 'mariadb': this jobio-ledgerd was built without MariaDB (configure --with-mariadb)");
	return NULL;
#endif
}

void store_close(struct store *store)
{
	if (store)
		store->ops->close(store);
}

int store_begin(struct store *store, struct err *err)
{
	return store->ops->begin(store, err);
}

int store_commit(struct store *store, struct err *err)
{
	return store->ops->commit(store, err);
}

void store_rollback(struct store *store)
{
	store->ops->rollback(store);
}

int store_put(struct store *store, const struct record *record, const char *text, size_t size,
	      int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err)
{
	return store->ops->put(store, record, text, size, now_s, grace_s, due, err);
}

/* ---- runs ---------------------------------------------------------------- */

int store_due(struct store *store, int64_t now_s, int64_t *ids, int max, int64_t *next,
	      struct err *err)
{
	return store->ops->due(store, now_s, ids, max, next, err);
}

int store_find(struct store *store, const struct store_wanted *wanted, int64_t *ids, int max,
	       struct err *err)
{
	return store->ops->find(store, wanted, ids, max, err);
}

int store_run_load(struct store *store, int64_t id, struct store_run *run, struct err *err)
{
	return store->ops->run_load(store, id, run, err);
}

int store_records_after(struct store *store, int64_t id, const char *node, store_fn fn, void *arg,
			struct err *err)
{
	return store->ops->records_after(store, id, node, fn, arg, err);
}

int store_records(struct store *store, int64_t id, store_fn fn, void *arg, struct err *err)
{
	return store_records_after(store, id, "", fn, arg, err);
}

int store_done(struct store *store, const struct store_run *run, const char *summary, int64_t now_s,
	       int64_t again_s, struct err *err)
{
	return store->ops->done(store, run, summary, now_s, again_s, err);
}

int store_later(struct store *store, int64_t id, const char *summary, int64_t next_try,
		const char *why, struct err *err)
{
	return store->ops->later(store, id, summary, next_try, why, err);
}

/* ---- uses ---------------------------------------------------------------- */

int store_use_put(struct store *store, int64_t id, int64_t ended_s, const char *text,
		  struct err *err)
{
	return store->ops->use_put(store, id, ended_s, text, err);
}

int store_uses(struct store *store, const struct store_place *after, int64_t until_s, int max,
	       store_use_fn fn, void *arg, struct err *err)
{
	return store->ops->uses(store, after, until_s, max, fn, arg, err);
}

/* ---- housekeeping -------------------------------------------------------- */

int64_t store_newest(struct store *store, int64_t now_s, struct err *err)
{
	return store->ops->newest(store, now_s, err);
}

int store_purge(struct store *store, int64_t before_s, int64_t now_s, int max, struct err *err)
{
	return store->ops->purge(store, before_s, now_s, max, err);
}

int store_backlog(struct store *store, int64_t now_s, struct store_backlog *backlog,
		  struct err *err)
{
	return store->ops->backlog(store, now_s, backlog, err);
}
