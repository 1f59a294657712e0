/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/own_mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fileio.h"
#include "lib/text.h"

#define PATH_TEXT_MAX 256
#define PLACE_MAX 8192 /* two paths */
#define STEPS_MAX 4096 /* mounts on the way to a path */

/* ---- a table ------------------------------------------------------------------- */

char *own_mounts_table(const char *proc, const char *who)
{
	char path[PATH_TEXT_MAX];

	snprintf(path, sizeof(path), "%.200s/%s/mountinfo", proc, who);
	return fileio_read(path, OWN_TABLE_BYTES_MAX, NULL, NULL);
}

bool own_word_is(const struct own_word *a, const struct own_word *b)
{
	return a->bytes == b->bytes && !memcmp(a->text, b->text, a->bytes);
}

/* ID PARENT MAJOR:MINOR ROOT TARGET .. - FSTYPE SOURCE SUPER */
static bool read_mount(const char *line, struct own_mount *mount)
{
	struct own_word *words[] = { &mount->id, &mount->parent, &mount->device,
				     &mount->root, &mount->target };
	size_t length = strcspn(line, "\n"), i;
	const char *dash = memmem(line, length, " - ", 3), *at = line;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		words[i]->text = at;
		words[i]->bytes = strcspn(at, " \n");
		at += words[i]->bytes;
		if (*at != ' ')
			return false;
		at++;
	}
	if (!dash)
		return false;
	mount->line = (struct own_word){ line, length };
	mount->type = (struct own_word){ dash + 3, strcspn(dash + 3, " \n") };
	return mount->device.bytes && mount->type.bytes;
}

bool own_mounts_next(const char **table, struct own_mount *mount)
{
	const char *line;

	while (**table) {
		line = *table;
		*table = text_behind_line(line);
		if (read_mount(line, mount))
			return true;
	}
	return false;
}

/* ---- what is own --------------------------------------------------------------- */

static bool has_word(const char *words, const struct own_word *word)
{
	const char *at = words;
	struct own_word one;

	for (; *at; at += strspn(at, " ")) {
		one = (struct own_word){ at, strcspn(at, " ") };
		if (own_word_is(&one, word))
			return true;
		at += one.bytes;
	}
	return false;
}

static void add_type(char types[OWN_MOUNTS_MAX], const struct own_word *type)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t used = strlen(types);

	if (strspn(type->text, allowed) < type->bytes ||
	    used + type->bytes + 2 > OWN_MOUNTS_MAX || has_word(types, type))
		return;
	snprintf(types + used, OWN_MOUNTS_MAX - used, "%s%.*s", used ? " " : "",
		 (int)type->bytes, type->text);
}

bool own_mounts_is_own(const char *nodes, const struct own_mount *mount)
{
	struct own_mount one;

	while (own_mounts_next(&nodes, &one))
		if (own_word_is(&one.device, &mount->device))
			return false;
	return true;
}

void own_mounts_types(const char *table, const char *nodes,
		      char types[OWN_MOUNTS_MAX])
{
	struct own_mount mount;

	while (own_mounts_next(&table, &mount))
		if (own_mounts_is_own(nodes, &mount))
			add_type(types, &mount.type);
}

/* ---- where a path leads to ----------------------------------------------------- */

static bool is_slash(const struct own_word *word)
{
	return word->bytes == 1 && *word->text == '/';
}

/* Is the mount at this path, or above it? */
static bool leads_to(const struct own_mount *mount, const char *path)
{
	size_t bytes = mount->target.bytes;

	if (is_slash(&mount->target))
		return true;
	return !strncmp(path, mount->target.text, bytes) &&
	       (path[bytes] == '/' || !path[bytes]);
}

static bool has_id(const char *table, const struct own_word *id)
{
	struct own_mount one;

	while (own_mounts_next(&table, &one))
		if (own_word_is(&one.id, id))
			return true;
	return false;
}

/* It stands on nothing that the process can see. */
static bool find_root(const char *table, struct own_mount *root)
{
	const char *rest = table;

	while (own_mounts_next(&rest, root))
		if (is_slash(&root->target) &&
		    (own_word_is(&root->parent, &root->id) ||
		     !has_id(table, &root->parent)))
			return true;
	return false;
}

/* Of those that stand on this mount the kernel meets the shortest first
 * (fs/namei.c:step_into()). */
static bool find_next(const char *table, const char *path,
		      const struct own_mount *at, struct own_mount *next)
{
	struct own_mount one;
	bool is_found = false;

	while (own_mounts_next(&table, &one))
		if (own_word_is(&one.parent, &at->id) &&
		    !own_word_is(&one.id, &at->id) && leads_to(&one, path) &&
		    (!is_found || one.target.bytes < next->target.bytes)) {
			*next = one;
			is_found = true;
		}
	return is_found;
}

static bool find_place(const char *table, const char *path,
		       struct own_mount *place)
{
	struct own_mount next;
	int i;

	if (!find_root(table, place))
		return false;
	for (i = 0; i < STEPS_MAX && find_next(table, path, place, &next); i++)
		*place = next;
	return true;
}

/* The path in the filesystem itself: "/" of a mount is the root of another. */
static void print_place(const struct own_mount *mount, const char *path,
			char out[PLACE_MAX])
{
	size_t root = is_slash(&mount->root) ? 0 : mount->root.bytes;

	if (!is_slash(&mount->target))
		path += mount->target.bytes;
	snprintf(out, PLACE_MAX, "%.*s%s", (int)root, mount->root.text, path);
}

bool own_mounts_is_elsewhere(const char *table, const char *nodes,
			     const char *path)
{
	static const struct own_word autofs = { "autofs", 6 };
	char place[PLACE_MAX], nodes_place[PLACE_MAX];
	struct own_mount mount, nodes_mount;

	if (*path != '/' || !find_place(table, path, &mount) ||
	    !find_place(nodes, path, &nodes_mount) ||
	    own_word_is(&nodes_mount.type, &autofs))
		return false;
	print_place(&mount, path, place);
	print_place(&nodes_mount, path, nodes_place);
	return !own_word_is(&mount.device, &nodes_mount.device) ||
	       strcmp(place, nodes_place) != 0;
}
