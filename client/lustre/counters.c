/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/child.h"
#include "base/text.h"
#include "client/lustre/facts.h"
#include "client/mounts.h"
#include "record/alloc.h"

#define LINE_TEXT_MAX 512
/* The statistics read with the facts are the job's first reading, too, unless they are older than
 * this: the prolog may have waited for something else. */
#define KEPT_MS 1000

struct reader {
	const struct client *client;
	unsigned long long enough_ms;
};

/* Run in the child. */
static int print_all(void *arg)
{
	const struct reader *reader = arg;
	struct tree *tree;
	struct err why;

	tree = tree_read(reader->client, &why);
	if (tree)
		lustre_stats_print(reader->client, tree, true, reader->enough_ms);
	tree_free(tree);
	return 0;
}

/* ---- parse what was printed ---------------------------------------------------------- */

/* Return when a device began to count, in seconds since boot, by the start_time in its id. Without
 * one (before 2.15) it may be as old as the node. */
static int64_t start_of(const struct client_counters *counters, const char *id)
{
	const char *epoch = strrchr(id, '@');
	int64_t age_s = (int64_t)time(NULL) - (epoch ? strtoll(epoch + 1, NULL, 10) : 0);

	return epoch && strchr(epoch, '.') && age_s < counters->at_s ? counters->at_s - age_s : 0;
}

static struct source_counters *new_source(struct client_counters *counters, const char *id,
					  const char *fs, struct err *err)
{
	size_t count = counters->count;
	struct source_counters *source = client_counters_source(counters, id);

	if (!source)
		err_set(err, "more than %d devices", CLIENT_SOURCES_MAX);
	else if (counters->count == count)
		err_set(err, "%s: shown twice", id);
	if (!source || counters->count == count)
		return NULL;
	source->start_s = start_of(counters, id);
	TEXT_SET(source->fs, fs);
	return source;
}

static int parse_source(struct client_counters *counters, const char *text, struct err *err)
{
	int64_t count[CLIENT_IO_NUMBERS];
	char id[CLIENT_SOURCE_ID_MAX], *end;
	struct source_counters *source;
	int kind;

	text_next_word(&text, id, sizeof(id));
	for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++, text = end)
		count[kind] = strtoll(text, &end, 10);
	source = new_source(counters, id, text + (*text == ' '), err);
	if (!source)
		return -1;
	memcpy(source->numbers, count, sizeof(count));
	return 0;
}

static int parse_line(struct client_counters *counters, const char *line, struct err *err)
{
	const char *rest = strchr(line, ' ');
	int64_t at_s;
	int skip;

	if (!rest++)
		return 0;
	if (!strncmp(line, "row ", 4))
		return parse_source(counters, rest, err);
	if (!strncmp(line, "damaged ", 8))
		return err_set(err, "%s: its statistics are damaged", rest);
	if (!strncmp(line, "missing ", 8))
		return err_set(err, "%s", rest);
	if (sscanf(line, "evicted %" SCNd64 " %n", &at_s, &skip) == 1 &&
	    at_s >= counters->event.at_s) {
		counters->event.at_s = at_s;
		snprintf(counters->event.text, sizeof(counters->event.text),
			 "%.130s has evicted this node", line + skip);
		snprintf(counters->event.code, sizeof(counters->event.code), "LU06");
	}
	return 0;
}

static int parse_all(struct client_counters *counters, const char *text, bool *denied,
		     struct err *err)
{
	char line[LINE_TEXT_MAX + CLIENT_SOURCE_ID_MAX];

	*denied = false;
	while (text_next_line(&text, line, sizeof(line))) {
		if (!strncmp(line, "denied ", 7))
			*denied = true;
		else if (parse_line(counters, line, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- lctl: if files may not be read -------------------------------------- */

static const struct tree_device *device_of(const struct tree *tree, const char *param)
{
	char name[LINE_TEXT_MAX];
	size_t i;

	for (i = 0; i < tree->count; i++) {
		snprintf(name, sizeof(name), "%s.%s.stats", tree_folder(tree->device[i].kind),
			 tree->device[i].name);
		if (!strcmp(param, name))
			return &tree->device[i];
	}
	return NULL;
}

/* Add a source from "osc.work-OST0000-osc-ffff9a2c41d08000.stats" and its text. */
static int parse_param(struct client *client, struct client_counters *counters,
		       const struct tree *tree, const char *name, const char *text, struct err *err)
{
	const struct tree_device *device = device_of(tree, name);
	struct lustre_stats stats;
	char id[CLIENT_SOURCE_ID_MAX];
	struct source_counters *source;

	if (!device)
		return 0;
	if (lustre_stats_parse(text, device->kind, &stats) < 0)
		return err_set(err, "%s: lctl shows it damaged", name);
	lustre_stats_id(client, device, &stats, id);
	source = new_source(counters, id, lustre_stats_mount(client, device), err);
	if (!source)
		return -1;
	memcpy(source->numbers, stats.count, sizeof(stats.count));
	return 0;
}

/* Return the length of the parameter's name at the start of a line; 0: none. Its text has no such
 * line. */
static size_t name_length(const char *line)
{
	size_t length = strcspn(line, "= \n");

	return line[length] == '=' ? length : 0;
}

/* Split off the next parameter: its name, and its text up to the next one. */
static char *cut_param(char **text, char **body)
{
	char *name = *text, *next;
	size_t length = name_length(name);

	if (!length)
		return NULL;
	name[length] = '\0';
	*body = name + length + 1;
	*body += **body == '\n';
	for (next = strchr(*body, '\n'); next; next = strchr(next, '\n'))
		if (name_length(++next) || !*next)
			break;
	*text = next ? next : *body + strlen(*body);
	return name;
}

int lustre_counters_params(struct client *client, struct client_counters *counters,
			   const struct tree *tree, char *text, struct err *err)
{
	char *name, *body, *copy;
	int rc = 0;

	while (*text && rc == 0) {
		name = cut_param(&text, &body);
		if (!name)
			return err_set(err, "lctl: '%.*s'", (int)strcspn(text, "\n"), text);
		copy = xneed(strndup(body, (size_t)(text - body)));
		rc = parse_param(client, counters, tree, name, copy, err);
		free(copy);
	}
	return rc;
}

static int query_lctl(struct client *client, struct client_counters *counters, struct err *err)
{
	char *argv[] = { client->section->lctl, "get_param",   "llite.*.stats",
			 "mdc.*.stats",		"osc.*.stats", NULL };
	struct tree *tree = tree_read(client, err);
	struct query query = { 0 };
	int rc = -1;

	if (!tree)
		return -1;
	counters->count = 0;
	query_command(client, &query, argv, NULL);
	if (query.answer == QUERY_ANSWERED)
		rc = lustre_counters_params(client, counters, tree, query.text, err);
	else
		err_set(err, "%s", query.why);
	if (rc == 0 && counters->count != tree->count)
		rc = err_set(err, "lctl shows the statistics of %zu of %zu devices",
			     counters->count, tree->count);
	query_clear(&query);
	tree_free(tree);
	return rc;
}

/* ---- read all --------------------------------------------------------------- */

static void query_child(struct client *client, struct query *query)
{
	unsigned int limit_ms = client->section->timeout_ms;
	struct reader reader = { .client = client };

	reader.enough_ms = child_now_ms() + limit_ms / 2;
	query_function(client, query, "Lustre's statistics", print_all, &reader);
}

/* Use the statistics that the prolog read with the facts, once. Return 1 if they were added, 0 if
 * there are none or they are too old, -1 on failure. */
static int parse_inspected(const struct client *client, struct client_counters *counters,
			   bool *denied, struct err *err)
{
	const struct lustre_facts *facts = lustre_facts_of(client);
	int rc = 0;

	if (facts->no_counters)
		return err_set(err, "%s", facts->no_counters);
	if (facts->counters && child_now_ms() <= facts->counters_ms + KEPT_MS)
		rc = parse_all(counters, facts->counters, denied, err) < 0 ? -1 : 1;
	lustre_facts_drop_counters(client);
	return rc;
}

static int read_by(struct client *client, struct client_counters *counters, bool *denied,
		   struct err *err)
{
	struct query query = { 0 };
	int rc;

	query_child(client, &query);
	rc = query.answer == QUERY_ANSWERED ? parse_all(counters, query.text, denied, err)
					    : err_set(err, "%s", query.why);
	query_clear(&query);
	return rc < 0 ? -1 : 1;
}

/* Return 1; 0: no mount of [client] mounts= is there; -1. Statistics read with the facts are of the
 * mounts of that time. */
static int read_all(const struct client *of, struct client_counters *counters, struct err *err)
{
	struct client client = { .type = of->type, .section = of->section, .run_dir = of->run_dir };
	bool denied = false;
	int rc = parse_inspected(of, counters, &denied, err);

	if (rc < 0 || (rc > 0 && !denied))
		return rc;
	client.deadline_ms = child_now_ms() + client.section->timeout_ms;
	rc = mounts_reread(&client, err) < 0 ? -1 : client.common.mount_count > 0;
	if (rc > 0 && !denied)
		rc = read_by(&client, counters, &denied, err);
	if (rc > 0 && denied)
		rc = query_lctl(&client, counters, err) < 0 ? -1 : 1;
	mounts_free(client.mounts);
	return rc;
}

/* Return NULL with errno ENOENT if no mount of [client] mounts= is there. */
struct client_counters *lustre_counters_read(const struct client *of, struct err *err)
{
	struct client_counters *counters = client_counters_new();
	int rc = counters ? read_all(of, counters, err) : -1;

	if (rc > 0 && !counters->count)
		rc = err_set(err, "no statistics of Lustre in %s", of->section->debug_dir);
	if (rc > 0)
		return counters;
	errno = rc == 0 ? ENOENT : EIO;
	client_counters_free(counters);
	return NULL;
}
