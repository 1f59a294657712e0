/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - requests to the ledger, and its replies
 *
 * Terms   request, answer: JSON texts, as in link/ledger_link.h.
 *         trusted: uid 0 and the ledger's own user; only they may put.
 *         batch: the puts between two commits. Their answers are sent only after
 *           service_commit() has returned 0.
 * Owner   answers are malloc'ed.
 * Errors  of a request: an answer {"ok":false,"error":..}. Of the store: every
 *           put of the batch fails, service_commit() returns the reason.
 * Runs    ledger, the server process.
 */
#ifndef JOBIO_LEDGER_SERVICE_H
#define JOBIO_LEDGER_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/config.h"
#include "base/err.h"
#include "ledger/metrics.h"
#include "ledger/store.h"

struct service {
	struct store *store;
	const struct config_ledger *config;
	const struct config_advice *advice; /* its limits */
	uid_t ledger_uid;
	bool in_batch;	    /* a transaction is open */
	bool has_due_runs;  /* the writer has work after the commit */
	bool is_store_down; /* and this was logged */
	struct metrics *metrics;
	char log_text[ERR_MAX]; /* "", or a message for the log */
};

/* Set *answer. Return 1 if it must wait for service_commit(), 0 if it may be sent at once, -1 if it
 * may be sent but the store failed and the batch with it: service_abort(). */
int service_handle(struct service *service, const char *request, size_t size, uid_t uid,
		   int64_t now_s, char **answer);

int service_commit(struct service *service, struct err *err);
void service_abort(struct service *service);

/* Return {"ok":false,"error":"..."}, with "bad_record" if is_bad_record. */
char *service_error(const char *sentence, bool is_bad_record);

#endif
