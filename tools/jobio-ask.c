/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-ask - ask the ledger of jobio.conf, for the jobio command
 *
 * usage: jobio-ask [--conf=FILE] [QUESTION]...
 *
 * A question is one JSON object as ledger_link.h has them, an answer is one line on standard
 * output. Without a QUESTION they are read from standard input, one a line, and each is answered
 * before the next is read. Three things are added:
 *   {"op":"config"}   what the asker needs of jobio.conf; the ledger is not asked
 *   {"op":"advice"}   advice about the job of the last "get" and those with "after" that followed
 *   "slim":true       of a list: a row of each run instead of its records (slim.h)
 *   "advice":true     of a get or a list: advice about each run whose records are all there
 * Errors  a question that could not be asked: {"ok":false,"down":true,"error":"why"}, and with
 *           QUESTIONs exit status 1. jobio.conf that is wrong: one line on standard error, exit
 *           status 2; one that is not there, in the usual place, is only no ledger.
 * Runs    any user; every question has the deadline of [ledger] send_timeout.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/config.h"
#include "lib/json.h"
#include "lib/ledger_link.h"
#include "tools/slim.h"

#define NAME "jobio-ask"

struct asker {
	struct config *config; /* NULL: there is none */
	struct config_advice limits;
	struct ledger_link *link;
	bool is_down;
	struct err why_down;
	struct slim_job last; /* of the last get */
};

static char *call(struct asker *a, const char *request, struct err *err)
{
	char *answer = NULL;

	if (!a->is_down && !a->link)
		a->link = ledger_link_open(&a->config->ledger, &a->why_down);
	if (!a->is_down && a->link &&
	    ledger_link_call(a->link, request, &answer, &a->why_down) == 0)
		return answer;
	a->is_down = true;
	*err = a->why_down;
	return NULL;
}

static void put_config(const struct asker *a, FILE *out)
{
	struct json *top = json_new_object(), *limits;
	const char *cluster = a->config ? a->config->ledger.cluster : "";

	json_add_bool(top, "ok", true);
	json_add_text(top, "cluster", *cluster ? cluster : NULL);
	limits = json_add_object(top, "advice");
	json_add_number(limits, "min_seconds", a->limits.min_seconds);
	json_add_number(limits, "min_mib", a->limits.min_mib);
	json_add_number(limits, "min_calls", a->limits.min_calls);
	fprintf(out, "%s\n", json_line(top));
	json_free(top);
}

static void put_error(const char *text, bool is_down, FILE *out)
{
	struct json *top = json_new_object();

	json_add_bool(top, "ok", false);
	json_add_bool(top, "down", is_down);
	json_add_text(top, "error", text);
	fprintf(out, "%s\n", json_line(top));
	json_free(top);
}

/* The question without what is for this program. */
static char *request_of(const struct json *question)
{
	struct json *top = json_new_object();
	const struct json *one;

	for (one = json_first(question); one; one = one->next)
		if (strcmp(one->key, "slim") != 0 && strcmp(one->key, "advice") != 0)
			json_add_copy(top, one->key, one);
	return json_line_free(top);
}

static void put_answer(struct asker *a, const struct json *question, const char *text, FILE *out)
{
	const char *op = json_text(question, "op");
	struct json *answer = NULL;
	struct slim_want want = { .is_slim = json_is_true(question, "slim"),
				  .is_advice = json_is_true(question, "advice"),
				  .limits = &a->limits };

	if (op && !strcmp(op, "get") && want.is_advice)
		answer = json_parse(text);
	else if (op && !strcmp(op, "list") && (want.is_slim || want.is_advice))
		answer = json_parse(text);
	if (!json_is_true(answer, "ok"))
		fprintf(out, "%s\n", text);
	else if (!strcmp(op, "list"))
		slim_list(answer, text, &want, out);
	else
		slim_get(&a->last, answer, text, json_member(question, "after") != NULL, &want,
			 out);
	json_free(answer);
}

/* 0; 1: it could not be asked. */
static int ask(struct asker *a, const char *line, FILE *out)
{
	struct json *question = json_parse(line);
	const char *op = json_text(question, "op");
	char *request, *text = NULL;
	struct err err = { "" };
	int rc = 0;

	if (!op) {
		put_error("the question is no JSON object with an \"op\"", false, out);
		rc = 1;
	} else if (!strcmp(op, "config")) {
		put_config(a, out);
	} else if (!strcmp(op, "advice")) {
		slim_advice(&a->last, &a->limits, out);
	} else {
		request = request_of(question);
		text = call(a, request, &err);
		free(request);
		if (text)
			put_answer(a, question, text, out);
		else
			put_error(err.text, true, out);
		rc = !text;
		free(text);
	}
	json_free(question);
	return rc || fflush(out) ? 1 : 0;
}

static int ask_all(struct asker *a, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&line, &room, in)) > 0) {
		if (line[size - 1] == '\n')
			line[size - 1] = 0;
		ask(a, line, stdout);
		if (ferror(stdout))
			break;
	}
	free(line);
	return 0;
}

/* A host without a jobio.conf in the usual place has no ledger. */
static int load(struct asker *a, const char *conf)
{
	struct err err;

	config_advice_init(&a->limits);
	a->config = config_load(conf, &a->why_down);
	a->is_down = !a->config;
	if (!a->config) {
		if (!conf && errno == ENOENT)
			return 0;
		fprintf(stderr, NAME ": %s\n", a->why_down.text);
		return 2;
	}
	a->limits = a->config->advice;
	if (config_calibrate(a->config, &err) < 0)
		fprintf(stderr, NAME ": %s; its numbers are not used\n", err.text);
	else
		a->limits = a->config->advice;
	return 0;
}

static const char *parse(int argc, char *argv[])
{
	static const struct option table[] = { { "conf", required_argument, NULL, 'c' },
					       { "help", no_argument, NULL, 'h' },
					       { 0 } };
	const char *conf = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		if (option == 'h')
			puts("usage: jobio-ask [--conf=FILE] [QUESTION]...");
		if (option != 'c')
			exit(option == 'h' ? 0 : 2);
		conf = optarg;
	}
	return conf;
}

int main(int argc, char *argv[])
{
	struct asker a = { 0 };
	const char *conf = parse(argc, argv);
	int i, rc = load(&a, conf);

	if (rc)
		return rc;
	if (optind == argc)
		rc = ask_all(&a, stdin);
	for (i = optind; i < argc; i++)
		rc |= ask(&a, argv[i], stdout);
	slim_job_clear(&a.last);
	ledger_link_close(a.link);
	config_free(a.config);
	return rc || fflush(stdout) ? 1 : 0;
}
