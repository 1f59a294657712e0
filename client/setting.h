/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting.h - a list of coupled settings at one target, changed and put back
 *
 * The common part of every kind of change that is "some keys at one place":
 * mount options of a mount point, parameters of a Lustre target, the read-ahead
 * of a mount. A type gives a table of keys and four functions.
 *
 * Terms   word: "key", "key=value", or "!key" for "not set"; a list has words
 *           with commas between them, in the order in which they are written.
 *           What a key pulls along stands behind it.
 *         rivals: words of which one takes the other's place: of one key, or of
 *           one group ("writecache" and "forcedirect").
 *         entry: one line of the journal holds the whole list of one target:
 *           the words as they were and as they shall be, as many of each.
 *         repeat: a word that falls back to its default when a write leaves it
 *           out.
 * Owner   lists returned as char * are malloc'ed and freed by the caller.
 * Errors  -1 or NULL, sentence in *err; what goes wrong with a change is a
 *           finding of the type's own code. What counts is what is read back,
 *           whatever the command said.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_SETTING_H
#define JOBIO_CLIENT_SETTING_H

#include "client/change.h"

#define SETTING_WORD_MAX 256

struct setting_key {
	const char *key;
	bool repeat;	   /* fall back when left out */
	bool profile;	   /* a profile may set it */
	char group;	   /* rivals: 0 has none but itself */
	unsigned long max; /* of a number; 0: takes no value */
};

struct setting {
	const struct setting_key *keys; /* ends with a row of zeros */
	const char *one, *many;		/* "mount option", "mount options" */
	const char *no_key;		/* why a profile may not set a key */
	const char *shown_by;		/* "the mount table" */
	/* rules of the type */
	const char *failed, *not_back, *not_ours, *shared, *refused;
	/* the list that the profile asks for; "": none */
	const char *(*wanted)(const struct client_want *want);
	/* the index-th target; NULL: there are no more */
	const char *(*target)(const struct client *client, size_t index);
	/* the list as it stands, borrowed until the next read; NULL and errno
	 * ENOENT: there is no such target, nothing of it is left; another
	 * errno: it could not be read */
	const char *(*now)(const struct client *client, const char *target);
	int (*read)(struct client *client, struct err *err);
	int (*write)(const struct setting *setting, struct client *client, const char *target,
		     const char *list, struct err *err);
};

/* Of struct change_kind, whose 'how' is a struct setting. */
void setting_plan(const struct change_kind *kind, struct client *client,
		  const struct client_want *want, struct client_plan *plan,
		  struct findings *findings);
enum change_made setting_make(const struct change_kind *kind, struct client *client,
			      const struct journal_change *change, struct findings *findings);
enum change_undone setting_undo(const struct change_kind *kind, struct client *client,
				const struct journal_change *change, struct findings *findings);

/* Is there a word that a profile may not have? Told; the profile is refused as
 * a whole. */
bool setting_refuses(const struct setting *setting, const struct client *client, const char *wanted,
		     struct findings *findings);

bool setting_holds(const struct change_kind *kind, const struct client *client,
		   const struct client_want *want);

/* NULL: not a key of the table. */
const struct setting_key *setting_key_find(const struct setting *setting, const char *key);
/* May a profile set it to this value? NULL: yes; else why not. */
const char *setting_refusal(const struct setting *setting, const char *key, const char *value);
/* Does a word of the list take the place of 'key' (or "!key")? */
bool setting_is_replaced(const struct setting *setting, const char *list, const char *key);
/* Do all words of 'before' still hold in 'after', but those that 'wanted'
 * replaces, and those of 'wanted', too? 0: yes. */
int setting_verify(const struct setting *setting, const char *before, const char *after,
		   const char *wanted, struct err *err);

#endif
