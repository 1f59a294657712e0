/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/tally.h"

#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"

#define SLOTS_FIRST 256
/* Of JSON, beside the texts. */
#define SUM_BYTES 200
#define JOB_BYTES 120

enum kind {
	FILESYSTEMS,
	USERS,
	ACCOUNTS,
	PROFILES,
	ADVICE,
	KINDS
};

static const char *const kind_names[KINDS] = {
	[FILESYSTEMS] = "filesystems", [USERS] = "users",   [ACCOUNTS] = "accounts",
	[PROFILES] = "profiles",       [ADVICE] = "advice",
};

struct sum {
	char *name;    /* "": unknown, or none */
	char *cluster; /* of a filesystem; "" of others */
	char *type;    /* of a filesystem; NULL unknown */
	int64_t jobs, node_s, peak_job;
	int64_t numbers[USE_NUMBERS];
};

/* Slots hold the place of a sum, plus one; 0 is free. Half of them are, at least. */
struct table {
	struct sum *sums;
	size_t count, room;
	uint32_t *slots;
};

/* Of the gate. */
struct job {
	char *cluster, *user;
	int64_t job, ended, warned, refused; /* tasks */
};

struct tally {
	int64_t jobs, node_s, wide, judged;
	int64_t warned_jobs, warned_tasks, refused_jobs, refused_tasks;
	struct table tables[KINDS];
	struct job gate[TALLY_JOBS_MAX + 1]; /* the last first */
	size_t gate_count, bytes;
};

struct tally *tally_new(void)
{
	return xcalloc(1, sizeof(struct tally));
}

static void free_job(struct job *job)
{
	free(job->cluster);
	free(job->user);
}

static void free_table(struct table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		free(table->sums[i].name);
		free(table->sums[i].cluster);
		free(table->sums[i].type);
	}
	free(table->sums);
	free(table->slots);
}

void tally_free(struct tally *tally)
{
	size_t i;

	if (!tally)
		return;
	for (i = 0; i < KINDS; i++)
		free_table(&tally->tables[i]);
	for (i = 0; i < tally->gate_count; i++)
		free_job(&tally->gate[i]);
	free(tally);
}

size_t tally_bytes(const struct tally *tally)
{
	return tally->bytes;
}

/* ---- sums ---------------------------------------------------------------- */

static size_t hash_of(const char *name, const char *cluster)
{
	size_t hash = 0;

	for (; *name; name++)
		hash = hash * 31 + (unsigned char)*name;
	for (; *cluster; cluster++)
		hash = hash * 31 + (unsigned char)*cluster;
	return hash;
}

/* The slot that has the sum, or the free one where it would be. */
static uint32_t *find_slot(const struct table *table, const char *name, const char *cluster)
{
	size_t at = hash_of(name, cluster);
	const struct sum *sum;
	uint32_t *slot;

	for (;; at++) {
		slot = &table->slots[at & (table->room - 1)];
		if (!*slot)
			return slot;
		sum = &table->sums[*slot - 1];
		if (!strcmp(sum->name, name) && !strcmp(sum->cluster, cluster))
			return slot;
	}
}

static void make_room(struct table *table)
{
	uint32_t i;

	if (table->count * 2 < table->room)
		return;
	table->room = table->room ? table->room * 2 : SLOTS_FIRST;
	table->sums = xrealloc(table->sums, table->room / 2, sizeof(struct sum));
	free(table->slots);
	table->slots = xcalloc(table->room, sizeof(*table->slots));
	for (i = 0; i < table->count; i++)
		*find_slot(table, table->sums[i].name, table->sums[i].cluster) = i + 1;
}

/* The sum of this name, made where there is none. */
static struct sum *sum_of(struct tally *tally, enum kind kind, const char *name,
			  const char *cluster)
{
	struct table *table = &tally->tables[kind];
	struct sum *sum;
	uint32_t *slot;

	make_room(table);
	slot = find_slot(table, name, cluster);
	if (*slot)
		return &table->sums[*slot - 1];
	sum = &table->sums[table->count];
	*sum = (struct sum){ .name = xstrdup(name),
			     .cluster = xstrdup(cluster),
			     .peak_job = USE_UNKNOWN };
	use_numbers_init(sum->numbers);
	tally->bytes += SUM_BYTES + strlen(name) + strlen(cluster);
	*slot = (uint32_t)++table->count;
	return sum;
}

static void add(struct sum *sum, const struct use *use, const int64_t *numbers)
{
	int64_t peak = numbers[USE_PEAK_READ], most = sum->numbers[USE_PEAK_READ];

	if (peak > most || (peak == most && peak >= 0 && use->job < sum->peak_job))
		sum->peak_job = use->job;
	sum->jobs++;
	io_add_number(&sum->node_s, use->node_s);
	use_numbers_add(sum->numbers, numbers);
}

static void add_filesystem(struct tally *tally, const struct use *use, const struct use_fs *fs)
{
	struct sum *sum = sum_of(tally, FILESYSTEMS, fs->name, use->cluster);

	if (!sum->type && *fs->type)
		sum->type = xstrdup(fs->type);
	add(sum, use, fs->numbers);
}

static void add_advice(struct tally *tally, const struct use *use, const int64_t *numbers)
{
	char codes[USE_ADVICE_MAX], *rest = codes, *code;

	strcpy(codes, use->advice);
	while ((code = strsep(&rest, " ")))
		if (*code)
			add(sum_of(tally, ADVICE, code, ""), use, numbers);
}

/* ---- the gate's jobs ------------------------------------------------------ */

/* In its place among those that ended last; the first of them goes. */
static void add_job(struct tally *tally, const struct use *use)
{
	struct job job = { xstrdup(use->cluster),
			   xstrdup(use->user),
			   use->job,
			   use->ended,
			   use->warned > 0 ? use->warned : 0,
			   use->refused > 0 ? use->refused : 0 };
	size_t at = tally->gate_count;

	while (at && tally->gate[at - 1].ended < job.ended)
		at--;
	memmove(&tally->gate[at + 1], &tally->gate[at], (tally->gate_count - at) * sizeof(job));
	tally->gate[at] = job;
	tally->bytes += JOB_BYTES + strlen(job.cluster) + strlen(job.user);
	if (tally->gate_count++ == TALLY_JOBS_MAX)
		free_job(&tally->gate[--tally->gate_count]);
}

static void add_gate(struct tally *tally, const struct use *use)
{
	tally->warned_jobs += use->warned > 0;
	tally->refused_jobs += use->refused > 0;
	io_add_number(&tally->warned_tasks, use->warned);
	io_add_number(&tally->refused_tasks, use->refused);
	if (use->warned > 0 || use->refused > 0)
		add_job(tally, use);
}

/* ---- a use ----------------------------------------------------------------- */

void tally_add(struct tally *tally, const struct use *use)
{
	int64_t all[USE_NUMBERS];
	size_t i;

	use_numbers_init(all);
	for (i = 0; i < use->fs_count; i++) {
		add_filesystem(tally, use, &use->fs[i]);
		use_numbers_add(all, use->fs[i].numbers);
	}
	add(sum_of(tally, USERS, use->user, ""), use, all);
	add(sum_of(tally, ACCOUNTS, use->account, ""), use, all);
	add(sum_of(tally, PROFILES, use->profile, ""), use, all);
	add_advice(tally, use, all);
	add_gate(tally, use);
	tally->jobs++;
	io_add_number(&tally->node_s, use->node_s);
	tally->wide += use->is_wide;
	tally->judged += use->is_judged;
}

/* ---- JSON ------------------------------------------------------------------ */

static void put_sum(const struct sum *sum, struct json *list)
{
	struct json *o = json_append_object(list);
	int i;

	json_add_text(o, "name", sum->name);
	if (*sum->cluster)
		json_add_text(o, "cluster", sum->cluster);
	if (sum->type)
		json_add_text(o, "type", sum->type);
	json_add_known(o, "jobs", sum->jobs);
	json_add_known(o, "node_s", sum->node_s);
	json_add_known(o, "read_bytes", sum->numbers[USE_READ_BYTES]);
	json_add_known(o, "write_bytes", sum->numbers[USE_WRITE_BYTES]);
	json_add_known(o, "meta", sum->numbers[USE_META_CALLS]);
	json_add_known(o, "peak_Bps", sum->numbers[USE_PEAK_READ]);
	json_add_known(o, "peak_job", sum->peak_job);
	for (i = USE_FIRST; i < USE_NUMBERS; i++)
		if (sum->numbers[i] >= 0)
			json_add_known(o, io_quantities[use_numbers[i]].key, sum->numbers[i]);
}

static void put_job(const struct job *job, struct json *list)
{
	struct json *o = json_append_object(list);

	json_add_text(o, "cluster", job->cluster);
	json_add_text(o, "user", job->user);
	json_add_known(o, "job", job->job);
	json_add_known(o, "ended", job->ended);
	json_add_known(o, "warned", job->warned);
	json_add_known(o, "refused", job->refused);
}

void tally_json(const struct tally *tally, struct json *top)
{
	struct json *o = json_add_object(top, "tally"), *list;
	size_t kind, i;

	json_add_number(o, "jobs", tally->jobs);
	json_add_number(o, "node_s", tally->node_s);
	json_add_number(o, "node_wide", tally->wide);
	json_add_number(o, "judged", tally->judged);
	json_add_number(o, "warned_jobs", tally->warned_jobs);
	json_add_number(o, "warned_tasks", tally->warned_tasks);
	json_add_number(o, "refused_jobs", tally->refused_jobs);
	json_add_number(o, "refused_tasks", tally->refused_tasks);
	for (kind = 0; kind < KINDS; kind++) {
		list = json_add_list(o, kind_names[kind]);
		for (i = 0; i < tally->tables[kind].count; i++)
			put_sum(&tally->tables[kind].sums[i], list);
	}
	list = json_add_list(o, "gate");
	for (i = 0; i < tally->gate_count; i++)
		put_job(&tally->gate[i], list);
}
