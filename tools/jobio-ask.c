/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-ask - send queries to the ledger of jobio.conf, for the jobio command
 *
 * usage: jobio-ask [--conf=FILE] [QUESTION]...
 *
 * A question is one JSON object as in ledger_link.h, an answer is one line on standard output.
 * Without a QUESTION they are read from standard input, one a line, and each is answered before
 * the next is read. In addition to the ledger's own:
 *   {"op":"config"}     settings of jobio.conf for the caller, and the words for each quantity of
 *                       IO; the ledger is not contacted
 *   {"op":"settings"}   jobio.conf (settings.h)
 *   {"op":"merge","ok":true,"records":[..]}
 *                       used as an answer of the ledger: for records from elsewhere
 *   "form":"full"|"slim"|"row"
 *                       of get, list and merge, with all nodes of a job, from as many answers of
 *                       the ledger as needed. full: the answer with records, and timelines;
 *                       slim, row: without records, with brief and text of run_json.h instead,
 *                       which the ledger has stored unless they are too long
 *   "advice":true       with a form: add "judged", advice_text(), if the ledger has none
 * Errors  a question that cannot be sent: {"ok":false,"down":true,"error":"why"}, and with
 *           QUESTIONs exit status 1. An invalid jobio.conf: one line on standard error, exit
 *           status 2; a missing one, in the default place, only means that there is no ledger.
 * Runs    any user; every question has the timeout of [ledger] send_timeout.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "base/command_line.h"
#include "base/config_load.h"
#include "link/ledger_link.h"
#include "record/alloc.h"
#include "record/io.h"
#include "record/json.h"
#include "record/run_json.h"
#include "tools/print.h"
#include "tools/settings.h"

#define NAME "jobio-ask"
#define ANSWERS_MAX 64 /* about one job; more are left out */

struct session {
	const char *conf;      /* NULL: the default */
	struct config *config; /* NULL: there is none */
	struct config_advice limits;
	char *warning; /* NULL: none */
	struct ledger_link *link;
	bool is_down;
	struct err why_down;
};

static char *call(struct session *a, const char *request, struct err *err)
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

/* {"read_bytes":["bytes","bytes read"],..} */
static void add_quantities(struct json *to)
{
	static const char *const units[] = {
		[IO_BYTES] = "bytes", [IO_CALLS] = "calls", [IO_US] = "us", [IO_S] = "s"
	};
	struct json *one;
	size_t i;

	for (i = 0; i < IO_COUNT; i++) {
		one = json_add_list(to, io_quantities[i].key);
		json_append_text(one, units[io_quantities[i].unit]);
		json_append_text(one, io_quantities[i].words);
	}
}

static void print_config(const struct session *a)
{
	struct json *top = json_new_object();
	const char *cluster = a->config ? a->config->ledger.cluster : "";

	json_add_bool(top, "ok", true);
	json_add_text(top, "cluster", *cluster ? cluster : NULL);
	if (a->config && a->config->ledger.host && *a->config->ledger.host) {
		json_add_text(top, "host", a->config->ledger.host);
		json_add_number(top, "timeout_ms", a->config->ledger.send_timeout_ms);
	}
	json_add_text(top, "warning", a->warning);
	add_quantities(json_add_object(top, "quantities"));
	print_json(top);
}

static void print_settings(const struct config *config)
{
	struct json *top = json_new_object();

	json_add_bool(top, "ok", true);
	settings_add(top, config);
	print_json(top);
}

static void print_error(const char *text, bool is_down)
{
	struct json *top = json_new_object();

	json_add_bool(top, "ok", false);
	json_add_bool(top, "down", is_down);
	json_add_text(top, "error", text);
	print_json(top);
}

/* ---- runs ------------------------------------------------------------------------ */

struct options {
	bool is_full, is_advice;
	const struct config_advice *limits;
};

/* Add the records of an answer. Return their number. */
static size_t add_records(struct run *run, const struct json *answer, const char *text)
{
	const struct json *list = json_list(answer, "records"), *one;
	struct record *record;

	for (one = json_first(list); one; one = one->next) {
		record = record_read(one, text, NULL);
		if (record)
			run_add(run, record, one);
		else
			run->left_out++;
		record_free(record);
	}
	return list ? list->list.count : 0;
}

static struct run *new_run(const struct json *answer, const char *text)
{
	struct run *run = run_new();
	int64_t left_out = json_number(answer, "records_left_out");

	run->left_out = left_out > 0 ? left_out : 0;
	add_records(run, answer, text);
	return run;
}

static void add_judged(struct json *to, const struct run *run, const struct config_advice *limits)
{
	struct advice_list *list = advice_new(run, limits);
	char *text = advice_text(list, limits);
	struct json *judged = json_parse(text);

	json_add_copy(to, "judged", judged);
	json_free(judged);
	free(text);
	free(list);
}

/* Copy the members that the answer does not have. */
static void add_missing(struct json *to, const struct json *answer, const struct json *from)
{
	const struct json *one;

	for (one = json_first(from); one; one = one->next)
		if (strcmp(one->key, "records") != 0 && !json_member(answer, one->key))
			json_add_copy(to, one->key, one);
}

/* Print one line without the newline, and free the run. [text]: what the answer was parsed from. */
static void print_run(struct run *run, const struct json *answer, const char *text,
		      const struct options *options)
{
	struct json *top = json_new_object(), *merged = json_new_object();

	run_finish(run);
	run->nodes_expected = json_number(answer, "nodes_expected");
	if (options->is_full && run->node_count) {
		run_json_add_totals(merged, run);
		run_json_add_timelines(merged, run);
	} else if (!options->is_full) {
		add_missing(top, NULL, answer);
		run_json_add_brief(merged, run);
		run_json_add_text(merged, run);
	}
	if (options->is_advice && run->node_count && !json_member(answer, "judged"))
		add_judged(merged, run, options->limits);
	add_missing(top, answer, merged);
	if (options->is_full) {
		fwrite(text + answer->list.at, answer->list.size - 1, 1, stdout);
		json_write_members(stdout, json_line(top));
		putchar('}');
	} else {
		fputs(json_line(top), stdout);
	}
	json_free(merged);
	json_free(top);
	run_free(run);
}

/* Print a list, each of its runs in the requested form. */
static void print_list(const struct json *answer, const char *text, const struct options *options)
{
	const struct json *one;

	printf("{\"ok\":true,\"done\":%lld,\"runs\":[", (long long)json_number(answer, "done"));
	for (one = json_first(json_list(answer, "runs")); one; one = one->next) {
		if (json_list(one, "records"))
			print_run(new_run(one, text), one, text, options);
		else
			fwrite(text + one->list.at, one->list.size, 1, stdout);
		fputs(one->next ? "," : "", stdout);
	}
	puts("]}");
}

/* Add the records of the nodes after the last one. Return false if there are no more. A ledger that
 * does not support "after" sends the same again. */
static bool add_next_page(struct session *a, const struct json *query, const struct json *answer,
			  struct run *run)
{
	struct json *top = json_new_object(), *page;
	struct err err;
	char *request, *text;
	const char *node;
	size_t count;
	bool has_more;

	json_add_text(top, "op", "get");
	json_add_copy(top, "job", json_member(query, "job"));
	json_add_text(top, "cluster", json_text(answer, "cluster"));
	if (json_number(answer, "restart") >= 0)
		json_add_number(top, "restart", json_number(answer, "restart"));
	json_add_text(top, "after", run->nodes[run->node_count - 1]->name);
	request = json_line_free(top);
	text = call(a, request, &err);
	free(request);
	page = text ? json_parse(text) : NULL;
	node = json_text(json_first(json_list(page, "records")), "node");
	has_more = json_is_true(page, "ok") && node && strcmp(node, run->nodes[0]->name) != 0;
	count = has_more ? add_records(run, page, text) : 0;
	run->left_out -= (int64_t)count;
	json_free(page);
	free(text);
	return has_more;
}

static void print_job(struct session *a, const struct json *query, const struct json *answer,
		      const char *text, const struct options *options)
{
	struct run *run = new_run(answer, text);
	int answers = 1;

	while (run->left_out > 0 && run->node_count && answers++ < ANSWERS_MAX)
		if (!add_next_page(a, query, answer, run))
			break;
	run->left_out = run->left_out > 0 ? run->left_out : 0;
	print_run(run, answer, text, options);
	putchar('\n');
}

static void print_answer(struct session *a, const struct json *query, const char *op,
			 const char *text)
{
	const char *form = json_text(query, "form");
	struct options options = { .is_full = form && !strcmp(form, "full"),
				   .is_advice = json_is_true(query, "advice"),
				   .limits = &a->limits };
	struct json *answer = form ? json_parse(text) : NULL;

	if (json_list(answer, "runs") && !strcmp(op, "list"))
		print_list(answer, text, &options);
	else if (!json_is_true(answer, "ok") || !json_list(answer, "records"))
		puts(text);
	else
		print_job(a, query, answer, text, &options);
	json_free(answer);
}

/* Return 0, or 1 if there is no answer. */
static int run_query(struct session *a, const char *line)
{
	struct json *query = json_parse(line);
	const char *op = json_text(query, "op");
	char *text = NULL;
	struct err err = { "" };
	int rc = 0;

	if (!op) {
		print_error("the question is no JSON object with an \"op\"", false);
		rc = 1;
	} else if (!strcmp(op, "config")) {
		print_config(a);
	} else if (!strcmp(op, "settings") && a->config) {
		print_settings(a->config);
	} else if (!strcmp(op, "settings")) {
		print_error(a->why_down.text, true);
		rc = 1;
	} else if (!strcmp(op, "merge")) {
		print_answer(a, query, op, line);
	} else {
		text = call(a, line, &err);
		if (text)
			print_answer(a, query, op, text);
		else
			print_error(err.text, true);
		rc = !text;
		free(text);
	}
	json_free(query);
	return fflush(stdout) ? 1 : rc;
}

static void run_queries(struct session *a, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&line, &room, in)) > 0) {
		if (line[size - 1] == '\n')
			line[size - 1] = 0;
		run_query(a, line);
		if (ferror(stdout))
			break;
	}
	free(line);
}

/* Without a jobio.conf in the default place there is no ledger. */
static int load(struct session *a)
{
	struct err err;

	config_advice_init(&a->limits);
	a->config = config_load(a->conf, &a->why_down);
	a->is_down = !a->config;
	if (!a->config) {
		if (!a->conf && errno == ENOENT)
			return 0;
		fprintf(stderr, NAME ": %s\n", a->why_down.text);
		return 2;
	}
	a->limits = a->config->advice;
	if (config_calibrate(a->config, &err) < 0)
		a->warning = xasprintf("%s; its numbers are not used", err.text);
	else
		a->limits = a->config->advice;
	return 0;
}

static const struct command_line command = {
	.program = "jobio ask",
	.usage_status = COMMAND_USAGE,
	.usage = "usage: jobio-ask [--conf=FILE] [QUESTION]...\n",
	.table = (const struct command_option[]){ COMMAND_TEXT("conf", struct session, conf),
						  { 0 } },
	.words_most = COMMAND_ANY_WORDS,
};

int main(int argc, char *argv[])
{
	struct session a = { 0 };
	int i, rc = command_parse(&command, &a, argc, argv);

	if (rc >= 0)
		return rc;
	rc = load(&a);
	if (rc)
		return rc;
	if (optind == argc)
		run_queries(&a, stdin);
	for (i = optind; i < argc; i++)
		rc |= run_query(&a, argv[i]);
	ledger_link_close(a.link);
	free(a.warning);
	config_free(a.config);
	return rc || fflush(stdout) ? 1 : 0;
}
