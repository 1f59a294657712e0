/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/text.h"
#include "client/type.h"
#include "record/alloc.h"

#define TABLE_BYTES_MAX (4U << 20)

static void mount_free(struct client_mount *mount)
{
	free(mount->source);
	free(mount->target);
	free(mount->fstype);
	free(mount->options);
	memset(mount, 0, sizeof(*mount));
}

static struct client_mount *slot_for(struct mounts *mounts, const char *target)
{
	size_t i;

	for (i = 0; i < mounts->count; i++) {
		if (!strcmp(mounts->mount[i].target, target)) {
			mount_free(&mounts->mount[i]);
			return &mounts->mount[i];
		}
	}
	mounts->mount = xmore(mounts->mount, mounts->count, sizeof(*mounts->mount));
	return &mounts->mount[mounts->count++];
}

/* Filter of a mount table; 'targets' "": all mount points; is_client() NULL: all sources. */
struct wanted {
	const char *fstype, *targets;
	bool (*is_client)(const char *source);
};

static void add_line(struct mounts *mounts, char *line, const struct wanted *wanted)
{
	char *save = NULL, *field[4];
	struct client_mount *mount;
	int i;

	if (*line == '#') /* fstab(5); the kernel writes \043 */
		return;
	for (i = 0; i < 4; i++) {
		field[i] = strtok_r(i ? NULL : line, " \t", &save);
		if (!field[i])
			return;
		text_unescape_octal(field[i]);
	}
	if (!mounts_word_in(wanted->fstype, field[2]) ||
	    !mounts_word_in(wanted->targets, field[1]) ||
	    (wanted->is_client && !wanted->is_client(field[0])))
		return;
	mount = slot_for(mounts, field[1]);
	mount->source = xstrdup(field[0]);
	mount->target = xstrdup(field[1]);
	mount->fstype = xstrdup(field[2]);
	mount->options = xstrdup(field[3]);
}

static struct mounts *parse(const char *table, const struct wanted *wanted)
{
	struct mounts *mounts = xcalloc(1, sizeof(*mounts));
	char *copy = xstrdup(table), *line, *save = NULL;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(mounts, line, wanted);
	free(copy);
	return mounts;
}

struct mounts *mounts_parse(const char *table, const char *fstype)
{
	return parse(table, &(struct wanted){ fstype, "", NULL });
}

static struct mounts *read_table(const char *path, const struct wanted *wanted, struct err *err)
{
	struct mounts *mounts;
	char *table;

	table = fileio_read_linked(path, TABLE_BYTES_MAX, err);
	if (!table)
		return NULL;
	mounts = parse(table, wanted);
	free(table);
	return mounts;
}

struct mounts *mounts_read(const char *path, const char *fstype, struct err *err)
{
	return read_table(path, &(struct wanted){ fstype, "", NULL }, err);
}

int mounts_reread(struct client *client, struct err *err)
{
	const struct wanted wanted = { client->type->fstypes, client->section->mounts,
				       client->type->is_client };
	struct mounts *ours;

	ours = read_table(client->section->mount_table, &wanted, err);
	if (!ours)
		return -1;
	mounts_free(client->mounts);
	client->mounts = ours;
	client->common.mounts = ours->mount;
	client->common.mount_count = ours->count;
	return 0;
}

/* ---- mounted later ------------------------------------------------------- */

/* systemd automounts some system mount points: /proc/sys/fs/binfmt_misc, /efi. */
static bool is_systems(const char *target)
{
	static const char *const tops[] = { "/proc", "/sys", "/dev", "/boot", "/efi", NULL };
	size_t i, length;

	for (i = 0; tops[i]; i++) {
		length = strlen(tops[i]);
		if (!strncmp(target, tops[i], length) && strchr("/", target[length]))
			return true;
	}
	return false;
}

/* Storage Scale has its automounter at automountDir, with links to it at its mount points. */
static bool is_automounted(const struct client *client, const char *at, const char *target)
{
	size_t length = strlen(at);

	if (is_systems(at))
		return false;
	return !*target || client->section->type == CLIENT_GPFS ||
	       (!strncmp(target, at, length) && strchr("/", target[length]));
}

/* mmstartup mounts lines with "autostart", although they have "noauto". */
static bool is_on_demand(const struct client_mount *line)
{
	return options_get(line->options, "x-systemd.automount", NULL, 0) ||
	       (options_get(line->options, "noauto", NULL, 0) &&
		!options_get(line->options, "autostart", NULL, 0));
}

bool mounts_come_later(const struct client *client, const char *target)
{
	struct mounts *automounts = mounts_read(client->section->mount_table, "autofs", NULL);
	const struct wanted wanted = { client->type->fstypes, target, client->type->is_client };
	struct mounts *lines = read_table(client->section->fstab, &wanted, NULL);
	bool later = false;
	size_t i;

	for (i = 0; automounts && i < automounts->count; i++)
		later |= is_automounted(client, automounts->mount[i].target, target);
	for (i = 0; lines && i < lines->count; i++)
		later |= is_on_demand(&lines->mount[i]);
	mounts_free(automounts);
	mounts_free(lines);
	return later;
}

void mounts_free(struct mounts *mounts)
{
	size_t i;

	if (!mounts)
		return;
	for (i = 0; i < mounts->count; i++)
		mount_free(&mounts->mount[i]);
	free(mounts->mount);
	free(mounts);
}

const struct client_mount *mounts_find(const struct mounts *mounts, const char *target)
{
	size_t i;

	for (i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->mount[i].target, target))
			return &mounts->mount[i];
	return NULL;
}

bool mounts_word_in(const char *words, const char *word)
{
	size_t length = strlen(word), span;
	bool any = false;

	for (;;) {
		words += strspn(words, " \t");
		span = strcspn(words, " \t");
		if (!span)
			return !any;
		any = true;
		if (span == length && !strncmp(words, word, span))
			return true;
		words += span;
	}
}

/* As libmount/src/optstr.c:mnt_optstr_next_option() (util-linux 2.38). */
static size_t options_length(const char *options)
{
	bool quoted = false;
	size_t length;

	for (length = 0; options[length]; length++) {
		if (options[length] == '"')
			quoted = !quoted;
		else if (options[length] == ',' && !quoted)
			break;
	}
	return length;
}

bool options_next(const char **options, struct options_word *w)
{
	size_t length;

	*options += strspn(*options, ",");
	length = options_length(*options);
	TEXT_SET_PART(w->word, *options, length);
	TEXT_SET_PART(w->key, w->word, strcspn(w->word, "="));
	w->value = w->word + strlen(w->key);
	w->value += *w->value == '=';
	*options += length;
	return length > 0;
}

bool options_get(const char *options, const char *key, char *value, size_t size)
{
	struct options_word w;
	bool found = false;

	while (options_next(&options, &w)) {
		if (strcmp(w.key, key) != 0)
			continue;
		if (value)
			text_copy(value, size, w.value);
		found = true;
	}
	return found;
}

char *options_append(char *list, const char *option)
{
	size_t used = list ? strlen(list) : 0;
	char *bigger = xrealloc(list, used + strlen(option) + 2, 1);

	if (used)
		bigger[used++] = ',';
	strcpy(bigger + used, option);
	return bigger;
}
