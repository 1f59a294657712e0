/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"
#include "record/run.h"

#define NODE_S_MAX (366 * 86400.0) /* a wrong clock adds no more */

void site_fs_init(struct site_fs *fs)
{
	int i;

	*fs = (struct site_fs){ .peak = IO_UNKNOWN };
	for (i = 0; i < SITE_NUMBERS; i++)
		fs->numbers[i] = IO_UNKNOWN;
}

void site_fs_add(struct site_fs *fs, const struct site_fs *more)
{
	int i;

	for (i = 0; i < SITE_NUMBERS; i++)
		io_add_number(&fs->numbers[i], more->numbers[i]);
	fs->peak = more->peak > fs->peak ? more->peak : fs->peak;
}

struct site_run *site_run_new(void)
{
	return xcalloc(1, sizeof(struct site_run));
}

void site_run_free(struct site_run *run)
{
	size_t i;

	if (!run)
		return;
	for (i = 0; i < run->fs_count; i++) {
		free(run->fs[i].name);
		free(run->fs[i].type);
	}
	free(run);
}

/* ---- filesystems ---------------------------------------------------------- */

static const char *type_of(const struct record *record, const char *fs)
{
	size_t i;

	for (i = 0; i < record->mount_count; i++)
		if (!strcmp(record->mounts[i].mount, fs) &&
		    strlen(record->mounts[i].fstype) < SITE_NAME_MAX)
			return record->mounts[i].fstype;
	return NULL;
}

/* A name in a record may be longer than a row of every store. */
static const char *name_of(const struct io *io)
{
	if (!io->fs)
		return SITE_FS_ALL;
	return strlen(io->fs) < SITE_NAME_MAX ? io->fs : SITE_FS_REST;
}

static struct site_fs *find_fs(struct site_run *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->fs_count; i++)
		if (!strcmp(run->fs[i].name, name))
			return &run->fs[i];
	return NULL;
}

/* The last entry collects all further filesystems. */
static struct site_fs *fs_of(struct site_run *run, const char *name, const char *type)
{
	struct site_fs *fs = find_fs(run, name);

	if (fs)
		return fs;
	if (run->fs_count >= SITE_FS_MAX - 1 && strcmp(name, SITE_FS_REST) != 0)
		return fs_of(run, SITE_FS_REST, NULL);
	fs = &run->fs[run->fs_count++];
	site_fs_init(fs);
	fs->name = xstrdup(name);
	fs->type = type ? xstrdup(type) : NULL;
	return fs;
}

static struct site_fs numbers_of(const struct io *io)
{
	static const enum io_number ids[SITE_NUMBERS] = {
#define X(id, column) IO_##id,
		SITE_QUANTITIES(X)
#undef X
	};
	const int64_t rd = io->numbers[IO_PEAK_READ], wr = io->numbers[IO_PEAK_WRITE];
	struct site_fs fs = { .peak = rd > wr ? rd : wr };
	int i;

	for (i = 0; i < SITE_NUMBERS; i++)
		fs.numbers[i] = io->numbers[ids[i]];
	fs.numbers[SITE_META_CALLS] = io_ops(io);
	return fs;
}

static bool is_of(const struct io *io, const char *source)
{
	return io->scope == IO_SCOPE_JOB && !strcmp(io->source, source);
}

static void add_counters(struct site_run *run, const struct record *record, const char *source)
{
	const struct io *io;
	struct site_fs more;
	bool has_fs = false;
	size_t i;

	for (i = 0; i < record->app_count; i++)
		has_fs |= is_of(&record->app[i], source) && record->app[i].fs;
	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		if (!is_of(io, source) || (has_fs && !io->fs))
			continue;
		more = numbers_of(io);
		site_fs_add(fs_of(run, name_of(io), type_of(record, name_of(io))), &more);
	}
}

/* ---- records and advice ------------------------------------------------------- */

void site_run_add(struct site_run *run, const struct record *record)
{
	double seconds = record->end - record->start;
	const char *source = run_source(record, IO_SCOPE_JOB);

	if (!*run->user)
		strcpy(run->user, record->user);
	if (!*run->profile && record->has_request)
		snprintf(run->profile, sizeof(run->profile), "%s", record->request.profile);
	if (seconds > 0)
		run->node_s += (int64_t)(seconds < NODE_S_MAX ? seconds : NODE_S_MAX);
	io_add_number(&run->warned, record->gate_warned);
	io_add_number(&run->refused, record->gate_refused);
	if (*source)
		add_counters(run, record, source);
	else
		run->is_wide |= *run_source(record, IO_SCOPE_NODE) != 0;
}

void site_run_set_advice(struct site_run *run, const struct advice_list *list)
{
	char *codes = run->advice;
	size_t i, size = 0;

	run->is_judged = list->is_judged;
	for (i = 0; i < list->count; i++)
		if (!strstr(codes, list->list[i].code) &&
		    size + strlen(list->list[i].code) + 2 < SITE_ADVICE_MAX)
			size += (size_t)sprintf(codes + size, "%s%s", size ? " " : "",
						list->list[i].code);
}
