/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/text.h"
#include "client/type.h"

#define FN_MISSING 2

void query_set(struct query *query, enum query_answer answer, const char *why)
{
	query->answer = answer;
	TEXT_SET(query->why, why ? why : "");
}

void query_clear(struct query *query)
{
	free(query->text);
	memset(query, 0, sizeof(*query));
}

unsigned int query_limit_ms(const struct client *client)
{
	unsigned int limit_ms = client->query_ms ? client->query_ms : client->section->timeout_ms;
	unsigned long long now = child_now_ms(), left_ms = 0;

	if (now < client->deadline_ms)
		left_ms = client->deadline_ms - now;
	return left_ms < limit_ms ? (unsigned int)left_ms : limit_ms;
}

/* Set the result of a child that failed; the reason is in errno. */
static void set_failure(const struct client *client, struct query *query, unsigned int timeout_ms,
			const struct err *err)
{
	enum query_answer answer = QUERY_FAILED;

	if (errno == ETIMEDOUT)
		answer = timeout_ms < client->section->timeout_ms / 2 ? QUERY_NO_TIME : QUERY_HUNG;
	query_set(query, answer, err->text);
}

void query_set_child(struct query *query, struct child_result *result)
{
	char *line;

	if (result->status == 0) {
		query->text = result->out;
		result->out = NULL;
		query_set(query, QUERY_ANSWERED, NULL);
	} else if (result->status == 126 || result->status == 127) {
		result->errtext[strcspn(result->errtext, "\n")] = '\0';
		query_set(query, QUERY_MISSING, result->errtext);
	} else {
		line = *result->errtext ? result->errtext : result->out;
		line[strcspn(line, "\n")] = '\0';
		snprintf(query->why, sizeof(query->why), "exit status %d: %.400s", result->status,
			 *line ? line : "no message");
		query->answer = QUERY_FAILED;
	}
}

void query_command(const struct client *client, struct query *query, char *const argv[],
		   char *const env[])
{
	unsigned int timeout_ms = query_limit_ms(client);
	struct child_result result = { 0 };
	struct err err;

	query_clear(query);
	if (!timeout_ms) {
		query_set(query, QUERY_NO_TIME, "no time left");
		return;
	}
	if (child_run(argv, env, timeout_ms, &result, &err) < 0) {
		set_failure(client, query, timeout_ms, &err);
		return;
	}
	query_set_child(query, &result);
	child_result_free(&result);
}

void query_function(const struct client *client, struct query *query, const char *name,
		    int (*fn)(void *arg), void *arg)
{
	unsigned int timeout_ms = query_limit_ms(client);
	struct child_result result = { 0 };
	struct err err;

	query_clear(query);
	if (child_call_partial(name, fn, arg, timeout_ms, &result, &err) < 0) {
		set_failure(client, query, timeout_ms, &err);
		query->text = result.out;
		result.out = NULL;
	} else if (result.status == 0) {
		query_set_child(query, &result);
	} else {
		err_set(&err, "cannot read %s", name);
		query_set(query, result.status == FN_MISSING ? QUERY_MISSING : QUERY_FAILED,
			  err.text);
	}
	child_result_free(&result);
}

bool query_has_timed_out(const struct query *query)
{
	return query->answer == QUERY_HUNG || query->answer == QUERY_NO_TIME;
}
