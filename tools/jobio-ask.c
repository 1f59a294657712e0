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
 *                       of get, list and merge: run_view.h; it includes all nodes of a job, from as
 *                       many answers of the ledger as needed
 *   "advice":true       with a form: add advice if the ledger has none
 *                     the ledger ignores both
 * Errors  a question that cannot be sent: {"ok":false,"down":true,"error":"why"}, and with
 *           QUESTIONs exit status 1. An invalid jobio.conf: one line on standard error, exit
 *           status 2; a missing one, in the default place, only means that there is no ledger.
 * Runs    any user; every question has the timeout of [ledger] send_timeout.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "link/ledger_link.h"
#include "record/alloc.h"
#include "record/io.h"
#include "record/json.h"
#include "base/command_line.h"
#include "tools/print.h"
#include "tools/run_view.h"
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

/* Print a list, each of its runs in the requested form. */
static void print_list(const struct json *answer, const char *text,
		       const struct run_view_options *options)
{
	struct run_view run = { 0 };
	struct json *one;
	const char *between = "";

	printf("{\"ok\":true,\"done\":%lld,\"runs\":[", (long long)json_number(answer, "done"));
	for (one = json_first(json_list(answer, "runs")); one; one = one->next) {
		fputs(between, stdout);
		run_view_add(&run, one, text, options->form);
		run_view_print(&run, text, options, stdout);
		run_view_clear(&run);
		between = ",";
	}
	puts("]}");
}

/* Get the records of the nodes after the last one. Return false if there are no more. A ledger that
 * does not support "after" sends the same again. */
static bool add_next_page(struct session *a, const struct json *query, struct run_view *run,
			  enum run_view_form form)
{
	struct json *top = json_new_object(), *page;
	struct err err;
	char *request, *text;
	const char *node;
	bool has_more;

	json_add_text(top, "op", "get");
	json_add_copy(top, "job", json_member(query, "job"));
	json_add_text(top, "cluster", json_text(run->first, "cluster"));
	if (json_number(run->first, "restart") >= 0)
		json_add_number(top, "restart", json_number(run->first, "restart"));
	json_add_text(top, "after", run->records[run->count - 1]->node);
	request = json_line_free(top);
	text = call(a, request, &err);
	free(request);
	page = text ? json_parse(text) : NULL;
	node = json_text(json_first(json_list(page, "records")), "node");
	has_more = json_is_true(page, "ok") && node && strcmp(node, run->records[0]->node) != 0;
	if (has_more)
		run_view_add(run, page, text, form);
	json_free(page);
	free(text);
	return has_more;
}

static void print_run(struct session *a, const struct json *query, struct json *answer,
		      const char *text, const struct run_view_options *options)
{
	struct run_view run = { 0 };
	int answers = 1;

	run_view_add(&run, answer, text, options->form);
	while (run.left_out > 0 && run.count && answers++ < ANSWERS_MAX)
		if (!add_next_page(a, query, &run, options->form))
			break;
	run_view_print(&run, text, options, stdout);
	putchar('\n');
	run_view_clear(&run);
}

static void print_answer(struct session *a, const struct json *query, const char *op,
			 const char *text)
{
	const char *form = json_text(query, "form");
	struct run_view_options options = { .is_advice = json_is_true(query, "advice"),
					    .limits = &a->limits };
	struct json *answer = form ? json_parse(text) : NULL;

	options.form = !form		       ? RUN_VIEW_FULL
		       : !strcmp(form, "slim") ? RUN_VIEW_SLIM
		       : !strcmp(form, "row")  ? RUN_VIEW_ROW
					       : RUN_VIEW_FULL;
	if (!json_is_true(answer, "ok"))
		puts(text);
	else if (!strcmp(op, "list"))
		print_list(answer, text, &options);
	else
		print_run(a, query, answer, text, &options);
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
