/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mounts.h - the mount table, and lists of mount options
 *
 * Terms   mount table: text as in /proc/self/mounts (proc_pid_mounts(5)), or in
 *           fstab(5); blanks, tabs, newlines and backslashes are written \ooo
 *           in it.
 *         option list: "rw,relatime,forcedirect,dentry_max_age_positive=1000".
 *         key: the part of an option before '='.
 *         fstype: one type or several, blank-separated.
 * Owner   mounts_free() frees the whole list, NULL allowed; lists returned as
 *           char * are malloc'ed and freed by the caller.
 * Errors  -1 or NULL with the reason in *err; a line that is not a mount is
 *           passed over, as mount(8) does.
 * Runs    in the helpers; knows nothing of any filesystem.
 */
#ifndef JOBIO_CLIENT_MOUNTS_H
#define JOBIO_CLIENT_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "client/terms.h"

struct client;

struct mounts {
	size_t count;
	struct client_mount *mount;
};

/* All mounts of the type in the table; of several on one mount point only the
 * last, which is the one that is seen. */
struct mounts *mounts_parse(const char *table, const char *fstype);
struct mounts *mounts_read(const char *path, const char *fstype, struct err *err);
void mounts_free(struct mounts *mounts);
/* Those of the client's type that mounts= of jobio.conf names, anew. */
int mounts_reread(struct client *client, struct err *err);

/* Will 'target' ("": any mount of the client) be mounted when it is used, by an automounter of
 * the mount table or by its noauto line in fstab(5)? */
bool mounts_come_later(const struct client *client, const char *target);

/* NULL when it is not mounted. */
const struct client_mount *mounts_find(const struct mounts *mounts, const char *target);

/* Is 'word' one of the blank-separated words? An empty list holds all. */
bool mounts_word_in(const char *words, const char *word);

/* Copy the value of 'key' ("" for an option without one) into 'value'; false
 * when the list has no such option. The last one counts. */
bool options_get(const char *options, const char *key, char *value, size_t size);

/* How many bytes the first option has: a comma between double quotes is part of
 * it, as for mount(8). */
size_t options_length(const char *options);

/* Call fn for every option, in order; stops and returns what is not 0. Takes no
 * memory: a question asked of a list has an answer. An option of more than
 * OPTION_MAX - 1 bytes, which mount(2) has no room for, is cut off there. */
#define OPTION_MAX 4096
int options_each(const char *options,
		 int (*fn)(void *arg, const char *option, const char *key, const char *value),
		 void *arg);

/* The list with 'option' appended; frees 'list' (which may be NULL); NULL when
 * out of memory. */
char *options_append(char *list, const char *option);

#endif
