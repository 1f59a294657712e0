/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/merge.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "ledger/nodes.h"
#include "record/alloc.h"
#include "record/run.h"

/* suffix of a profile's name */
#define NOT_APPLIED "/not-applied"

/* Every node of a job has the same texts (profile, CPUs, mounts, node list): each is stored
 * once. */
struct texts {
	char **slots;
	size_t room, count;
};

struct node_summary {
	const char *node, *nodelist, *cpus, *prof, *fs, *src;
	double start, end;
	uint64_t flags;
	int64_t cores;	   /* RECORD_UNKNOWN: none */
	int64_t moved, us; /* of scope job: bytes, and time in calls; RECORD_UNKNOWN */
	int64_t client_rd, client_wr;
	unsigned int restored, changed, errors, warnings;
	bool is_refused, is_numa_remote;
	int64_t warned_tasks, refused_tasks;
	uint32_t unmet;
};

struct merge {
	struct texts texts;
	struct node_summary *nodes;
	size_t count, room;
	struct io app[2]; /* of all nodes, by scope */
	bool is_counted;  /* a node has counters of scope job */
};

/* ---- texts --------------------------------------------------------------- */

uint64_t merge_digest(const char *text, size_t size)
{
	return digest_add(DIGEST_BEGIN, text, size);
}

static char **find_slot(struct texts *texts, const char *text)
{
	size_t at = (size_t)merge_digest(text, strlen(text));

	for (;; at++) {
		char **slot = &texts->slots[at & (texts->room - 1)];

		if (!*slot || !strcmp(*slot, text))
			return slot;
	}
}

static void grow_texts(struct texts *texts)
{
	struct texts bigger = { NULL, texts->room ? 4 * texts->room : 64, 0 };
	size_t i;

	bigger.slots = xcalloc(bigger.room, sizeof(*bigger.slots));
	for (i = 0; i < texts->room; i++)
		if (texts->slots[i])
			*find_slot(&bigger, texts->slots[i]) = texts->slots[i];
	bigger.count = texts->count;
	free(texts->slots);
	*texts = bigger;
}

/* Return the shared copy of 'text'. */
static const char *intern(struct merge *merge, const char *text)
{
	struct texts *texts = &merge->texts;
	char **slot;

	if (!text)
		return NULL;
	if (2 * texts->count >= texts->room)
		grow_texts(texts);
	slot = find_slot(texts, text);
	if (!*slot) {
		*slot = xstrdup(text);
		texts->count++;
	}
	return *slot;
}

/* ---- nodes --------------------------------------------------------------- */

struct merge *merge_new(void)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));

	io_init(&merge->app[IO_SCOPE_JOB]);
	io_init(&merge->app[IO_SCOPE_NODE]);
	merge->app[IO_SCOPE_NODE].scope = IO_SCOPE_NODE;
	return merge;
}

void merge_free(struct merge *merge)
{
	size_t i;

	if (!merge)
		return;
	for (i = 0; i < merge->texts.room; i++)
		free(merge->texts.slots[i]);
	free(merge->texts.slots);
	free(merge->nodes);
	free(merge);
}

bool merge_is_better(const struct record *a, uint64_t digest_a, const struct record *b,
		     uint64_t digest_b)
{
	bool rebooted_a = (a->flags & RECORD_FLAG(NODE_REBOOTED)) != 0;
	bool rebooted_b = (b->flags & RECORD_FLAG(NODE_REBOOTED)) != 0;
	bool unknown_a = (a->flags & RECORD_FLAG(START_UNKNOWN)) != 0;
	bool unknown_b = (b->flags & RECORD_FLAG(START_UNKNOWN)) != 0;
	int weight_a = record_weight(a), weight_b = record_weight(b);

	if (weight_a != weight_b)
		return weight_a > weight_b;
	if (unknown_a != unknown_b)
		return unknown_b;
	if (rebooted_a != rebooted_b)
		return rebooted_b;
	if (a->end < b->end || a->end > b->end)
		return a->end > b->end;
	return digest_a > digest_b;
}

/* Use the counters of scope job if there are any, else those of the node. */
static void add_app(struct merge *merge, struct node_summary *node, const struct record *r)
{
	const char *source = run_source(r, IO_SCOPE_JOB), *wide = run_source(r, IO_SCOPE_NODE);
	char src[SUMMARY_SRC] = "";
	struct io app, of_node;

	run_best(r, IO_SCOPE_JOB, &app);
	if (io_is_counted(&app)) {
		merge->is_counted = true;
		node->moved = 0;
		io_add_number(&node->moved, app.numbers[IO_READ_BYTES]);
		io_add_number(&node->moved, app.numbers[IO_WRITE_BYTES]);
	} else if (*wide) {
		run_best(r, IO_SCOPE_NODE, &of_node);
		if (io_is_counted(&of_node))
			app = of_node;
	}
	if (app.scope == IO_SCOPE_JOB) {
		io_add_number(&node->us, app.numbers[IO_READ_US]);
		io_add_number(&node->us, app.numbers[IO_WRITE_US]);
	}
	io_add(&merge->app[app.scope], &app);
	/* as allowed in a token */
	if (summary_encode(src, sizeof(src), *source ? source : wide) < 0)
		snprintf(src, sizeof(src), "long");
	node->src = intern(merge, src);
}

static void add_counts(struct node_summary *node, const struct record *r)
{
	size_t i;

	for (i = 0; i < r->client_io_count; i++) {
		io_add_number(&node->client_rd, r->client_io[i].numbers[IO_READ_BYTES]);
		io_add_number(&node->client_wr, r->client_io[i].numbers[IO_WRITE_BYTES]);
	}
	for (i = 0; i < r->changes.count; i++) {
		if (!r->changes.list[i].was_done)
			continue;
		node->changed++;
		node->restored += r->changes.list[i].state == CHANGE_RESTORED;
	}
	for (i = 0; i < r->findings.count; i++) {
		node->errors += r->findings.list[i].severity == FINDING_ERROR;
		node->warnings += r->findings.list[i].severity == FINDING_WARNING;
	}
}

/* "/mnt/weka:wekafs,/scratch:lustre": as many as fit, then "+N" */
static void fs_text(const struct record *r, char *out)
{
	char one[SUMMARY_FS], more[16] = "";
	size_t i, omitted = 0;

	*out = 0;
	for (i = 0; i < r->mount_count; i++) {
		*one = 0;
		if (*out && !omitted)
			strcat(one, ",");
		if (omitted || summary_encode(one, sizeof(one), r->mounts[i].mount) < 0 ||
		    strlen(one) + 2 > sizeof(one) ||
		    summary_encode(strcat(one, ":"), sizeof(one), r->mounts[i].fstype) < 0 ||
		    strlen(out) + strlen(one) + 6 >= SUMMARY_FS)
			omitted++;
		else
			strcat(out, one);
	}
	if (omitted) {
		snprintf(more, sizeof(more), "%s+%zu", *out ? "," : "",
			 omitted > 99 ? (size_t)99 : omitted);
		strcat(out, more);
	}
}

/* Return true if the job had no core near the NICs of one of the clients. */
static bool is_numa_remote(const struct record *r)
{
	size_t i;

	for (i = 0; i < r->client_count; i++)
		if (!r->clients[i].is_numa_local)
			return true;
	return false;
}

static uint32_t unmet_of(const struct record *r)
{
	uint32_t unmet = 0;

	if (r->refused)
		unmet |= SUMMARY_UNMET(STARTED);
	else if (r->has_request && !r->profile_applied)
		unmet |= SUMMARY_UNMET(PROFILE);
	if (!r->refused && r->has_request && !r->cores_met)
		unmet |= SUMMARY_UNMET(CORES);
	if (r->gate_warned > 0)
		unmet |= SUMMARY_UNMET(GATE);
	return unmet;
}

static void summarize_node(struct merge *merge, struct node_summary *node, const struct record *r)
{
	char fs[SUMMARY_FS], prof[RECORD_WORD_MAX + sizeof(NOT_APPLIED)];

	memset(node, 0, sizeof(*node));
	node->cores = node->client_rd = node->client_wr = RECORD_UNKNOWN;
	node->moved = node->us = RECORD_UNKNOWN;
	node->flags = r->flags;
	node->end = r->end;
	node->start = r->start;
	node->is_refused = r->refused != NULL;
	node->warned_tasks = r->gate_warned;
	node->refused_tasks = r->gate_refused;
	node->unmet = unmet_of(r);
	node->is_numa_remote = is_numa_remote(r);
	add_app(merge, node, r);
	add_counts(node, r);
	fs_text(r, fs);
	node->node = intern(merge, r->node);
	node->nodelist = intern(merge, r->nodelist);
	node->fs = intern(merge, fs);
	if (r->has_io_cores) {
		node->cores = r->io_cores_count;
		node->cpus = intern(merge, r->io_cores_os);
	}
	if (r->has_request) {
		snprintf(prof, sizeof(prof), "%s%s", r->request.profile,
			 r->profile_applied ? "" : NOT_APPLIED);
		node->prof = intern(merge, prof);
	}
}

static void grow_nodes(struct merge *merge)
{
	size_t room = merge->room ? 2 * merge->room : 16;

	if (merge->count < merge->room)
		return;
	merge->nodes = xrealloc(merge->nodes, room, sizeof(*merge->nodes));
	merge->room = room;
}

void merge_add(struct merge *merge, const struct record *record)
{
	grow_nodes(merge);
	summarize_node(merge, &merge->nodes[merge->count++], record);
}

/* ---- the summary --------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
	const struct node_summary *x = a, *y = b;

	return strcmp(x->node, y->node);
}

static const char *text_of(const struct node_summary *node, size_t offset)
{
	return *(const char *const *)(const void *)((const char *)node + offset);
}

/* Return the text of all nodes, "" if none has one; NULL if they differ: out is then "mixed". */
static const char *one_text(const struct merge *merge, size_t offset, char *out, size_t room)
{
	const char *first = NULL, *text;
	size_t i;

	*out = 0;
	for (i = 0; i < merge->count; i++) {
		text = text_of(&merge->nodes[i], offset);
		text = text ? text : "";
		if (first && strcmp(first, text)) {
			snprintf(out, room, "mixed");
			return NULL;
		}
		first = text;
	}
	return first ? first : "";
}

/* Set [out] to the text of all nodes, "mixed", or "" if none has one. */
static void common_text(const struct merge *merge, size_t offset, char *out, size_t room,
			const char *too_long)
{
	const char *text = one_text(merge, offset, out, room);

	if (text && summary_encode(out, room, text) < 0)
		snprintf(out, room, "%s", too_long);
}

/* A CPU list needs no encoding: digits, "," and "-". */
static void common_cpus(const struct merge *merge, char *out, size_t room)
{
	const char *list = one_text(merge, offsetof(struct node_summary, cpus), out, room);

	if (!list || strspn(list, "0123456789,-") != strlen(list))
		return;
	snprintf(out, room, "%s", strlen(list) < room ? list : "many");
}

static void common_cores(const struct merge *merge, char *out, size_t room)
{
	int64_t first = RECORD_UNKNOWN;
	size_t i;

	*out = 0;
	for (i = 0; i < merge->count; i++) {
		if (i && merge->nodes[i].cores != first) {
			snprintf(out, room, "mixed");
			return;
		}
		first = merge->nodes[i].cores;
	}
	if (first >= 0)
		summary_count(first, out, room);
}

/* Return the first text after 'last' in strcmp order; NULL: none. */
static const char *next_text(const struct merge *merge, size_t offset, const char *last)
{
	const char *next = NULL;
	size_t i;

	for (i = 0; i < merge->count; i++) {
		const char *text = text_of(&merge->nodes[i], offset);

		if (text && strcmp(text, last) > 0 && (!next || strcmp(text, next) < 0))
			next = text;
	}
	return next;
}

/* Join the different texts of the nodes by ",", in strcmp order. */
static void union_text(const struct merge *merge, size_t offset, char *out, size_t room)
{
	const char *text = next_text(merge, offset, ""), *next;
	char one[SUMMARY_FS + 2];
	size_t omitted = 0, rest;

	*out = 0;
	for (; text && omitted < 9; text = next) {
		next = next_text(merge, offset, text);
		rest = next ? strlen(",+9") : 0; /* the last one needs no room for it */
		snprintf(one, sizeof(one), "%s%s", *out ? "," : "", text);
		if (omitted || strlen(out) + strlen(one) + rest >= room)
			omitted++;
		else
			strcat(out, one);
	}
	if (omitted) {
		snprintf(one, sizeof(one), "%s+%zu", *out ? "," : "", omitted);
		strcat(out, one);
	}
}

static struct run_time find_time(const struct merge *merge)
{
	struct run_time time = RUN_TIME_NONE;
	size_t i;

	for (i = 0; i < merge->count; i++)
		run_time_add(&time, merge->nodes[i].start, merge->nodes[i].end);
	for (i = 0; i < merge->count; i++)
		run_time_compare(&time, merge->nodes[i].start, merge->nodes[i].end);
	return time;
}

/* Find the shape of the job's I/O from the first start to the last end. With a clock skew it would
 * be that of the clocks. */
static void find_shape(const struct merge *merge, const struct io *all, struct summary *s)
{
	const struct run_time time = find_time(merge);

	if (time.clock_skew > 0)
		s->flags |= RECORD_FLAG(CLOCKS_APART);
	else if (all->scope == IO_SCOPE_JOB)
		s->shape = timeline_shape(&all->timeline, (int64_t)time.first,
					  timeline_last(time.first, time.last), &s->bursts);
}

/* Compare the busiest node with the mean, if the counters are of scope job. */
static void find_busiest(const struct merge *merge, struct summary *s)
{
	double total = 0, most = 0;
	size_t i, counted = 0;

	if (s->scope != SUMMARY_SCOPE_JOB)
		return;
	for (i = 0; i < merge->count; i++) {
		const struct node_summary *node = &merge->nodes[i];

		if (node->moved < 0)
			continue;
		counted++;
		total += (double)node->moved;
		if ((double)node->moved > most) {
			most = (double)node->moved;
			*s->busiest = 0;
			summary_encode(s->busiest, sizeof(s->busiest), node->node);
		}
	}
	if (counted > 1 && total > 0)
		s->imbalance = most * (double)counted / total;
}

/* Find the node with the most time in calls. */
static void find_slowest(const struct merge *merge, struct summary *s)
{
	int64_t most = RECORD_UNKNOWN;
	size_t i, counted = 0;

	for (i = 0; i < merge->count; i++) {
		const struct node_summary *node = &merge->nodes[i];

		counted += node->us >= 0;
		if (node->us <= most)
			continue;
		most = node->us;
		*s->slowest = 0;
		summary_encode(s->slowest, sizeof(s->slowest), node->node);
	}
	if (counted > 1 && most > 0)
		s->slowest_ns = most > INT64_MAX / 1000 ? INT64_MAX : most * 1000;
	else
		*s->slowest = 0;
}

static void sum_counts(const struct merge *merge, struct summary *s)
{
	size_t i;

	for (i = 0; i < merge->count; i++) {
		const struct node_summary *node = &merge->nodes[i];

		s->flags |= node->flags;
		io_add_number(&s->client_rd, node->client_rd);
		io_add_number(&s->client_wr, node->client_wr);
		s->restored += node->restored;
		s->changed += node->changed;
		s->errors += node->errors;
		s->warnings += node->warnings;
		s->refused += node->is_refused;
		s->numa_remote += node->is_numa_remote;
		io_add_number(&s->gate_warned, node->warned_tasks);
		io_add_number(&s->gate_refused, node->refused_tasks);
		s->unmet |= node->unmet;
	}
}

static const char *longest_nodelist(const struct merge *merge)
{
	const char *best = NULL;
	size_t i;

	for (i = 0; i < merge->count; i++) {
		const char *list = merge->nodes[i].nodelist;

		if (!list || list == best)
			continue;
		if (!best || strlen(list) > strlen(best) ||
		    (strlen(list) == strlen(best) && strcmp(list, best) > 0))
			best = list;
	}
	return best;
}

static int compare_node(const void *key, const void *node)
{
	return strcmp(key, ((const struct node_summary *)node)->node);
}

static void find_missing(const struct merge *merge, struct summary *s)
{
	const char *list = longest_nodelist(merge);
	struct nodes *nodes;
	size_t i, omitted = 0;
	char one[SUMMARY_MISS];

	s->nodes_seen = (int64_t)merge->count;
	nodes = list ? nodes_expand(list, NULL) : NULL;
	if (!nodes)
		return; /* nodes=3/-: an unreadable list hides no numbers */
	s->nodes_expected = (int64_t)nodes->count;
	for (i = 0; i < nodes->count; i++) {
		if (bsearch(nodes->names[i], merge->nodes, merge->count, sizeof(*merge->nodes),
			    compare_node))
			continue;
		*one = 0;
		if (*s->miss)
			strcat(one, ",");
		if (omitted || summary_encode(one, sizeof(one), nodes->names[i]) < 0 ||
		    strlen(s->miss) + strlen(one) + 8 >= SUMMARY_MISS)
			omitted++;
		else
			strcat(s->miss, one);
	}
	if (omitted) {
		snprintf(one, sizeof(one), "%s+%zu", *s->miss ? "," : "", omitted);
		strcat(s->miss, one);
	}
	nodes_free(nodes);
}

void merge_summary(struct merge *merge, struct summary *summary)
{
	const struct io *all = &merge->app[merge->is_counted ? IO_SCOPE_JOB : IO_SCOPE_NODE];
	struct summary s;

	summary_init(&s);
	if (merge->count)
		qsort(merge->nodes, merge->count, sizeof(*merge->nodes), by_node);
	find_missing(merge, &s);
	common_cores(merge, s.cores, sizeof(s.cores));
	common_cpus(merge, s.cpus, sizeof(s.cpus));
	common_text(merge, offsetof(struct node_summary, prof), s.prof, sizeof(s.prof), "many");
	union_text(merge, offsetof(struct node_summary, fs), s.fs, SUMMARY_FS);
	union_text(merge, offsetof(struct node_summary, src), s.src, sizeof(s.src));
	summary_set_io(&s, all);
	sum_counts(merge, &s);
	find_shape(merge, all, &s);
	find_busiest(merge, &s);
	find_slowest(merge, &s);
	*summary = s;
}
