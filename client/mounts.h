/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mounts.h - the mount table, and lists of mount options
 *
 * Terms   mount table: text as in /proc/self/mounts (proc_pid_mounts(5)), or in
 *           fstab(5); blanks, tabs, newlines and backslashes are \ooo in it.
 *         option list: "rw,relatime,forcedirect,dentry_max_age_positive=1000".
 *         key: the part of an option before '='.
 *         fstype: one type or several, blank-separated.
 * Owner   mounts_free() frees the whole list, NULL allowed; lists returned as char *
 *           are malloc'ed and freed by the caller.
 * Errors  -1 or NULL with the reason in *err; a line that is not a mount is skipped, as
 *           by mount(8).
 * Runs    in the helpers; independent of filesystems.
 */
#ifndef JOBIO_CLIENT_MOUNTS_H
#define JOBIO_CLIENT_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "client/types.h"

struct client;

struct mounts {
	size_t count;
	struct client_mount *mount;
};

/* Return all mounts of the type in the table; of several on one mount point only the last, which is
 * on top. */
struct mounts *mounts_parse(const char *table, const char *fstype);
struct mounts *mounts_read(const char *path, const char *fstype, struct err *err);
void mounts_free(struct mounts *mounts);
/* Read the mounts of the client's type that are in mounts= of jobio.conf again. */
int mounts_reread(struct client *client, struct err *err);

/* Return true if 'target' ("": any mount of the client) is mounted on access, by an automounter of
 * the mount table or by its noauto line in fstab(5). */
bool mounts_come_later(const struct client *client, const char *target);

/* Return NULL if it is not mounted. */
const struct client_mount *mounts_find(const struct mounts *mounts, const char *target);

/* Return true if 'word' is one of the blank-separated words, or there are none. */
bool mounts_word_in(const char *words, const char *word);

/* Copy the value of 'key' ("" for an option without one) into 'value'; return false if the list has
 * no such option. The last one counts. */
bool options_get(const char *options, const char *key, char *value, size_t size);

#define OPTION_MAX 4096
struct options_word {
	char word[OPTION_MAX], key[OPTION_MAX];
	const char *value; /* "": none */
};

/* Get the next option and step over it. Return false at the end. Allocates no memory. An option of
 * more than OPTION_MAX - 1 bytes, more than mount(2) allows, is truncated. */
bool options_next(const char **options, struct options_word *w);

/* Append 'option' to 'list' (may be NULL) and return it; 'list' is freed. */
char *options_append(char *list, const char *option);

#endif
