/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site_totals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "record/alloc.h"
#include "record/json.h"

#define SLOTS_FIRST 256
/* Bytes of JSON, without the texts. */
#define SUM_BYTES 200
#define JOB_BYTES 120

enum kind {
	FILESYSTEMS,
	USERS,
	ACCOUNTS,
	PROFILES,
	ADVICE,
	KINDS,
	/* By "cluster<tab>user<tab>account<tab>profile" and the codes of advice, which many jobs of
	 * a page have in common. These sums are added to the others at the end. */
	COMBINED = KINDS,
	TABLES
};

static const char *const kind_names[KINDS] = {
	[FILESYSTEMS] = "filesystems", [USERS] = "users",   [ACCOUNTS] = "accounts",
	[PROFILES] = "profiles",       [ADVICE] = "advice",
};

/* Part of a line: not NUL-terminated. */
struct text {
	const char *at;
	size_t size;
};

struct sum {
	struct text name; /* "": unknown, or none; our copy, with a NUL */
	struct text more; /* cluster of a filesystem, codes of a combined sum; else "" */
	char *type;	  /* of a filesystem; NULL unknown */
	uint64_t digest;  /* of name and more */
	int64_t jobs, node_s, peak_job;
	int64_t numbers[USAGE_NUMBERS];
};

/* Slots have the index of a sum, plus one; 0 is free. At least half of them are free. */
struct table {
	struct sum *sums;
	size_t count, room;
	uint32_t *slots;
};

/* Job that the gate warned or refused. */
struct job {
	char *cluster, *user;
	int64_t job, ended, warned, refused; /* tasks */
};

struct site_totals {
	int64_t jobs, node_s, wide, judged;
	int64_t warned_jobs, warned_tasks, refused_jobs, refused_tasks;
	struct table tables[TABLES];
	struct job gate[SITE_TOTALS_JOBS_MAX + 1]; /* latest first */
	size_t gate_count, bytes;
};

struct line_fs {
	struct text name, type;
	int64_t numbers[USAGE_NUMBERS];
};

/* Fields of a line that are used (site_totals.h) */
struct line {
	struct text owner, cluster, user, advice; /* owner: cluster to profile */
	int64_t job, ended, node_s, flags, warned, refused;
	size_t fs_count;
	struct line_fs fs[USAGE_FS_MAX];
};

const enum io_number usage_numbers[USAGE_NUMBERS] = {
#define X(id) IO_##id,
	USAGE_QUANTITIES
#undef X
};

void usage_numbers_init(int64_t numbers[USAGE_NUMBERS])
{
	int i;

	for (i = 0; i < USAGE_NUMBERS; i++)
		numbers[i] = USAGE_UNKNOWN;
}

void usage_numbers_add(int64_t numbers[USAGE_NUMBERS], const int64_t more[USAGE_NUMBERS])
{
	int i;

	for (i = 0; i < USAGE_NUMBERS; i++)
		if (i != USAGE_PEAK_READ)
			io_add_number(&numbers[i], more[i]);
		else if (more[i] > numbers[i])
			numbers[i] = more[i];
}

struct site_totals *site_totals_new(void)
{
	return xcalloc(1, sizeof(struct site_totals));
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
		free((char *)table->sums[i].name.at);
		free((char *)table->sums[i].more.at);
		free(table->sums[i].type);
	}
	free(table->sums);
	free(table->slots);
}

void site_totals_free(struct site_totals *totals)
{
	size_t i;

	if (!totals)
		return;
	for (i = 0; i < TABLES; i++)
		free_table(&totals->tables[i]);
	for (i = 0; i < totals->gate_count; i++)
		free_job(&totals->gate[i]);
	free(totals);
}

size_t site_totals_bytes(const struct site_totals *totals)
{
	return totals->bytes;
}

/* ---- sums ---------------------------------------------------------------- */

static struct text text_of(const char *string)
{
	return (struct text){ string, strlen(string) };
}

static bool is_same(struct text a, struct text b)
{
	return a.size == b.size && !memcmp(a.at, b.at, a.size);
}

static struct text copy_of(struct text text)
{
	return (struct text){ xneed(strndup(text.at, text.size)), text.size };
}

/* Return the slot with the sum, or the free one for it. */
static uint32_t *find_slot(const struct table *table, uint64_t digest, struct text name,
			   struct text more)
{
	size_t at = (size_t)(digest ^ digest >> 32);
	const struct sum *sum;
	uint32_t *slot;

	for (;; at++) {
		slot = &table->slots[at & (table->room - 1)];
		if (!*slot)
			return slot;
		sum = &table->sums[*slot - 1];
		if (sum->digest == digest && is_same(sum->name, name) && is_same(sum->more, more))
			return slot;
	}
}

static void grow_table(struct table *table)
{
	const struct sum *sum;
	uint32_t i;

	if (table->count * 2 < table->room)
		return;
	table->room = table->room ? table->room * 2 : SLOTS_FIRST;
	table->sums = xrealloc(table->sums, table->room / 2, sizeof(struct sum));
	free(table->slots);
	table->slots = xcalloc(table->room, sizeof(*table->slots));
	for (i = 0; i < table->count; i++) {
		sum = &table->sums[i];
		*find_slot(table, sum->digest, sum->name, sum->more) = i + 1;
	}
}

/* Return the sum of this name. A new one has no jobs yet. */
static struct sum *sum_of(struct table *table, struct text name, struct text more)
{
	uint64_t digest =
		digest_add(digest_add(DIGEST_BEGIN, name.at, name.size), more.at, more.size);
	struct sum *sum;
	uint32_t *slot;

	grow_table(table);
	slot = find_slot(table, digest, name, more);
	if (*slot)
		return &table->sums[*slot - 1];
	sum = &table->sums[table->count];
	*sum = (struct sum){ .name = copy_of(name),
			     .more = copy_of(more),
			     .digest = digest,
			     .peak_job = USAGE_UNKNOWN };
	usage_numbers_init(sum->numbers);
	*slot = (uint32_t)++table->count;
	return sum;
}

static void add(struct sum *sum, const struct sum *more)
{
	int64_t peak = more->numbers[USAGE_PEAK_READ], most = sum->numbers[USAGE_PEAK_READ];

	if (peak > most || (peak == most && peak >= 0 && more->peak_job < sum->peak_job))
		sum->peak_job = more->peak_job;
	sum->jobs += more->jobs;
	io_add_number(&sum->node_s, more->node_s);
	usage_numbers_add(sum->numbers, more->numbers);
}

/* Add to the sum of this name in a table that is printed. */
static struct sum *add_to(struct site_totals *totals, enum kind kind, struct text name,
			  struct text more, const struct sum *numbers)
{
	struct table *table = &totals->tables[kind];
	size_t before = table->count;
	struct sum *sum = sum_of(table, name, more);

	if (table->count > before)
		totals->bytes += SUM_BYTES + name.size + more.size;
	add(sum, numbers);
	return sum;
}

/* Add a combined sum to those of its user, account, profile and each of its codes. */
static void add_combined(struct site_totals *totals, const struct sum *combined)
{
	char *names = xstrdup(combined->name.at), *codes = xstrdup(combined->more.at),
	     *rest = names, *code;
	enum kind kind;

	strsep(&rest, "\t"); /* skip the cluster */
	for (kind = USERS; kind <= PROFILES; kind++)
		add_to(totals, kind, text_of(strsep(&rest, "\t")), text_of(""), combined);
	for (rest = codes; (code = strsep(&rest, " "));)
		if (*code)
			add_to(totals, ADVICE, text_of(code), text_of(""), combined);
	free(names);
	free(codes);
}

/* ---- jobs that the gate warned or refused -------------------------------------- */

/* Insert it among those that ended last; the earliest is dropped. */
static void add_job(struct site_totals *totals, const struct line *line)
{
	struct job job = { (char *)copy_of(line->cluster).at,
			   (char *)copy_of(line->user).at,
			   line->job,
			   line->ended,
			   line->warned > 0 ? line->warned : 0,
			   line->refused > 0 ? line->refused : 0 };
	size_t at = totals->gate_count;

	while (at && totals->gate[at - 1].ended < job.ended)
		at--;
	memmove(&totals->gate[at + 1], &totals->gate[at], (totals->gate_count - at) * sizeof(job));
	totals->gate[at] = job;
	totals->bytes += JOB_BYTES + line->cluster.size + line->user.size;
	if (totals->gate_count++ == SITE_TOTALS_JOBS_MAX)
		free_job(&totals->gate[--totals->gate_count]);
}

static void add_gate(struct site_totals *totals, const struct line *line)
{
	totals->warned_jobs += line->warned > 0;
	totals->refused_jobs += line->refused > 0;
	io_add_number(&totals->warned_tasks, line->warned);
	io_add_number(&totals->refused_tasks, line->refused);
	if (line->warned > 0 || line->refused > 0)
		add_job(totals, line);
}

/* ---- a line ---------------------------------------------------------------- */

static bool parse_text(const char **at, struct text *text)
{
	const char *end = strchr(*at, '\t');

	if (!end)
		return false;
	*text = (struct text){ *at, (size_t)(end - *at) };
	*at = end + 1;
	return true;
}

static inline bool parse_number(const char **at, int64_t *number)
{
	const char *from = *at, *end = from;
	uint64_t sum = 0;

	for (; *end >= '0' && *end <= '9'; end++)
		sum = sum * 10 + (uint64_t)(*end - '0');
	*at = end + 1;
	*number = end == from			       ? USAGE_UNKNOWN
		  : sum > INT64_MAX || end - from > 19 ? INT64_MAX
						       : (int64_t)sum;
	return *end == '\t';
}

static bool parse_fs(const char **at, struct line *line)
{
	struct line_fs *fs = &line->fs[line->fs_count];
	int64_t number;
	int i;

	if (line->fs_count++ == USAGE_FS_MAX || !parse_text(at, &fs->name) ||
	    !parse_text(at, &fs->type))
		return false;
	usage_numbers_init(fs->numbers);
	for (i = 0; i < USAGE_FIRST || (**at && **at != '\n'); i++) {
		if (!parse_number(at, &number))
			return false;
		if (i < USAGE_NUMBERS)
			fs->numbers[i] = number;
	}
	return true;
}

static bool parse_head(const char **at, struct line *line)
{
	struct text ignored, profile;
	int64_t number;

	if (!parse_text(at, &line->cluster) || !parse_text(at, &line->user) ||
	    !parse_text(at, &ignored) || !parse_text(at, &profile))
		return false;
	line->owner = (struct text){ line->cluster.at,
				     (size_t)(profile.at - line->cluster.at) + profile.size };
	return parse_number(at, &line->job) && parse_number(at, &number) &&
	       parse_number(at, &line->ended) && parse_number(at, &number) &&
	       parse_number(at, &line->node_s) && parse_number(at, &line->flags) &&
	       line->flags >= 0 && parse_number(at, &line->warned) &&
	       parse_number(at, &line->refused) && parse_text(at, &line->advice);
}

static bool parse_line(const char *at, struct line *line)
{
	struct text version;

	line->fs_count = 0;
	if (!parse_text(&at, &version) || !is_same(version, text_of(USAGE_LINE_VERSION)) ||
	    !parse_head(&at, line))
		return false;
	while (*at == '\n') {
		at++;
		if (!parse_fs(&at, line))
			return false;
	}
	return !*at;
}

void site_totals_add(struct site_totals *totals, const char *text)
{
	struct sum one = { .jobs = 1 }, all, *sum;
	struct line line;
	size_t i;

	if (!parse_line(text, &line))
		return;
	one.node_s = line.node_s;
	one.peak_job = line.job;
	all = one;
	usage_numbers_init(all.numbers);
	for (i = 0; i < line.fs_count; i++) {
		memcpy(one.numbers, line.fs[i].numbers, sizeof(one.numbers));
		sum = add_to(totals, FILESYSTEMS, line.fs[i].name, line.cluster, &one);
		if (!sum->type && line.fs[i].type.size)
			sum->type = (char *)copy_of(line.fs[i].type).at;
		usage_numbers_add(all.numbers, one.numbers);
	}
	sum = sum_of(&totals->tables[COMBINED], line.owner, line.advice);
	if (!sum->jobs)
		add_combined(totals, sum); /* so that their bytes are counted */
	add(sum, &all);
	add_gate(totals, &line);
	totals->jobs++;
	io_add_number(&totals->node_s, line.node_s);
	totals->wide += line.flags & 1;
	totals->judged += (line.flags & 2) != 0;
}

/* ---- JSON ------------------------------------------------------------------ */

static void put_sum(const struct sum *sum, struct json *list)
{
	struct json *o = json_append_object(list);
	int i;

	json_add_text(o, "name", sum->name.at);
	if (sum->more.size)
		json_add_text(o, "cluster", sum->more.at);
	if (sum->type)
		json_add_text(o, "type", sum->type);
	json_add_known(o, "jobs", sum->jobs);
	json_add_known(o, "node_s", sum->node_s);
	json_add_known(o, "read_bytes", sum->numbers[USAGE_READ_BYTES]);
	json_add_known(o, "write_bytes", sum->numbers[USAGE_WRITE_BYTES]);
	json_add_known(o, "meta", sum->numbers[USAGE_META_CALLS]);
	json_add_known(o, "peak_Bps", sum->numbers[USAGE_PEAK_READ]);
	json_add_known(o, "peak_job", sum->peak_job);
	for (i = USAGE_FIRST; i < USAGE_NUMBERS; i++)
		if (sum->numbers[i] >= 0)
			json_add_known(o, io_quantities[usage_numbers[i]].key, sum->numbers[i]);
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

void site_totals_json(struct site_totals *totals, struct json *top)
{
	struct json *o = json_add_object(top, "tally"), *list;
	size_t kind, i;

	for (i = 0; i < totals->tables[COMBINED].count; i++)
		add_combined(totals, &totals->tables[COMBINED].sums[i]);
	json_add_number(o, "jobs", totals->jobs);
	json_add_number(o, "node_s", totals->node_s);
	json_add_number(o, "node_wide", totals->wide);
	json_add_number(o, "judged", totals->judged);
	json_add_number(o, "warned_jobs", totals->warned_jobs);
	json_add_number(o, "warned_tasks", totals->warned_tasks);
	json_add_number(o, "refused_jobs", totals->refused_jobs);
	json_add_number(o, "refused_tasks", totals->refused_tasks);
	for (kind = 0; kind < KINDS; kind++) {
		list = json_add_list(o, kind_names[kind]);
		for (i = 0; i < totals->tables[kind].count; i++)
			put_sum(&totals->tables[kind].sums[i], list);
	}
	list = json_add_list(o, "gate");
	for (i = 0; i < totals->gate_count; i++)
		put_job(&totals->gate[i], list);
}
