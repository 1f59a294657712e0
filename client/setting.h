/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting.h - change and restore a list of coupled settings of one target
 *
 * The common part of all kinds of change with several keys at one place: mount options of
 * a mount point, parameters of a Lustre target, the read-ahead of a mount. A type has a
 * table of keys and functions.
 *
 * Terms   word: "key", "key=value", or "!key" for "not set"; a list has words separated
 *           by commas, in the order in which they are written. Keys that another one
 *           changes follow it.
 *         rivals: words that replace each other: of one key, or of one group
 *           ("writecache" and "forcedirect").
 *         entry: one line of the journal has the whole list of one target: the old words
 *           and the new ones, as many of each.
 *         repeat: a word that is reset to its default if a write does not include it.
 * Owner   lists returned as char * are malloc'ed and freed by the caller.
 * Errors  -1 or NULL, sentence in *err; an error of a change is a finding of the type's
 *           own code. The value that is read back decides, not the status of the command.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_SETTING_H
#define JOBIO_CLIENT_SETTING_H

#include "client/change.h"

#define SETTING_WORD_MAX 256

struct setting_key {
	const char *key;
	bool repeat;	   /* reset if not included */
	bool profile;	   /* a profile may set it */
	char group;	   /* of rivals; 0: only itself */
	unsigned long max; /* of a number; 0: no value */
};

struct setting {
	const struct setting_key *keys; /* ends with a row of zeros */
	const char *one, *many;		/* "mount option", "mount options" */
	const char *no_key;		/* why a profile may not set it */
	const char *shown_by;		/* "the mount table" */
	/* return the list of the profile; "": none */
	const char *(*wanted)(const struct client_desired *desired);
	/* return the index-th target; NULL: no more */
	const char *(*target)(const struct client *client, size_t index);
	/* return the current list, borrowed until the next read; NULL with errno ENOENT: there is
	 * no such target, nothing is left to restore; another errno: it could not be read */
	const char *(*now)(const struct client *client, const char *target);
	int (*read)(struct client *client, struct err *err);
	int (*write)(const struct setting *setting, struct client *client, const char *target,
		     const char *list, struct err *err);
};

/* For struct change_kind with a struct setting in 'how'. */
void setting_plan(const struct change_kind *kind, struct client *client,
		  const struct client_desired *desired);
enum change_state setting_make(const struct change_kind *kind, struct client *client,
			       const struct change *change);
enum change_state setting_undo(const struct change_kind *kind, struct client *client,
			       const struct change *change);

/* Report the words that a profile may not have. Return true if there is one; the whole profile is
 * refused. */
bool setting_refuses(const struct setting *setting, const struct client *client,
		     const char *wanted);

bool setting_holds(const struct change_kind *kind, const struct client *client,
		   const struct client_desired *desired);

/* Return NULL if it is not in the table. */
const struct setting_key *setting_key_find(const struct setting *setting, const char *key);
/* Return why a profile may not set it to this value; NULL: it may. */
const char *setting_refusal(const struct setting *setting, const char *key, const char *value);
/* Return true if a word of the list replaces 'key' (or "!key"). */
bool setting_is_replaced(const struct setting *setting, const char *list, const char *key);
/* Return 0 if 'after' has all words of 'wanted', and all of 'before' that they do not replace; else
 * -1. */
int setting_verify(const struct setting *setting, const char *before, const char *after,
		   const char *wanted, struct err *err);

#endif
