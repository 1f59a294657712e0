/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_keys.h - keys of jobio.conf: a table for each kind of section
 *
 * Terms   key: a row of such a table; the last has no name. 'base' is the struct
 *           of the section, which its offset refers to.
 * Owner   as in config.h: what is set belongs to the struct.
 * Errors  config_set() and config_replace_text() return NULL, or why a value is
 *           invalid, until the thread's next call; the others as in config.h.
 * Runs    where config.h does. Included by config*.c only.
 */
#ifndef JOBIO_BASE_CONFIG_KEYS_H
#define JOBIO_BASE_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "base/err.h"

#define CONFIG_TEXT_MAX 500
#define CONFIG_SQLITE "/var/lib/jobio/ledger.sqlite"
#define CONFIG_TYPE_COUNT (CLIENT_NFS + 1) /* the last of enum client_type */

enum kind {
	TEXT,
	PATH,
	FIXED_PATH, /* in the same tables, but not a key of the file */
	NUMBER,
	CHOICE,
	NAME,
	HOSTS /* hostlist.h, or CONFIG_ALL */
};

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *initial;
	unsigned long min, max;
	const char *const *choices; /* index is the enum's value */
};

extern const struct key config_jobio_keys[];
extern const struct key config_option_keys[];
extern const struct key config_count_keys[];
extern const struct key config_ledger_keys[];
extern const struct key config_advice_keys[];
extern const struct key config_calibration_keys[]; /* of [advice] too */
extern const struct key config_client_keys[];	   /* of every type */
extern const struct key *const config_type_keys[CONFIG_TYPE_COUNT];
extern const struct key config_profile_keys[];

const char *config_set(void *base, const struct key *key, const char *value);
int config_set_initial(void *base, const struct key *keys);
void config_free_texts(void *base, const struct key *keys);
const char *config_replace_text(char **text, const char *value);

const struct key *config_find_key(const struct key *keys, const char *name);
/* Find a key of any type: the type of the section may be set further below. */
const struct key *config_find_type_key(const char *name);
/* Return a message with the most similar key. */
const char *config_unknown_key(const struct key *keys, const char *name, char *text, size_t size);
/* Return the key of a section of this type that is most similar to a mistyped one; NULL if none
 * is. */
const char *config_nearest_key(const struct key *keys, const struct key *more, const char *name);
/* Return Levenshtein's distance; 'b' of at most PROFILE_NAME_MAX bytes. */
size_t config_distance(const char *a, const char *b);

bool config_is_path(const char *text);

#endif
