/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask.h - query a client with a timeout, and store the reply
 *
 * Terms   failed: exit status other than 0, or output that cannot be parsed.
 *         missing: no such command or file.
 *         hung: killed at its deadline. no time: the budget left less than half of the
 *           timeout, so it is not known to hang.
 *         deadline: timeout_ms of jobio.conf, or client->ask_ms, less if the client's
 *           budget (client->deadline_ms) is nearly used up.
 * Owner   struct ask owns its text: ask_clear(). Zeroed it is "not asked".
 * Errors  none: an error is the reply, with the reason in 'why'.
 * Runs    as in client.h. The query runs in a child that can be killed.
 */
#ifndef JOBIO_CLIENT_ASK_H
#define JOBIO_CLIENT_ASK_H

#include <stdbool.h>

#include "base/err.h"

struct child_result;
struct client;

enum ask_answer {
	ASK_NOT_ASKED,
	ASK_ANSWERED,
	ASK_FAILED,
	ASK_MISSING,
	ASK_HUNG,
	ASK_NO_TIME,
};

struct ask {
	enum ask_answer answer;
	char *text;	   /* if ASK_ANSWERED; see ask_function_heard() */
	char why[ERR_MAX]; /* if not */
};

void ask_clear(struct ask *ask);
/* Set a result that is known from elsewhere; 'why' may be NULL. */
void ask_set(struct ask *ask, enum ask_answer answer, const char *why);

/* Return the timeout of a query now, in ms. */
unsigned int ask_limit_ms(const struct client *client);

/* Run a command that changes nothing. */
void ask_command(const struct client *client, struct ask *ask, char *const argv[],
		 char *const env[]);

/* Call fn(arg) in a child; its output is the reply, unless it returns 2, which is ASK_MISSING, or
 * another value than 0, which is ASK_FAILED. 'name' is for 'why'. */
void ask_function(const struct client *client, struct ask *ask, const char *name,
		  int (*fn)(void *arg), void *arg);

/* The same; after a timeout ask->text is the output printed and flushed until then, or NULL. */
void ask_function_heard(const struct client *client, struct ask *ask, const char *name,
			int (*fn)(void *arg), void *arg);

/* Set the reply from a command that has ended: its output, or the reason why there is none. */
void ask_take(struct ask *ask, struct child_result *result);

/* Return true after a timeout; such a client is not queried again. */
bool ask_is_silent(const struct ask *ask);

#endif
