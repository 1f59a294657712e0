/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - the list of changes that client_plan() makes, for client/ only
 *
 * Owner   the plan owns copies of all texts.
 * Errors  -1, sentence in *err.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_PLAN_H
#define JOBIO_CLIENT_PLAN_H

#include "lib/err.h"
#include "lib/journal.h"

#define CLIENT_CHANGES_MAX 64

struct client_plan {
	size_t count;
	struct journal_change change[CLIENT_CHANGES_MAX];
};

int plan_add(struct client_plan *plan, const char *client, const char *what,
	     const char *target, const char *old_value, const char *new_value,
	     struct err *err);

#endif
