/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"
#include "record/json.h"
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

void site_run_free(struct site_run *site)
{
	size_t i;

	if (!site)
		return;
	for (i = 0; i < site->fs_count; i++) {
		free(site->fs[i].name);
		free(site->fs[i].type);
	}
	free(site);
}

/* ---- filesystems ---------------------------------------------------------- */

static const char *type_of(const struct run *run, const char *fs)
{
	size_t i;

	for (i = 0; i < run->mount_count; i++)
		if (!strcmp(run->mounts[i].mount, fs) &&
		    strlen(run->mounts[i].fstype) < SITE_NAME_MAX)
			return run->mounts[i].fstype;
	return NULL;
}

/* A name in a record may be longer than a row of every store. */
static const char *name_of(const struct io *io)
{
	if (!io->fs)
		return SITE_FS_ALL;
	return strlen(io->fs) < SITE_NAME_MAX ? io->fs : SITE_FS_REST;
}

static struct site_fs *find_fs(struct site_run *site, const char *name)
{
	size_t i;

	for (i = 0; i < site->fs_count; i++)
		if (!strcmp(site->fs[i].name, name))
			return &site->fs[i];
	return NULL;
}

/* The last entry collects all further filesystems. */
static struct site_fs *fs_of(struct site_run *site, const char *name, const char *type)
{
	struct site_fs *fs = find_fs(site, name);

	if (fs)
		return fs;
	if (site->fs_count >= SITE_FS_MAX - 1 && strcmp(name, SITE_FS_REST) != 0)
		return fs_of(site, SITE_FS_REST, NULL);
	fs = &site->fs[site->fs_count++];
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

static bool is_used(const struct run_series *series)
{
	return series->kind == RUN_APP && series->io.scope == IO_SCOPE_JOB;
}

/* Return true if the same source has counters by filesystem. */
static bool has_fs(const struct run *run, const char *source)
{
	const struct run_series *one = run->series, *end = one + run->series_count;

	while (one < end && (!is_used(one) || !one->io.fs || strcmp(one->io.source, source) != 0))
		one++;
	return one < end;
}

static void add_counters(struct site_run *site, const struct run *run)
{
	const struct io *io;
	struct site_fs more;
	size_t i;

	for (i = 0; i < run->series_count; i++) {
		io = &run->series[i].io;
		site->is_wide |= run->series[i].kind == RUN_APP && io->scope == IO_SCOPE_NODE;
		if (!is_used(&run->series[i]) || (!io->fs && has_fs(run, io->source)))
			continue;
		more = numbers_of(io);
		site_fs_add(fs_of(site, name_of(io), type_of(run, name_of(io))), &more);
	}
}

/* ---- the run -------------------------------------------------------------------- */

static int64_t node_seconds(const struct run *run)
{
	double seconds;
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < run->node_count; i++) {
		seconds = run->nodes[i]->end - run->nodes[i]->start;
		if (seconds > 0)
			sum += (int64_t)(seconds < NODE_S_MAX ? seconds : NODE_S_MAX);
	}
	return sum;
}

static void set_profile(struct site_run *site, const struct run *run)
{
	const struct run_group *group;
	const char *profile = NULL;
	size_t at = 0;

	while (!profile && (group = run_next_group(run, RUN_GROUPED_REQUEST, &at)))
		profile = json_text(group->value, "profile");
	snprintf(site->profile, sizeof(site->profile), "%s", profile ? profile : "");
}

static void set_advice(struct site_run *site, const struct advice_list *list)
{
	char *codes = site->advice;
	size_t i, size = 0;

	site->is_judged = list->is_judged;
	for (i = 0; i < list->count; i++)
		if (!strstr(codes, list->list[i].code) &&
		    size + strlen(list->list[i].code) + 2 < SITE_ADVICE_MAX)
			size += (size_t)sprintf(codes + size, "%s%s", size ? " " : "",
						list->list[i].code);
}

struct site_run *site_run_new(const struct run *run, const struct advice_list *list)
{
	struct site_run *site = xcalloc(1, sizeof(*site));

	strcpy(site->user, run->user);
	site->node_s = node_seconds(run);
	site->warned = run->gate_warned;
	site->refused = run->gate_refused;
	set_profile(site, run);
	add_counters(site, run);
	set_advice(site, list);
	return site;
}
