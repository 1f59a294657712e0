/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/run.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"
#include "record/json.h"

#define NOT_APPLIED "/not-applied" /* suffix of a profile's name */

const char *const run_grouped_names[RUN_GROUPED_COUNT] = {
#define GROUPED_NAME(id, name) name,
	RUN_GROUPED(GROUPED_NAME)
#undef GROUPED_NAME
};

/* ---- the best counters ------------------------------------------------------ */

/* Threads are counted on each filesystem again: a node has at least as many, and with the same
 * lifetime, as any of its filesystems. */
static void keep_most(struct io *sum, const struct io *io, const int64_t before[IO_COUNT])
{
	static const enum io_number of_threads[] = { IO_THREADS, IO_THREAD_US };
	enum io_number n;
	size_t i;

	for (i = 0; i < sizeof(of_threads) / sizeof(*of_threads); i++) {
		n = of_threads[i];
		sum->numbers[n] = before[n] > io->numbers[n] ? before[n] : io->numbers[n];
	}
}

/* Return the sum of the best counters in one scope; unknown, of source "", if there are none. Lines
 * of filesystems that are not the client's are other I/O, of the same source. */
static const struct io *find_best(const struct record *record, enum io_scope scope, struct io *sum)
{
	uint64_t best = record_best_app(record, scope);
	int64_t before[IO_COUNT];
	size_t i;

	if (best && !(best & (best - 1)))
		return &record->app[__builtin_ctzll(best)];
	io_init(sum);
	sum->scope = scope;
	for (i = 0; i < record->app_count; i++) {
		if (!(best >> i & 1))
			continue;
		strcpy(sum->source, record->app[i].source);
		memcpy(before, sum->numbers, sizeof(before));
		io_add(sum, &record->app[i]);
		keep_most(sum, &record->app[i], before);
	}
	return sum;
}

/* ---- words ------------------------------------------------------------------- */

static void append_word(struct run_words *words, const char *text)
{
	words->word = xmore(words->word, words->count, sizeof(*words->word));
	words->word[words->count++] = xstrdup(text);
}

static void add_word(struct run_words *words, const char *text)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		if (!strcmp(words->word[i], text))
			return;
	if (i < RUN_WORDS_MAX)
		append_word(words, text);
}

const char *run_first(const struct run_words *words)
{
	return words->count ? *words->word : "";
}

static void free_words(struct run_words *words)
{
	while (words->count)
		free(words->word[--words->count]);
	free(words->word);
}

/* ---- series ------------------------------------------------------------------- */

static int compare_series(const struct run_series *series, const struct io *io, enum run_kind kind)
{
	const char *fs = series->io.fs ? series->io.fs : "";
	int order = (int)series->kind - (int)kind;

	order = order ? order : series->io.scope - io->scope;
	order = order ? order : strcmp(series->io.source, io->source);
	order = order ? order : strcmp(series->io.client, io->client);
	return order ? order : strcmp(fs, io->fs ? io->fs : "");
}

static struct run_series *new_series(struct run *run, const struct io *io, enum run_kind kind)
{
	struct run_series *series;

	run->series = xmore(run->series, run->series_count, sizeof(*series));
	series = &run->series[run->series_count++];
	*series = (struct run_series){ .kind = kind, .place = SIZE_MAX };
	io_init(&series->io);
	series->io.scope = io->scope;
	series->io.shared = io->shared;
	series->io.fs = xstrdup(io->fs);
	strcpy(series->io.source, io->source);
	strcpy(series->io.client, io->client);
	return series;
}

static void add_io(struct run *run, const struct io *io, enum run_kind kind, size_t place)
{
	struct run_series *series;
	size_t at = 0;

	while (at < run->series_count && compare_series(&run->series[at], io, kind) != 0)
		at++;
	if (at == RUN_SERIES_MAX) {
		run->series_left_out++;
		return;
	}
	series = at < run->series_count ? &run->series[at] : new_series(run, io, kind);
	series->nodes++;
	series->place = place < series->place ? place : series->place;
	io_add(&series->io, io);
}

/* 'best': of each scope. */
static void add_series(struct run *run, const struct record *record, const struct io *const best[2])
{
	const struct io *io;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		add_io(run, io, strcmp(io->source, best[io->scope]->source) ? RUN_OTHER : RUN_APP,
		       i);
	}
	for (i = 0; i < record->client_io_count; i++) {
		io = &record->client_io[i];
		add_io(run, io, RUN_CLIENT_IO, RECORD_LIST_MAX + i);
		run->is_client_io_shared |= io->scope != IO_SCOPE_JOB && io->shared != 0;
	}
}

/* Use the counters of scope job if there are any, else those of the node. */
static void add_best(struct run *run, const struct io *const best[2], struct run_node *node)
{
	const struct io *io = best[IO_SCOPE_JOB], *of_node = best[IO_SCOPE_NODE];
	const char *source = *io->source ? io->source : of_node->source;

	strcpy(node->source, io->source);
	memcpy(node->numbers, io->numbers, sizeof(node->numbers));
	run->has_job_io |= io_is_counted(io);
	if (*source)
		add_word(&run->sources, source);
	if (!io_is_counted(io) && io_is_counted(of_node))
		io = of_node;
	io_add(&run->best[io->scope], io);
}

/* ---- groups -------------------------------------------------------------------- */

static int compare_groups(const void *a, const void *b)
{
	const struct run_group *x = a, *y = b;
	int order = (int)x->member - (int)y->member;

	return order ? order : strcmp(x->text, y->text);
}

/* Copy a value into the run; NULL: there is no room for more. */
static struct run_group *new_group(struct run *run, const struct run_group *key)
{
	size_t size = strlen(key->text);
	struct run_group *group;

	if (run->value_bytes + size > RUN_VALUES_BYTES_MAX) {
		run->flags |= RECORD_FLAG(TRUNCATED);
		return NULL;
	}
	run->value_bytes += size;
	group = xcalloc(1, sizeof(*group));
	*group = *key;
	json_add_copy(run->values, "", key->value);
	group->value = run->values->list.last;
	group->text = json_line(group->value);
	xneed(tsearch(group, &run->by_value, compare_groups));
	run->groups = xmore(run->groups, run->group_count, sizeof(group));
	return run->groups[run->group_count++] = group;
}

static void add_value(struct run *run, enum run_grouped member, const struct json *value,
		      const struct run_node *node, size_t place)
{
	const struct run_group key = {
		.member = member, .value = value, .text = json_line(value), .place = place
	};
	struct run_group **found = tfind(&key, &run->by_value, compare_groups);
	struct run_group *group = found ? *found : new_group(run, &key);

	if (!group)
		return;
	group->nodes = xmore(group->nodes, group->count, sizeof(node));
	group->nodes[group->count++] = node;
	group->place = place < group->place ? place : group->place;
}

static void add_groups(struct run *run, const struct json *json, const struct run_node *node)
{
	const struct json *value, *one;
	enum run_grouped member;
	size_t place;

	for (member = 0; member < RUN_GROUPED_COUNT; member++) {
		value = json_member(json, run_grouped_names[member]);
		if (value && !json_is(value, JSON_LIST))
			add_value(run, member, value, node, 0);
		for (one = json_is(value, JSON_LIST) ? json_first(value) : NULL, place = 0; one;
		     one = one->next)
			add_value(run, member, one, node, place++);
	}
}

const struct run_group *run_next_group(const struct run *run, enum run_grouped member, size_t *at)
{
	while (*at < run->group_count && run->groups[*at]->member != member)
		++*at;
	return *at < run->group_count ? run->groups[(*at)++] : NULL;
}

static bool has_text(const struct json *value, const char *key, const char *wanted)
{
	const char *text = json_text(value, key);

	return text && !strcmp(text, wanted);
}

int64_t run_count(const struct run *run, enum run_grouped member, const char *key, const char *text)
{
	const struct run_group *group;
	int64_t count = 0;
	size_t at = 0;

	while ((group = run_next_group(run, member, &at)))
		if (has_text(group->value, key, text))
			count += (int64_t)group->count;
	return count;
}

bool run_has_option(const struct run *run, const char *mount, const char *option)
{
	const struct run_group *group;
	size_t at = 0;

	while ((group = run_next_group(run, RUN_GROUPED_CHANGES, &at)))
		if (json_is_true(group->value, "made") &&
		    has_text(group->value, "what", "mount-option") &&
		    has_text(group->value, "target", mount) &&
		    has_text(group->value, "new", option))
			return true;
	return false;
}

/* ---- mounts ---------------------------------------------------------------------- */

static const char *text_of(const struct json *object, const char *key)
{
	const char *text = json_text(object, key);

	return text ? text : "";
}

static int compare_mounts(const struct run_mount *x, const struct run_mount *y)
{
	int order = strcmp(x->mount, y->mount);

	order = order ? order : strcmp(x->fstype, y->fstype);
	order = order ? order : strcmp(x->client, y->client);
	return order ? order : strcmp(x->type, y->type);
}

static int by_place_of_mount(const void *a, const void *b)
{
	const struct run_mount *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return compare_mounts(x, y);
}

static void add_mount(struct run *run, const struct run_mount *new)
{
	struct run_mount *one = run->mounts, *end = one + run->mount_count;

	while (one < end && compare_mounts(one, new) != 0)
		one++;
	if (one < end) {
		one->place = new->place < one->place ? new->place : one->place;
	} else if (run->mount_count < RUN_MOUNTS_MAX) {
		run->mounts = xmore(run->mounts, run->mount_count, sizeof(*new));
		run->mounts[run->mount_count++] = *new;
	}
}

static void find_mounts(struct run *run, enum run_grouped member, size_t first)
{
	const struct run_group *group;
	const struct json *mount;
	struct run_mount new;
	size_t at = 0;

	while ((group = run_next_group(run, member, &at))) {
		new.client = text_of(group->value, "name");
		new.type = text_of(group->value, "type");
		new.place = (first + group->place) * RECORD_LIST_MAX;
		mount = json_first(json_list(group->value, "mounts"));
		for (; mount; mount = mount->next, new.place++) {
			new.mount = text_of(mount, "mount");
			new.fstype = text_of(mount, "fstype");
			add_mount(run, &new);
		}
	}
}

/* ---- the request ------------------------------------------------------------------ */

static void add_cores(struct run *run, const struct record *r)
{
	int64_t cores = r->has_io_cores && r->cores_met ? r->io_cores_count : 0;
	char text[24] = "";

	if (r->has_io_cores)
		snprintf(text, sizeof(text), "%lld", (long long)r->io_cores_count);
	add_word(&run->cores, text);
	add_word(&run->cpus, r->has_io_cores && r->io_cores_os ? r->io_cores_os : "");
	if (!run->node_count || cores < run->least_cores)
		run->least_cores = cores > 0 ? cores : 0;
}

static void add_request(struct run *run, const struct record *r)
{
	char profile[RECORD_WORD_MAX + sizeof(NOT_APPLIED)] = "";

	if (r->has_request)
		snprintf(profile, sizeof(profile), "%s%s", r->request.profile,
			 r->profile_applied ? "" : NOT_APPLIED);
	add_word(&run->profiles, profile);
	run->core_requests += r->has_request && r->request.io_cores;
	if (r->refused) {
		run->unmet |= RUN_UNMET(STARTED);
		run->refused++;
		return;
	}
	if (r->has_request && !r->profile_applied) {
		run->unmet |= RUN_UNMET(PROFILE);
		run->lost_profiles += *r->request.profile != 0;
		if (strcmp(r->request.profile, run->lost_profile) > 0)
			strcpy(run->lost_profile, r->request.profile);
	}
	if (r->has_request && !r->cores_met) {
		run->unmet |= RUN_UNMET(CORES);
		run->lost_cores += r->request.io_cores != 0;
	}
}

static void add_gate(struct run *run, const struct record *r)
{
	bool is_remote = false;
	size_t i;

	if (r->gate_warned > 0)
		run->unmet |= RUN_UNMET(GATE);
	io_add_number(&run->gate_warned, r->gate_warned);
	io_add_number(&run->gate_refused, r->gate_refused);
	for (i = 0; i < r->client_count; i++)
		is_remote |= !r->clients[i].is_numa_local;
	run->numa_remote += is_remote;
}

/* ---- records ------------------------------------------------------------------------ */

bool run_add_head(struct run *run, const struct record *r)
{
	struct run_key *key = &run->key;
	size_t size = r->nodelist ? strlen(r->nodelist) : 0;
	size_t had = run->nodelist ? strlen(run->nodelist) : 0;

	strcpy(key->cluster, r->cluster);
	key->job = r->job;
	key->uid = r->uid;
	if (key->restart < 0)
		key->restart = r->restart;
	if (r->array_job >= 0) {
		key->array_job = r->array_job;
		key->array_task = r->array_task;
	}
	if (r->het_job >= 0) {
		key->het_job = r->het_job;
		key->het_offset = r->het_offset;
	}
	if (strcmp(r->user, run->user) > 0)
		strcpy(run->user, r->user);
	if (!size || size < had || (size == had && strcmp(r->nodelist, run->nodelist) <= 0))
		return false;
	record_set(&run->nodelist, r->nodelist);
	return true;
}

static int compare_nodes(const void *a, const void *b)
{
	return strcmp(((const struct run_node *)a)->name, ((const struct run_node *)b)->name);
}

/* Return NULL if the run has this node. */
static struct run_node *add_node(struct run *run, const struct record *record)
{
	struct run_node *node = xcalloc(1, sizeof(*node)), **found;

	node->name = xstrdup(record->node);
	node->start = record->start;
	node->end = record->end;
	found = xneed(tsearch(node, &run->by_name, compare_nodes));
	if (*found == node) {
		run->nodes = xmore(run->nodes, run->node_count, sizeof(node));
		return node;
	}
	free(node->name);
	free(node);
	return NULL;
}

void run_add(struct run *run, const struct record *record, const struct json *json)
{
	struct run_node *node = add_node(run, record);
	struct io sums[2];
	const struct io *const best[] = { find_best(record, IO_SCOPE_JOB, &sums[0]),
					  find_best(record, IO_SCOPE_NODE, &sums[1]) };

	if (!node)
		return;
	(void)run_add_head(run, record);
	run->flags |= record->flags;
	add_best(run, best, node);
	add_series(run, record, best);
	add_groups(run, json, node);
	add_cores(run, record);
	add_request(run, record);
	add_gate(run, record);
	run->nodes[run->node_count++] = node;
}

/* ---- times ---------------------------------------------------------------------------- */

static double first_end_of(const struct run *run)
{
	double first = -1;
	size_t i;

	for (i = 0; i < run->node_count; i++)
		if (run->nodes[i]->end >= 0 && (first < 0 || run->nodes[i]->end < first))
			first = run->nodes[i]->end;
	return first;
}

/* Return the clock skew of one node; 0: none. */
static double skew_of(const struct run_node *node, double first, double first_end)
{
	double start = node->start - first, end = node->end - first_end;
	double least = start < end ? start : end, slop = start < end ? end - start : start - end;

	return node->end >= 0 && least >= RUN_CLOCK_SKEW_S && slop <= RUN_CLOCK_SKEW_SLOP_S ? least
											    : 0;
}

static void find_times(struct run *run)
{
	double first_end = first_end_of(run), longest = 0, skew;
	const struct run_node *node;
	size_t i;

	for (i = 0; i < run->node_count; i++) {
		node = run->nodes[i];
		if (run->first < 0 || node->start < run->first)
			run->first = node->start;
		if (node->end > run->last)
			run->last = node->end;
		if (node->end - node->start > longest)
			longest = node->end - node->start;
	}
	for (i = 0; i < run->node_count; i++) {
		skew = skew_of(run->nodes[i], run->first, first_end);
		run->clock_skew = skew > run->clock_skew ? skew : run->clock_skew;
	}
	if (run->first >= 0 && run->last > run->first)
		run->seconds = run->clock_skew > 0 ? longest : run->last - run->first;
	if (run->clock_skew > 0)
		run->flags |= RECORD_FLAG(CLOCKS_APART);
}

/* ---- order ------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return compare_nodes(*(void *const *)a, *(void *const *)b);
}

static int by_place(const void *a, const void *b)
{
	const struct run_series *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return compare_series(x, &y->io, y->kind);
}

static int by_first_node(const void *a, const void *b)
{
	const struct run_group *x = *(void *const *)a, *y = *(void *const *)b;
	int order = (int)x->member - (int)y->member;

	order = order ? order : compare_nodes(x->nodes[0], y->nodes[0]);
	order = order ? order : (x->place > y->place) - (x->place < y->place);
	return order ? order : strcmp(x->text, y->text);
}

static void sort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count)
		qsort(list, count, size, compare);
}

void run_finish(struct run *run)
{
	size_t i;

	sort(run->nodes, run->node_count, sizeof(*run->nodes), by_name);
	sort(run->series, run->series_count, sizeof(*run->series), by_place);
	for (i = 0; i < run->group_count; i++)
		sort(run->groups[i]->nodes, run->groups[i]->count, sizeof(*run->nodes), by_name);
	sort(run->groups, run->group_count, sizeof(*run->groups), by_first_node);
	find_mounts(run, RUN_GROUPED_CLIENT, 0);
	find_mounts(run, RUN_GROUPED_MORE_CLIENTS, 1);
	sort(run->mounts, run->mount_count, sizeof(*run->mounts), by_place_of_mount);
	run->nodes_seen = (int64_t)run->node_count;
	find_times(run);
}

void run_expect(struct run *run, char *const *names, size_t count)
{
	struct run_node node;
	size_t i;

	run->nodes_expected = (int64_t)count;
	for (i = 0; i < count; i++) {
		node.name = names[i];
		if (!tfind(&node, &run->by_name, compare_nodes))
			append_word(&run->missing, names[i]);
	}
}

const struct io *run_io(const struct run *run)
{
	return &run->best[run->has_job_io ? IO_SCOPE_JOB : IO_SCOPE_NODE];
}

bool run_is_whole(const struct run *run)
{
	return !run->left_out && run->nodes_expected >= 0 && run->nodes_seen >= run->nodes_expected;
}

/* ---- the struct ---------------------------------------------------------------------------- */

void run_init(struct run *run)
{
	*run = (struct run){ .first = -1, .last = -1, .nodes_expected = RECORD_UNKNOWN };
	run->key.restart = run->key.array_job = run->key.array_task = RECORD_UNKNOWN;
	run->key.het_job = run->key.het_offset = RECORD_UNKNOWN;
}

struct run *run_new(void)
{
	struct run *run = xcalloc(1, sizeof(*run));

	run_init(run);
	run->values = json_new_object();
	run->best = xcalloc(2, sizeof(*run->best));
	io_init(&run->best[IO_SCOPE_JOB]);
	io_init(&run->best[IO_SCOPE_NODE]);
	run->best[IO_SCOPE_NODE].scope = IO_SCOPE_NODE;
	return run;
}

static void free_node(void *node)
{
	free(((struct run_node *)node)->name);
	free(node);
}

static void free_group(void *item)
{
	struct run_group *group = item;

	free(group->nodes);
	free(group);
}

void run_clear(struct run *run)
{
	tdestroy(run->by_name, free_node);
	tdestroy(run->by_value, free_group);
	while (run->series_count)
		free(run->series[--run->series_count].io.fs);
	free_words(&run->missing);
	free_words(&run->sources);
	free_words(&run->cores);
	free_words(&run->cpus);
	free_words(&run->profiles);
	free(run->nodes);
	free(run->series);
	free(run->mounts);
	free(run->groups);
	json_free(run->values);
	free(run->best);
	free(run->nodelist);
}

void run_free(struct run *run)
{
	if (run)
		run_clear(run);
	free(run);
}
