/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask.h - put a question to a client, with a deadline, and keep the answer
 *
 * Terms   failed: it answered with an exit status other than 0, or nonsense.
 *         missing: there is no such command or file.
 *         hung: killed at its deadline. no time: the budget left it less than
 *           half of that, so nothing is known of it.
 *         deadline: timeout_ms of jobio.conf, or client->ask_ms, less when the client's budget
 *           (client->deadline_ms) is nearly used up.
 * Owner   struct ask owns its text: ask_clear(). Zeroed it is "not asked".
 * Errors  none: whatever goes wrong is the answer, with a reason in 'why'.
 * Runs    as client.h says. The question is put by a child that can be killed.
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
	char *text;	   /* when it is ASK_ANSWERED; ask_function_heard() */
	char why[ERR_MAX]; /* when it is not */
};

void ask_clear(struct ask *ask);
/* The answer is known from elsewhere; 'why' may be NULL. */
void ask_set(struct ask *ask, enum ask_answer answer, const char *why);

/* How long a question may take now: the deadline. */
unsigned int ask_limit_ms(const struct client *client);

/* Run a command that only tells. */
void ask_command(const struct client *client, struct ask *ask, char *const argv[],
		 char *const env[]);

/* Call fn(arg) in a child; what it prints is the answer, unless it returns
 * other than 0, which is ASK_FAILED, or 2, which is ASK_MISSING. 'name' is what
 * it is called in 'why'. */
void ask_function(const struct client *client, struct ask *ask, const char *name,
		  int (*fn)(void *arg), void *arg);

/* The same; of one that was silent at its deadline, ask->text is what it had printed
 * and flushed until then, or NULL. */
void ask_function_heard(const struct client *client, struct ask *ask, const char *name,
			int (*fn)(void *arg), void *arg);

/* Of a command that has ended: its output, or why there is none. */
void ask_take(struct ask *ask, struct child_result *result);

/* Who does not answer once is not asked again. */
bool ask_is_silent(const struct ask *ask);

#endif
