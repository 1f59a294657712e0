/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/merge.h"

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "ledger/nodes.h"
#include "record/alloc.h"
#include "record/record.h"
#include "record/run_json.h"
#include "record/summary.h"

struct loaded {
	struct run *run;
	struct err *why;
};

static struct record *read_record(const char *text, size_t size, struct json **json,
				  struct err *err)
{
	*json = json_read(text, size, JSON_DEPTH_MAX, err);
	return *json ? record_read(*json, text, err) : NULL;
}

/* A record was valid when received, perhaps by another version: it must not block the others. */
static int add_record(const char *text, size_t size, void *arg, struct err *err)
{
	struct loaded *loaded = arg;
	struct json *json;
	struct record *record = read_record(text, size, &json, loaded->why);

	(void)err;
	if (record)
		run_add(loaded->run, record, json);
	else
		loaded->run->left_out++;
	json_free(json);
	record_free(record);
	return 0;
}

static void finish(struct run *run)
{
	struct nodes *nodes = run->nodelist ? nodes_expand(run->nodelist, NULL) : NULL;

	run_finish(run);
	if (nodes) /* nodes=3/-: an unreadable list hides no numbers */
		run_expect(run, nodes->names, nodes->count);
	nodes_free(nodes);
}

struct run *merge_load(struct store *store, int64_t id, struct err *why, struct err *err)
{
	struct loaded loaded = { run_new(), why };

	if (store_records(store, id, add_record, &loaded, err) < 0) {
		run_free(loaded.run);
		return NULL;
	}
	finish(loaded.run);
	return loaded.run;
}

/* Replace *text by the line of a tree; NULL: it is too long to be stored and sent. */
static void set_text(char **text, struct json *top, size_t most)
{
	free(*text);
	*text = json_line_free(top);
	if (strlen(*text) <= most)
		return;
	free(*text);
	*text = NULL;
}

void merge_describe(const struct run *run, const struct config_advice *limits,
		    struct store_row *row, struct site_run **site)
{
	struct json *brief = json_new_object(), *text, *judged;
	struct advice_list *list = advice_new(run, limits);
	char summary[SUMMARY_MAX], *advice = advice_text(list, limits);

	summary_text(run, summary);
	free(row->summary);
	row->summary = xstrdup(summary);
	judged = json_parse(advice);
	json_add_copy(brief, "judged", judged);
	run_json_add_brief(brief, run);
	set_text(&row->brief, brief, MERGE_BRIEF_MAX);
	if (run->node_count > 1) {
		text = json_new_object();
		run_json_add_text(text, run);
		set_text(&row->text, text, MERGE_TEXT_MAX);
	}
	if (site)
		*site = site_run_new(run, list);
	json_free(judged);
	free(advice);
	free(list);
}

/* ---- a stream of jobs -------------------------------------------------------------- */

static void print_job(struct run *run, FILE *out, const struct config_advice *limits)
{
	struct store_row row = { .id = 0 };

	if (!run)
		return;
	finish(run);
	merge_describe(run, limits, &row, NULL);
	fprintf(out, "{\"job\":%u,\"summary\":\"%s\"", run->key.job, row.summary);
	json_write_members(out, row.brief ? row.brief : "{}");
	fputs("}\n", out);
	store_row_clear(&row);
	run_free(run);
}

int merge_stream(FILE *in, FILE *out, const struct config_advice *limits, struct err *err)
{
	struct run *run = NULL;
	struct record *record;
	struct json *json;
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&line, &room, in)) > 0) {
		size -= line[size - 1] == '\n';
		record = read_record(line, (size_t)size, &json, err);
		if (record && (!run || run->key.job != record->job)) {
			print_job(run, out, limits);
			run = run_new();
		}
		if (record)
			run_add(run, record, json);
		json_free(json);
		record_free(record);
		if (!record)
			break;
	}
	free(line);
	if (size > 0) {
		run_free(run);
		return -1;
	}
	print_job(run, out, limits);
	return 0;
}
