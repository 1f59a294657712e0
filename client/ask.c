/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "client/type.h"

#define FN_MISSING 2

void ask_set(struct ask *ask, enum ask_answer answer, const char *why)
{
	ask->answer = answer;
	snprintf(ask->why, sizeof(ask->why), "%s", why ? why : "");
}

void ask_clear(struct ask *ask)
{
	free(ask->text);
	memset(ask, 0, sizeof(*ask));
}

unsigned int ask_limit_ms(const struct client *client)
{
	unsigned int limit_ms = client->ask_ms ? client->ask_ms : client->section->timeout_ms;
	unsigned long long now = child_now_ms(), left_ms = 0;

	if (now < client->deadline_ms)
		left_ms = client->deadline_ms - now;
	return left_ms < limit_ms ? (unsigned int)left_ms : limit_ms;
}

/* Set the result of a child that failed; the reason is in errno. */
static void set_failure(const struct client *client, struct ask *ask, unsigned int timeout_ms,
			const struct err *err)
{
	enum ask_answer answer = ASK_FAILED;

	if (errno == ETIMEDOUT)
		answer = timeout_ms < client->section->timeout_ms / 2 ? ASK_NO_TIME : ASK_HUNG;
	ask_set(ask, answer, err->text);
}

void ask_take(struct ask *ask, struct child_result *result)
{
	char *line;

	if (result->status == 0) {
		ask->text = result->out;
		result->out = NULL;
		ask_set(ask, ASK_ANSWERED, NULL);
	} else if (result->status == 126 || result->status == 127) {
		result->errtext[strcspn(result->errtext, "\n")] = '\0';
		ask_set(ask, ASK_MISSING, result->errtext);
	} else {
		line = *result->errtext ? result->errtext : result->out;
		line[strcspn(line, "\n")] = '\0';
		snprintf(ask->why, sizeof(ask->why), "exit status %d: %.400s", result->status,
			 *line ? line : "no message");
		ask->answer = ASK_FAILED;
	}
}

void ask_command(const struct client *client, struct ask *ask, char *const argv[],
		 char *const env[])
{
	unsigned int timeout_ms = ask_limit_ms(client);
	struct child_result result = { 0 };
	struct err err;

	ask_clear(ask);
	if (!timeout_ms) {
		ask_set(ask, ASK_NO_TIME, "no time left");
		return;
	}
	if (child_run(argv, env, timeout_ms, &result, &err) < 0) {
		set_failure(client, ask, timeout_ms, &err);
		return;
	}
	ask_take(ask, &result);
	child_result_free(&result);
}

struct function {
	const char *name;
	int (*fn)(void *arg);
	void *arg;
	int (*call)(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
		    struct child_result *result, struct err *err);
};

static void ask_child(const struct client *client, struct ask *ask, const struct function *f)
{
	unsigned int timeout_ms = ask_limit_ms(client);
	struct child_result result = { 0 };
	struct err err;

	ask_clear(ask);
	if (f->call(f->name, f->fn, f->arg, timeout_ms, &result, &err) < 0) {
		set_failure(client, ask, timeout_ms, &err);
		ask->text = result.out;
		result.out = NULL;
		child_result_free(&result);
		return;
	}
	if (result.status == 0) {
		ask_take(ask, &result);
	} else {
		err_set(&err, "cannot read %s", f->name);
		ask_set(ask, result.status == FN_MISSING ? ASK_MISSING : ASK_FAILED, err.text);
	}
	child_result_free(&result);
}

void ask_function(const struct client *client, struct ask *ask, const char *name,
		  int (*fn)(void *arg), void *arg)
{
	const struct function function = { name, fn, arg, child_call };

	ask_child(client, ask, &function);
}

void ask_function_heard(const struct client *client, struct ask *ask, const char *name,
			int (*fn)(void *arg), void *arg)
{
	const struct function function = { name, fn, arg, child_call_heard };

	ask_child(client, ask, &function);
}

bool ask_is_silent(const struct ask *ask)
{
	return ask->answer == ASK_HUNG || ask->answer == ASK_NO_TIME;
}
