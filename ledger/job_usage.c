/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/job_usage.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/site_totals.h"
#include "record/alloc.h"
#include "record/run.h"

#define NODE_S_MAX (366 * 86400.0) /* a wrong clock adds no more */

#define BEFORE_ACCOUNT 3 /* fields: version, cluster, user */

struct usage_fs {
	char *name, *type; /* type: "" unknown */
	int64_t numbers[USAGE_NUMBERS];
};

struct job_usage {
	struct record **records;
	size_t count, left_out;
	char user[RECORD_NAME_MAX], profile[RECORD_NAME_MAX];
	int64_t nodes, node_s, warned, refused;
	bool is_wide, has_job_counters;
	struct usage_fs fs[USAGE_FS_MAX];
	size_t fs_count;
};

struct job_usage *job_usage_new(void)
{
	return xcalloc(1, sizeof(struct job_usage));
}

void job_usage_free(struct job_usage *usage)
{
	size_t i;

	if (!usage)
		return;
	for (i = 0; i < usage->count; i++)
		record_free(usage->records[i]);
	for (i = 0; i < usage->fs_count; i++) {
		free(usage->fs[i].name);
		free(usage->fs[i].type);
	}
	free(usage->records);
	free(usage);
}

/* ---- filesystems ---------------------------------------------------------- */

static const char *type_of(const struct record *record, const char *fs)
{
	size_t i;

	for (i = 0; i < record->mount_count; i++)
		if (!strcmp(record->mounts[i].mount, fs) &&
		    strlen(record->mounts[i].fstype) < USAGE_NAME_MAX)
			return record->mounts[i].fstype;
	return "";
}

/* A name in a record may be longer than a row of every store. */
static const char *name_of(const struct io *io)
{
	if (!io->fs)
		return USAGE_FS_ALL;
	return strlen(io->fs) < USAGE_NAME_MAX ? io->fs : USAGE_FS_REST;
}

/* The last entry collects all further filesystems. */
static struct usage_fs *fs_of(struct job_usage *usage, const char *name, const char *type)
{
	struct usage_fs *fs = usage->fs, *end = fs + usage->fs_count;

	if (usage->fs_count == USAGE_FS_MAX - 1) {
		while (fs < end && strcmp(fs->name, name) != 0)
			fs++;
		if (fs == end) {
			name = USAGE_FS_REST;
			type = "";
		}
	}
	for (fs = usage->fs; fs < end; fs++)
		if (!strcmp(fs->name, name))
			return fs;
	if (usage->fs_count == USAGE_FS_MAX)
		return end - 1;
	fs->name = xstrdup(name);
	fs->type = xstrdup(type);
	usage_numbers_init(fs->numbers);
	usage->fs_count++;
	return fs;
}

static void add_line(struct job_usage *usage, const struct record *record, const struct io *io)
{
	const char *name = name_of(io);
	int64_t numbers[USAGE_NUMBERS];
	int i;

	for (i = 0; i < USAGE_NUMBERS; i++)
		numbers[i] = io->numbers[usage_numbers[i]];
	numbers[USAGE_META_CALLS] = io_ops(io);
	if (io->numbers[IO_PEAK_WRITE] > numbers[USAGE_PEAK_READ])
		numbers[USAGE_PEAK_READ] = io->numbers[IO_PEAK_WRITE];
	usage_numbers_add(fs_of(usage, name, type_of(record, name))->numbers, numbers);
}

static bool is_of(const struct io *io, const char *source)
{
	return io->scope == IO_SCOPE_JOB && !strcmp(io->source, source);
}

static void add_lines(struct job_usage *usage, const struct record *record, const char *source)
{
	bool has_fs = false;
	size_t i;

	for (i = 0; i < record->app_count; i++)
		has_fs |= is_of(&record->app[i], source) && record->app[i].fs;
	for (i = 0; i < record->app_count; i++)
		if (is_of(&record->app[i], source) && (record->app[i].fs || !has_fs))
			add_line(usage, record, &record->app[i]);
}

/* ---- records --------------------------------------------------------------- */

static void add_record(struct job_usage *usage, struct record *record)
{
	if (usage->count == JOB_USAGE_RECORDS) {
		usage->left_out++;
		record_free(record);
		return;
	}
	usage->records = xmore(usage->records, usage->count, sizeof(*usage->records));
	usage->records[usage->count++] = record;
}

static void add_head(struct job_usage *usage, const struct record *record)
{
	double seconds = record->end - record->start;

	if (!*usage->user)
		strcpy(usage->user, record->user);
	if (!*usage->profile && record->has_request)
		snprintf(usage->profile, sizeof(usage->profile), "%s", record->request.profile);
	usage->nodes++;
	if (seconds > 0)
		usage->node_s += (int64_t)(seconds < NODE_S_MAX ? seconds : NODE_S_MAX);
	io_add_number(&usage->warned, record->gate_warned);
	io_add_number(&usage->refused, record->gate_refused);
}

void job_usage_add(struct job_usage *usage, struct record *record)
{
	const char *source = run_source(record, IO_SCOPE_JOB);

	add_head(usage, record);
	if (*source) {
		usage->has_job_counters = true;
		add_lines(usage, record, source);
	} else {
		usage->is_wide |= *run_source(record, IO_SCOPE_NODE) != 0;
	}
	add_record(usage, record);
}

struct advice_list *job_usage_judge(const struct job_usage *usage, const struct store_run *run,
				    const struct config_advice *limits)
{
	bool is_whole =
		!usage->left_out && run->nodes_expected >= 0 && usage->nodes >= run->nodes_expected;

	return advice_new(usage->records, usage->count, is_whole, limits);
}

/* ---- the line ---------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
	for (; text && *text; text++)
		fputc(*text == '\t' || *text == '\n' ? '?' : *text, out);
	fputc('\t', out);
}

static void put_number(FILE *out, int64_t number)
{
	if (number >= 0)
		fprintf(out, "%" PRId64, number);
	fputc('\t', out);
}

/* Unknown numbers at the end are left out, as in lines of older versions. */
static void put_fs(FILE *out, const struct usage_fs *fs)
{
	int i, last = USAGE_NUMBERS - 1;

	fputc('\n', out);
	put_text(out, fs->name);
	put_text(out, fs->type);
	while (last >= USAGE_FIRST && fs->numbers[last] < 0)
		last--;
	for (i = 0; i <= last; i++)
		put_number(out, fs->numbers[i]);
}

/* Write each code once. */
static void put_advice(FILE *out, const struct advice_list *list)
{
	char code[RECORD_WORD_MAX + 1], codes[USAGE_ADVICE_MAX] = "";
	size_t i, size;

	for (i = 0; i < list->count; i++) {
		size = (size_t)snprintf(code, sizeof(code), "%s ", list->list[i].code);
		if (!strstr(codes, code) && strlen(codes) + size < sizeof(codes))
			strcat(codes, code);
	}
	if (*codes)
		codes[strlen(codes) - 1] = 0;
	put_text(out, codes);
}

char *job_usage_text(const struct job_usage *usage, const struct store_run *run,
		     const struct advice_list *list)
{
	char *text = NULL;
	size_t i, size = 0;
	FILE *out = xneed(open_memstream(&text, &size));

	put_text(out, USAGE_LINE_VERSION);
	put_text(out, run->cluster);
	put_text(out, usage->user);
	put_text(out, ""); /* account */
	put_text(out, usage->profile);
	put_number(out, run->job);
	put_number(out, run->uid);
	put_number(out, (int64_t)run->last);
	put_number(out, usage->nodes);
	put_number(out, usage->node_s);
	put_number(out, (usage->is_wide && !usage->has_job_counters) + 2 * list->is_judged);
	put_number(out, usage->warned);
	put_number(out, usage->refused);
	put_advice(out, list);
	for (i = 0; i < usage->fs_count; i++)
		put_fs(out, &usage->fs[i]);
	fclose(out);
	return xneed(text);
}

char *job_usage_with_account(const char *line, const char *account)
{
	const char *at = line;
	char *text = NULL;
	size_t size = 0;
	FILE *out = xneed(open_memstream(&text, &size));
	int i;

	for (i = 0; i < BEFORE_ACCOUNT; i++)
		at = strchr(at, '\t') + 1;
	fwrite(line, (size_t)(at - line), 1, out);
	put_text(out, account);
	fputs(strchr(at, '\t') + 1, out);
	fclose(out);
	return xneed(text);
}
