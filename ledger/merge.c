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

struct part {
	const char *node, *nodelist, *cpus, *prof, *fs, *src;
	double start, end;
	uint64_t flags;
	int64_t cores;	   /* RECORD_UNKNOWN: none */
	int64_t moved, us; /* of scope job: bytes, and time in calls; RECORD_UNKNOWN */
	int64_t wire_rd, wire_wr;
	unsigned int restored, changed, errors, warnings;
	bool is_refused, is_far;
	int64_t warned_tasks, refused_tasks;
	uint32_t lacks;
};

struct merge {
	struct texts texts;
	struct part *parts;
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
static const char *keep(struct merge *merge, const char *text)
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

/* ---- parts --------------------------------------------------------------- */

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
	free(merge->parts);
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
static void take_app(struct merge *merge, struct part *part, const struct record *r)
{
	const char *source = run_source(r, IO_SCOPE_JOB), *wide = run_source(r, IO_SCOPE_NODE);
	char src[SUMMARY_SRC] = "";
	struct io app, of_node;

	run_best(r, IO_SCOPE_JOB, &app);
	if (io_is_counted(&app)) {
		merge->is_counted = true;
		part->moved = 0;
		io_add_number(&part->moved, app.numbers[IO_READ_BYTES]);
		io_add_number(&part->moved, app.numbers[IO_WRITE_BYTES]);
	} else if (*wide) {
		run_best(r, IO_SCOPE_NODE, &of_node);
		if (io_is_counted(&of_node))
			app = of_node;
	}
	if (app.scope == IO_SCOPE_JOB) {
		io_add_number(&part->us, app.numbers[IO_READ_US]);
		io_add_number(&part->us, app.numbers[IO_WRITE_US]);
	}
	io_add(&merge->app[app.scope], &app);
	/* as allowed in a token */
	if (summary_encode(src, sizeof(src), *source ? source : wide) < 0)
		snprintf(src, sizeof(src), "long");
	part->src = keep(merge, src);
}

static void take_counts(struct part *part, const struct record *r)
{
	size_t i;

	for (i = 0; i < r->wire_count; i++) {
		io_add_number(&part->wire_rd, r->wire[i].numbers[IO_READ_BYTES]);
		io_add_number(&part->wire_wr, r->wire[i].numbers[IO_WRITE_BYTES]);
	}
	for (i = 0; i < r->change_count; i++) {
		/* changes that may not have been made are not counted */
		if (r->changes[i].made <= 0)
			continue;
		part->changed++;
		part->restored += r->changes[i].restored > 0;
	}
	for (i = 0; i < r->finding_count; i++) {
		part->errors += !strcmp(r->findings[i].severity, "error");
		part->warnings += !strcmp(r->findings[i].severity, "warning");
	}
}

/* "/mnt/weka:wekafs,/scratch:lustre": as many as fit, then "+N" */
static void fs_text(const struct record *r, char *out)
{
	char one[SUMMARY_FS], more[16] = "";
	size_t i, left = 0;

	*out = 0;
	for (i = 0; i < r->mount_count; i++) {
		*one = 0;
		if (*out && !left)
			strcat(one, ",");
		if (left || summary_encode(one, sizeof(one), r->mounts[i].mount) < 0 ||
		    strlen(one) + 2 > sizeof(one) ||
		    summary_encode(strcat(one, ":"), sizeof(one), r->mounts[i].fstype) < 0 ||
		    strlen(out) + strlen(one) + 6 >= SUMMARY_FS)
			left++;
		else
			strcat(out, one);
	}
	if (left) {
		snprintf(more, sizeof(more), "%s+%zu", *out ? "," : "",
			 left > 99 ? (size_t)99 : left);
		strcat(out, more);
	}
}

/* Return true if the job had no core near the NICs of one of the clients. */
static bool is_far(const struct record *r)
{
	size_t i;

	for (i = 0; i < r->client_count; i++)
		if (!r->clients[i].is_beside)
			return true;
	return false;
}

static uint32_t lacks_of(const struct record *r)
{
	uint32_t lacks = 0;

	if (r->refused)
		lacks |= SUMMARY_LACK(STARTED);
	else if (r->has_request && !r->profile_applied)
		lacks |= SUMMARY_LACK(PROFILE);
	if (!r->refused && r->has_request && !r->cores_met)
		lacks |= SUMMARY_LACK(CORES);
	if (r->gate_warned > 0)
		lacks |= SUMMARY_LACK(GATE);
	return lacks;
}

static void part_from(struct merge *merge, struct part *part, const struct record *r)
{
	char fs[SUMMARY_FS], prof[RECORD_WORD_MAX + sizeof(NOT_APPLIED)];

	memset(part, 0, sizeof(*part));
	part->cores = part->wire_rd = part->wire_wr = RECORD_UNKNOWN;
	part->moved = part->us = RECORD_UNKNOWN;
	part->flags = r->flags;
	part->end = r->end;
	part->start = r->start;
	part->is_refused = r->refused != NULL;
	part->warned_tasks = r->gate_warned;
	part->refused_tasks = r->gate_refused;
	part->lacks = lacks_of(r);
	part->is_far = is_far(r);
	take_app(merge, part, r);
	take_counts(part, r);
	fs_text(r, fs);
	part->node = keep(merge, r->node);
	part->nodelist = keep(merge, r->nodelist);
	part->fs = keep(merge, fs);
	if (r->has_io_cores) {
		part->cores = r->io_cores_count;
		part->cpus = keep(merge, r->io_cores_os);
	}
	if (r->has_request) {
		snprintf(prof, sizeof(prof), "%s%s", r->request.profile,
			 r->profile_applied ? "" : NOT_APPLIED);
		part->prof = keep(merge, prof);
	}
}

static void make_room(struct merge *merge)
{
	size_t room = merge->room ? 2 * merge->room : 16;

	if (merge->count < merge->room)
		return;
	merge->parts = xrealloc(merge->parts, room, sizeof(*merge->parts));
	merge->room = room;
}

void merge_add(struct merge *merge, const struct record *record)
{
	make_room(merge);
	part_from(merge, &merge->parts[merge->count++], record);
}

/* ---- the summary --------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return strcmp(x->node, y->node);
}

static const char *text_of(const struct part *part, size_t offset)
{
	return *(const char *const *)(const void *)((const char *)part + offset);
}

/* Return the text of all parts, "" if none has one; NULL if they differ: out is then "mixed". */
static const char *one_text(const struct merge *merge, size_t offset, char *out, size_t room)
{
	const char *first = NULL, *text;
	size_t i;

	*out = 0;
	for (i = 0; i < merge->count; i++) {
		text = text_of(&merge->parts[i], offset);
		text = text ? text : "";
		if (first && strcmp(first, text)) {
			snprintf(out, room, "mixed");
			return NULL;
		}
		first = text;
	}
	return first ? first : "";
}

/* Set [out] to the text of all parts, "mixed", or "" if none has one. */
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
	const char *list = one_text(merge, offsetof(struct part, cpus), out, room);

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
		if (i && merge->parts[i].cores != first) {
			snprintf(out, room, "mixed");
			return;
		}
		first = merge->parts[i].cores;
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
		const char *text = text_of(&merge->parts[i], offset);

		if (text && strcmp(text, last) > 0 && (!next || strcmp(text, next) < 0))
			next = text;
	}
	return next;
}

/* Join the different texts of the parts by ",", in strcmp order. */
static void union_text(const struct merge *merge, size_t offset, char *out, size_t room)
{
	const char *text = next_text(merge, offset, ""), *next;
	char one[SUMMARY_FS + 2];
	size_t left = 0, rest;

	*out = 0;
	for (; text && left < 9; text = next) {
		next = next_text(merge, offset, text);
		rest = next ? strlen(",+9") : 0; /* the last one needs no room for it */
		snprintf(one, sizeof(one), "%s%s", *out ? "," : "", text);
		if (left || strlen(out) + strlen(one) + rest >= room)
			left++;
		else
			strcat(out, one);
	}
	if (left) {
		snprintf(one, sizeof(one), "%s+%zu", *out ? "," : "", left);
		strcat(out, one);
	}
}

static struct run_time find_time(const struct merge *merge)
{
	struct run_time time = RUN_TIME_NONE;
	size_t i;

	for (i = 0; i < merge->count; i++)
		run_time_add(&time, merge->parts[i].start, merge->parts[i].end);
	for (i = 0; i < merge->count; i++)
		run_time_compare(&time, merge->parts[i].start, merge->parts[i].end);
	return time;
}

/* Find the shape of the job's I/O from the first start to the last end. With a clock skew it would
 * be that of the clocks. */
static void find_shape(const struct merge *merge, const struct io *all, struct summary *s)
{
	const struct run_time time = find_time(merge);

	if (time.apart > 0)
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
		const struct part *part = &merge->parts[i];

		if (part->moved < 0)
			continue;
		counted++;
		total += (double)part->moved;
		if ((double)part->moved > most) {
			most = (double)part->moved;
			*s->busiest = 0;
			summary_encode(s->busiest, sizeof(s->busiest), part->node);
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
		const struct part *part = &merge->parts[i];

		counted += part->us >= 0;
		if (part->us <= most)
			continue;
		most = part->us;
		*s->slowest = 0;
		summary_encode(s->slowest, sizeof(s->slowest), part->node);
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
		const struct part *part = &merge->parts[i];

		s->flags |= part->flags;
		io_add_number(&s->wire_rd, part->wire_rd);
		io_add_number(&s->wire_wr, part->wire_wr);
		s->restored += part->restored;
		s->changed += part->changed;
		s->errors += part->errors;
		s->warnings += part->warnings;
		s->refused += part->is_refused;
		s->far += part->is_far;
		io_add_number(&s->gate_warned, part->warned_tasks);
		io_add_number(&s->gate_refused, part->refused_tasks);
		s->lacks |= part->lacks;
	}
}

static const char *longest_nodelist(const struct merge *merge)
{
	const char *best = NULL;
	size_t i;

	for (i = 0; i < merge->count; i++) {
		const char *list = merge->parts[i].nodelist;

		if (!list || list == best)
			continue;
		if (!best || strlen(list) > strlen(best) ||
		    (strlen(list) == strlen(best) && strcmp(list, best) > 0))
			best = list;
	}
	return best;
}

static int compare_node(const void *key, const void *part)
{
	return strcmp(key, ((const struct part *)part)->node);
}

static void find_missing(const struct merge *merge, struct summary *s)
{
	const char *list = longest_nodelist(merge);
	struct nodes *nodes;
	size_t i, left = 0;
	char one[SUMMARY_MISS];

	s->nodes_seen = (int64_t)merge->count;
	nodes = list ? nodes_expand(list, NULL) : NULL;
	if (!nodes)
		return; /* nodes=3/-: an unreadable list hides no numbers */
	s->nodes_expected = (int64_t)nodes->count;
	for (i = 0; i < nodes->count; i++) {
		if (bsearch(nodes->names[i], merge->parts, merge->count, sizeof(*merge->parts),
			    compare_node))
			continue;
		*one = 0;
		if (*s->miss)
			strcat(one, ",");
		if (left || summary_encode(one, sizeof(one), nodes->names[i]) < 0 ||
		    strlen(s->miss) + strlen(one) + 8 >= SUMMARY_MISS)
			left++;
		else
			strcat(s->miss, one);
	}
	if (left) {
		snprintf(one, sizeof(one), "%s+%zu", *s->miss ? "," : "", left);
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
		qsort(merge->parts, merge->count, sizeof(*merge->parts), by_node);
	find_missing(merge, &s);
	common_cores(merge, s.cores, sizeof(s.cores));
	common_cpus(merge, s.cpus, sizeof(s.cpus));
	common_text(merge, offsetof(struct part, prof), s.prof, sizeof(s.prof), "many");
	union_text(merge, offsetof(struct part, fs), s.fs, SUMMARY_FS);
	union_text(merge, offsetof(struct part, src), s.src, sizeof(s.src));
	summary_take(&s, all);
	sum_counts(merge, &s);
	find_shape(merge, all, &s);
	find_busiest(merge, &s);
	find_slowest(merge, &s);
	*summary = s;
}
