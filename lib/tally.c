/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/tally.h"

#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/digest.h"
#include "lib/json.h"
#include "lib/run.h"

#define SLOTS_FIRST 256
/* Of JSON, beside the texts. */
#define SUM_BYTES 200
#define JOB_BYTES 120

const char *const tally_names[TALLY_KINDS] = {
	[TALLY_FILESYSTEMS] = "filesystems", [TALLY_USERS] = "users",
	[TALLY_ACCOUNTS] = "accounts",	     [TALLY_PROFILES] = "profiles",
	[TALLY_ADVICE] = "advice",
};

/* Slots hold the place of a sum, plus one; 0 is free. */
struct tally_index {
	size_t *slots[TALLY_KINDS], rooms[TALLY_KINDS];
};

struct tally *tally_new(void)
{
	struct tally *tally = xcalloc(1, sizeof(*tally));

	tally->index = xcalloc(1, sizeof(*tally->index));
	return tally;
}

static void free_job(struct tally_job *job)
{
	free(job->cluster);
	free(job->user);
}

void tally_free(struct tally *tally)
{
	size_t i;
	int kind;

	if (!tally)
		return;
	for (kind = 0; kind < TALLY_KINDS; kind++) {
		for (i = 0; i < tally->counts[kind]; i++) {
			free(tally->sums[kind][i].name);
			free(tally->sums[kind][i].cluster);
			free(tally->sums[kind][i].type);
		}
		free(tally->sums[kind]);
		free(tally->index->slots[kind]);
	}
	for (i = 0; i < tally->gate_count; i++)
		free_job(&tally->gate[i]);
	free(tally->gate);
	free(tally->index);
	free(tally);
}

/* ---- sums ---------------------------------------------------------------- */

static size_t hash_of(const char *name, const char *cluster)
{
	uint64_t hash = digest_add(DIGEST_BEGIN, name, strlen(name));

	hash = digest_add(hash, cluster, strlen(cluster));
	return (size_t)(hash ^ hash >> 29);
}

/* The slot that has the sum, or the free one where it would be. */
static size_t *find_slot(const struct tally *tally, int kind, const char *name, const char *cluster)
{
	size_t at = hash_of(name, cluster);
	const struct tally_sum *sum;
	size_t *slot;

	for (;; at++) {
		slot = &tally->index->slots[kind][at & (tally->index->rooms[kind] - 1)];
		if (!*slot)
			return slot;
		sum = &tally->sums[kind][*slot - 1];
		if (!strcmp(sum->name, name) && !strcmp(sum->cluster, cluster))
			return slot;
	}
}

/* The places of all sums anew, in more slots or as they stand now. */
static void index_again(struct tally *tally, int kind, size_t room)
{
	size_t i;

	free(tally->index->slots[kind]);
	tally->index->slots[kind] = xcalloc(room, sizeof(size_t));
	tally->index->rooms[kind] = room;
	for (i = 0; i < tally->counts[kind]; i++)
		*find_slot(tally, kind, tally->sums[kind][i].name, tally->sums[kind][i].cluster) =
			i + 1;
}

/* Room for another sum, whose slots are half empty at least. */
static void make_room(struct tally *tally, int kind)
{
	size_t count = tally->counts[kind], room = tally->index->rooms[kind];

	if (count * 2 < room)
		return;
	room = room ? room * 2 : SLOTS_FIRST;
	tally->sums[kind] = xrealloc(tally->sums[kind], room / 2, sizeof(struct tally_sum));
	index_again(tally, kind, room);
}

/* The sum of this name, made where there is none. */
static struct tally_sum *sum_of(struct tally *tally, int kind, const char *name,
				const char *cluster)
{
	struct tally_sum *sum;
	size_t *slot;

	make_room(tally, kind);
	slot = find_slot(tally, kind, name, cluster);
	if (*slot)
		return &tally->sums[kind][*slot - 1];
	sum = &tally->sums[kind][tally->counts[kind]];
	memset(sum, 0, sizeof(*sum));
	sum->name = xstrdup(name);
	sum->cluster = xstrdup(cluster);
	sum->type = xstrdup("");
	tally->bytes += SUM_BYTES + strlen(name) + strlen(cluster);
	use_numbers_init(sum->numbers);
	sum->peak_job = USE_UNKNOWN;
	*slot = ++tally->counts[kind];
	return sum;
}

/* Of two jobs with the same peak the older one is told, in whatever order they come. */
static void add_numbers(struct tally_sum *sum, const struct tally_sum *more)
{
	int64_t peak = more->numbers[IO_PEAK_READ], most = sum->numbers[IO_PEAK_READ];

	if (peak > most || (peak == most && peak >= 0 && more->peak_job < sum->peak_job))
		sum->peak_job = more->peak_job;
	use_numbers_add(sum->numbers, more->numbers);
}

/* What 'more' has, into a sum of the same name. */
static void add_sum(struct tally *tally, int kind, const struct tally_sum *more)
{
	struct tally_sum *sum = sum_of(tally, kind, more->name, more->cluster);

	if (!*sum->type) {
		free(sum->type);
		sum->type = xstrdup(more->type);
	}
	io_add_number(&sum->jobs, more->jobs);
	io_add_number(&sum->node_s, more->node_s);
	add_numbers(sum, more);
}

/* ---- the gate's jobs ------------------------------------------------------ */

/* In its place among those that ended last; the first of them goes. */
static void add_job(struct tally *tally, const struct tally_job *job)
{
	struct tally_job new = *job;
	size_t at = tally->gate_count;

	while (at && tally->gate[at - 1].ended < job->ended)
		at--;
	if (at == TALLY_JOBS_MAX)
		return;
	if (!tally->gate)
		tally->gate = xcalloc(TALLY_JOBS_MAX + 1, sizeof(new));
	new.cluster = xstrdup(job->cluster);
	new.user = xstrdup(job->user);
	memmove(&tally->gate[at + 1], &tally->gate[at], (tally->gate_count - at) * sizeof(new));
	tally->gate[at] = new;
	tally->bytes += JOB_BYTES + strlen(new.cluster) + strlen(new.user);
	if (tally->gate_count++ == TALLY_JOBS_MAX)
		free_job(&tally->gate[--tally->gate_count]);
}

static void add_gate(struct tally *tally, const struct use *use)
{
	struct tally_job job = { (char *)use->cluster,
				 (char *)use->user,
				 use->job,
				 use->ended,
				 use->warned > 0 ? use->warned : 0,
				 use->refused > 0 ? use->refused : 0 };

	if (!job.warned && !job.refused)
		return;
	tally->warned_jobs += job.warned > 0;
	tally->refused_jobs += job.refused > 0;
	io_add_number(&tally->warned_tasks, job.warned);
	io_add_number(&tally->refused_tasks, job.refused);
	add_job(tally, &job);
}

/* ---- a use ----------------------------------------------------------------- */

static void add_filesystems(struct tally *tally, const struct use *use, struct tally_sum *all)
{
	struct tally_sum one = *all;
	size_t i;

	for (i = 0; i < use->fs_count; i++) {
		const struct use_fs *fs = &use->fs[i];

		one.name = (char *)fs->name;
		one.cluster = (char *)use->cluster;
		one.type = (char *)fs->type;
		memcpy(one.numbers, fs->numbers, sizeof(one.numbers));
		add_sum(tally, TALLY_FILESYSTEMS, &one);
		add_numbers(all, &one);
	}
}

static void add_advice(struct tally *tally, const struct use *use, const struct tally_sum *all)
{
	struct tally_sum one = *all;
	char codes[USE_ADVICE_MAX], *rest = NULL;

	one.cluster = one.type = (char *)"";
	strcpy(codes, use->advice);
	for (one.name = strtok_r(codes, " ", &rest); one.name;
	     one.name = strtok_r(NULL, " ", &rest))
		add_sum(tally, TALLY_ADVICE, &one);
}

void tally_add(struct tally *tally, const struct use *use)
{
	struct tally_sum all = { .cluster = (char *)"",
				 .type = (char *)"",
				 .jobs = 1,
				 .node_s = use->node_s > 0 ? use->node_s : 0,
				 .peak_job = use->job };
	const char *const names[] = { [TALLY_USERS] = use->user,
				      [TALLY_ACCOUNTS] = use->account,
				      [TALLY_PROFILES] = use->profile };
	int kind;

	use_numbers_init(all.numbers);
	tally->jobs++;
	io_add_number(&tally->node_s, all.node_s);
	tally->wide += use->is_wide;
	tally->judged += use->is_judged;
	add_filesystems(tally, use, &all);
	all.cluster = all.type = (char *)"";
	for (kind = TALLY_USERS; kind <= TALLY_PROFILES; kind++) {
		all.name = (char *)names[kind];
		add_sum(tally, kind, &all);
	}
	add_advice(tally, use, &all);
	add_gate(tally, use);
}

/* ---- JSON ------------------------------------------------------------------ */

/* One table says how a sum is written and read. */
static const struct {
	const char *name;
	size_t at;
} numbers[] = {
	{ "jobs", offsetof(struct tally_sum, jobs) },
	{ "node_s", offsetof(struct tally_sum, node_s) },
	{ "read_bytes", offsetof(struct tally_sum, numbers[IO_READ_BYTES]) },
	{ "write_bytes", offsetof(struct tally_sum, numbers[IO_WRITE_BYTES]) },
	{ "meta", offsetof(struct tally_sum, numbers[IO_META_CALLS]) },
	{ "peak_Bps", offsetof(struct tally_sum, numbers[IO_PEAK_READ]) },
	{ "peak_job", offsetof(struct tally_sum, peak_job) },
};

static const struct {
	const char *name;
	size_t at;
} totals[] = {
	{ "jobs", offsetof(struct tally, jobs) },
	{ "node_s", offsetof(struct tally, node_s) },
	{ "node_wide", offsetof(struct tally, wide) },
	{ "judged", offsetof(struct tally, judged) },
	{ "warned_jobs", offsetof(struct tally, warned_jobs) },
	{ "warned_tasks", offsetof(struct tally, warned_tasks) },
	{ "refused_jobs", offsetof(struct tally, refused_jobs) },
	{ "refused_tasks", offsetof(struct tally, refused_tasks) },
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define TOTALS (sizeof(totals) / sizeof(totals[0]))

static int64_t *field(const void *of, size_t at)
{
	return (int64_t *)(void *)((char *)of + at);
}

static void put_sum(const struct tally_sum *sum, struct json *list)
{
	struct json *o = json_append_object(list);
	size_t i;

	json_add_text(o, "name", sum->name);
	if (*sum->cluster)
		json_add_text(o, "cluster", sum->cluster);
	if (*sum->type)
		json_add_text(o, "type", sum->type);
	for (i = 0; i < NUMBERS; i++)
		json_add_known(o, numbers[i].name, *field(sum, numbers[i].at));
	for (i = USE_FIRST; i < USE_NUMBERS; i++)
		if (sum->numbers[use_numbers[i]] >= 0)
			json_add_known(o, io_quantities[use_numbers[i]].key,
				       sum->numbers[use_numbers[i]]);
}

static void put_gate(const struct tally *tally, struct json *list)
{
	struct json *o;
	size_t i;

	for (i = 0; i < tally->gate_count; i++) {
		o = json_append_object(list);
		json_add_text(o, "cluster", tally->gate[i].cluster);
		json_add_text(o, "user", tally->gate[i].user);
		json_add_known(o, "job", tally->gate[i].job);
		json_add_known(o, "ended", tally->gate[i].ended);
		json_add_known(o, "warned", tally->gate[i].warned);
		json_add_known(o, "refused", tally->gate[i].refused);
	}
}

void tally_json(const struct tally *tally, struct json *top)
{
	struct json *o = json_add_object(top, "tally"), *list;
	size_t i;
	int kind;

	for (i = 0; i < TOTALS; i++)
		json_add_number(o, totals[i].name, *field(tally, totals[i].at));
	for (kind = 0; kind < TALLY_KINDS; kind++) {
		list = json_add_list(o, tally_names[kind]);
		for (i = 0; i < tally->counts[kind]; i++)
			put_sum(&tally->sums[kind][i], list);
	}
	put_gate(tally, json_add_list(o, "gate"));
}

/* "" for what is not there. */
static char *word_of(const struct json *o, const char *key)
{
	const char *text = json_text(o, key);

	return (char *)(text ? text : "");
}

static void join_sum(struct tally *tally, int kind, const struct json *o)
{
	struct tally_sum one = { .name = word_of(o, "name"),
				 .cluster = word_of(o, "cluster"),
				 .type = word_of(o, "type") };
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		*field(&one, numbers[i].at) = json_number(o, numbers[i].name);
	for (i = USE_FIRST; i < USE_NUMBERS; i++)
		one.numbers[use_numbers[i]] = json_number(o, io_quantities[use_numbers[i]].key);
	add_sum(tally, kind, &one);
}

static void join_gate(struct tally *tally, const struct json *list)
{
	const struct json *o;
	struct tally_job job;

	for (o = json_first(list); o; o = o->next) {
		job.cluster = word_of(o, "cluster");
		job.user = word_of(o, "user");
		job.job = json_number(o, "job");
		job.ended = json_number(o, "ended");
		job.warned = json_number(o, "warned");
		job.refused = json_number(o, "refused");
		add_job(tally, &job);
	}
}

int tally_join(struct tally *tally, struct json *json)
{
	const struct json *top = json_map(json, "tally"), *list, *one;
	size_t i;
	int kind;

	if (!top)
		return -1;
	for (i = 0; i < TOTALS; i++)
		io_add_number(field(tally, totals[i].at), json_number(top, totals[i].name));
	for (kind = 0; kind < TALLY_KINDS; kind++) {
		one = json_first(json_list(top, tally_names[kind]));
		for (; one; one = one->next)
			join_sum(tally, kind, one);
	}
	list = json_list(top, "gate");
	if (!list)
		return -1;
	join_gate(tally, list);
	return 0;
}

/* ---- order ----------------------------------------------------------------- */

static int64_t both(const struct tally_sum *sum)
{
	int64_t all = 0;

	io_add_number(&all, sum->numbers[IO_READ_BYTES]);
	io_add_number(&all, sum->numbers[IO_WRITE_BYTES]);
	return all;
}

static int by_name(const struct tally_sum *a, const struct tally_sum *b)
{
	return strcmp(a->name, b->name) ? strcmp(a->name, b->name) : strcmp(a->cluster, b->cluster);
}

static int by_bytes(const void *one, const void *other)
{
	const struct tally_sum *a = one, *b = other;

	if (both(a) != both(b))
		return both(a) < both(b) ? 1 : -1;
	return a->jobs != b->jobs ? a->jobs < b->jobs ? 1 : -1 : by_name(a, b);
}

static int by_hours(const void *one, const void *other)
{
	const struct tally_sum *a = one, *b = other;

	if (a->node_s != b->node_s)
		return a->node_s < b->node_s ? 1 : -1;
	return a->jobs != b->jobs ? a->jobs < b->jobs ? 1 : -1 : by_name(a, b);
}

void tally_sort(struct tally *tally)
{
	int kind;

	for (kind = 0; kind < TALLY_KINDS; kind++) {
		if (!tally->counts[kind])
			continue;
		qsort(tally->sums[kind], tally->counts[kind], sizeof(*tally->sums[kind]),
		      kind == TALLY_ADVICE ? by_hours : by_bytes);
		/* for those that are added later */
		index_again(tally, kind, tally->index->rooms[kind]);
	}
}
