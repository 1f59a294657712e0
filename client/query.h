/* SPDX-License-Identifier: GPL-2.0-or-later */
/* query.h - query a client with a timeout, and store the reply
 *
 * Terms   failed: exit status other than 0, or output that cannot be parsed.
 *         missing: no such command or file.
 *         hung: killed at its deadline. no time: the budget left less than half of the
 *           timeout, so it is not known to hang.
 *         deadline: timeout_ms of jobio.conf, or client->query_ms, less if the client's
 *           budget (client->deadline_ms) is nearly used up.
 * Owner   struct query owns its text: query_clear(). Zeroed it is "not asked".
 * Errors  none: an error is the reply, with the reason in 'why'.
 * Runs    as in client.h. The query runs in a child that can be killed.
 */
#ifndef JOBIO_CLIENT_QUERY_H
#define JOBIO_CLIENT_QUERY_H

#include <stdbool.h>

#include "base/err.h"

struct child_result;
struct client;

enum query_answer {
	QUERY_NOT_MADE,
	QUERY_ANSWERED,
	QUERY_FAILED,
	QUERY_MISSING,
	QUERY_HUNG,
	QUERY_NO_TIME,
};

struct query {
	enum query_answer answer;
	char *text;	   /* if QUERY_ANSWERED; see query_function() */
	char why[ERR_MAX]; /* if not */
};

void query_clear(struct query *query);
/* Set a result that is known from elsewhere; 'why' may be NULL. */
void query_set(struct query *query, enum query_answer answer, const char *why);

/* Return the timeout of a query now, in ms. */
unsigned int query_limit_ms(const struct client *client);

/* Run a command that changes nothing. */
void query_command(const struct client *client, struct query *query, char *const argv[],
		   char *const env[]);

/* Call fn(arg) in a child; its output is the reply, unless it returns 2, which is QUERY_MISSING, or
 * another value than 0, which is QUERY_FAILED. After a timeout query->text is the output printed
 * and flushed until then, or NULL. 'name' is for 'why'. */
void query_function(const struct client *client, struct query *query, const char *name,
		    int (*fn)(void *arg), void *arg);

/* Set the reply from a command that has ended: its output, or the reason why there is none. */
void query_set_child(struct query *query, struct child_result *result);

/* Return true after a timeout; such a client is not queried again. */
bool query_has_timed_out(const struct query *query);

#endif
